package plan

import (
	"strings"
	"testing"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
)

// Method auto takes the exact sampler only where every prior has its form.
func TestAutoFollowsPriors(t *testing.T) {
	for _, c := range []struct {
		coefficients, intercept, named, sigma, want string
	}{
		{"normal(0, 1)", "flat", "flat", "half_cauchy(1)", "conjugate"},
		{"laplace(0, 1)", "flat", "flat", "half_cauchy(1)", "cggibbs"},
		{"normal(0, 1)", "student_t(3, 0, 1)", "flat", "half_cauchy(1)", "cggibbs"},
		{"normal(0, 1)", "flat", "cauchy(0, 1)", "half_cauchy(1)", "cggibbs"},
		{"normal(0, 1)", "flat", "flat", "exponential(1)", "conjugate"},
		{"normal(0, 1)", "flat", "flat", "gamma(2, 1)", "cggibbs"},
	} {
		prior := func(text string) prior.Prior {
			p, err := prior.Parse(text)
			must(t, err)
			return p
		}
		m := &spec.Model{Family: spec.Family{Family: glm.Family{Name: "gaussian", Link: "identity"}}}
		m.Prior.Coefficients.Prior, m.Prior.Intercept.Prior.Prior = prior(c.coefficients), prior(c.intercept)
		m.Prior.Sigma.Prior = prior(c.sigma)
		m.Prior.ByName = []*spec.NamedPrior{{Pattern: "x", Prior: spec.CoefficientPrior{Prior: prior(c.named)}}}
		got := resolve(&spec.Sampler{Method: "auto"}, m)
		if got.Name != c.want || !strings.Contains(got.Reason, "auto chose "+c.want) {
			t.Errorf("%+v: method %s (%s)", c, got.Name, got.Reason)
		}
	}
}

// The version of what draws a posterior that is not log-concave includes the rules of its starts, and of plain sweeps
// where the method makes them; the versions of others are as they were.
func TestVersionsOfModes(t *testing.T) {
	const starts, plain = " starts/2", " plain/1"
	for _, c := range []struct{ family, link, intercept, method, basis, want string }{
		{"bernoulli", "logit", "normal(0, 1)", "auto", "", ""},
		{"bernoulli", "logit", "normal(0, 1)", "nuts", "", ""},
		{"poisson", "log", "laplace(0, 1)", "cggibbs", "", ""},
		{"bernoulli", "logit", "student_t(3, 0, 1)", "auto", "", starts + plain},
		{"gaussian", "identity", "cauchy(0, 1)", "cggibbs", "", starts},
		{"student_t", "identity", "normal(0, 1)", "auto", "", starts + plain},
		{"student_t", "identity", "normal(0, 1)", "cggibbs", "auto", starts + plain},
		{"student_t", "identity", "normal(0, 1)", "nuts", "", starts},
		{"bernoulli", "cauchit", "normal(0, 1)", "hmc", "", starts},
	} {
		law, err := prior.Parse(c.intercept)
		must(t, err)
		m := &spec.Model{Family: spec.Family{Family: glm.Family{Name: c.family, Link: c.link}}}
		m.Prior.Coefficients.Prior = prior.Prior{Kind: prior.Normal, Scale: 1}
		m.Prior.Intercept.Prior.Prior = law
		got := resolve(&spec.Sampler{Method: c.method, Basis: c.basis}, m)
		rules := got.Version[len(strings.Split(got.Version, starts)[0]):]
		if rules != c.want {
			t.Errorf("%+v: version %q, want one that ends with %q", c, got.Version, c.want)
		}
	}
}
