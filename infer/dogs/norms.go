package dogs

import (
	"fmt"
	"math"
)

// Norms are sizes of an influence matrix. Below one, in any of them, every scan
// that updates each variable again and again converges to π from any start.
type Norms struct {
	Rows     float64 // the largest row sum: how much others move a variable
	Columns  float64 // the largest column sum: how much a variable moves others
	Spectral float64 // an upper bound of the spectral radius
	// Most is the variable with the largest row sum.
	Most int
}

// Least returns the smallest of the three.
func (n Norms) Least() float64 { return min(n.Rows, n.Columns, n.Spectral) }

// Norms computes them. The bound of the spectral radius is that of Collatz and
// Wielandt, max (Cx)_i/x_i, which holds for every positive x; 64 power iterations
// of (I + C)/2 find a good x. Cost: 64 passes over C.
func (c *Influence) Norms() Norms {
	out := c.sums()
	out.Spectral = c.spectral()
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

// spectral bounds the spectral radius.
func (c *Influence) spectral() float64 {
	n := c.Variables()
	x, next, out := make([]float64, n), make([]float64, n), math.Inf(1)
	for i := range x {
		x[i] = 1
	}
	for range 64 {
		ratio, top := 0.0, 0.0
		for i := range x {
			v := c.pull(i, x)
			ratio = max(ratio, v/x[i])
			next[i] = 0.5 * (v + x[i])
			top = max(top, next[i])
		}
		out = min(out, ratio)
		for i := range x {
			x[i] = max(next[i]/top, 1e-200)
		}
	}
	return out
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

// NormError tells that influences are too strong for any certificate: no norm of
// the matrix is below one, and longer scans need not have smaller variation.
type NormError struct{ Norms Norms }

func (e *NormError) Error() string {
	return "dogs: " + e.Reason() + "; weaken the couplings, strengthen the fields, or use Exact in place of Bounds"
}

// Reason is the error for a reader who cannot act on it.
func (e *NormError) Reason() string {
	return fmt.Sprintf("the influences are too strong: largest row sum %.4g (variable %d), column sum %.4g, spectral radius up to %.4g, none below 1",
		e.Norms.Rows, e.Norms.Most, e.Norms.Columns, e.Norms.Spectral)
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
