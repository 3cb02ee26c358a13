package plan

import (
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/spec"
)

// priorGroups identifies the entries of prior that columns take their priors from: the coefficients of one entry
// share the global scale of a horseshoe.
func priorGroups(m *spec.Model, data *glm.Data) []int {
	out := make([]int, data.Cols())
	for j, name := range data.Names {
		if j != data.Intercept {
			out[j] = 1 + slices.Index(m.Prior.ByName, m.Prior.Match(name))
		}
	}
	return out
}

// scalePriors spells the priors of the scales, in the order of the parameters.
func scalePriors(model *glm.Model) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	var out, locals []string
	for _, h := range model.Horseshoes() {
		tau0 := number(h.Prior.Scale)
		if model.TauBySigma() {
			tau0 += " * sigma"
		}
		out = append(out, "half_cauchy("+tau0+")")
		if h.Slab >= 0 {
			df, s := h.Prior.DF, h.Prior.Slab
			out = append(out, "c^2 ~ inverse_gamma("+number(df/2)+", "+number(df*s*s/2)+")")
		}
		for range h.Columns {
			locals = append(locals, "half_cauchy(1)")
		}
	}
	return append(out, locals...)
}

// Kept are the parameters whose draws are stored: the local scales, which come last, only on request. There are as
// many as coefficients, and few ask for them.
func Kept(all []infer.Parameter, keep string) []infer.Parameter {
	n := len(all)
	for keep != KeepScales && n > 0 && all[n-1].Kind == infer.LocalScale {
		n--
	}
	return all[:n]
}
