package plan

import (
	"fmt"
	"strings"

	"glmbatch/infer"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// smooth is the sampler of a design with smooths: what auto takes where nothing else is asked for.
func (s sampler) smooth(f *Fit) (sampler, error) {
	given, without := f.Sampler, ""
	refuse := func(what, hint string) (sampler, error) {
		err := fmt.Errorf("model %q has smooths: sampler %q %s", f.Model.Name, given.Name, what)
		return sampler{}, words.Hint(err, hint+", or name under fits what goes together")
	}
	if s.Independent {
		if !f.Sampler.Auto() {
			return refuse("is conjugate, which has no draws of their standard deviations", "take method: auto for this model")
		}
		other := *f.Sampler
		other.Method, other.Basis = spec.CGGibbs.Name, "auto"
		out := resolve(&other, f.Model)
		out.Reason = "auto chose cggibbs: the formula has smooths"
		return out, nil
	}
	switch {
	case given.Basis != "" && given.Basis != "auto" && given.Basis != "coordinate":
		without = "basis: " + given.Basis
	case len(given.Scan.For) > 0:
		without = "scan: {for: …}"
	case given.Update != "" && given.Update != "doubling":
		without = "update: " + given.Update
	case given.Joint == "on" || given.Joint == "swept":
		without = "joint: " + given.Joint
	case given.Slow == "on" || given.Slow == "nuts": //name:ok a value of slow
		without = "slow: " + given.Slow
	case len(given.Blocks) > 0:
		without = "blocks"
	default:
		return s, nil
	}
	return refuse("has "+without+", which their standard deviations do not move in", "leave it out for this model")
}

// smoothPriors gives the standard deviations of smooths their priors.
func smoothPriors(m *spec.Model, data *glm.Data, fallback prior.Prior) (out []prior.Prior) {
	for _, s := range data.Smooths {
		sds := m.Prior.ForSD(s.SDName())
		if sds.Kind == "" {
			sds = fallback
		}
		out = append(out, sds)
	}
	return out
}

// secondPrior is the prior that a model gives the second parameter of a smooth; its Kind is empty if it is left out.
func secondPrior(m *spec.Model, s *matrix.Smooth) prior.Prior {
	if s.Shares == nil {
		return m.Prior.ForSD(s.SecondName())
	}
	if named := m.Prior.MatchRho(s.SecondName()); named != nil {
		return named.Prior.Prior
	}
	return prior.Prior{}
}

// secondPriors gives the second parameters of smooths their priors. Nil if there are none. The defaults are brms's.
func secondPriors(m *spec.Model, data *glm.Data) (out []prior.Prior) {
	for k := range data.Smooths {
		s := &data.Smooths[k]
		if s.SecondName() == "" {
			continue
		}
		if out == nil {
			out = make([]prior.Prior, len(data.Smooths))
		}
		if out[k] = secondPrior(m, s); out[k].Kind != "" {
			continue
		}
		if out[k] = (prior.Prior{Kind: prior.Uniform, High: 1}); s.Shares == nil {
			out[k] = family.LengthPrior(s.Distances[0], s.Distances[1])
		}
	}
	return out
}

// smoothPrior spells the prior of a parameter of a smooth, which may be one of a further predictor.
func smoothPrior(given *glm.Model, data *glm.Data, p infer.Parameter) string {
	of := family.Predictor{Name: p.Predictor}
	for k, s := range data.Smooths {
		effects := of.Named(s.Coefficients()+s.Name) + "["
		s.Name = of.Named(s.Name)
		switch {
		case p.Kind == infer.SmoothSD && p.Name == s.SDName():
			return given.Smooths[k].String()
		case p.Kind == infer.SmoothSD && p.Name == s.SecondName():
			return given.Lengths[k].String()
		case p.Kind == infer.SmoothEffect && strings.HasPrefix(p.Name, effects) && s.SecondName() != "":
			return "normal(0, by " + s.SDName() + " and " + s.SecondName() + ")"
		case p.Kind == infer.SmoothEffect && strings.HasPrefix(p.Name, effects):
			return "normal(0, " + s.SDName() + ")"
		}
	}
	return ""
}
