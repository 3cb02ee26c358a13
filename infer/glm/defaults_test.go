package glm

import (
	"math"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// The defaults of small data by hand: y has mean 5 and sd 2, x sd 4.
func TestDefaults(t *testing.T) {
	data := func() *Data {
		d := &Data{X: design.NewDense(5, 4), Intercept: 0, Y: []float64{3, 7, 5, 3, 7}}
		for i := range 5 {
			d.X.Col(0)[i], d.X.Col(2)[i] = 1, 7 // and a constant column, one of zeros
			d.X.Col(1)[i] = []float64{-4, 4, 0, -4, 4}[i]
		}
		return d
	}
	two := prior.Prior{Kind: prior.InverseGamma, Shape: 0.5, Scale: 0.08}
	n := func(m, s float64) prior.Prior { return prior.Prior{Kind: prior.Normal, Location: m, Scale: s} }
	for _, c := range []struct {
		family       Family
		coefficients [4]prior.Prior
		dispersion   prior.Prior
	}{
		{Family{Name: "gaussian", Link: "identity"}, [4]prior.Prior{n(5, 5), n(0, 1.25), n(0, 0.714), n(0, 5)}, prior.Prior{Kind: prior.Exponential, Rate: 0.5}},
		{Family{Name: "student_t", Link: "identity"}, [4]prior.Prior{n(5, 5), n(0, 1.25), n(0, 0.714), n(0, 5)}, prior.Prior{Kind: prior.Exponential, Rate: 0.5}},
		{Family{Name: "gaussian", Link: "log"}, [4]prior.Prior{n(0, 2.5), n(0, 0.625), n(0, 0.357), n(0, 2.5)}, prior.Prior{Kind: prior.Exponential, Rate: 0.5}},
		{Family{Name: "bernoulli", Link: "logit"}, [4]prior.Prior{n(0, 2.5), n(0, 0.625), n(0, 0.357), n(0, 2.5)}, prior.Prior{}},
		{Family{Name: "negative_binomial", Link: "log"}, [4]prior.Prior{n(0, 2.5), n(0, 0.625), n(0, 0.357), n(0, 2.5)}, prior.Prior{Kind: prior.Gamma, Shape: 0.3, Rate: 0.003}},
		{Family{Name: "gamma", Link: "log"}, [4]prior.Prior{n(0, 2.5), n(0, 0.625), n(0, 0.357), n(0, 2.5)}, two},
		{Family{Name: "gamma", Link: "inverse"}, [4]prior.Prior{n(0.2, 0.2), n(0, 0.05), n(0, 0.0286), n(0, 0.2)}, two},
		{Family{Name: "inverse_gaussian", Link: "1/mu^2"}, [4]prior.Prior{n(0.04, 0.08), n(0, 0.02), n(0, 0.0114), n(0, 0.08)}, prior.Prior{Kind: prior.InverseGamma, Shape: 0.5, Scale: 0.4}},
	} {
		got := Defaults(c.family, data())
		if got.Dispersion != c.dispersion {
			t.Errorf("%s: dispersion %s, want %s", c.family, got.Dispersion, c.dispersion)
		}
		for j, want := range c.coefficients {
			if got.Coefficients[j] != want {
				t.Errorf("%s, column %d: %s, want %s", c.family, j, got.Coefficients[j], want)
			}
		}
	}
	d := data() // the intercept where an uncentred column is 0: 2.5·2·√(1 + (12/4)²)
	for i := range 5 {
		d.X.Col(1)[i] += 12
	}
	if got := Defaults(Family{Name: "gaussian", Link: "identity"}, d).Coefficients[0]; got != n(5, 15.8) {
		t.Errorf("intercept at zero: %s", got)
	}
	d = data() // a location keeps the digits that its scale deserves
	scale(d.Y, 0.1, 0.0123)
	if got := Defaults(Family{Name: "gaussian", Link: "identity"}, d).Coefficients[0]; got != n(0.512, 0.5) {
		t.Errorf("intercept of a mean of 0.5123: %s", got)
	}
	d = data() // offsets are taken off, precisions on
	d.Offset, d.Precision = []float64{1, 1, 1, 1, 1}, []float64{4, 4, 4, 4, 4}
	if got := Defaults(Family{Name: "gaussian", Link: "identity"}, d); got.Coefficients[0] != n(4, 5) || got.Dispersion.Rate != 0.25 {
		t.Errorf("with offset 1 and precision 4: %+v", got)
	}
}

// Frequencies give the defaults of the rows written out; every default is a
// prior that a target takes, whatever the data: constant, tiny, huge, one row,
// large means.
func TestDefaultsAreSane(t *testing.T) {
	for _, f := range everyFamily() {
		e := familyExample(4, f, 30, 3)
		e.weigh(4)
		long := e
		long.data = expanded(e.data)
		a, b := Defaults(f, e.data), Defaults(f, long.data)
		for j, p := range a.Coefficients {
			if q := b.Coefficients[j]; math.Abs(p.Scale/q.Scale-1) > 0.011 || math.Abs(p.Location-q.Location) > 0.03*q.Scale {
				t.Errorf("%s, column %d: %s with frequencies, %s expanded", f, j, p, q)
			}
		}
		for name, harm := range map[string]func(d *Data){
			"plain": func(*Data) {},
			"one row": func(d *Data) {
				*d = Data{X: &design.Dense{Rows: 1, Cols: 3, Values: []float64{1, 0, 1e-30}}, Y: d.Y[:1], Intercept: 0}
			},
			"constant": func(d *Data) { fill(d.Y, d.Y[0]); fill(d.X.Col(1), 1e6); fill(d.X.Col(2), 0) },
			"huge":     func(d *Data) { fill(d.X.Col(1), 1e130); d.X.Col(1)[0] = 0; d.X.Col(2)[3] = 1e-140 },
			"far":      func(d *Data) { scale(d.X.Col(1), 1e-9, 1e5) },
		} {
			e := familyExample(4, f, 30, 3)
			e.data.Trials, e.data.Offset = nil, nil
			if f.Support().Trials {
				fill(e.data.Y, 1)
			}
			harm(e.data)
			got := Defaults(f, e.data)
			for j, p := range got.Coefficients {
				if err := p.ForCoefficient(); err != nil {
					t.Errorf("%s, %s, column %d: %v", f, name, j, err)
				}
			}
			if err := got.Dispersion.ForDispersion(); f.HasDispersion() && err != nil {
				t.Errorf("%s, %s: %v", f, name, err)
			}
		}
	}
	d := &Data{X: design.NewDense(2, 1), Intercept: 0, Y: []float64{1e9 - 1, 1e9 + 1}}
	fill(d.X.Col(0), 1)
	if got := Defaults(Family{Name: "gaussian", Link: "identity"}, d).Coefficients[0]; got.Location != 1e9 || got.Scale != 3.54 {
		t.Errorf("a mean of 1e9 with sd 1.4: %s", got)
	}
}

func fill(v []float64, x float64) {
	for i := range v {
		v[i] = x
	}
}

func scale(v []float64, by, shift float64) {
	for i := range v {
		v[i] = v[i]*by + shift
	}
}

// A sharp response keeps its shape: of 60 gamma responses of shape 1000 the
// posterior's highest point in log shape is within 2 % of that of the
// likelihood, where gamma(0.01, 0.01) moves it by 27 %; the same for a shape of 2.
func TestDefaultShapeIsFreeOfScale(t *testing.T) {
	for _, shape := range []float64{2, 1000} {
		deviance := math.Log(shape) - digamma(shape) // its expectation per row
		peak := func(p prior.Prior) float64 {
			best, top := 0.0, math.Inf(-1)
			for u := math.Log(shape) - 3; u < math.Log(shape)+3; u += 1e-3 {
				s := math.Exp(u)
				lg, _ := math.Lgamma(s)
				if v := 60*(s*u-lg-s*(1+deviance)) + p.LogDensity(s) + u; v > top {
					best, top = u, v
				}
			}
			return best
		}
		// without the Jacobian's 1 of 30 the likelihood's own highest point is log(shape)
		got := peak(prior.DefaultShape(1)) - math.Log(shape)
		if math.Abs(got) > 0.02 {
			t.Errorf("shape %v: the default moves log shape by %.3f", shape, got)
		}
		t.Logf("shape %v: default %+.3f, gamma(0.01, 0.01) %+.3f, exponential(1) %+.3f", shape, got,
			peak(prior.Prior{Kind: prior.Gamma, Shape: 0.01, Rate: 0.01})-math.Log(shape), peak(prior.Prior{Kind: prior.Exponential, Rate: 1})-math.Log(shape))
	}
}

// digamma by the derivative of package math's log gamma.
func digamma(x float64) float64 {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	return differences(lg, x, 1e-3*x)
}
