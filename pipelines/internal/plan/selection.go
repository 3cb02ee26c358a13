package plan

import (
	"fmt"
	"slices"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// selectable refuses samplers that cannot leave coefficients out, for models whose priors ask for it.
func selectable(s *spec.Sampler, model *spec.Model, method string) error {
	if !model.Selects() || method == "cggibbs" || method == PriorMethod {
		return nil
	}
	return words.Hint(fmt.Errorf("model %q has the prior spike_slab, under which coefficients may be exactly 0: "+
		"sampler %q is %s, which does not draw such coefficients", model.Name, s.Name, method),
		"take method: cggibbs for this model, or name under fits what goes together; regularised_horseshoe(tau0, slab_df, "+
			"slab_scale) is a prior like it for nuts")
}

// inclusionPrior spells the prior of the indicator of a coefficient.
func (r *Regression) inclusionPrior(coefficient string) string {
	j := slices.Index(r.Data.Names, coefficient)
	if j < 0 {
		return ""
	}
	return fmt.Sprintf("bernoulli(%v)", r.Posterior().Coefficients[j].Inclusion)
}
