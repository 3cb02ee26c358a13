package run

import (
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
)

// Entries of prior are groups, and scales carry their priors.
func TestScalePriors(t *testing.T) {
	written := func(text string) spec.CoefficientPrior {
		p, err := prior.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		return spec.CoefficientPrior{Prior: p}
	}
	m := &spec.Model{Family: spec.Family{Family: glm.Family{Name: "gaussian", Link: "identity"}}}
	m.Prior.Intercept.Prior = written("flat")
	m.Prior.Sigma.Prior = prior.Prior{Kind: prior.HalfCauchy, Scale: 1}
	m.Prior.Coefficients = written("horseshoe(0.1)")
	m.Prior.ByName = []*spec.NamedPrior{
		{Pattern: "b*", Prior: written("regularized_horseshoe(0.2, 4, 3)")}, {Pattern: "c", Prior: written("horseshoe(0.1)")},
	}
	data := &glm.Data{X: matrix.NewDense(2, 5), Names: []string{"(Intercept)", "a", "b1", "c", "b2"}, Intercept: 0}
	if got := groups(m, data); !slices.Equal(got, []int{0, 0, 1, 2, 1}) {
		t.Errorf("groups %v", got)
	}
	want := "half_cauchy(0.1 * sigma); half_cauchy(0.2 * sigma); c^2 ~ inverse_gamma(2, 18); half_cauchy(0.1 * sigma); " +
		strings.Repeat("half_cauchy(1); ", 4)
	model := posterior(m, data)
	if got := strings.Join(scalePriors(&model), "; ") + "; "; got != want {
		t.Errorf("priors of scales %s\nwant %s", got, want)
	}
}

// Local scales are stored on request only, and no gate sees them.
func TestLocalScalesAreNotGated(t *testing.T) {
	all := []infer.Parameter{{Name: "a", Kind: infer.Coefficient}, {Name: "tau", Kind: infer.Scale}, {Name: "lambda[a]", Kind: infer.LocalScale}}
	if n, with := len(keptParameters(all, "draws")), len(keptParameters(all, "scales")); n != 2 || with != 3 {
		t.Errorf("%d parameters are kept, %d with scales", n, with)
	}
	m := &measured{params: []diag.Summary{{RHat: 1.001, ESSBulk: 500}, {RHat: 1.002, ESSBulk: 300}, {RHat: 9, ESSBulk: 1}}, local: localScales(all)}
	m.logLik = diag.Summary{RHat: 1, ESSBulk: 1000}
	if m.worstRHat() != 1.002 || m.ess("all", all) != 300 || m.ess("min", all) != 500 {
		t.Errorf("R-hat %v, ESS %v of all, %v of coefficients", m.worstRHat(), m.ess("all", all), m.ess("min", all))
	}
}
