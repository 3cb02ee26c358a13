package glm

import (
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/prior"
)

// Horseshoes returns the horseshoe priors by their first column: one for each
// prior in each of Model.Groups.
func (m *Model) Horseshoes() []prior.Group { return prior.Groups(m.Coefficients, m.Groups) }

// TauBySigma reports whether the tau0 of horseshoe priors counts in units of
// sigma: where eta has the unit of the response and sigma is its noise.
func (m *Model) TauBySigma() bool {
	return m.Family.Link == "identity" && (m.Family.Name == "gaussian" || m.Family.Name == "student_t")
}

// Scales returns the number of scales of horseshoe priors, the last entries of
// theta.
func (t *Target) Scales() int { return t.scaleCount }

// Horseshoes returns what Model.Horseshoes does; it must not be changed.
func (t *Target) Horseshoes() []prior.Group { return t.shoes }

// layScales lays the scales out behind the dispersions.
func (t *Target) layScales() {
	t.shoes = t.model.Horseshoes()
	for g, h := range t.shoes {
		if t.shoeOf == nil {
			t.shoeOf = make([]int, t.Cols())
			for j := range t.shoeOf {
				t.shoeOf[j] = -1
			}
		}
		for _, j := range h.Columns {
			t.shoeOf[j] = g
		}
		t.scaleCount = h.Local + len(h.Columns)
	}
}

// scaleStart is the place of the first scale in theta.
func (t *Target) scaleStart() int { return t.Cols() + len(t.free) }

// scaleParameters describes the scales: tau and c, from the second prior on with
// its number, lambda with the name of its coefficient. A coefficient's own name
// wins: the scale beside it is called prior.tau.
func (t *Target) scaleParameters(coefficients []infer.Parameter) []infer.Parameter {
	out := make([]infer.Parameter, t.scaleCount)
	for g, h := range t.shoes {
		name := func(s string) string {
			if g > 0 {
				s += strconv.Itoa(g + 1)
			}
			for slices.ContainsFunc(coefficients, func(p infer.Parameter) bool { return p.Name == s }) {
				s = "prior." + s
			}
			return s
		}
		out[h.Tau] = infer.Parameter{Name: name("tau"), Kind: infer.Scale}
		if h.Slab >= 0 {
			out[h.Slab] = infer.Parameter{Name: name("c"), Kind: infer.Scale}
		}
		for i, j := range h.Columns {
			out[h.Local+i] = infer.Parameter{Name: "lambda[" + coefficients[j].Name + "]", Kind: infer.LocalScale}
		}
	}
	return out
}
