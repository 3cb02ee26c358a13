package dogs

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/linalg"
	"glmbatch/internal/simd"
)

// kernels are package vec's functions in the form that this processor runs fastest,
// with the same bits.
var kernels = simd.Vector()

// Normal is a normal target N(m, Q⁻¹) of n variables, as its Gibbs sampler sees it.
// Two chains that share their random numbers differ by δ, and an update of variable
// i makes δ_i ← −Σ_{j≠i} Q_ij/Q_ii·δ_j, whatever was drawn: a scan multiplies δ by a
// fixed matrix M. So does it the mean, less m, of a chain.
type Normal struct {
	n      int
	q      []float64 // symmetric, by rows
	factor *linalg.Chol
	sd     []float64 // of each variable, others not given
}

// NewNormal returns the target of an n × n precision of which it reads the lower
// triangle, entry (i, j) at q[i·n+j], j ≤ i. It has a copy. Cost: n³/3 fused
// multiply-adds. It returns an error where q has no Cholesky factor.
func NewNormal(q []float64, n int) (*Normal, error) {
	if n < 1 || len(q) != n*n {
		return nil, fmt.Errorf("dogs: a precision of %d numbers for %d variables; give n² of them", len(q), n)
	}
	factor, err := linalg.Cholesky(slices.Clone(q), n)
	if err != nil {
		return nil, fmt.Errorf("dogs: the precision of %d variables is not positive definite; give flat directions a prior",
			n)
	}
	p := &Normal{n: n, q: slices.Clone(q), factor: factor, sd: make([]float64, n)}
	for i := range n {
		for j := range i {
			p.q[j*n+i] = p.q[i*n+j]
		}
	}
	upper := factor.InverseTransposed()
	for j := range n { // Q⁻¹ = UUᵀ
		for i, v := range upper.Col(j) {
			p.sd[i] = math.FMA(v, v, p.sd[i])
		}
	}
	for i, v := range p.sd {
		p.sd[i] = math.Sqrt(v)
	}
	return p, nil
}

// Variables returns n.
func (p *Normal) Variables() int { return p.n }

// row returns row i of Q.
func (p *Normal) row(i int) []float64 { return p.q[i*p.n : (i+1)*p.n] }

// Influence returns |Q_ij|/Q_ii for every pair, in units of standard deviations σ:
// C_ij = |Q_ij|/Q_ii·σ_j/σ_i, since |δ_i| ≤ Σ_j |Q_ij|/Q_ii·|δ_j| after an update of i.
// If |δ_i| ≤ b_i·σ_i before, an update of i makes b_i ← Σ_j C_ij·b_j hold; so Variation,
// from b = 1 on, bounds Σ d_i·|δ_i|/σ_i of chains that differ by one standard
// deviation in each variable at most, hence d's sum of Wasserstein distances of the
// variables' laws. It is no total variation.
//
// The unit does not move the spectral radius, and the best unit makes row sums equal
// to it: where Norms finds none below 1, no rescaling of the variables has one. It is
// below 1 exactly where Q with its off-diagonal entries made negative is positive
// definite still (an H-matrix). Correlated regression coefficients seldom have that: signs are lost. See Kept.
func (p *Normal) Influence() *Influence {
	n := p.n
	c := &Influence{start: make([]uint32, n+1)}
	for i := range n {
		row := p.row(i)
		for j, v := range row {
			if j != i && v != 0 {
				c.to = append(c.to, int32(j))
				c.value = append(c.value, float64(math.Abs(v)/row[i]*p.sd[j])/p.sd[i])
			}
		}
		c.start[i+1] = uint32(len(c.to))
	}
	return c
}

// Kept returns, for each variable of a target, the share κ of its variance that a
// scan keeps: Var(E[x_i after | x before])/σ_i² in stationarity, row i of M times Q⁻¹
// times itself over σ_i². It is exact, signs included, and needs no norm below one.
//
// √κ_i is the smallest number with which
//
//	W₂(x_i, y_i after the scan) ≤ √κ_i·σ_i·W₂,Q(x, y before)
//
// for all starts, where W₂ is Wasserstein's distance of their distributions, before the scan of all variables in the
// metric √(δᵀQδ): by Cauchy and Schwarz, and reached by two points. A chain in π on the right
// makes it a bound of the distance from π.
//
// Cost: O(n·length) and O(n²) for each variable of the target.
func (p *Normal) Kept(scan []int32, d Target) ([]float64, error) {
	if err := d.check(p.n); err != nil {
		return nil, err
	}
	if err := p.checkScan(scan); err != nil {
		return nil, err
	}
	out, row := make([]float64, len(d.Variables)), make([]float64, p.n)
	for k, i := range d.Variables {
		clear(row)
		row[i] = 1
		p.pullBack(scan, row)
		p.factor.SolveLower(row)
		out[k] = kernels.SumSquares(row) / p.sd[i] / p.sd[i]
	}
	return out, nil
}

// pullBack multiplies a row vector by M from the right, in place: update by update
// from the last one. Cost: O(n·length).
func (p *Normal) pullBack(scan []int32, row []float64) {
	for t := len(scan) - 1; t >= 0; t-- {
		i := int(scan[t])
		if v := row[i]; v != 0 {
			q := p.row(i)
			kernels.Axpy(-v/q[i], q, row)
			row[i] = 0
		}
	}
}

// checkScan refuses scans of variables that do not exist.
func (p *Normal) checkScan(scan []int32) error {
	return (&Influence{start: make([]uint32, p.n+1)}).checkScan(scan)
}
