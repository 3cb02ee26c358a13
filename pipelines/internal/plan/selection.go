package plan

import (
	"fmt"
	"slices"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
	"glmbatch/infer/conjugate"
	"glmbatch/infer/glm"
	"glmbatch/infer/selection"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// selectionMethods are those that sample which coefficients are in a model, with the others integrated out.
var selectionMethods = map[string]selection.Method{"gibbs": selection.Gibbs, "herded": selection.Herded,
	"conjugate": selection.Exact}

// selectable refuses samplers that cannot leave coefficients out, for models whose priors ask for it.
func selectable(s *spec.Sampler, model *spec.Model, method string) error {
	if _, ok := selectionMethods[method]; ok || !model.Selects() || method == "cggibbs" || method == PriorMethod {
		return nil
	}
	return words.Hint(fmt.Errorf("model %q has the prior spike_slab, under which coefficients may be exactly 0: "+
		"sampler %q is %s, which does not draw such coefficients", model.Name, s.Name, method),
		"take method: cggibbs for this model, or name under fits what goes together; regularised_horseshoe(tau0, slab_df, "+
			"slab_scale) is a prior like it for nuts")
}

// selecting is a method of selectionMethods for a model that selects.
func selecting(s *spec.Sampler, model *spec.Model, name, reason string) (sampler, error) {
	o := selection.Options{Method: selectionMethods[name]}
	version := conjugate.Version + " " + conjugate.SelectionVersion
	if s.Marginals == "conditionals" {
		return sampler{}, words.Hint(fmt.Errorf("sampler %q has marginals: conditionals, and model %q is a regression: its "+
			"inclusion probabilities are means of draws", s.Name, model.Name), "leave marginals out for this model, or name "+
			"under fits what goes together")
	}
	plain := len(s.Scan.For) == 0 && s.Scan.Order != "random" && s.Anneal == spec.Anneal{} &&
		(s.States == "" || s.States == "anywhere")
	switch {
	case name == "gibbs" && !plain:
		return sampler{}, words.Hint(fmt.Errorf("sampler %q has options of discrete systems, and model %q is a regression "+
			"with the prior spike_slab: its indicators are drawn in turn, at temperature 1, from states drawn uniformly",
			s.Name, model.Name), "leave scan, anneal and states out for this model, or name under fits what goes together")
	case name == "gibbs":
		version += " " + mrf.Version
	case name == "herded":
		o.Herded = herded.Options{Sharing: herded.Sharing(s.Sharing), Start: herded.Start(s.Start),
			States: mrf.Start(s.States), Updates: herded.Updates(s.Updates)}
		version += " " + herded.Version
	}
	return sampler{
		Method: Method{Name: name, Reason: reason, Version: version, Options: o, Chains: true},
		setup:  func(t *glm.Target) (infer.Setup, error) { return selection.New(t, o) },
	}, nil
}

// herds is why no gate looks at the chains of a method; empty of Markov chains.
func (m *Method) herds() string {
	if m.Name == "herded" {
		return herdedWhy
	}
	return ""
}

// inclusionPrior spells the prior of the indicator of a coefficient.
func (r *Regression) inclusionPrior(coefficient string) string {
	j := slices.Index(r.Data.Names, coefficient)
	if j < 0 {
		return ""
	}
	return fmt.Sprintf("bernoulli(%v)", r.Posterior().Coefficients[j].Inclusion)
}
