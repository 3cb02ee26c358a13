package mixture

import (
	"cmp"
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/internal/variate"
)

// defaultStarts is the number of starts that a chain tries by default.
const defaultStarts = 16

// startSweeps is how many sweeps each component gets over the rows that it starts with.
const startSweeps = 10

// start draws a starting point, another one in each chain, out of several.
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
	seeds := make([]int, k.Components)
	for s := range seeds {
		seeds[s] = variate.Index(k.Stream, len(k.ranks))
	}
	k.forget()
	frequency := k.target.Data().Frequency
	for i, r := range k.ranks {
		many := 1.0
		if frequency != nil {
			many = frequency[i]
		}
		nearest := Nearest(widths, func(c int) float64 {
			d := k.ranks[seeds[c]] - r
			return float64(max(d, -d))
		})
		k.join(nearest, i, many)
	}
	k.drawWeights()
	for j := range k.Components {
		copy(k.theta[j*len(k.Of):], k.one)
	}
	for range startSweeps {
		if !k.moveComponents() {
			return k.Failure()
		}
	}
	k.evaluate()
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

// State returns weights and parameters.
func (k *kernel) State() (logW, theta []float64) { return k.logW, k.theta }

// Save returns a function that goes back to the weights and parameters of now.
func (k *kernel) Save() (restore func()) {
	logW, theta := slices.Clone(k.logW), slices.Clone(k.theta)
	return func() {
		copy(k.logW, logW)
		copy(k.theta, theta)
		k.evaluate()
	}
}
