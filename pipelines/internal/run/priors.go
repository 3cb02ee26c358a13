package run

import (
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/spec"
)

// priors gives every column of the design its prior.
func priors(m *spec.Model, data *glm.Data) []glm.Prior {
	out := make([]glm.Prior, data.Cols())
	for j, name := range data.Names {
		if j == data.Intercept {
			out[j] = m.Prior.Intercept.Prior.Prior
		} else {
			out[j] = m.Prior.For(name)
		}
	}
	return out
}

// dispersionPrior is the prior of the family's first dispersion, the zero prior
// for a family without one.
func dispersionPrior(m *spec.Model) glm.Prior {
	for _, d := range m.Family.Dispersions() {
		return m.Prior.Dispersion(d.Name).Prior
	}
	return glm.Prior{}
}

// conjugatePriors tells whether every prior of a gaussian model is one that
// method conjugate takes.
func conjugatePriors(m *spec.Model) bool {
	all := []glm.Prior{m.Prior.Coefficients.Prior, m.Prior.Intercept.Prior.Prior}
	for _, n := range m.Prior.ByName {
		all = append(all, n.Prior.Prior)
	}
	for _, p := range all {
		if p.Kind != glm.Normal && p.Kind != glm.Flat {
			return false
		}
	}
	switch m.Prior.Sigma.Kind {
	case glm.HalfCauchy, glm.HalfNormal, glm.Flat:
		return true
	}
	return false
}

// caution names the coefficients that words speak of.
func caution(names []string, columns []int, words string) string {
	var list []string
	for _, j := range columns {
		list = append(list, names[j])
	}
	return strings.Join(list, ", ") + ": " + words
}

// unused lists the by_name patterns that decide no column's prior.
func unused(m *spec.Model, data *glm.Data) []string {
	used := map[*spec.NamedPrior]bool{}
	for j, name := range data.Names {
		if j != data.Intercept {
			used[m.Prior.Match(name)] = true
		}
	}
	var out []string
	for _, n := range m.Prior.ByName {
		if !used[n] {
			out = append(out, n.Pattern)
		}
	}
	return out
}
