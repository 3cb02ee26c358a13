package conjugate

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// Summary holds the exact means and standard deviations of theta: the
// coefficients, then sigma. A mean that does not exist is NaN, an infinite
// standard deviation +Inf.
type Summary struct {
	Mean, Sd []float64
}

// Moments integrates the posterior of target: no random numbers, relative
// error about 1e-9. It returns the errors of New.
//
// Cost: that of New, O(r²) per node of the quadrature (some thousands), and
// O(d·r²).
func Moments(target *glm.Target) (Summary, error) {
	s, err := newSetup(target)
	if err != nil {
		return Summary{}, err
	}
	return s.moments(), nil
}

// sums are expectations over sigma.
type sums struct {
	sigma, variance, spread float64   // E sigma, E sigma², var sigma
	a                       []float64 // E a_k, a_k = E(Vᵀz | sigma)_k
	aa                      []float64 // covariance of a, r × r
	left                    []float64 // E var(Vᵀz | sigma)_k
}

func (s *setup) moments() Summary {
	p := s.red
	e := s.expectations()
	d := p.f() + p.g()
	out := Summary{Mean: make([]float64, d+1), Sd: make([]float64, d+1)}
	out.Mean[d], out.Sd[d] = e.sigma, math.Sqrt(e.spread)
	if !p.meanFinite() {
		out.Mean[d], out.Sd[d] = math.NaN(), math.NaN()
	} else if !p.varianceFinite() {
		out.Sd[d] = math.Inf(1)
	}
	row := make([]float64, p.r())
	for i, j := range p.normal {
		for k := range row {
			row[k] = p.v[k*p.g()+i]
		}
		mean, variance := e.combine(row)
		if p.r() < p.g() { // the prior's variance outside the span of V
			variance += max(0, 1-vec.SumSquares(row))
		}
		out.Mean[j] = math.FMA(p.scale[i], mean, p.location[i])
		out.Sd[j] = p.scale[i] * math.Sqrt(variance)
	}
	s.flatMoments(e, out)
	return out
}

// flatMoments adds the moments of beta_F = R_F⁻¹(y_F − A_F·z − sigma·noise).
func (s *setup) flatMoments(e *sums, out Summary) {
	p := s.red
	f, g, r := p.f(), p.g(), p.r()
	inverse := make([]float64, f*f) // R_F⁻¹ by column
	for i := range f {
		inverse[i*f+i] = 1
		p.solveFlat(inverse[i*f : (i+1)*f])
	}
	centre := append([]float64(nil), p.yF...)
	p.solveFlat(centre)
	b := append([]float64(nil), p.aF...) // R_F⁻¹·A_F, f × g by column
	for j := range g {
		p.solveFlat(b[j*f : (j+1)*f])
	}
	bv := make([]float64, f*r)
	for k := range r {
		for j := range g {
			vec.Axpy(p.v[k*g+j], b[j*f:(j+1)*f], bv[k*f:(k+1)*f])
		}
	}
	row, line := make([]float64, r), make([]float64, g)
	for i, j := range p.flat {
		for k := range row {
			row[k] = bv[k*f+i]
		}
		for k := range line {
			line[k] = b[k*f+i]
		}
		mean, variance := e.combine(row)
		if r < g {
			variance += max(0, vec.SumSquares(line)-vec.SumSquares(row))
		}
		for k := range f {
			x := inverse[k*f+i]
			variance = math.FMA(float64(x*x), e.variance, variance)
		}
		out.Mean[j], out.Sd[j] = centre[i]-mean, math.Sqrt(variance)
		if !p.meanFinite() {
			out.Mean[j], out.Sd[j] = math.NaN(), math.NaN()
		} else if !p.varianceFinite() {
			out.Sd[j] = math.Inf(1)
		}
	}
}

// combine returns mean and variance of Σ row_k·(Vᵀz)_k.
func (e *sums) combine(row []float64) (mean, variance float64) {
	r := len(row)
	mean = vec.Dot(row, e.a)
	for k, x := range row {
		variance = math.FMA(float64(x*x), e.left[k], variance)
		variance = math.FMA(x, vec.Dot(row, e.aa[k*r:(k+1)*r]), variance)
	}
	return mean, variance
}

// expectations integrates over sigma, means first, so that covariances are
// sums of products of differences.
func (s *setup) expectations() *sums {
	p := s.red
	r := p.r()
	e := &sums{a: make([]float64, r), aa: make([]float64, r*r), left: make([]float64, r)}
	s.law.each(func(sigma, weight float64) {
		e.sigma = math.FMA(weight, sigma, e.sigma)
		e.variance = math.FMA(weight, float64(sigma*sigma), e.variance)
		for k := range r {
			mean, variance := p.shrunk(sigma, k)
			e.a[k] = math.FMA(weight, mean, e.a[k])
			e.left[k] = math.FMA(weight, variance, e.left[k])
		}
	})
	diff := make([]float64, r)
	s.law.each(func(sigma, weight float64) {
		off := sigma - e.sigma
		e.spread = math.FMA(weight, float64(off*off), e.spread)
		for k := range r {
			mean, _ := p.shrunk(sigma, k)
			diff[k] = mean - e.a[k]
		}
		for k := range r {
			vec.Axpy(float64(weight*diff[k]), diff, e.aa[k*r:(k+1)*r])
		}
	})
	return e
}

// shrunk returns mean and variance of (Vᵀz)_k given sigma.
func (p *reduction) shrunk(sigma float64, k int) (mean, variance float64) {
	total := hypot(sigma, p.s[k])
	return float64(p.s[k] / total * (p.w[k] / total)), float64(sigma / total * (sigma / total))
}
