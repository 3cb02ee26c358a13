package model

import (
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/groups"
	"glmbatch/infer/prior"
)

// Posterior is a posterior of several predictors for who draws from its prior and looks at positions: chains have setups
// of their own. It is read-only once made.
type Posterior struct {
	setup *setup
	of    []*groups.Model
}

// NewPosterior returns the posterior of a problem; errors are those of New.
func NewPosterior(p *Problem, by infer.Parallel) (*Posterior, error) {
	s, err := newSetup(p, by)
	if err != nil {
		return nil, err
	}
	out := &Posterior{setup: s}
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
	p.setup.split(theta, func(k int, head, effects []float64) {
		own := make([]float64, len(head)+len(effects))
		p.of[k].DrawPrior(s, own)
		copy(effects, own[copy(head, own):])
	})
}

// Eta returns the linear predictors at a position, [predictor][row]. Cost: a pass over each design.
func (p *Posterior) Eta(theta []float64) (eta [][]float64) {
	p.setup.split(theta, func(k int, head, effects []float64) {
		at := groups.NewPredictor(p.of[k])
		at.SetTheta(slices.Concat(head, effects))
		eta = append(eta, make([]float64, len(at.Eta())))
		p.setup.predictors[k].own(at.Point, eta[k])
	})
	return eta
}

// LogPrior returns the log prior density at a position, with its constants.
func (p *Posterior) LogPrior(theta []float64) (sum float64) {
	p.setup.split(theta, func(k int, head, effects []float64) {
		own := slices.Concat(head, effects)
		at := groups.NewPredictor(p.of[k])
		at.SetTheta(own)
		sum += at.LogPrior(own)
	})
	return sum
}

// LogLik returns the log likelihood at a position.
func (p *Posterior) LogLik(theta []float64) float64 {
	rows := &p.setup.rows
	out := make([]float64, len(rows.Y))
	p.setup.several.LogLik(rows, 0, p.Eta(theta), out)
	rows.CountRows(out)
	return rows.Kernels.Sum(out)
}

// Respond returns a random response of each row at a position.
func (p *Posterior) Respond(s prior.Source, theta []float64) []float64 {
	eta, row := p.Eta(theta), make([]float64, len(p.of))
	y := make([]float64, len(p.setup.rows.Y))
	for i := range y {
		for k := range eta {
			row[k] = eta[k][i]
		}
		y[i] = p.setup.several.Draw(s, row)
	}
	return y
}
