package run

import (
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
