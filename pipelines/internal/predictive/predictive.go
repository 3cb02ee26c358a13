package predictive

import (
	"context"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// Quantities are what a row of data may be asked for.
var Quantities = []string{"linear", "mean", "response"}

// Prediction is one row at every draw, chain after chain.
type Prediction struct {
	Row int // 0-based, of the design
	// Of has, in the order of Quantities, the linear predictor (of a mixture NaN, for its components have one each), the
	// mean of the response (for binomial the expected successes) and a random response.
	Of [3][]float64
	// Summaries of these, with NaN where a draw has no value.
	Summaries [3]Summary
}

// Summary describes the draws of one quantity.
type Summary struct {
	Mean, SD, Q025, Q25, Median, Q75, Q975 float64
	Reason                                 string // why the numbers are NaN
}

// groupRows is the number of rows that are predicted side by side.
const groupRows = 64

// Predict gives every row of a design to yield, in order, with its quantities at
// every draw and their summaries; yield must not keep them. stream names the
// random stream of a row: the same row has the same responses whatever else is
// predicted beside it.
//
// Memory is that of Blocks, and 64 rows at every draw. Cost: O(n·d) a draw, and some
// 50 ns a draw and row for a response.
func (f *Fit) Predict(ctx context.Context, outcomes *glm.Pointwise, data *glm.Data, stream func(row int) *infer.Stream,
	yield func(*Prediction) error) error {
	group := make([]Prediction, min(groupRows, data.Rows()))
	for i := range group {
		for q := range group[i].Of {
			group[i].Of[q] = make([]float64, f.Size())
		}
	}
	sorted := make([][]float64, max(1, f.Workers))
	for b, err := range f.Blocks(ctx, data) {
		if err != nil {
			return err
		}
		for lo := 0; lo < b.Rows; lo += len(group) {
			now := group[:min(len(group), b.Rows-lo)]
			err := f.each(len(now), func(w, i int) {
				now[i].fill(outcomes, b, lo+i, stream(b.First+lo+i))
				for q := range now[i].Of {
					sorted[w] = append(sorted[w][:0], now[i].Of[q]...)
					now[i].Summaries[q] = Summarize(sorted[w])
				}
			})
			if err != nil {
				return err
			}
			for i := range now {
				if err := yield(&now[i]); err != nil {
					return err
				}
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Observations gives the rows of a design to yield in blocks, with their log likelihood and a random response at
// every draw: of row first+i at draw s, chain after chain, at [s*rows+i]. yield must not keep them. Streams are those
// of Predict. Memory is three times that of Blocks.
func (f *Fit) Observations(ctx context.Context, outcomes *glm.Pointwise, data *glm.Data,
	stream func(row int) *infer.Stream, yield func(first, rows int, logLik, responses []float64) error) error {
	var logLik, responses []float64
	for b, err := range f.Blocks(ctx, data) {
		if err != nil {
			return err
		}
		size := b.Rows * f.Size()
		logLik, responses = slices.Grow(logLik[:0], size)[:size], slices.Grow(responses[:0], size)[:size]
		err := f.each(b.Rows, func(_, i int) {
			random := stream(b.First + i)
			for s := range f.Size() {
				responses[s*b.Rows+i] = b.draw(outcomes, random, s, i)
			}
		})
		if err != nil {
			return err
		}
		err = f.each(f.Size(), func(_, s int) { b.logLik(outcomes, s, 0, b.Rows, logLik[s*b.Rows:(s+1)*b.Rows]) })
		if err != nil {
			return err
		}
		if err := yield(b.First, b.Rows, logLik, responses); err != nil {
			return err
		}
	}
	return nil
}

// fill computes the quantities of row i of a block.
func (p *Prediction) fill(outcomes *glm.Pointwise, b *Block, i int, s *infer.Stream) {
	p.Row = b.First + i
	b.Row(i, p.Of[0])
	for d := range p.Of[0] {
		p.Of[1][d], p.Of[2][d] = b.mean(outcomes, d, i), b.draw(outcomes, s, d, i)
	}
}

// quantile is R's type 7 of numbers in increasing order.
func quantile(x []float64, p float64) float64 {
	h := p * (float64(len(x)) - 1)
	lo := int(h)
	if frac := h - float64(lo); frac > 0 {
		return math.FMA(frac, x[lo+1]-x[lo], x[lo])
	}
	return x[lo]
}

// Summarize describes draws, whose order is lost. Quantiles are R's type 7.
func Summarize(x []float64) Summary {
	nan := math.NaN()
	none := Summary{nan, nan, nan, nan, nan, nan, nan, ""}
	bad, sum := 0, 0.0
	for _, v := range x {
		if math.IsNaN(v) {
			bad++
		}
		sum += v
	}
	n := float64(len(x))
	if bad > 0 {
		none.Reason = fmt.Sprintf("at %d of %d draws the linear predictor is outside the domain of the link", bad, len(x))
	}
	if bad > 0 || len(x) == 0 {
		return none
	}
	slices.Sort(x)
	at := func(p float64) float64 { return quantile(x, p) }
	s := Summary{Mean: sum / n, Q025: at(0.025), Q25: at(0.25), Median: at(0.5), Q75: at(0.75), Q975: at(0.975)}
	squares := 0.0
	for _, v := range x {
		d := v - s.Mean
		squares = math.FMA(d, d, squares)
	}
	s.SD = math.Sqrt(squares / (n - 1))
	return s
}
