package transform

import (
	"math"
	"sort"
)

// cubic evaluates natural cubic splines of one set of knots: pieces of degree 3 with two continuous derivatives,
// lines beyond the outer knots. Splines and their second derivatives are stored by knot, all of one knot together.
type cubic struct {
	knots          []float64
	cols           int
	values, second []float64
}

// newCubic takes the values at the knots, one spline after the other. Cost: O(knots·splines).
//
// Source: de Boor (2001), A Practical Guide to Splines, chapter IV.
func newCubic(knots, values []float64) *cubic {
	n := len(knots)
	cols := len(values) / n
	c := &cubic{knots: knots, cols: cols, values: make([]float64, n*cols), second: make([]float64, n*cols)}
	for p := range cols {
		for k := range n {
			c.values[k*cols+p] = values[p*n+k]
		}
	}
	upper := make([]float64, n) // of the tridiagonal system, eliminated from the left
	for k := 1; k < n-1; k++ {
		before, after := knots[k]-knots[k-1], knots[k+1]-knots[k]
		pivot := math.FMA(-before/6, upper[k-1], (before+after)/3)
		upper[k] = after / 6 / pivot
		for p := range cols {
			at := func(k int) float64 { return c.values[k*cols+p] }
			bend := (at(k+1)-at(k))/after - (at(k)-at(k-1))/before
			c.second[k*cols+p] = math.FMA(-before/6, c.second[(k-1)*cols+p], bend) / pivot
		}
	}
	for k := n - 2; k > 0; k-- {
		for p := range cols {
			c.second[k*cols+p] = math.FMA(-upper[k], c.second[(k+1)*cols+p], c.second[k*cols+p])
		}
	}
	return c
}

// fill writes the splines at every x, column by column. Cost: O(log knots + splines) for each x.
func (c *cubic) fill(out [][]float64, x []float64) {
	last := len(c.knots) - 1
	for i, v := range x {
		j := min(max(sort.SearchFloat64s(c.knots, v)-1, 0), last-1) // the piece
		h := c.knots[j+1] - c.knots[j]
		low, high := (c.knots[j+1]-v)/h, (v-c.knots[j])/h
		third, off := h/6, float64(h*h/6)
		bend0, bend1 := math.FMA(low*low, low, -low), math.FMA(high*high, high, -high)
		for p := range out {
			f0, f1 := c.values[j*c.cols+p], c.values[(j+1)*c.cols+p]
			m0, m1 := c.second[j*c.cols+p], c.second[(j+1)*c.cols+p]
			switch {
			case low > 1: // m0 is 0
				slope := math.FMA(-third, m1, (f1-f0)/h)
				out[p][i] = math.FMA(v-c.knots[j], slope, f0)
			case high > 1:
				slope := math.FMA(third, m0, (f1-f0)/h)
				out[p][i] = math.FMA(v-c.knots[j+1], slope, f1)
			default:
				out[p][i] = math.FMA(off, math.FMA(bend0, m0, float64(bend1*m1)), math.FMA(low, f0, float64(high*f1)))
			}
		}
	}
}
