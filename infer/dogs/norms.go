package dogs

import (
	"fmt"
	"math"
	"slices"
)

// Norms are sizes of an influence matrix. Below one, in any of them, every scan
// that updates each variable again and again converges to π from any start.
type Norms struct {
	Rows     float64 // the largest row sum: how much others move a variable
	Columns  float64 // the largest column sum: how much a variable moves others
	Spectral float64 // an upper bound of the spectral radius
	Floor    float64 // a lower bound of the spectral radius
	// Most is the variable with the largest row sum.
	Most int
}

// Least returns the smallest of the three.
func (n Norms) Least() float64 { return min(n.Rows, n.Columns, n.Spectral) }

// Norms computes them. The bounds of the spectral radius are those of Collatz and Wielandt, the least and the
// largest (Cx)_i/x_i, which hold for every positive x, in each part of the graph by itself; power iterations of (I
// + C)/2 find a good x. There are 64 of them, and more until both bounds are on the same side of 1, as far as
// bracketWork lets them. Cost: a pass over C each.
func (c *Influence) Norms() Norms {
	out := c.sums()
	out.Floor, out.Spectral = c.spectral()
	return out
}

// sums returns the norms of rows and columns, in one pass.
func (c *Influence) sums() Norms {
	n := c.Variables()
	out := Norms{Spectral: math.Inf(1)}
	columns := make([]float64, n)
	for i := range n {
		sum := 0.0
		near, value := c.Row(i)
		for k, j := range near {
			sum += value[k]
			columns[j] += value[k]
		}
		if sum > out.Rows {
			out.Rows, out.Most = sum, i
		}
	}
	for _, v := range columns {
		out.Columns = max(out.Columns, v)
	}
	return out
}

// spectral returns bounds of the spectral radius: the largest of those of the parts.
func (c *Influence) spectral() (floor, ceiling float64) {
	x, next := ones(c.Variables()), make([]float64, c.Variables())
	for _, part := range c.parts() {
		low, high := c.bracket(part, x, next)
		floor, ceiling = max(floor, low), max(ceiling, high)
	}
	return floor, ceiling
}

// parts lists the variables of each connected part of the graph.
func (c *Influence) parts() (out [][]int32) {
	seen := make([]bool, c.Variables())
	for i := range seen {
		if seen[i] {
			continue
		}
		seen[i] = true
		part := []int32{int32(i)}
		for head := 0; head < len(part); head++ {
			near, _ := c.Row(int(part[head]))
			for _, j := range near {
				if !seen[j] {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		slices.Sort(part)
		out = append(out, part)
	}
	return out
}

// bracketWork bounds the multiplications that decide whether the spectral radius of a part is below one: some
// seconds. A lattice of 40 × 40 variables with a radius of 0.997 takes milliseconds.
const bracketWork = 1 << 30

// bracket bounds the spectral radius of one part. x is positive; next is scratch.
func (c *Influence) bracket(part []int32, x, next []float64) (low, high float64) {
	work := 1
	for _, i := range part {
		near, _ := c.Row(int(i))
		work += len(near)
	}
	high = math.Inf(1)
	for pass := 0; pass < 64 || low < 1 && high >= 1 && pass < bracketWork/work; pass++ {
		least, most, top := math.Inf(1), 0.0, 0.0
		for _, i := range part {
			v := c.pull(int(i), x)
			least, most = min(least, v/x[i]), max(most, v/x[i])
			next[i] = 0.5 * (v + x[i])
			top = max(top, next[i])
		}
		low, high = max(low, least), min(high, most)
		if high-low <= 1e-14*high {
			break
		}
		for _, i := range part {
			x[i] = max(next[i]/top, 1e-200)
		}
	}
	return low, high
}

// pull returns Σ_j C_ij·b_j.
func (c *Influence) pull(i int, b []float64) float64 {
	from, to := c.start[i], c.start[i+1]
	sum := 0.0
	for e := from; e < to; e++ {
		sum = math.FMA(c.value[e], b[c.to[e]], sum)
	}
	return sum
}

// NormError reports that influences are too strong for any certificate: no norm of
// the matrix is known to be below one, and longer scans need not have smaller variation.
type NormError struct{ Norms Norms }

func (e *NormError) Error() string {
	return "dogs: " + e.Reason() + "; weaken the couplings, strengthen the fields, or use Exact in place of Bounds"
}

// Reason is the error for a reader who cannot act on it.
func (e *NormError) Reason() string {
	n := e.Norms
	if n.Floor < 1 {
		return fmt.Sprintf("the influences may be too strong: largest row sum %.6g (variable %d), column sum %.6g, spectral "+
			"radius between %.6g and %.6g, none known to be below 1", n.Rows, n.Most, n.Columns, n.Floor, n.Spectral)
	}
	return fmt.Sprintf("the influences are too strong: largest row sum %.4g (variable %d), column sum %.4g, spectral "+
		"radius at least %.4g, none below 1", n.Rows, n.Most, n.Columns, n.Floor)
}

// contracts returns a *NormError unless some norm is below one.
func (c *Influence) contracts() error {
	if c.sums().Least() < 1 {
		return nil // without the power iterations
	}
	if n := c.Norms(); !(n.Least() < 1) {
		return &NormError{n}
	}
	return nil
}
