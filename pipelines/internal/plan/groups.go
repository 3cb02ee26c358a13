package plan

import (
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
	"glmbatch/infer/priordraws"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// resolveGroups chooses the method for a model with group-level effects.
func resolveGroups(s *spec.Sampler) sampler {
	reason := ""
	switch of := s.Of(); {
	case s.Auto():
		reason = "auto chose groups: the formula has group-level effects"
	case of.Prior:
		return priorSampler()
	case of.Hamiltonian:
		return trajectoriesOfGroups(s)
	}
	o := groups.Options{Kernels: s.Kernels}
	return sampler{
		Method: Method{Method: spec.Levels, Reason: reason, Version: groups.Version, Options: o, Chains: true},
		effects: func(data *glm.Data, model glm.Model, by infer.Parallel, from *groups.Earlier) (infer.Setup, error) {
			own := o
			own.Earlier = from
			return groups.New(data, model, by, own)
		},
	}
}

// setupEffects makes the sampler of group-level effects; its chains start from an earlier posterior if from is not nil.
func (r *Regression) setupEffects(data *glm.Data, by infer.Parallel, from *Previous) (infer.Setup, error) {
	var earlier *groups.Earlier
	if from != nil {
		earlier = &groups.Earlier{Of: from.effect,
			Around: func(t *glm.Target) (*glm.Target, error) { return r.startFrom(t, from) }}
	}
	return r.sampler.effects(data, r.Posterior(), by, earlier)
}

// setupPrior makes the draws from the prior, of effects too.
func (r *Regression) setupPrior(by infer.Parallel) (infer.Setup, error) {
	model := r.Posterior()
	if err := priordraws.Check(r.Data, &model); err != nil {
		return nil, err
	}
	target, err := groups.NewModel(r.Data, model, by)
	if err != nil {
		return nil, err
	}
	return priordraws.New(target)
}

// setupOn makes the sampler on a target of the model, whose responses may be others.
func (r *Regression) setupOn(t *groups.Model) (infer.Setup, error) {
	switch {
	case r.sampler.effects != nil:
		return r.setupEffects(t.Data(), nil, nil)
	case r.sampler.Prior:
		return priordraws.New(t)
	}
	return r.sampler.setup(t.Plain())
}

// effectsOptions are those of trajectories over group-level effects.
type effectsOptions struct {
	nuts.Options
	Effects string
}

// trajectoriesOfGroups returns the method nuts or hmc for group-level effects, whose coordinates a chain of groups
// chooses.
func trajectoriesOfGroups(s *spec.Sampler) sampler {
	out := trajectories(s)
	o := effectsOptions{out.Trajectories.Options, s.Effects}
	out.Options, out.setup, out.windows = o, nil, nil
	out.Version += " " + groups.TargetVersion
	if s.Effects != "non_centred" {
		out.Version += " " + groups.Version
	}
	out.effects = func(data *glm.Data, model glm.Model, by infer.Parallel, _ *groups.Earlier) (infer.Setup, error) {
		target, err := groups.NewTarget(data, model, by, groups.TargetOptions{Effects: o.Effects})
		if err != nil {
			return nil, err
		}
		setup, err := nuts.NewFor(target, o.Options)
		return overEffects{setup, target}, err
	}
	return out
}

// overEffects is a sampler of group-level effects in chosen coordinates.
type overEffects struct {
	infer.Setup
	infer.Explainer
}

// GibbsRates predicts how fast Gibbs samplers of the model move where its standard deviations have the means that mean
// returns by name, see groups.Rates; ok is false for other methods than groups and where there is no prediction.
func (r *Regression) GibbsRates(mean func(name string) float64) (rates groups.Rates, ok bool) {
	if r.sampler.Method.Method != spec.Levels {
		return rates, false
	}
	model := r.Posterior()
	known := func(law prior.Prior, name string) float64 {
		if law.Kind == prior.Constant {
			return law.Location
		}
		return mean(name)
	}
	var sds []float64
	for k, e := range r.Data.Effects {
		sds = append(sds, known(model.Effects[k].SD[0], spec.SDName(e.Group, e.Terms[0])))
	}
	return groups.PredictRates(r.Data, model.Family, sds, known(model.Dispersion, "sigma"))
}

// NoTarget says what is not done yet for models with group-level effects, and names the groupings; nil of others.
func NoTarget(data *glm.Data, what string) error {
	if len(data.Effects) == 0 {
		return nil
	}
	return fmt.Errorf("%s models with group-level effects (of %s) yet", what, Groupings(data))
}

// Groupings names those of group-level effects, each once.
func Groupings(data *glm.Data) string {
	var names []string
	for _, e := range data.Effects {
		if !slices.Contains(names, e.Group) {
			names = append(names, e.Group)
		}
	}
	return words.List(names)
}

// effectsPriors gives the group-level effects of a model their priors.
func effectsPriors(m *spec.Model, data *glm.Data, fallback prior.Prior) (out []glm.EffectsPrior) {
	for _, e := range data.Effects {
		p := glm.EffectsPrior{LKJ: m.Prior.LKJ(e.Group)}
		for _, term := range e.Terms {
			sd := m.Prior.ForSD(spec.SDName(e.Group, term))
			if sd.Kind == "" {
				sd = fallback
			}
			p.SD = append(p.SD, sd)
		}
		out = append(out, p)
	}
	return out
}

// levelEffects counts the effects of all levels.
func levelEffects(data *glm.Data) (n int) {
	for _, e := range data.Effects {
		n += e.Count()
	}
	return n
}

// maxEffects is how many effects of levels have their draws kept, unless all are asked for.
const maxEffects = 10_000

// KeepsEffects reports whether the draws of effects of levels are stored, and not their summaries alone.
func (r *Regression) KeepsEffects() bool {
	return keepsEffects(&r.fit.Pipeline.Run.Keep, levelEffects(r.Data))
}

func keepsEffects(keep *spec.Keep, effects int) bool {
	return keep.Groups == "draws" || keep.Groups == "" && effects <= maxEffects
}

// effectsSummarised is part of the identity of a fit that keeps draws but not those of effects: summaries do not
// serve a request for these draws.
const effectsSummarised = " but of group-level effects"

// undrawn counts the effects without draws.
func (r *Regression) undrawn() int {
	if r.fit.Keep() == KeepSummary || r.KeepsEffects() {
		return 0
	}
	return levelEffects(r.Data)
}

// effectsNeed adds what group-level effects take: the rows of each level and the columns of terms once more, what
// each chain holds of effects, and their summaries.
func effectsNeed(n Need, data *glm.Data, method *Method, chains int) Need {
	if len(data.Effects) == 0 {
		return n
	}
	const perEffect, perTrajectory = 1 << 10, 128
	vectors := int64(8)
	rows, effects := int64(data.Rows()), int64(levelEffects(data))
	if method.Trajectories != nil { // some three points for each doubling, of four vectors
		vectors = perTrajectory
	}
	for _, e := range data.Effects {
		n.Bytes += rows * (4 + 8 + 8*int64(len(e.Terms)))
	}
	n.Bytes += effects * (perEffect + int64(chains)*8*vectors)
	n.What = fmt.Sprintf("%s (and %d effects of levels)", strings.TrimSuffix(n.What, " need"), effects) + " need"
	n.Remedy += ", or leave out a grouping of many levels"
	return n
}

// effectPrior spells the prior of a parameter of group-level effects; it is empty of others.
func effectPrior(given *glm.Model, data *glm.Data, p infer.Parameter) string {
	for k, e := range data.Effects {
		t := slices.Index(e.Terms, p.Term)
		if e.Group != p.Grouping || t < 0 {
			continue
		}
		switch p.Kind {
		case infer.GroupSD:
			return given.Effects[k].SD[t].String()
		case infer.GroupCorrelation:
			if slices.Contains(e.Terms, p.Term2) {
				return spec.LKJPrior{Shape: given.Effects[k].LKJ}.String()
			}
		case infer.GroupEffect:
			if len(e.Terms) == 1 {
				return "normal(0, " + spec.SDName(e.Group, family.Predictor{Name: p.Predictor}.Named(p.Term)) + ")"
			}
			return "multivariate normal of " + words.List(e.Terms)
		}
	}
	return ""
}
