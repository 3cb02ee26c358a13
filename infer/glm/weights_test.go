package glm

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// weigh gives the example frequencies and, where its family has them, precisions.
func (e *example) weigh(seed uint64) {
	r := rand.New(rand.NewPCG(seed, 9))
	n := e.data.Rows()
	e.data.Frequency = make([]float64, n)
	for i := range n {
		e.data.Frequency[i] = float64(r.IntN(4))
	}
	if e.model.Family.TakesPrecision() {
		e.data.Precision = make([]float64, n)
		for i := range n {
			e.data.Precision[i] = math.Exp(r.NormFloat64())
			if i%4 == 3 {
				e.data.Precision[i] = 1
			}
		}
	}
}

// Responses of rows with a precision are drawn with it: log y of gamma and the
// others have the spread of the dispersion there. 4,000 draws; a factor of 25 in
// variance is far beyond their noise.
func TestDrawsHavePrecision(t *testing.T) {
	for _, f := range everyFamily() {
		if !f.TakesPrecision() {
			continue
		}
		p, err := NewPointwise(f, &Data{Precision: []float64{1, 25}})
		must(t, err)
		s := rand.New(rand.NewPCG(3, 3))
		variance := func(row int) float64 {
			sum, squares := 0.0, 0.0
			for range 4000 {
				y := p.Draw(s, row, 0.8, []float64{2, 30})
				if f.Distribution().Mean != nil { // the mean depends on dispersions too
					y = f.Of().Of(y)
				}
				sum, squares = sum+y, squares+y*y
			}
			return squares/4000 - sum/4000*sum/4000
		}
		if ratio := variance(0) / variance(1); !(ratio > 18 && ratio < 34) {
			t.Errorf("%s: precision 25 divides the variance by %v", f, ratio)
		}
	}
}

// expanded writes every row as often as it counts.
func expanded(d *Data) *Data {
	out := *d
	out.Frequency = nil
	repeat := func(v []float64) (long []float64) {
		if v == nil {
			return nil
		}
		for i, x := range v {
			for range int(d.Frequency[i]) {
				long = append(long, x)
			}
		}
		return long
	}
	out.Y, out.Trials, out.Offset, out.Precision = repeat(d.Y), repeat(d.Trials), repeat(d.Offset), repeat(d.Precision)
	out.X = design.NewDense(len(out.Y), d.Cols())
	for j := range d.Cols() {
		copy(out.X.Col(j), repeat(d.X.Col(j)))
	}
	return &out
}

// A row of frequency w is w rows: log posterior, its gradient, and the cached
// values along columns and dispersions agree to rounding, for every family.
func TestFrequencyIsExpansion(t *testing.T) {
	for _, f := range everyFamily() {
		t.Run(f.String(), func(t *testing.T) {
			e := familyExample(5, f, 140, 3)
			e.weigh(5)
			long := e
			long.data = expanded(e.data)
			a, b := mustTarget(t, e), mustTarget(t, long)
			if a.Observations() != float64(b.Rows()) {
				t.Errorf("%v observations, want %d", a.Observations(), b.Rows())
			}
			u := make([]float64, a.Dim())
			for j := range u {
				u[j] = 0.3 + 0.1*float64(j)
			}
			p, q := NewPoint(a), NewPoint(b)
			p.SetUnconstrained(u)
			q.SetUnconstrained(u)
			same := func(what string, x, y float64) {
				if !near(x, y, 1e-12) {
					t.Errorf("%s: %v with frequencies, %v expanded", what, x, y)
				}
			}
			same("log posterior", p.LogPosterior(), q.LogPosterior())
			same("along a column", p.Along(1, 0.1).LogLik, q.Along(1, 0.1).LogLik)
			for i := range a.free {
				same("along a dispersion", p.AlongDispersion(i, 0.4).LogLik, q.AlongDispersion(i, 0.4).LogLik)
			}
			g, h := make([]float64, a.Dim()), make([]float64, a.Dim())
			p.Gradient(g, make([]float64, a.Rows()))
			q.Gradient(h, make([]float64, b.Rows()))
			for j := range g {
				same("gradient", g[j], h[j])
			}
			for j := range 3 { // XᵀWX of curvature and information
				for _, of := range []func(*Target) func(eta, disp, dst []float64){
					func(t *Target) func(_, _, _ []float64) { return t.RowCurvature },
					func(t *Target) func(_, _, _ []float64) { return t.RowInformation },
				} {
					same("curvature", quadratic(a, p, of(a), j), quadratic(b, q, of(b), j))
				}
			}
		})
	}
}

// quadratic returns Σ w·x² over column j for the row numbers w that of gives.
func quadratic(t *Target, p *Point, of func(eta, disp, dst []float64), j int) (sum float64) {
	rows := make([]float64, t.Rows())
	of(p.Eta(), p.disp.at[:], rows)
	for i, x := range t.data.X.Col(j) {
		sum += rows[i] * x * x
	}
	return sum
}

// A precision of 1 each changes no bit, nor does a frequency.
func TestUnitWeights(t *testing.T) {
	for _, f := range everyFamily() {
		e := familyExample(6, f, 20, 2)
		plain := mustTarget(t, e)
		ones := make([]float64, 20)
		for i := range ones {
			ones[i] = 1
		}
		e.data.Frequency = ones
		if f.TakesPrecision() {
			e.data.Precision = ones
		}
		theta := []float64{0.4, 0.3, 1.7, 5}[:plain.Dim()]
		a, b := plain.LogLik(theta), mustTarget(t, e).LogLik(theta)
		if !near(a, b, 1e-13) {
			t.Errorf("%s: log likelihood %v, %v with weights of 1", f, a, b)
		}
	}
}

// The observations determine whether a posterior exists, not the rows that represent them.
func TestFrequencyPropriety(t *testing.T) {
	flat := prior.Prior{Kind: prior.Flat}
	e := newExample(3, "gaussian", 4, 3, flat)
	e.model.Dispersion = flat
	if _, err := NewTarget(e.data, e.model); err == nil {
		t.Error("4 rows, 3 flat columns, flat sigma: no error")
	}
	e.data.Frequency = []float64{1, 2, 1, 1}
	if _, err := NewTarget(e.data, e.model); err != nil {
		t.Errorf("with a fifth observation: %v", err)
	}
	e = newExample(3, "gaussian", 3, 3, flat)
	if _, err := NewTarget(e.data, e.model); err != nil {
		t.Errorf("saturated: %v", err)
	}
	e.data.Frequency = []float64{1, 2, 1}
	if _, err := NewTarget(e.data, e.model); err == nil || !strings.Contains(err.Error(), "perfectly") {
		t.Errorf("saturated, one row twice: error %v, want a perfect fit", err)
	}
}

func TestCheckWeights(t *testing.T) {
	gaussian, binomial := Family{Name: "gaussian", Link: "identity"}, Family{Name: "binomial", Link: "logit"}
	for _, c := range []struct {
		family               Family
		frequency, precision []float64
		want                 string // empty: fine
	}{
		{gaussian, []float64{1, 7, 1e9}, []float64{0.5, 1e-9, 3}, ""},
		{binomial, []float64{1, 2}, nil, ""},
		{gaussian, []float64{1, 1.5}, nil, "frequency weight, row 2: 1.5 is not allowed: a frequency is a whole number"},
		{gaussian, []float64{-1}, nil, "frequency weight, row 1"},
		{gaussian, []float64{math.NaN()}, nil, "frequency weight, row 1"},
		{gaussian, nil, []float64{1, 0}, "precision weight, row 2: 0 is not allowed: a precision is a number above 0"},
		{gaussian, nil, []float64{1, math.Inf(1)}, "precision weight, row 2"},
		{binomial, nil, []float64{1, 2}, "family binomial takes no precision weights; a response out of several trials is family binomial with trials(n)"},
		{Family{Name: "poisson", Link: "log"}, nil, []float64{1}, "an exposure is offset(log(e))"},
		{Family{Name: "beta", Link: "logit"}, nil, []float64{1}, "has frequency_weights"},
	} {
		err := CheckWeights(c.family, c.frequency, c.precision)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s %v %v: error %v, want %q", c.family, c.frequency, c.precision, err, c.want)
		}
	}
	e := newExample(1, "gaussian", 20, 2)
	e.data.Precision = []float64{1}
	if _, err := NewTarget(e.data, e.model); err == nil || !strings.Contains(err.Error(), "1 precisions for 20 rows") {
		t.Errorf("error %v", err)
	}
	e.data.Precision, e.data.Frequency = nil, make([]float64, 20)
	var domain *DomainError
	if _, err := NewTarget(e.data, e.model); !errors.As(err, &domain) {
		t.Errorf("frequencies of 0: error %v", err)
	}
}

// Modes, standard errors and likelihoods of fits with weights equal those of R's glm(weights =) and glm.nb, as in
// TestClassicFits.
func TestWeightedFits(t *testing.T) {
	text, err := os.ReadFile("../../testdata/classic/weights.json")
	if err != nil {
		t.Fatalf("%v (run make_weights.R)", err)
	}
	var fits []fitted
	must(t, json.Unmarshal(text, &fits))
	for _, r := range fits {
		t.Run(r.Family+"("+r.Link+")/"+r.Formula, func(t *testing.T) { r.check(t, readFrame(t, "../../testdata/classic/"+r.File)) })
	}
	if len(fits) < 14 {
		t.Errorf("only %d fits", len(fits))
	}
}
