package plan

import (
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/model"
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
	out := glm.Model{Family: m.Family.Family, Coefficients: make([]prior.Prior, data.Cols()), Groups: priorGroups(m, data)}
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
	out.Dispersion = vanishing(m, out.Dispersion)
	out.Effects = effectsPriors(m, data, defaults.GroupSD)
	out.Smooths, out.Lengths = smoothPriors(m, data, defaults.GroupSD), secondPriors(m, data)
	out.Monotone = monotonePriors(m, data, plainly)
	out.Penalise(data)
	return out
}

// conjugatePriors reports whether every prior of a gaussian model is one that
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

// concave reports whether the log posterior density is a concave function of the coefficients, given dispersions and
// the scales of horseshoe priors.
func concave(m *spec.Model) bool {
	all := []prior.Prior{m.Prior.Coefficients.Prior, m.Prior.Intercept.Prior.Prior}
	for _, n := range m.Prior.ByName {
		all = append(all, n.Prior.Prior)
	}
	return (&glm.Model{Family: m.Family.Family, Coefficients: all}).LogConcave()
}

// inDataUnits lists the parameters whose means may not exist with those of the
// given ones: the literal intercept moves with every centred column.
func inDataUnits(params []int, record *transform.Record) []int {
	out := slices.Clone(params)
	for _, j := range params {
		if j < len(record.Columns) && record.Columns[0].Term < 0 && record.Columns[j].Centre != 0 &&
			!slices.Contains(out, 0) {
			out = append(out, 0)
		}
	}
	return out
}

// caution names the parameters of a doubt; empty if these are scales of priors only, whose moments are not
// reported.
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

// priorOf spells the prior of a parameter other than a coefficient, as far as its family, smooths and effects
// determine it.
func priorOf(given *glm.Model, data *glm.Data, p infer.Parameter) string {
	switch p.Kind {
	case infer.Dispersion:
		for k, d := range given.Family.Dispersions() {
			if d.Name == p.Name {
				return given.DispersionPrior(k).String()
			}
		}
	case infer.SmoothSD, infer.SmoothEffect:
		return smoothPrior(given, data, p)
	}
	return effectPrior(given, data, p)
}

// unused warns of the by_name patterns that decide no column's prior.
func unused(m *spec.Model, data *glm.Data) []string {
	used := map[*spec.NamedPrior]bool{}
	for j, name := range data.Names {
		if j != data.Intercept {
			used[m.Prior.Match(name)] = true
		}
	}
	for _, e := range data.Effects {
		if len(e.Terms) > 1 || e.ID != "" {
			used[m.Prior.MatchCor(spec.CorName(e.Group))] = true
		}
		for _, term := range e.Terms {
			used[m.Prior.MatchSD(spec.SDName(e.Group, term))] = true
		}
	}
	for _, s := range data.Smooths {
		used[m.Prior.MatchSD(s.SDName())] = true
		if name := s.SecondName(); s.Shares != nil {
			used[m.Prior.MatchRho(name)] = true
		} else if name != "" {
			used[m.Prior.MatchSD(name)] = true
		}
	}
	if m.Family.Equidistant {
		used[m.Prior.Match(model.DistanceName)] = true
	}
	for _, e := range data.Monotone {
		used[m.Prior.Match(e.Name)], used[m.Prior.MatchShare(e.Simplex)] = true, true
	}
	var out []string
	for _, n := range m.Prior.ByName {
		if !used[n] {
			out = append(out, "prior.by_name "+n.Pattern+" decides the prior of no column")
		}
	}
	return out
}
