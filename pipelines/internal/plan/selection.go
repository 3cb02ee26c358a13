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

// selects reports whether a method can sample which coefficients are in a model, with the others integrated out.
func selects(of spec.Method) bool { return of.Selects || of.Independent }

// selectable refuses samplers that cannot leave coefficients out, for models whose priors ask for it.
func selectable(s *spec.Sampler, model *spec.Model, of spec.Method) error {
	if selects(of) || !model.Selects() || of.Coordinates || of.Prior {
		return nil
	}
	return words.Hint(fmt.Errorf("model %q has the prior spike_slab, under which coefficients may be exactly 0: "+
		"sampler %q is %s, which does not draw such coefficients", model.Name, s.Name, of.Name),
		"take method: cggibbs for this model, or name under fits what goes together; regularised_horseshoe(tau0, slab_df, "+
			"slab_scale) is a prior like it for nuts")
}

// selecting is a method that selects for a model that selects.
func selecting(s *spec.Sampler, model *spec.Model, of spec.Method, reason string) (sampler, error) {
	o, off := selection.Options{Method: selection.Exact}, ""
	version := conjugate.Version + " " + conjugate.SelectionVersion
	if s.Marginals == "conditionals" {
		return sampler{}, words.Hint(fmt.Errorf("sampler %q has marginals: conditionals, and model %q is a regression: its "+
			"inclusion probabilities are means of draws", s.Name, model.Name), "leave marginals out for this model, or name "+
			"under fits what goes together")
	}
	plain := len(s.Scan.For) == 0 && s.Scan.Order != "random" && s.Anneal == spec.Anneal{} &&
		(s.States == "" || s.States == "anywhere")
	switch {
	case of.Certifies && !plain:
		return sampler{}, words.Hint(fmt.Errorf("sampler %q has options of discrete systems, and model %q is a regression "+
			"with the prior spike_slab: its indicators are drawn in turn, at temperature 1, from states drawn uniformly",
			s.Name, model.Name), "leave scan, anneal and states out for this model, or name under fits what goes together")
	case of.Certifies:
		o.Method = selection.Gibbs
		version += " " + mrf.Version
	case of.Selects:
		o.Method, off = selection.Herded, herdedWhy
		o.Herded = herded.Options{Sharing: herded.Sharing(s.Sharing), Start: herded.Start(s.Start),
			States: mrf.Start(s.States), Updates: herded.Updates(s.Updates)}
		version += " " + herded.Version
	}
	return sampler{
		Method: Method{Method: of, Reason: reason, Version: version, Options: o, Chains: true, Off: off},
		setup:  func(t *glm.Target) (infer.Setup, error) { return selection.New(t, o) },
	}, nil
}

// inclusionPrior spells the prior of the indicator of a coefficient.
func (r *Regression) inclusionPrior(coefficient string) string {
	j := slices.Index(r.Data.Names, coefficient)
	if j < 0 {
		return ""
	}
	return fmt.Sprintf("bernoulli(%v)", r.Posterior().Coefficients[j].Inclusion)
}
