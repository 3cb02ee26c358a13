package mixture

import (
	"cmp"
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
)

// defaultStarts is the number of starts that a chain tries by default.
const defaultStarts = 16

// startSweeps is how many sweeps each component gets over the rows that it starts with.
const startSweeps = 10

// start draws a starting point from several candidates, another one in each chain.
func (k *kernel) start(c infer.Chain) error {
	u, words := k.target.Start(c)
	k.one = make([]float64, len(u))
	k.target.Constrain(u, k.one)
	k.ranks = k.rank(k.one)
	starts := cmp.Or(k.opts.Starts, defaultStarts)
	k.Words = fmt.Sprintf("%s of one component; %s", words, HowStarted(starts))
	return k.Restart(c.Stream, k, starts)
}

// Begin draws labels: K rows are drawn, and each row goes to the nearest of them, by the ranks of what the model of one
// component leaves of the responses. The parameters of each component begin at a start of that model, and get some
// sweeps given these labels.
func (k *kernel) Begin(widths []float64) error {
	k.release()
	frequency := k.target.Data().Frequency
	k.Partition(widths, func(i, j int) float64 {
		d := k.ranks[i] - k.ranks[j]
		return float64(max(d, -d))
	}, func(c, i int) {
		many := 1.0
		if frequency != nil {
			many = frequency[i]
		}
		k.join(c, i, many)
	})
	k.DrawWeights()
	for j := range k.Components {
		copy(k.ThetaOf(j), k.one)
	}
	for range startSweeps {
		if !k.moveComponents() {
			return k.Failure()
		}
	}
	k.Evaluate()
	return nil
}

// rank orders the rows by what is left of their responses at parameters of one component.
func (k *kernel) rank(theta []float64) []int {
	data, n := k.target.Data(), k.target.Rows()
	rest := make([]float64, n)
	design.Multiplied(data.X, theta[:k.target.Cols()], rest)
	for i, o := range data.Offset {
		rest[i] += o
	}
	disp := k.target.Model().DispersionsAt(theta[k.target.Cols():])
	k.rows.Mean(0, rest, disp[:], rest)
	order := make([]int, n)
	for i, mean := range rest {
		order[i] = i
		if rest[i] = data.Y[i] - mean; data.Trials != nil && data.Trials[i] > 0 {
			rest[i] /= data.Trials[i]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case rest[a] < rest[b]:
			return -1
		case rest[a] > rest[b]:
			return 1
		}
		return 0
	})
	out := make([]int, n)
	for r, i := range order {
		out[i] = r
	}
	return out
}
