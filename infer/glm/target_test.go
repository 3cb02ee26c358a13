package glm

import (
	"errors"
	"math"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
)

func TestCheckResponse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		family    string
		y, trials []float64
		row       int // −1: fine
		what      string
	}{
		{"gaussian", []float64{1, -2.5, 0}, nil, -1, ""},
		{"gaussian", []float64{1, nan}, nil, 1, "response"},
		{"gaussian", []float64{inf}, nil, 0, "response"},
		{"bernoulli", []float64{0, 1, 1}, nil, -1, ""},
		{"bernoulli", []float64{0, 1, 2}, nil, 2, "response"},
		{"bernoulli", []float64{0.5}, nil, 0, "response"},
		{"bernoulli", []float64{nan}, nil, 0, "response"},
		{"binomial", []float64{0, 3}, []float64{0, 3}, -1, ""},
		{"binomial", []float64{0, 1}, nil, -1, ""},
		{"binomial", []float64{0, 2}, nil, 1, "response"},
		{"binomial", []float64{0, 4}, []float64{0, 3}, 1, "response"},
		{"binomial", []float64{0, 1}, []float64{1, 2.5}, 1, "trials"},
		{"binomial", []float64{0, 1}, []float64{1, -1}, 1, "trials"},
		{"binomial", []float64{-1}, []float64{3}, 0, "response"},
		{"poisson", []float64{0, 7, 1e9}, nil, -1, ""},
		{"poisson", []float64{0, -1}, nil, 1, "response"},
		{"poisson", []float64{1.5}, nil, 0, "response"},
		{"poisson", []float64{inf}, nil, 0, "response"},
		{"poisson", []float64{nan}, nil, 0, "response"},
		{"poisson", []float64{1e16}, nil, 0, "response"},
		{"negative_binomial", []float64{3, 0.5}, nil, 1, "response"},
		{"student_t", []float64{3, nan}, nil, 1, "response"},
		{"gamma", []float64{1e-9, 4}, nil, -1, ""},
		{"gamma", []float64{1, 0}, nil, 1, "response"},
		{"inverse_gaussian", []float64{1, 2, -1}, nil, 2, "response"},
		{"gamma", []float64{inf}, nil, 0, "response"},
		{"beta", []float64{0.5, 1e-9}, nil, -1, ""},
		{"beta", []float64{0.5, 1}, nil, 1, "response"},
		{"beta", []float64{0}, nil, 0, "response"},
	}
	for _, c := range cases {
		f, _ := family.Parse(c.family, "")
		err := family.CheckResponse(f, c.y, c.trials)
		var domain *DomainError
		if c.row < 0 {
			if err != nil {
				t.Errorf("%s %v: %v", c.family, c.y, err)
			}
			continue
		}
		if !errors.As(err, &domain) || domain.Row != c.row || domain.What != c.what {
			t.Errorf("%s %v of %v: error %v, want %s in row %d", c.family, c.y, c.trials, err, c.what, c.row)
		}
	}
	if err := family.CheckResponse(Family{Name: "binomial"}, []float64{1}, []float64{1, 2}); err == nil {
		t.Error("2 trials for 1 response are no error")
	}
}

func TestNewTargetRefuses(t *testing.T) {
	cases := []struct {
		name string
		harm func(e *example)
		want string
	}{
		{"short response", func(e *example) { e.data.Y = e.data.Y[1:] }, "19 responses for 20 rows"},
		{"long offset", func(e *example) { e.data.Offset = make([]float64, 21) }, "21 offsets for 20 rows"},
		{"trials", func(e *example) { e.data.Trials = make([]float64, 20) }, "trials belong to the binomial family"},
		{"priors", func(e *example) { e.model.Coefficients = e.model.Coefficients[1:] }, "2 priors for 3 coefficients"},
		{"names", func(e *example) { e.data.Names = e.data.Names[1:] }, "2 names for 3 columns"},
		{"intercept", func(e *example) { e.data.Intercept = 3 }, "intercept 3"},
		{"matrix", func(e *example) { design.ToDense(e.data.X).Values = design.ToDense(e.data.X).Values[1:] }, "59 values for 20 × 3"},
		{"no matrix", func(e *example) { e.data.X = nil }, "no design matrix"},
		{"no columns", func(e *example) { e.data.X = design.NewDense(20, 0) }, "0 columns"},
		{"NaN in X", func(e *example) { e.data.X.Col(2)[4] = math.NaN() }, `column "x2", row 5: NaN`},
		{"Inf in X", func(e *example) { e.data.X.Col(1)[0] = math.Inf(-1) }, `column "x1", row 1: -Inf`},
		{"NaN offset", func(e *example) { e.data.Offset[7] = math.NaN() }, "offset, row 8"},
		{"response", func(e *example) { e.data.Y[3] = math.NaN() }, "response, row 4: NaN"},
		{"half prior", func(e *example) { e.model.Coefficients[1] = prior.Prior{Kind: prior.HalfCauchy, Scale: 1} }, `prior of "x1": half_cauchy(1) cannot be the prior of a coefficient`},
		{"bad scale", func(e *example) { e.model.Coefficients[1].Scale = -1 }, `prior of "x1": scale -1`},
		{"unset prior", func(e *example) { e.model.Coefficients[1] = prior.Prior{} }, `prior of "x1"`},
		{"sigma", func(e *example) { e.model.Dispersion = prior.Prior{Kind: prior.Normal, Scale: 1} }, "prior of sigma: normal(0, 1) cannot"},
		{"family", func(e *example) { e.model.Family = Family{Name: "gaussian", Link: "sqrt"} }, "family gaussian(sqrt) is not in this version"},
	}
	for _, c := range cases {
		e := newExample(1, "gaussian", 20, 3)
		c.harm(&e)
		if _, err := NewTarget(e.data, e.model); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestParameters(t *testing.T) {
	p := mustTarget(t, newExample(1, "gaussian", 20, 2)).Parameters()
	if len(p) != 3 || p[0].Kind != "intercept" || p[1].Name != "x1" || p[1].Kind != "coefficient" ||
		p[2].Name != "sigma" || p[2].Kind != "dispersion" {
		t.Errorf("gaussian: %+v", p)
	}
	if p := mustTarget(t, newExample(1, "poisson", 20, 2)).Parameters(); len(p) != 2 {
		t.Errorf("poisson: %+v", p)
	}
}

// TestGroupEffectsAreRefused: a posterior without the effects of a model that has them is never made.
func TestGroupEffectsAreRefused(t *testing.T) {
	data := &Data{X: &design.Dense{Rows: 2, Cols: 1, Values: []float64{1, 1}}, Intercept: 0, Y: []float64{0, 1}}
	model := Model{Family: Family{Name: "gaussian", Link: "identity"}, Coefficients: []prior.Prior{{Kind: prior.Normal, Scale: 1}},
		Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1}}
	if _, err := NewTarget(data, model); err != nil {
		t.Fatal(err)
	}
	data.Effects = []*design.Effects{{Grouping: design.NewGrouping([]int32{0, 1}, 2), Terms: []string{"Intercept"}}}
	if _, err := NewTarget(data, model); err == nil {
		t.Error("a target takes data with group-level effects and forgets them")
	}
}
