package model_test

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/model"
)

// simulate draws a position from the prior and responses given it.
func (s study) simulate(rng *infer.Stream) (*model.Problem, []float64) {
	p := s.problem(rng)
	theta := s.theta(p, rng)
	eta, disp, _, _ := s.densities(p, theta)
	for i, row := range eta {
		switch {
		case s.counted():
			s.drawCounts(p, rng, i, row)
		case s.alone:
			of, _ := glm.NewPointwise(p.Family, &glm.Data{X: p.Predictors[0].Data.X})
			p.Y[i] = of.Draw(rng, i, row[0], []float64{disp})
		default:
			p.Y[i] = p.Family.Several().Draw(rng, row, [2]float64{disp, disp}, max(1, s.trials))
		}
		if s.bound > 0 {
			p.Kind = append(p.Kind, family.Observed)
			if p.Y[i] > s.bound {
				p.Y[i], p.Kind[i] = s.bound, family.Above
			}
		}
	}
	return p, theta
}

// joint is the joint distribution of positions and responses.
func (s study) joint(name string, sampler func(*model.Problem) (infer.Setup, error)) infertest.Joint {
	_, theta := s.simulate(infer.NewStream(5, name))
	law := infertest.Joint{Name: name, Statistics: []string{"log likelihood", "log prior", "row 0"}}
	for j := range theta {
		law.Statistics = append(law.Statistics, fmt.Sprintf("theta %d", j))
	}
	for k := range max(0, s.rising()-1) {
		law.Statistics = append(law.Statistics, fmt.Sprintf("gap %d", k+1))
	}
	law.Simulate = func(rng *infer.Stream) ([]float64, infertest.Given, error) {
		p, theta := s.simulate(rng)
		return theta, infertest.Given{
			Setup: func() (infer.Setup, error) { return sampler(p) },
			Evaluate: func(theta []float64) []float64 {
				eta, _, logLik, logPrior := s.densities(p, theta)
				first := 0.0
				for _, e := range eta[0] {
					first += e * (1 + p.Y[0])
				}
				out := append([]float64{logLik, logPrior, first}, theta...)
				cuts := theta[len(theta)-s.behind()-s.rising():]
				for k := range max(0, s.rising()-1) {
					out = append(out, math.Log(cuts[k+1]-cuts[k]))
				}
				return out
			},
		}, nil
	}
	return law
}

// one returns one data set of a study.
func one(t *testing.T, name string) (study, *model.Problem) {
	t.Helper()
	s := studies[name]
	p, _ := s.simulate(infer.NewStream(3, "one", name))
	return s, p
}
