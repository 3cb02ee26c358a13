package model

import (
	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/groups"
)

// Target is the posterior over coordinates u without bounds, with gradients, for samplers that move all at once. u has
// the coordinates of each predictor's own target, one after the other; its parameters are those of New's setup.
type Target struct {
	setup *setup
	of    []*groups.Target
	at    []int // where the coordinates of each predictor begin; their number last
	cuts  int   // where those of thresholds begin
	links []*groups.LinkedTarget
	from  []int // where the coordinates of each begin
}

// NewTarget returns the posterior; arguments and errors are those of New. Effects is that of groups.TargetOptions.
func NewTarget(p *Problem, by infer.Parallel, effects string) (*Target, error) {
	s, err := newSetup(p, by)
	if err != nil {
		return nil, err
	}
	return s.newTarget(by, effects)
}

// newTarget returns the posterior that chains sample.
func (s *setup) newTarget(by infer.Parallel, effects string) (*Target, error) {
	t := &Target{setup: s, at: []int{0}}
	for _, q := range s.predictors {
		of := groups.Without(q.Target)
		if q.Effects > 0 {
			var err error
			of, err = groups.NewTarget(q.data, q.model, by, groups.TargetOptions{Effects: effects, Ordered: true})
			if err != nil {
				return nil, err
			}
		}
		t.of, t.at = append(t.of, of), append(t.at, t.at[len(t.at)-1]+of.Dim())
	}
	t.cuts = t.at[len(t.at)-1]
	from := t.cuts
	if s.cuts != nil {
		from += len(s.cuts.params)
	}
	for _, l := range s.links {
		t.links, t.from = append(t.links, l.Target(t.of)), append(t.from, from)
		from += len(l.Parameters())
	}
	return t, nil
}

// Dim returns the length of u, the number of parameters.
func (t *Target) Dim() int { return len(t.setup.params) }

// Parameters are those of New's setup.
func (t *Target) Parameters() []infer.Parameter { return t.setup.params }

// Reads is the number of entries of designs that a gradient reads.
func (t *Target) Reads() (reads int64) {
	for _, of := range t.of {
		reads += of.Reads()
	}
	return reads
}

// Explain describes the coordinates.
func (t *Target) Explain() string { return "all linear predictors at once" }

// Start draws where a chain begins: each predictor as its own target has it, given the penalised points of the others.
func (t *Target) Start(c infer.Chain) (u []float64, words string) {
	for _, of := range t.of {
		var own []float64
		own, words = of.Start(c)
		u = append(u, own...)
	}
	if cuts := t.setup.cuts; cuts != nil {
		tau := make([]float64, len(cuts.params))
		cuts.begin(c.Stream, tau)
		u = append(u, tau...)
		cuts.z(tau, u[t.cuts:])
	}
	return t.uncorrelated(u), words
}

// Penalised returns the penalised points of the predictors.
func (t *Target) Penalised() (u []float64) {
	for _, of := range t.of {
		u = append(u, of.Penalised()...)
	}
	if t.setup.cuts != nil {
		u = append(u, t.setup.cuts.start...)
	}
	return t.uncorrelated(u)
}

// uncorrelated adds correlations of 0.
func (t *Target) uncorrelated(u []float64) []float64 {
	for _, l := range t.links {
		u = append(u, make([]float64, l.Dim())...)
	}
	return u
}

// Constrain writes the parameters of u to theta.
func (t *Target) Constrain(u, theta []float64) {
	tau, correlations := t.setup.split(theta, func(k int, head, effects []float64) {
		own := make([]float64, t.of[k].Dim())
		t.of[k].Constrain(u[t.at[k]:t.at[k+1]], own)
		copy(effects, own[copy(head, own):])
	})
	if t.setup.cuts != nil {
		t.setup.cuts.tau(u[t.cuts:][:len(tau)], tau)
	}
	for i, l := range t.links {
		l.Constrain(u[t.from[i]:][:l.Dim()], correlations)
		correlations = correlations[l.Dim():]
	}
}

// Unconstrain is the inverse of Constrain.
func (t *Target) Unconstrain(theta, u []float64) {
	tau, correlations := t.setup.split(theta, func(k int, head, effects []float64) {
		t.of[k].Unconstrain(append(append([]float64(nil), head...), effects...), u[t.at[k]:t.at[k+1]])
	})
	if t.setup.cuts != nil {
		t.setup.cuts.z(tau, u[t.cuts:][:len(tau)])
	}
	for i, l := range t.links {
		l.Unconstrain(correlations[:l.Dim()], u[t.from[i]:])
		correlations = correlations[l.Dim():]
	}
}

// Densities returns a function for the use of one chain: the log posterior density over u with its gradient, then the
// log likelihood and the log prior density of the parameters. The gradient of each predictor is that of its likelihood
// given the others. Cost: two passes over each design, and O(n) for each predictor.
func (t *Target) Densities() func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
	s := t.setup
	n := len(s.rows.Y)
	eta, views, rest := s.predictorsOf(n), family.NewViews(len(s.starts), n), make([]float64, n)
	rows := s.rows
	places := make([]*groups.Place, len(t.of))
	for k, of := range t.of {
		places[k] = of.NewPlace()
	}
	linked := t.densityOfLinks()
	return func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
		for k, p := range places {
			p.Predict(u[t.at[k]:t.at[k+1]])
			own := s.predictors[k]
			if own.own(p.Point(), eta[own.place]); own.place == 0 {
				copy(rows.Disp[:], p.Point().Dispersions())
			}
		}
		if s.cuts != nil {
			n := len(s.cuts.params)
			logPosterior, logPrior = t.densityOfCuts(&rows, eta, u[t.cuts:][:n], grad[t.cuts:][:n])
		}
		if len(places) == 0 {
			s.several.LogLik(&rows, 0, eta, rest)
			rows.CountRows(rest)
			logLik = rows.Kernels.Sum(rest)
		}
		for k, p := range places {
			of := s.predictors[k]
			s.several.Given(of.place, &rows, eta, views[of.place])
			of.give(p.Point(), views[of.place], rest)
			own := p.Point().Value().LogLik
			inU, prior := p.Gradient(u[t.at[k]:t.at[k+1]], grad[t.at[k]:t.at[k+1]])
			p.Point().TakeRest()
			logPosterior += inU - own
			logPrior += prior
			logLik = own + views[of.place].Base
		}
		inU, prior := linked(u, grad)
		logPosterior += inU
		logPrior += prior
		return logPosterior + logLik, logLik, logPrior
	}
}

// densityOfCuts writes the thresholds to eta and the gradient of the log posterior in z, and returns the log density of
// z in the prior, and that of the thresholds.
func (t *Target) densityOfCuts(rows *family.Rows, eta [][]float64, z, grad []float64) (inZ, logPrior float64) {
	cuts := t.setup.cuts
	tau := make([]float64, len(z))
	cuts.tau(z, tau)
	for j, v := range tau {
		fill(eta[len(eta)-len(tau)+j], v)
	}
	cuts.gradient(rows, eta, z, grad)
	logPrior = cuts.logPrior(tau)
	return logPrior + cuts.logJacobian(z), logPrior
}
