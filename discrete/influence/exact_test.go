package influence

import (
	"fmt"
	"math"

	"glmbatch/discrete/mrf"
	"glmbatch/infer/dogs"
)

// MaxNeighbourhood is the number of states of a variable's neighbours up to which
// Exact works.
const MaxNeighbourhood = 1 << 16

// Exact returns the influences themselves, by enumeration of the states of every
// variable's neighbours: the largest total variation distance between two full
// conditionals of i that differ in the state of j alone. Cost: a conditional per
// state of each neighbourhood; it refuses more than MaxNeighbourhood of them.
func Exact(m mrf.Model) (*dogs.Influence, error) {
	c := dogs.NewInfluence(m.Variables(), m.Neighbours)
	x := make([]uint8, m.Variables())
	lw := make([]float64, mrf.MaxStates(m))
	for i := range m.Variables() {
		near, q := m.Neighbours(i), m.States(i)
		total := 1
		for _, j := range near {
			if total *= m.States(int(j)); total > MaxNeighbourhood {
				return nil, fmt.Errorf("the %d neighbours of variable %d have more than %d states; use Bounds", len(near), i, MaxNeighbourhood)
			}
		}
		p := make([]float64, total*q)
		for at := range total {
			rest := at
			for _, j := range near { // the first neighbour is the fastest digit
				x[j] = uint8(rest % m.States(int(j)))
				rest /= m.States(int(j))
			}
			m.LogWeights(lw[:q], i, x)
			mrf.Conditional(p[at*q:(at+1)*q], lw[:q], 1)
		}
		_, row := c.Row(i)
		stride := 1
		for k, j := range near {
			r := m.States(int(j))
			row[k] = widest(p, total, q, stride, r)
			stride *= r
		}
	}
	return c, nil
}

// widest returns the largest distance between rows of p that differ in one digit
// of radix r at stride.
func widest(p []float64, total, q, stride, r int) float64 {
	out := 0.0
	for at := range total {
		own := at / stride % r
		for v := range own {
			other := at - (own-v)*stride
			sum := 0.0
			for a := range q {
				sum += math.Abs(p[at*q+a] - p[other*q+a])
			}
			out = max(out, sum/2)
		}
	}
	return out
}
