package mixture

import (
	"fmt"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/internal/variate"
)

// startSweeps is how many sweeps each component gets over the rows that it starts with.
const startSweeps = 10

// start draws a starting point, other labels in each chain: K rows are drawn, each row goes to the one nearest to it in
// the ranks of what the model of one component leaves of the responses, and the parameters of each component, which
// begin at a start of that model, get some sweeps given these labels.
func (k *kernel) start(c infer.Chain) (string, error) {
	u, words := k.target.Start(c)
	theta := make([]float64, len(u))
	k.target.Constrain(u, theta)
	seeds := make([]int, k.Components)
	n := k.target.Rows()
	for s := range seeds {
		seeds[s] = variate.Index(c.Stream, n)
	}
	ranks := k.ranks(theta)
	k.forget()
	frequency := k.target.Data().Frequency
	for i, r := range ranks {
		nearest, many := 0, 1.0
		for s, row := range seeds {
			if far(ranks[row], r) < far(ranks[seeds[nearest]], r) {
				nearest = s
			}
		}
		if frequency != nil {
			many = frequency[i]
		}
		k.join(nearest, i, many)
	}
	DrawWeights(c.Stream, k.opts.Concentration, k.counts, k.logW)
	for j := range k.Components {
		copy(k.theta[j*len(theta):], theta)
	}
	for range startSweeps {
		if _, err := k.moveComponents(); err != nil {
			return "", err
		}
	}
	k.evaluate()
	return fmt.Sprintf("%s of one component; %d rows drawn, each row with the nearest of them, %d sweeps", words,
		k.Components, startSweeps), nil
}

func far(a, b int) int { return max(a-b, b-a) }

// ranks orders the rows by what is left of their responses at parameters of one component.
func (k *kernel) ranks(theta []float64) []int {
	data, n := k.target.Data(), k.target.Rows()
	rest := make([]float64, n)
	design.Multiplied(data.X, theta[:k.target.Cols()], rest)
	for i, o := range data.Offset {
		rest[i] += o
	}
	k.rows.Mean(0, rest, rest)
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
