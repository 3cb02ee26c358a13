package assess

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/powerscale"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/judge"
)

// unmeasured is the warning of a fit that has no sensitivity to its prior.
const unmeasured = "gates.prior_sensitivity is not measured of models whose priors have scales that are parameters, " +
	"as those of group-level effects, smooths and horseshoes, or leave coefficients out, as spike_slab: give such fits " +
	"gates without it"

// asksSensitivity reports whether a gate asks for what the powers of prior and likelihood move of a fit.
func asksSensitivity(f *plan.Fit) bool {
	return f.Gates.PriorSensitivity.Strict().On && !f.Pipeline.Run.Prior()
}

// hasSensitivity reports whether log_prior has the prior of coefficients and dispersions alone. Where scales of priors
// are parameters, what depends on them is part of the model.
func hasSensitivity(params []infer.Parameter) bool {
	return !slices.ContainsFunc(params, func(p infer.Parameter) bool {
		return p.Kind != infer.Intercept && p.Kind != infer.Coefficient && p.Kind != infer.Dispersion
	})
}

// sensitivity measures what the powers of prior and likelihood move of every parameter.
func (e *Extras) sensitivity(draws *Source) error {
	if !hasSensitivity(draws.Parameters) {
		e.Warnings = append(e.Warnings, unmeasured)
		return nil
	}
	prior, lik, err := draws.Densities()
	if err != nil {
		return err
	}
	scaling, err := powerscale.New(prior, lik)
	if err != nil {
		return err
	}
	for block, err := range draws.Open() {
		if err != nil {
			return err
		}
		size := block.Chains * block.Draws
		for i := range block.Params {
			s := scaling.Of(block.Values[i*size : (i+1)*size])
			e.Sensitivity = append(e.Sensitivity, judge.Sensitivity{Name: draws.Parameters[block.First+i].Name,
				Prior: s.Prior, Likelihood: s.Likelihood})
		}
	}
	return nil
}

// densities are those of the draws that count, chain after chain.
func (d *Drawn) densities() (prior, lik []float64, err error) {
	for _, chain := range d.Draws.Spool.Chains {
		for from := d.Window.From; from < d.Window.To; from += infosAtOnce {
			infos, err := chain.Infos(from, min(from+infosAtOnce, d.Window.To))
			if err != nil {
				return nil, nil, err
			}
			prior, lik = AppendDensities(prior, lik, infos)
		}
	}
	return prior, lik, nil
}

// AppendDensities appends log_prior and log_lik of draws.
func AppendDensities(prior, lik []float64, infos []infer.Info) ([]float64, []float64) {
	for i := range infos {
		prior, lik = append(prior, infos[i].LogPrior), append(lik, infos[i].LogLik)
	}
	return prior, lik
}
