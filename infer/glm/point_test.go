package glm

import (
	"math"
	"math/rand/v2"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

func TestLogLik(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, f := range familyNames {
		for _, n := range []int{1, 5, 40, 700} {
			target := mustTarget(t, newExample(uint64(n), f, n, 3))
			theta := make([]float64, target.Dim())
			for range 5 {
				for j := range theta {
					theta[j] = r.NormFloat64()
				}
				theta[len(theta)-1] = math.Abs(theta[len(theta)-1]) // sigma
				want := direct(target, exactEta(target.data, theta[:3]), theta[len(theta)-1])
				if got := target.LogLik(theta); !near(got, want, 1e-12) {
					t.Errorf("%s, n=%d: log likelihood %v, row by row %v", f, n, got, want)
				}
			}
		}
	}
}

// At |η| of 700 and more nothing overflows where the likelihood does not.
func TestLogLikIsSafeFarOut(t *testing.T) {
	for _, f := range []string{"bernoulli", "binomial", "poisson"} {
		target := mustTarget(t, newExample(1, f, 30, 2))
		for _, b := range []float64{-1e6, -5000, -700, 700, 5000, 1e6} {
			theta := []float64{b, 0}
			got, want := target.LogLik(theta), direct(target, exactEta(target.data, theta), 1)
			if math.IsNaN(got) || got > 0 || f != "poisson" && !near(got, want, 1e-12) {
				t.Errorf("%s: log likelihood %v at intercept %v, row by row %v", f, got, b, want)
			}
			if overflows := f == "poisson" && b > 709; overflows != math.IsInf(got, -1) {
				t.Errorf("%s: log likelihood %v at intercept %v", f, got, b)
			}
		}
	}
}

// After every coordinate, the cached predictor is Xβ, the value along a column
// is the log likelihood there, and the uncached value is the same.
func TestPointMatchesProduct(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, f := range familyNames {
		target := mustTarget(t, newExample(9, f, 37, 6))
		p := NewPoint(target)
		theta := make([]float64, target.Dim())
		for step := range 600 {
			j := step % 6
			delta := 0.3 * r.NormFloat64()
			v := p.Along(j, delta)
			if u := p.AlongUncached(j, delta); !near(u.LogLik, v.LogLik, 1e-12) {
				t.Fatalf("%s: %v along column %d, uncached %v", f, v.LogLik, j, u.LogLik)
			}
			p.Move(j, delta, v)
			p.Theta(theta)
			eta := exactEta(target.data, theta[:6])
			for i, e := range eta {
				if !near(p.Eta()[i], e, 1e-13) {
					t.Fatalf("%s, step %d: cached eta[%d] = %v, want %v", f, step, i, p.Eta()[i], e)
				}
			}
			if want := direct(target, eta, p.disp.at[0]); !near(p.Value().LogLik, want, 1e-12) {
				t.Fatalf("%s, step %d: cached log likelihood %v, want %v", f, step, p.Value().LogLik, want)
			}
			if f == "gaussian" && j == 5 {
				l := 0.3 * r.NormFloat64()
				p.MoveDispersion(0, l, p.AlongDispersion(0, l))
			}
		}
		before := p.Value().LogLik
		if p.Refresh(); !near(p.Value().LogLik, before, 1e-12) {
			t.Errorf("%s: a refresh moves the log likelihood from %v to %v", f, before, p.Value().LogLik)
		}
	}
}

// With whole numbers nothing is rounded, and cached and uncached values are
// equal to the bit, as is a refresh.
func TestPointIsExactOnIntegers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for _, f := range familyNames {
		e := newExample(4, f, 21, 5)
		e.data.Offset = nil
		for i := range design.ToDense(e.data.X).Values {
			design.ToDense(e.data.X).Values[i] = math.Round(2 * design.ToDense(e.data.X).Values[i])
		}
		for i := range e.data.Y {
			e.data.Y[i] = math.Round(e.data.Y[i])
		}
		p := NewPoint(mustTarget(t, e))
		for step := range 500 {
			j, delta := step%5, float64(r.IntN(9)-4)/8
			v, u := p.Along(j, delta), p.AlongUncached(j, delta)
			if v != u {
				t.Fatalf("%s, step %d: %+v cached, %+v uncached", f, step, v, u)
			}
			p.Move(j, delta, v)
		}
		before := p.Cache()
		p.Refresh()
		for i, v := range p.Cache() {
			if v != before[i] {
				t.Fatalf("%s: a refresh changes cached number %d from %v to %v", f, i, before[i], v)
			}
		}
	}
}

// Gradients equal central differences.
func TestGradient(t *testing.T) {
	for _, f := range familyNames {
		e := newExample(5, f, 30, 4, prior.Prior{Kind: prior.Normal, Location: 1, Scale: 0.7}, prior.Prior{Kind: prior.Flat})
		for _, sigma := range []prior.Prior{{Kind: prior.HalfCauchy, Scale: 0.3}, {Kind: prior.HalfNormal, Scale: 0.4}, {Kind: prior.Flat}} {
			e.model.Dispersion = sigma
			target := mustTarget(t, e)
			p := NewPoint(target)
			u, grad := make([]float64, target.Dim()), make([]float64, target.Dim())
			for j := range u {
				u[j] = 0.2 * float64(j+1)
			}
			p.SetUnconstrained(u)
			p.Gradient(grad, make([]float64, 30))
			for j := range u {
				const h = 1e-5
				at := func(x float64) float64 {
					old := u[j]
					u[j] = x
					p.SetUnconstrained(u)
					u[j] = old
					return p.LogPosterior()
				}
				want := (at(u[j]+h) - at(u[j]-h)) / (2 * h)
				if !near(grad[j], want, 1e-7) {
					t.Errorf("%s, sigma ~ %v: gradient[%d] = %v, differences %v", f, sigma, j, grad[j], want)
				}
			}
		}
	}
}

// Row gradients are differences of the log likelihood, curvatures differences
// of row gradients.
func TestRowDerivatives(t *testing.T) {
	const n, h, sigma = 12, 1e-5, 1.7
	for _, f := range familyNames {
		target := mustTarget(t, newExample(6, f, n, 2))
		eta, grad, curv := make([]float64, n), make([]float64, n), make([]float64, n)
		up, down := make([]float64, n), make([]float64, n)
		for i := range eta {
			eta[i] = float64(i-6) / 2
			up[i], down[i] = eta[i]+h, eta[i]-h
		}
		target.RowGradient(eta, []float64{sigma}, grad)
		target.RowCurvature(eta, []float64{sigma}, curv)
		for i := range eta {
			at := func(e float64) float64 {
				moved := append([]float64(nil), eta...)
				moved[i] = e
				return direct(target, moved, sigma)
			}
			if want := (at(up[i]) - at(down[i])) / (2 * h); !near(grad[i], want, 1e-7) {
				t.Errorf("%s: gradient %v in row %d, differences %v", f, grad[i], i, want)
			}
		}
		target.RowGradient(up, []float64{sigma}, up)
		target.RowGradient(down, []float64{sigma}, down)
		for i := range eta {
			if want := -(up[i] - down[i]) / (2 * h); !near(curv[i], want, 1e-7) {
				t.Errorf("%s: curvature %v in row %d, differences %v", f, curv[i], i, want)
			}
		}
	}
}

// LogPrior, LogPriorAlong and the predictor's agree.
func TestLogPrior(t *testing.T) {
	target := mustTarget(t, newExample(7, "gaussian", 9, 3))
	theta := []float64{0.1, -2, 3, 0.8}
	p := NewPoint(target)
	p.SetTheta(theta)
	want := 0.0
	for j := range 3 {
		want += target.LogPriorAlong(j, theta[j])
	}
	want += target.LogPriorAlong(3, math.Log(0.8)) - math.Log(0.8) // without the Jacobian
	if got := target.LogPrior(theta); !near(got, want, 1e-14) || got != p.LogPrior() {
		t.Errorf("LogPrior = %v, predictor's %v, sum along the coordinates %v", got, p.LogPrior(), want)
	}
	if got := p.LogPosterior(); !near(got, target.LogLik(theta)+want+math.Log(0.8), 1e-13) {
		t.Errorf("LogPosterior = %v", got)
	}
}
