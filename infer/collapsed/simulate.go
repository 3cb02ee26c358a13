package collapsed

import (
	"errors"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/variate"
)

// maxResponse bounds simulated responses: beyond it sums lose what a row adds.
const maxResponse = 1e12

// Simulate draws weights and parameters from the prior, and a label and responses of each row given these. Missing
// responses stay missing.
func (s *setup) Simulate(stream *infer.Stream) (out infer.Simulation, err error) {
	k := s.bare(stream)
	none := make(statistics, s.family.size())
	k.DrawPrior(func(theta []float64) { s.family.draw(stream, none, theta) })
	theta := make([][]float64, s.rows)
	for i := range theta {
		c := mixture.Pick(stream.Float64(), k.LogW, 0)
		theta[i] = k.ThetaOf(c)
		k.Counts[c]++
	}
	own := *s
	if own.family, err = s.family.simulate(stream, theta); err != nil {
		return out, err
	}
	out.Posterior = &own
	at := own.bare(stream)
	copy(at.Counts, k.Counts)
	out.Position, out.LogLik = at.Place(k.LogW, k.Theta)
	own.probabilities(out.Position)
	return out, nil
}

// responses draws a response of each row with its own parameters.
func (r *regression) responses(from variate.Source, theta [][]float64) ([]float64, error) {
	y := make([]float64, len(theta))
	for i, of := range theta {
		if y[i] = r.rows.Draw(from, i, of[0], of[1:]); !(math.Abs(y[i]) <= maxResponse) {
			return nil, errors.New("a simulated response is too large")
		}
	}
	return y, nil
}

// again is a regression on other responses.
func (r *regression) again(y, trials []float64) (regression, error) {
	data := &glm.Data{X: r.data.X, Names: r.data.Names, Y: y, Trials: trials}
	rows, err := glm.NewPointwise(r.family, data)
	return newRegression(r.family, rows, data), err
}

func (g *gaussian) simulate(from variate.Source, theta [][]float64) (_ family, err error) {
	out := *g
	if out.y, err = g.responses(from, theta); err == nil {
		out.regression, err = g.again(out.y, nil)
	}
	return &out, err
}

func (p *poisson) simulate(from variate.Source, theta [][]float64) (_ family, err error) {
	out := *p
	if out.y, err = p.responses(from, theta); err == nil {
		out.regression, err = p.again(out.y, nil)
	}
	return &out, err
}

func (b *binomial) simulate(from variate.Source, theta [][]float64) (_ family, err error) {
	out := *b
	if out.y, err = b.responses(from, theta); err == nil {
		out.regression, err = b.again(out.y, b.trials)
	}
	return &out, err
}

func (f *categorical) simulate(from variate.Source, theta [][]float64) (family, error) {
	out := *f
	out.y = make([]int32, len(f.y))
	for i, of := range theta {
		out.y[i] = int32(mixture.Pick(from.Float64(), of, 0))
	}
	return &out, nil
}

func (f *multinomial) simulate(from variate.Source, theta [][]float64) (family, error) {
	counts := make([][]float64, len(f.counts))
	for c := range counts {
		counts[c] = make([]float64, len(theta))
	}
	for i, of := range theta {
		for range int(f.trials[i]) {
			counts[mixture.Pick(from.Float64(), of, 0)][i]++
		}
	}
	return newMultinomial(f.dirichlet, counts), nil
}

func (p *product) simulate(from variate.Source, theta [][]float64) (family, error) {
	out := *p
	out.parts = slices.Clone(p.parts)
	own := make([][]float64, len(theta))
	for k := range out.parts {
		q := &out.parts[k]
		for i, of := range theta {
			own[i] = q.own(of)
		}
		var err error
		if q.family, err = q.simulate(from, own); err != nil {
			return nil, err
		}
	}
	return &out, nil
}
