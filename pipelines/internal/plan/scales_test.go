package plan

import (
	"slices"
	"strings"
	"testing"

	matrix "glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
)

// Entries of prior are groups, and scales carry their priors.
func TestScalePriors(t *testing.T) {
	written := func(text string) spec.CoefficientPrior {
		p, err := prior.Parse(text)
		must(t, err)
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
	if got := priorGroups(m, data); !slices.Equal(got, []int{0, 0, 1, 2, 1}) {
		t.Errorf("groups %v", got)
	}
	want := "half_cauchy(0.1 * sigma); half_cauchy(0.2 * sigma); c^2 ~ inverse_gamma(2, 18); half_cauchy(0.1 * sigma); " +
		strings.Repeat("half_cauchy(1); ", 4)
	model := posterior(m, data)
	if got := strings.Join(scalePriors(&model), "; ") + "; "; got != want {
		t.Errorf("priors of scales %s\nwant %s", got, want)
	}
}
