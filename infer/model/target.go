package model

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/groups"
	"glmbatch/internal/vec"
)

// Target is the posterior over coordinates u without bounds, with gradients, for samplers that move all at once. u has
// the coordinates of each predictor's own target, one after the other; its parameters are those of New's setup.
type Target struct {
	setup *setup
	of    []*groups.Target
	at    []int // where the coordinates of each predictor begin; their number last
	cuts  int   // where those of thresholds begin
	steps int   // and those of monotonic effects
	links []*groups.LinkedTarget
	from  []int // and those of each of links
	law   int   // and those of correlated residuals
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
		t.of, t.at = append(t.of, of), append(t.at, t.at[len(t.at)-1]+of.Dim()-q.hidden)
	}
	t.cuts = t.at[len(t.at)-1]
	t.steps = t.cuts
	if s.cuts != nil {
		t.steps += len(s.cuts.priors)
	}
	from, skipped := t.steps, make([]int, len(s.predictors))
	for k, p := range s.predictors {
		from, skipped[k] = from+p.steps, p.hidden
	}
	for _, l := range s.links {
		t.links, t.from = append(t.links, l.Target(t.of, skipped)), append(t.from, from)
		from += len(l.Parameters())
	}
	t.law = from
	return t, nil
}

// ownOf returns numbers of the coordinates of predictor k, as its own target has them.
func (t *Target) ownOf(k int, u []float64) []float64 {
	if own := u[t.at[k]:t.at[k+1]]; t.setup.predictors[k].hidden == 0 {
		return own
	}
	return slices.Concat([]float64{0}, u[t.at[k]:t.at[k+1]])
}

// eachEffect passes the monotonic effects in turn, with their predictors and their coordinates in u.
func (t *Target) eachEffect(u []float64, do func(k int, m *monotone, own []float64)) {
	at := t.steps
	for k, p := range t.setup.predictors {
		for _, m := range p.mono {
			do(k, m, u[at:at+m.size()])
			at += m.size()
		}
	}
}

// stepsAt returns the steps of each predictor at u.
func (t *Target) stepsAt(u []float64) [][]float64 {
	out := make([][]float64, len(t.of))
	t.eachEffect(u, func(k int, m *monotone, own []float64) {
		c := make([]float64, m.size())
		m.steps(own, c)
		out[k] = append(out[k], c...)
	})
	return out
}

// Dim returns the length of u: the number of parameters that do not follow from others.
func (t *Target) Dim() int {
	if t.setup.cuts != nil {
		return len(t.setup.params) - t.setup.shares - t.setup.cuts.follow()
	}
	return len(t.setup.params) - t.setup.shares
}

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
	for k, of := range t.of {
		var own []float64
		own, words = of.Start(c)
		u = append(u, own[t.setup.predictors[k].hidden:]...)
	}
	if cuts := t.setup.cuts; cuts != nil {
		tau := make([]float64, len(cuts.priors))
		cuts.begin(c.Stream, tau)
		u = append(u, tau...)
		cuts.z(tau, u[t.cuts:])
	}
	u = append(u, make([]float64, t.Dim()-t.steps)...)
	t.eachEffect(u, func(_ int, m *monotone, own []float64) {
		steps := make([]float64, m.size())
		m.begin(c.Stream, steps)
		m.coordinates(steps, own)
	})
	if r := t.setup.residuals; r != nil {
		r.law(c.Stream).Unconstrained(u[t.law:])
	}
	return u, words
}

// Penalised returns the penalised points of the predictors.
func (t *Target) Penalised() (u []float64) {
	for k, of := range t.of {
		u = append(u, of.Penalised()[t.setup.predictors[k].hidden:]...)
	}
	if t.setup.cuts != nil {
		u = append(u, t.setup.cuts.start...)
	}
	for _, p := range t.setup.predictors {
		for _, m := range p.mono {
			u = append(u, m.start...)
		}
	}
	u = append(u, make([]float64, t.Dim()-len(u))...) // correlations of 0
	if r := t.setup.residuals; r != nil {
		r.law(nil).Unconstrained(u[t.law:])
	}
	return u
}

// Constrain writes the parameters of u to theta.
func (t *Target) Constrain(u, theta []float64) {
	steps := t.stepsAt(u)
	tau, correlations := t.setup.split(theta, func(k int, head, effects, c []float64) {
		own := make([]float64, t.of[k].Dim())
		t.of[k].Constrain(t.ownOf(k, u), own)
		copy(effects, own[copy(head, own):])
		copy(c, steps[k])
	})
	if t.setup.cuts != nil {
		own := make([]float64, t.steps-t.cuts)
		t.setup.cuts.tau(u[t.cuts:t.steps], own)
		t.setup.cuts.position(own, tau)
	}
	if r := t.setup.residuals; r != nil {
		law := r.law(nil)
		law.SetUnconstrained(u[t.law:])
		correlations = correlations[law.Write(correlations):]
	}
	for i, l := range t.links {
		l.Constrain(u[t.from[i]:][:l.Dim()], correlations)
		correlations = correlations[l.Dim():]
	}
	t.setup.writeShares(theta)
}

// Unconstrain is the inverse of Constrain.
func (t *Target) Unconstrain(theta, u []float64) {
	steps := make([][]float64, len(t.of))
	tau, correlations := t.setup.split(theta, func(k int, head, effects, c []float64) {
		own := make([]float64, t.of[k].Dim())
		t.of[k].Unconstrain(slices.Concat(head, effects), own)
		copy(u[t.at[k]:t.at[k+1]], own[t.setup.predictors[k].hidden:])
		steps[k] = c
	})
	if t.setup.cuts != nil {
		own := make([]float64, t.steps-t.cuts)
		t.setup.cuts.read(tau, own)
		t.setup.cuts.z(own, u[t.cuts:t.steps])
	}
	if r := t.setup.residuals; r != nil {
		law := r.law(nil)
		correlations = correlations[law.Read(correlations):]
		law.Unconstrained(u[t.law:])
	}
	for i, l := range t.links {
		l.Unconstrain(correlations[:l.Dim()], u[t.from[i]:])
		correlations = correlations[l.Dim():]
	}
	t.eachEffect(u, func(k int, m *monotone, own []float64) { m.coordinates(steps[k][m.at:m.at+m.size()], own) })
}

// Densities returns a function for the use of one chain: the log posterior density over u with its gradient, then the
// log likelihood and the log prior density of the parameters. The gradient of each predictor is that of its likelihood
// given the others. Cost: two passes over each design, and O(n) for each predictor.
func (t *Target) Densities() func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
	s := t.setup
	n := len(s.rows.Y)
	eta, views, rest := s.predictorsOf(n), family.NewViews(len(s.starts), n), make([]float64, n)
	rows := s.chainRows()
	places := make([]*groups.Place, len(t.of))
	for k, of := range t.of {
		places[k] = of.NewPlace()
	}
	linked, residual := t.densityOfLinks(), t.densityOfResiduals(&rows, eta)
	return func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
		steps := t.stepsAt(u)
		for k, p := range places {
			p.Predict(t.ownOf(k, u))
			own := s.predictors[k]
			own.own(p.Point(), steps[k], eta[own.place])
			s.takeDisp(&rows, own, p.Point().Dispersions())
		}
		ofLaw, priorOfLaw := residual(u, grad)
		if s.cuts != nil {
			logPosterior, logPrior = t.densityOfCuts(&rows, eta, u[t.cuts:t.steps], grad[t.cuts:t.steps])
		}
		if len(places) == 0 {
			s.several.LogLik(&rows, 0, eta, rest)
			rows.CountRows(rest)
			logLik = rows.Kernels.Sum(rest)
		}
		for k, p := range places {
			of := s.predictors[k]
			s.several.Given(of.place, &rows, eta, views[of.place])
			of.give(p.Point(), views[of.place], rest, steps[k])
			own, slope := p.Point().Value().LogLik, t.ownOf(k, grad)
			inU, prior := p.Gradient(t.ownOf(k, u), slope)
			copy(grad[t.at[k]:t.at[k+1]], slope[of.hidden:])
			p.Point().TakeRest()
			logPosterior += inU - own
			logPrior += prior
			logLik = own + views[of.place].Base
		}
		inU, prior := t.densityOfSteps(places, u, grad)
		ofLinks, priorOfLinks := linked(u, grad)
		return logPosterior + logLik + inU + ofLinks + ofLaw, logLik, logPrior + prior + priorOfLinks + priorOfLaw
	}
}

// densityOfResiduals returns a function that sets the distribution of correlated residuals to u and writes the
// gradient, where eta are the predictors at u. It returns the log prior density over u, and on its own scale.
func (t *Target) densityOfResiduals(rows *family.Rows, eta [][]float64,
) func(u, grad []float64) (inU, logPrior float64) {
	if t.setup.residuals == nil {
		return func([]float64, []float64) (inU, logPrior float64) { return 0, 0 }
	}
	law := t.setup.residuals.law(nil)
	return func(u, grad []float64) (inU, logPrior float64) {
		law.SetUnconstrained(u[t.law:])
		law.Precision(rows.Residuals)
		return law.Density(t.setup.products(eta), grad[t.law:]), law.LogPrior()
	}
}

// densityOfSteps writes the gradient of the log posterior in the coordinates of monotonic effects, where places have
// that of the log likelihood in each row, and returns their log prior density, and that of the steps.
func (t *Target) densityOfSteps(places []*groups.Place, u, grad []float64) (inU, logPrior float64) {
	at := t.steps
	t.eachEffect(u, func(k int, m *monotone, own []float64) {
		slopes, steps := make([]float64, m.size()), make([]float64, m.size())
		for i, column := range m.columns {
			slopes[i] = vec.Dot(column, places[k].Slopes())
		}
		m.gradient(own, slopes, grad[at:at+m.size()])
		m.steps(own, steps)
		inU += m.logPriorAt(own)
		logPrior += m.logPrior(steps)
		at += m.size()
	})
	return inU, logPrior
}

// densityOfCuts writes the thresholds to eta and the gradient of the log posterior in z, and returns the log density of
// z in the prior, and that of the thresholds.
func (t *Target) densityOfCuts(rows *family.Rows, eta [][]float64, z, grad []float64) (inZ, logPrior float64) {
	cuts := t.setup.cuts
	tau := make([]float64, len(z))
	cuts.tau(z, tau)
	cuts.write(tau, 0, eta[len(eta)-len(cuts.first):])
	cuts.gradient(rows, eta, z, grad)
	logPrior = cuts.logPrior(tau)
	return logPrior + cuts.logJacobian(z), logPrior
}
