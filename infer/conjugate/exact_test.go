package conjugate

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

func mustSetup(t *testing.T, f fixture) *setup {
	t.Helper()
	target, err := glm.NewTarget(f.data, f.model)
	must(t, err)
	s, err := newSetup(target)
	must(t, err)
	return s
}

// TestMarginalMatchesDenseAlgebra: the density of log sigma after the
// reduction is that of dense algebra in the coefficients, up to a constant. The
// tolerance is the oracle's own rounding.
func TestMarginalMatchesDenseAlgebra(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			s := mustSetup(t, f)
			m, _, err := newMarginal(s.red)
			must(t, err)
			zero := oracle(f, m.ref).logDensity
			for ell := m.ref - 4; ell < m.ref+6; ell += 0.37 {
				got, want := m.at(ell), oracle(f, ell).logDensity-zero
				if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("log sigma = %.3f: log density %v, want %v", ell, got, want)
				}
			}
		})
	}
}

// TestSlopeIsDerivative: the derivative that finds the modes, by central
// differences of the density (error h² = 1e-8 and rounding/h = 1e-10).
func TestSlopeIsDerivative(t *testing.T) {
	for _, f := range fixtures() {
		s := mustSetup(t, f)
		m, _, err := newMarginal(s.red)
		must(t, err)
		for ell := m.ref - 3; ell < m.ref+3; ell += 0.41 {
			const h = 1e-4
			want := (m.at(ell+h) - m.at(ell-h)) / (2 * h)
			if got := s.red.slope(ell); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("%s: slope at %.2f is %v, want %v", f.name, ell, got, want)
			}
		}
	}
}

// TestLawWithinError measures the total variation between the distribution that is drawn from and the density, at
// points that are not nodes.
func TestLawWithinError(t *testing.T) {
	reductions := map[string]*reduction{}
	for _, f := range fixtures() {
		reductions[f.name] = mustSetup(t, f).red
	}
	for _, rows := range []int{3, 10, 1000, 5_000_000} {
		reductions[fmt.Sprintf("noise/n=%d", rows)] = noiseOnly(rows)
	}
	reductions["two modes"] = twoModes()
	if modes, err := twoModes().modes(); err != nil || len(modes) != 2 {
		t.Errorf("two modes: found %v, error %v", modes, err)
	}
	for name, p := range reductions {
		l, err := newLaw(p)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		m, _, _ := newMarginal(p)
		var miss, mass float64
		const points = 101 // midpoint rule within each panel
		for i := range l.panels {
			pan := &l.panels[i]
			for k := range points {
				x := 2*(float64(k)+0.5)/points - 1
				exact := math.Exp(m.at(pan.mid+pan.half*x)) * pan.half
				miss += math.Abs(series(pan.density[:], x)-exact) / points
				mass += 2 * exact / points
			}
		}
		if tv := miss / l.total; tv > maxError {
			t.Errorf("%s: total variation %.2g, promised %.2g", name, tv, maxError)
		} else {
			t.Logf("%s: total variation %.2g, %d panels", name, tv, len(l.panels))
		}
		if math.Abs(mass/l.total-1) > 1e-4 {
			t.Errorf("%s: mass %v, want %v", name, l.total, mass)
		}
	}
}

// twoModes has 51 directions that want sigma near 0.01 and two, with prior
// scale 1, that want it near 20; their weights are about equal.
func twoModes() *reduction {
	p := &reduction{rows: 53, normal: make([]int, 53), sigma: prior.Prior{Kind: prior.HalfNormal, Scale: 30}}
	p.s, p.w = append(p.s, 1, 1), append(p.w, 20, 20)
	for range 51 {
		p.s, p.w = append(p.s, 1e-9), append(p.w, 0.01)
	}
	return p
}

// noiseOnly has no coefficients: sigma² is inverse-gamma((n − 1)/2, rss/2).
func noiseOnly(rows int) *reduction {
	return &reduction{rows: rows, noise: rows, rss: 2.7 * float64(rows), sigma: flat}
}

// TestQuantileOfInverseGamma compares with the closed form that flat priors
// have: P(sigma ≤ x) is the upper incomplete gamma ratio Q((n−1)/2, rss/(2x²)).
func TestQuantileOfInverseGamma(t *testing.T) {
	for _, rows := range []int{2, 3, 4, 10, 50, 1000, 100_000} {
		p := noiseOnly(rows)
		l, err := newLaw(p)
		must(t, err)
		for _, u := range []float64{1e-12, 1e-6, 0.001, 0.1, 0.5, 0.77, 0.99, 0.99999} {
			sigma := math.Exp(l.quantile(u))
			got := mathext.GammaIncRegComp(float64(rows-1)/2, p.rss/(2*sigma*sigma))
			// 1e-10 is promised; the closed form itself is good to 1e-11 here.
			if math.Abs(got-u) > maxError {
				t.Errorf("n=%d: quantile(%g) has probability %g, off by %.2g", rows, u, got, got-u)
			}
		}
	}
}

// TestDrawsAreTheExactNormal: given sigma, beta is an affine function of independent standard normals. If its
// Mahalanobis distance under the exact conditional distribution equals the length of these normals for every draw,
// then that function has exactly the right mean and covariance. No random error.
func TestDrawsAreTheExactNormal(t *testing.T) {
	for _, f := range fixtures() {
		t.Run(f.name, func(t *testing.T) {
			s := mustSetup(t, f)
			d := f.data.Cols()
			for draw := range 2 * d * d { // more than a quadratic form's coefficients
				rng := infer.NewStream(5, "draw", fmt.Sprint(draw))
				replay := infer.NewStream(5, "draw", fmt.Sprint(draw))
				k, err := s.Kernel(infer.Chain{Count: 1, Stream: rng})
				must(t, err)
				theta := make([]float64, d+1)
				k.Position(theta)
				want := replayed(s.red, replay)
				exact := oracle(f, math.Log(theta[d]))
				var got float64
				for i := range d {
					for j := range d {
						got += (theta[i] - exact.mean[i]) * exact.precision.At(i, j) * (theta[j] - exact.mean[j])
					}
				}
				if math.Abs(got-want) > 1e-6*(1+want) {
					t.Fatalf("draw %d: squared distance %v, want %v", draw, got, want)
				}
			}
		})
	}
}

// replayed returns the squared length of the normals behind a draw: of those
// for Vᵀz and beta_F, and of the part of the prior's normals orthogonal to V.
func replayed(p *reduction, rng *infer.Stream) (sum float64) {
	rng.Float64() // log sigma
	z := make([]float64, p.g())
	if p.r() < p.g() {
		for i := range z {
			z[i] = variate.Normal(rng)
		}
		prior := append([]float64(nil), z...)
		for k := range p.r() {
			v := p.v[k*p.g() : (k+1)*p.g()]
			var dot float64
			for i := range v {
				dot += v[i] * prior[i]
			}
			for i := range v {
				z[i] -= dot * v[i]
			}
		}
		for _, x := range z {
			sum += x * x
		}
	}
	for range p.r() + p.f() {
		x := variate.Normal(rng)
		sum += x * x
	}
	return sum
}

func TestRefusals(t *testing.T) {
	dependent := simulate(20, 4, "ffff", halfCauchy)
	for i, x := range dependent.data.X.Col(0) {
		dependent.data.X.Col(3)[i] = 2*x - dependent.data.X.Col(1)[i]
	}
	perfect := simulate(20, 3, "fnn", halfCauchy)
	for i := range perfect.data.Y {
		perfect.data.Y[i] = perfect.data.Offset[i] + perfect.data.X.Col(0)[i]*3 - perfect.data.X.Col(2)[i]
	}
	for name, c := range map[string]struct {
		f    fixture
		want string
	}{
		"dependent flat columns": {dependent, "column 4 is a linear combination"},
		"more flat than rows":    {simulate(3, 5, "fffff", halfCauchy), "5 coefficients have flat priors"},
		"perfect fit":            {perfect, "infinite mass at 0"},
		"flat sigma":             {simulate(5, 4, "ffff", flat), "leave 1"},
	} {
		_, err := reduce(c.f.data, &c.f.model)
		var improper *glm.ImproperError
		if !errors.As(err, &improper) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want an ImproperError with %q", name, err, c.want)
		}
		if _, err := glm.NewTarget(c.f.data, c.f.model); err == nil {
			t.Errorf("%s: glm.NewTarget accepts what conjugate refuses", name)
		}
	}
	f := simulate(20, 2, "nn", halfCauchy)
	for i := range f.data.Y {
		f.data.Y[i] = float64(i % 2)
	}
	f.model.Family = glm.Family{Name: "bernoulli", Link: "logit"}
	target, err := glm.NewTarget(f.data, f.model)
	must(t, err)
	var unsupported *UnsupportedError
	if _, err := New(target); !errors.As(err, &unsupported) {
		t.Errorf("bernoulli: error %v, want an UnsupportedError", err)
	}
}

// TestExtremes: what float64 cannot serve is a typed error, never a NaN draw.
func TestExtremes(t *testing.T) {
	for _, scale := range []float64{1e-160, 1e-140, 1e-70, 1e70, 1e140, 1e149} {
		for _, sigma := range []prior.Prior{flat, halfCauchy} {
			f := simulate(20, 3, "fff", sigma)
			for i := range f.data.Y {
				f.data.Y[i] *= scale
				f.data.Offset[i] = 0
			}
			target, err := glm.NewTarget(f.data, f.model)
			if err != nil {
				t.Logf("%g: %v", scale, err)
				continue
			}
			s, err := newSetup(target)
			if err != nil {
				var numeric *NumericError
				var improper *glm.ImproperError
				if !errors.As(err, &numeric) && !errors.As(err, &improper) {
					t.Errorf("%g: error %v of type %T", scale, err, err)
				}
				if scale >= 1e-140 {
					t.Errorf("%g: %v", scale, err)
				}
				continue
			}
			k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "extremes")})
			must(t, err)
			theta := make([]float64, 4)
			for range 20 {
				info, _ := k.Step()
				k.Position(theta)
				for _, v := range append(theta, info.LogLik, info.LogPrior) {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%g: draw %v with %+v", scale, theta, info)
					}
				}
			}
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
