package synthetic

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// maxMean bounds the mean of a count.
const maxMean = 1e9

// CSV writes the data that s describes: the response y, then x1, x2 …, with the
// digits that give back each float64. It takes the memory of the columns, and
// O(rows·columns) time. It looks at ctx between columns and every few thousand rows.
//
// Column x_j is standard normal, each cell kept with probability density and
// else 0. The response has eta = b_0 + Σ x_j·b_j over the relevant columns,
// with b_0, b_1 … normal around 0 with standard deviation effect. Columns and
// coefficients have random streams of their own, so that data of more columns,
// all else equal, hold those of fewer.
func CSV(ctx context.Context, w io.Writer, s spec.Synthetic) error {
	x, eta := columns(ctx, s)
	if err := ctx.Err(); err != nil {
		return err
	}
	y, err := response(s, eta)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	_, _ = out.WriteString("y")
	for j := range x {
		_, _ = out.WriteString(",x" + strconv.Itoa(j+1))
	}
	var cell []byte
	for i := range y {
		if i%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		cell = strconv.AppendFloat(append(cell[:0], '\n'), y[i], 'g', -1, 64)
		_, _ = out.Write(cell)
		for j := range x {
			cell = strconv.AppendFloat(append(cell[:0], ','), x[j][i], 'g', -1, 64)
			_, _ = out.Write(cell)
		}
	}
	_, _ = out.WriteString("\n")
	return out.Flush() // the first error of all writes
}

var standardNormal = prior.Prior{Kind: prior.Normal, Scale: 1}

// stream is the random stream of one part of the data.
func stream(s spec.Synthetic, part string, number int) *infer.Stream {
	return infer.NewStream(s.Seed, "synthetic", part, strconv.Itoa(number))
}

// columns makes x, column by column, and eta; less of them once ctx has ended.
func columns(ctx context.Context, s spec.Synthetic) (x [][]float64, eta []float64) {
	x, eta = make([][]float64, s.Columns), make([]float64, s.Rows)
	intercept := s.Effect * standardNormal.Draw(stream(s, "coefficient", 0))
	for i := range eta {
		eta[i] = intercept
	}
	for j := range x {
		if ctx.Err() != nil {
			break
		}
		x[j] = column(s, j, x[0])
		if j >= s.Relevant {
			continue
		}
		b := s.Effect * standardNormal.Draw(stream(s, "coefficient", j+1))
		for i, v := range x[j] {
			eta[i] = math.FMA(v, b, eta[i])
		}
	}
	return x, eta
}

// column makes x_(j+1). first is x_1, once it has been made.
func column(s spec.Synthetic, j int, first []float64) []float64 {
	if j >= s.Relevant && s.Rest == "collinear" {
		return first
	}
	out := make([]float64, s.Rows)
	if j >= s.Relevant && s.Rest == "zero" {
		return out
	}
	from := stream(s, "column", j+1)
	for i := range out {
		if v := standardNormal.Draw(from); s.Density == 1 || from.Float64() < s.Density {
			out[i] = v
		}
	}
	return out
}

// response draws y in the order of the rows.
func response(s spec.Synthetic, eta []float64) ([]float64, error) {
	f, err := family.Parse(s.Family, "")
	if err != nil {
		return nil, err
	}
	law, err := glm.NewPointwise(f, &glm.Data{})
	if err != nil {
		return nil, err
	}
	y, from := make([]float64, len(eta)), stream(s, "response", 0)
	disp := []float64{1, 1}
	law.Mean(0, eta, disp, y)
	for i, mean := range y {
		if f.Support().Counts() && !(mean <= maxMean) {
			return nil, words.Hint(fmt.Errorf("synthetic data: row %d has the mean %.3g, more than counts can have", i+1, mean),
				fmt.Sprintf("lower effect (now %g), or let fewer columns be relevant (now %d)", s.Effect, s.Relevant))
		}
		y[i] = law.Draw(from, i, eta[i], disp)
	}
	return y, nil
}
