package diag

import (
	"math"

	"glmbatch/infer"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// scaledBy is SAS for a diagonal S.
type scaledBy struct {
	a       Definite
	s       []float64
	scratch []float64
}

func (b *scaledBy) Dim() int { return len(b.s) }

// Mul writes S·A·S·x to dst.
func (b *scaledBy) Mul(x, dst []float64) {
	for j, v := range x {
		b.scratch[j] = b.s[j] * v
	}
	b.a.Mul(b.scratch, dst)
	for j := range dst {
		dst[j] *= b.s[j]
	}
}

// Solve writes S⁻¹·A⁻¹·S⁻¹·x to dst.
func (b *scaledBy) Solve(x, dst []float64) {
	for j, v := range x {
		b.scratch[j] = v / b.s[j]
	}
	b.a.Solve(b.scratch, dst)
	for j := range dst {
		dst[j] /= b.s[j]
	}
}

// dense is a matrix with its factor.
type dense struct {
	a      []float64
	n      int
	factor *linalg.Chol
}

// NewDefinite returns a symmetric n × n matrix, which it keeps, as products and
// solutions. Cost: n³/6.
func NewDefinite(a []float64, n int) (Definite, error) {
	if n == 0 || len(a) != n*n {
		return nil, ErrNotDefinite
	}
	factor, err := linalg.Cholesky(append([]float64(nil), a...), n)
	if err != nil {
		return nil, ErrNotDefinite
	}
	return &dense{a, n, factor}, nil
}

func (m *dense) Dim() int { return m.n }

// Mul writes A·x to dst.
func (m *dense) Mul(x, dst []float64) {
	for i := range dst {
		dst[i] = vec.Dot(m.a[i*m.n:(i+1)*m.n], x)
	}
}

// Solve writes A⁻¹·x to dst.
func (m *dense) Solve(x, dst []float64) {
	copy(dst, x)
	m.factor.Solve(dst)
}

// ConditionNumber returns the largest over the smallest eigenvalue of a matrix
// that is known by its products. Cost: at most 300 products and solutions.
func ConditionNumber(a Definite) (float64, error) {
	top, bottom, err := extremes(a.Dim(), a.Mul, a.Solve)
	return top / bottom, err
}

// ConditionOf returns the condition numbers of a matrix that is known by its products and its diagonal, for
// dimensions at which ConditionNumbers takes too long. Raw and Correlation are as exact as Lanczos' iteration, to
// 1e-5 where eigenvalues are apart. Residual is bracketed as there, by the pair X = BᵖΩΩᵀBᵖ, Y = B⁻ᵖΩΩᵀB⁻ᵖ with Ω
// of 32 random columns instead of whole powers; the bounds hold for any Ω, but may be some ten per cent apart.
// Cost: some 2000 to 6000 products and solutions.
func ConditionOf(a Definite, diagonal []float64) (Condition, error) {
	nan := math.NaN()
	out := Condition{nan, nan, nan, nan}
	n := a.Dim()
	unit, scales := make([]float64, n), make([]float64, n)
	for j, v := range diagonal {
		if !(v > 0) || v > math.MaxFloat64 {
			return out, ErrNotDefinite
		}
		unit[j], scales[j] = 1, 1/math.Sqrt(v)
	}
	b := &scaledBy{a, unit, make([]float64, n)}
	top, bottom, err := extremes(n, b.Mul, b.Solve)
	if err != nil {
		return out, err
	}
	out.Raw = top / bottom
	b.s = scales
	if top, bottom, err = extremes(n, b.Mul, b.Solve); err != nil {
		return out, err
	}
	out.Correlation = top / bottom
	out.Residual, out.ResidualLow, err = bracket(b, top, bottom)
	out.Residual = min(out.Residual, out.Raw)
	return out, err
}

const (
	bracketProbes = 32
	bracketRounds = 40
	bracketPowers = 6
	bracketGap    = 1.05 // at which it stops
)

// bracket moves the scales of b, whose extreme eigenvalues are given, toward the
// best, and returns the least condition number seen and the largest lower bound.
func bracket(b *scaledBy, top, bottom float64) (high, low float64, err error) {
	n := b.Dim()
	p := newProbes(n)
	high, low = top/bottom, 1
	step := 0.5
	best := append([]float64(nil), b.s...)
	for round := 0; round < bracketRounds && high > bracketGap*low; round++ {
		low = max(low, p.evaluate(b, top, bottom))
		for j := range b.s {
			// Where X has more than Y the scale is too large.
			b.s[j] = best[j] * math.Sqrt(math.Sqrt(power((p.y[j]+1e-9)/(p.x[j]+1e-9), step)))
		}
		t, m, err := extremes(n, b.Mul, b.Solve)
		if err != nil {
			return math.NaN(), math.NaN(), err
		}
		if k := t / m; k < high*(1-1e-3) {
			high, top, bottom = k, t, m
			copy(best, b.s)
			step = min(1, 1.3*step)
			continue
		}
		if step /= 2; step < 0.02 {
			break
		}
		copy(b.s, best)
	}
	return high, low, nil
}

// probes are random vectors under powers of B.
type probes struct {
	omega, up, down [][]float64
	x, y            []float64 // diagonals of X and Y, of trace n
	scratch, image  []float64
}

func newProbes(n int) *probes {
	stream := infer.NewStream(1, "probes")
	p := &probes{x: make([]float64, n), y: make([]float64, n), scratch: make([]float64, n), image: make([]float64, n)}
	for range bracketProbes {
		v := make([]float64, n)
		for j := range v {
			v[j] = variate.Normal(stream)
		}
		p.omega = append(p.omega, v)
		p.up, p.down = append(p.up, make([]float64, n)), append(p.down, make([]float64, n))
	}
	return p
}

// evaluate makes X and Y at the scales of b and returns a lower bound of the best
// condition number: of a pair of positive semidefinite matrices with equal diagonals it is
// tr(BX)/tr(BY), whatever the pair. X is given Y's diagonal, or Y X's.
func (p *probes) evaluate(b *scaledBy, top, bottom float64) float64 {
	clear(p.x)
	clear(p.y)
	for k, w := range p.omega {
		copy(p.up[k], w)
		copy(p.down[k], w)
		for range bracketPowers {
			b.Mul(p.up[k], p.scratch)
			for j, v := range p.scratch {
				p.up[k][j] = v / top
			}
			b.Solve(p.down[k], p.scratch)
			for j, v := range p.scratch {
				p.down[k][j] = v * bottom
			}
		}
		for j := range p.x {
			p.x[j] = math.FMA(p.up[k][j], p.up[k][j], p.x[j])
			p.y[j] = math.FMA(p.down[k][j], p.down[k][j], p.y[j])
		}
	}
	n := float64(len(p.x))
	sx, sy := vec.Sum(p.x), vec.Sum(p.y)
	scale(p.x, n/sx)
	scale(p.y, n/sy)
	one := p.trace(b, p.up, sx, p.y, p.x) / p.trace(b, p.down, sy, nil, nil)
	two := p.trace(b, p.up, sx, nil, nil) / p.trace(b, p.down, sy, p.x, p.y)
	if !(one > two) {
		return two
	}
	return one
}

// trace returns tr(B·C·V·Vᵀ·C)·n/sum, where C² = wanted/have, or 1.
func (p *probes) trace(b *scaledBy, vectors [][]float64, sum float64, wanted, have []float64) float64 {
	total := 0.0
	moved := make([]float64, len(p.scratch))
	for _, v := range vectors {
		copy(moved, v)
		for j := range wanted {
			moved[j] *= math.Sqrt(wanted[j] / have[j])
		}
		b.Mul(moved, p.image)
		total += vec.Dot(moved, p.image)
	}
	return total * (float64(len(moved)) / sum)
}
