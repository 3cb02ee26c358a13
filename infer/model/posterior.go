package model

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// Posterior is a posterior of several predictors for callers that draw from its prior and look at positions. Chains
// have setups of their own. It is read-only once made.
type Posterior struct {
	setup  *setup
	of     []*groups.Model
	bounds []family.Bound // of responses, or nil
	family glm.Family
}

// NewPosterior returns the posterior of a problem; errors are those of New.
func NewPosterior(p *Problem, by infer.Parallel) (*Posterior, error) {
	s, err := newSetup(p, by)
	if err != nil {
		return nil, err
	}
	out := &Posterior{setup: s, family: p.Family}
	if p.Family.Several() != nil { // others draw within their bounds
		out.bounds = p.Bounds
	}
	for _, q := range s.predictors {
		of, err := groups.NewModel(q.data, q.model, by)
		if err != nil {
			return nil, err
		}
		out.of = append(out.of, of)
	}
	return out, nil
}

// Parameters describes a position, as those of New's setup do.
func (p *Posterior) Parameters() []infer.Parameter { return p.setup.params }

// DrawPrior writes an independent draw of a position from the prior.
func (p *Posterior) DrawPrior(s prior.Source, theta []float64) {
	each := make([][]float64, len(p.of))
	for k, of := range p.of {
		each[k] = make([]float64, len(of.Parameters()))
		of.DrawPrior(s, each[k])
	}
	var numbers []float64
	if p.setup.residuals != nil {
		law := p.setup.residuals.law(nil)
		law.DrawPrior(s)
		numbers = make([]float64, law.Parameters())
		law.Write(numbers)
	}
	numbers = append(numbers, p.drawLinks(s, each)...)
	tau, correlations := p.setup.split(theta, func(k int, head, effects, steps []float64) {
		copy(effects, each[k][copy(head, each[k]):])
		for _, m := range p.setup.predictors[k].mono {
			m.drawPrior(s, steps[m.at:m.at+m.size()])
		}
	})
	copy(correlations, numbers)
	if p.setup.cuts != nil {
		own := make([]float64, len(p.setup.cuts.priors))
		p.setup.cuts.draw(s, own)
		p.setup.cuts.position(own, tau)
	}
	p.setup.writeShares(theta)
}

// At returns a function for the use of one chain: log likelihood and log prior density at a position. All linear
// predictors are inside the domain. Cost: a pass over each design.
func (p *Posterior) At() func(theta []float64) (logLik, logPrior float64, inside bool) {
	at := p.at()
	return func(theta []float64) (logLik, logPrior float64, inside bool) {
		_, _, logLik, logPrior = at(theta)
		return logLik, logPrior, true
	}
}

// at is At that also returns the dispersions and the linear predictors, [predictor][row], which the next call rewrites.
func (p *Posterior) at() func(theta []float64) (rows *family.Rows, eta [][]float64, logLik, logPrior float64) {
	rows := p.setup.chainRows()
	n := len(rows.Y)
	predictors, eta, each := make([]*groups.Predictor, len(p.of)), p.setup.predictorsOf(n), make([]float64, n)
	for k, of := range p.of {
		predictors[k] = groups.NewPredictor(of)
	}
	linked := p.setup.linkedAt(predictors)
	var law *groups.Residuals
	if p.setup.residuals != nil {
		law = p.setup.residuals.law(nil)
	}
	return func(theta []float64) (_ *family.Rows, _ [][]float64, logLik, logPrior float64) {
		tau, correlations := p.setup.split(theta, func(k int, head, effects, steps []float64) {
			numbers := slices.Concat(head, effects)
			predictors[k].SetTheta(numbers)
			logPrior += predictors[k].LogPrior(numbers)
			own := p.setup.predictors[k]
			for _, m := range own.mono {
				logPrior += m.logPrior(steps[m.at : m.at+m.size()])
			}
			own.own(predictors[k].Point, steps, eta[own.place])
			p.setup.takeDisp(&rows, own, predictors[k].Point.Dispersions())
		})
		if cuts := p.setup.cuts; cuts != nil {
			own := make([]float64, len(cuts.priors))
			cuts.read(tau, own)
			cuts.write(own, 0, eta[len(eta)-len(cuts.first):])
			logPrior += cuts.logPrior(own)
		}
		if law != nil {
			correlations = correlations[law.Read(correlations):]
			law.Precision(rows.Residuals)
			logPrior += law.LogPrior()
		}
		for _, l := range linked {
			correlations = correlations[l.SetCorrelations(correlations):]
			logPrior += l.LogPrior()
		}
		p.setup.several.LogLik(&rows, 0, eta, each)
		rows.CountRows(each)
		return &rows, eta, rows.Kernels.Sum(each), logPrior
	}
}

// Respond returns a random response of each row at a position; of counts those of one class after
// the other, and of several responses those of one response after the other.
func (p *Posterior) Respond(s prior.Source, theta []float64) []float64 {
	rows, eta, _, _ := p.at()(theta)
	n := len(p.setup.rows.Y)
	row, counts := make([]float64, len(eta)), make([]float64, max(len(rows.Counts), len(p.setup.joined)))
	y := make([]float64, n*max(1, len(counts)))
	law := p.setup.residualsAt(theta)
	drawCounts := func(prior.Source, []float64, float64, []float64) {}
	if p.setup.joined == nil && p.family.Likelihood().DrawCounts != nil {
		drawCounts = p.family.Likelihood().DrawCounts
	}
	for i := range n {
		for k := range eta {
			row[k] = eta[k][i]
		}
		drawCounts(s, row, rows.Attempts(i), counts)
		if law != nil {
			law.Draw(s, counts)
			vec.Axpy(1, row, counts)
		} else {
			p.setup.joined.respond(s, i, row, rows, counts)
		}
		for k, v := range counts {
			y[k*n+i] = v
		}
		if len(counts) > 0 {
			continue
		}
		draw := func() float64 { return p.setup.draw(s, i, row, rows.Disp) }
		if p.bounds == nil {
			y[i] = draw()
			continue
		}
		y[i] = p.family.DrawWithin(&p.bounds[i], s, draw, func(y float64) float64 {
			return p.setup.several.CDF(y, row, rows.Disp, rows.Attempts(i))
		})
	}
	return y
}
