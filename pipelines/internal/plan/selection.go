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
	"glmbatch/pipelines/internal/spec"
)

// selecting is a method that selects for a model that selects.
func selecting(s *spec.Sampler, of spec.Method, reason string) sampler {
	o, off := selection.Options{Method: selection.Exact}, ""
	version := conjugate.Version + " " + conjugate.SelectionVersion
	switch {
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
	}
}

// inclusionPrior spells the prior of the indicator of a coefficient.
func (r *Regression) inclusionPrior(coefficient string) string {
	j := slices.Index(r.Data.Names, coefficient)
	if j < 0 {
		return ""
	}
	return fmt.Sprintf("bernoulli(%v)", r.Posterior().Coefficients[j].Inclusion)
}
