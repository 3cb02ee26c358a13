package run

import (
	"path"
	"strings"

	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/spec"
)

// priors gives every column of the design its prior: the intercept's, the most
// exact matching pattern of by_name, or that of all coefficients.
func priors(m *spec.Model, data *glm.Data) []glm.Prior {
	out := make([]glm.Prior, data.Cols())
	for j, name := range data.Names {
		if j == data.Intercept {
			out[j] = m.Prior.Intercept.Prior.Prior
			continue
		}
		out[j] = m.Prior.Coefficients.Prior
		best := -1
		for _, n := range m.Prior.ByName {
			if e := exactness(n.Pattern, name); e > best {
				best, out[j] = e, n.Prior.Prior
			}
		}
	}
	return out
}

// exactness is -1 where the pattern does not match, otherwise the number of
// characters that it fixes; a plain name fixes more than any glob.
func exactness(pattern, name string) int {
	if pattern == name {
		return len(name) + 1
	}
	if ok, err := path.Match(pattern, name); !ok || err != nil {
		return -1
	}
	return len(pattern) - strings.Count(pattern, "*") - strings.Count(pattern, "?")
}

// unused lists the by_name patterns that match no column of the design.
func unused(m *spec.Model, data *glm.Data) []string {
	var out []string
	for _, n := range m.Prior.ByName {
		used := false
		for j, name := range data.Names {
			used = used || j != data.Intercept && exactness(n.Pattern, name) >= 0
		}
		if !used {
			out = append(out, n.Pattern)
		}
	}
	return out
}
