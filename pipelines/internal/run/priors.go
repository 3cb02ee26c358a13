package run

import (
	"math"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// posterior gives the model its priors: those of the spec, and the defaults for
// the data where it has none.
func posterior(m *spec.Model, data *glm.Data) glm.Model {
	var defaults glm.DefaultPriors
	if m.HasDefaults() {
		defaults = glm.Defaults(m.Family.Family, data)
	}
	out := glm.Model{Family: m.Family.Family, Coefficients: make([]prior.Prior, data.Cols()), Groups: groups(m, data)}
	for j, name := range data.Names {
		given := m.Prior.For(name)
		if j == data.Intercept {
			given = m.Prior.Intercept.Prior.Prior
		}
		if given.Kind == "" {
			given = defaults.Coefficients[j]
		}
		out.Coefficients[j] = given
	}
	for k, d := range m.Family.Dispersions() {
		prior, fallback := &out.Dispersion, defaults.Dispersion
		if k > 0 {
			prior, fallback = &out.Nu, defaults.Nu
		}
		if *prior = m.Prior.Dispersion(d.Name).Prior; prior.Kind == "" {
			*prior = fallback
		}
	}
	return out
}

// conjugatePriors tells whether every prior of a gaussian model is one that
// method conjugate takes.
func conjugatePriors(m *spec.Model) bool {
	all := []prior.Prior{m.Prior.Coefficients.Prior, m.Prior.Intercept.Prior.Prior}
	for _, n := range m.Prior.ByName {
		all = append(all, n.Prior.Prior)
	}
	for _, p := range all {
		if p.Kind != prior.Normal && p.Kind != prior.Flat && p.Kind != "" { // the default is normal
			return false
		}
	}
	switch m.Prior.Sigma.Kind {
	case "", prior.HalfCauchy, prior.HalfNormal, prior.Exponential, prior.Flat:
		return true
	}
	return false
}

// inDataUnits lists the parameters whose means may not exist with those of the
// given ones: the literal intercept moves with every centred column.
func inDataUnits(params []int, record *transform.Record) []int {
	out := slices.Clone(params)
	for _, j := range params {
		if j < len(record.Columns) && record.Columns[0].Term < 0 && record.Columns[j].Centre != 0 && !slices.Contains(out, 0) {
			out = append(out, 0)
		}
	}
	return out
}

// withoutMoments blanks what is told of moments that may not exist: averages of
// the draws would look like numbers. Quantiles, R-hat and ESS, which gates look
// at, rest on ranks.
func (m *measured) withoutMoments(doubts []glm.Doubt) {
	for _, d := range doubts {
		for _, j := range d.Parameters {
			if j < len(m.params) {
				withoutMoments(&m.params[j], d.Reason)
			}
		}
	}
}

func withoutMoments(s *diag.Summary, words string) {
	s.Mean, s.SD, s.MCSEMean, s.MCSESD = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if s.Reason != "" {
		words = s.Reason + "; " + words
	}
	s.Reason = words
}

// derivedMoments blanks the moments of derived quantities that rest on parameters
// without them, unless bounded functions stand between.
func derivedMoments(derived []diag.Summary, quantities []quantity, names []string, doubts []glm.Doubt) {
	for i, q := range quantities {
		for _, j := range q.Unbounded() {
			in := func(d glm.Doubt) bool { return slices.Contains(d.Parameters, j) }
			if k := slices.IndexFunc(doubts, in); k >= 0 {
				withoutMoments(&derived[i], "it rests on "+names[j]+", of which "+doubts[k].Reason)
				break
			}
		}
	}
}

// meanless are the doubts that stored summaries tell: a median without a mean.
func meanless(params []diag.Summary) (out []glm.Doubt) {
	for j, s := range params {
		if math.IsNaN(s.Mean) && !math.IsNaN(s.Median) {
			out = append(out, glm.Doubt{Parameters: []int{j}, Reason: s.Reason})
		}
	}
	return out
}

// caution names the parameters that a doubt speaks of; empty where these are
// scales of priors only, whose moments nobody asks for.
func caution(params []infer.Parameter, d glm.Doubt) string {
	var list []string
	for _, j := range d.Parameters {
		if k := params[j].Kind; k != infer.LocalScale && k != infer.Scale {
			list = append(list, params[j].Name)
		}
	}
	if len(list) == 0 {
		return ""
	}
	return strings.Join(list, ", ") + ": " + d.Reason
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
