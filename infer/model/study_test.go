package model_test

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/model"
	"glmbatch/infer/prior"
)

// study is a categorical model, by its definition.
type study struct {
	rows, classes, columns int
	levels                 int // of a grouping; 0 for none
	weighted, sparse       bool
	law                    prior.Prior // of slopes
}

var studies = map[string]study{
	"two":       {rows: 25, classes: 2, columns: 2},
	"three":     {rows: 25, classes: 3, columns: 3},
	"five":      {rows: 40, classes: 5, columns: 2},
	"weighted":  {rows: 20, classes: 3, columns: 2, weighted: true},
	"student_t": {rows: 20, classes: 3, columns: 3, law: prior.Prior{Kind: prior.StudentT, Scale: 1.5, DF: 4}},
	"laplace":   {rows: 20, classes: 3, columns: 2, law: prior.Prior{Kind: prior.Laplace, Scale: 1}},
	"groups":    {rows: 40, classes: 3, columns: 2, levels: 4},
	"sparse":    {rows: 40, classes: 3, columns: 9, sparse: true},
}

// problem returns the model without responses.
func (s study) problem(rng *infer.Stream) *model.Problem {
	p := &model.Problem{Family: family.Classes, Y: make([]float64, s.rows)}
	for k := range s.classes {
		p.Classes = append(p.Classes, string(rune('a'+k)))
	}
	for i := 0; s.weighted && i < s.rows; i++ {
		p.Frequency = append(p.Frequency, float64(1+i%3))
	}
	x, names := s.design(rng)
	for k := range s.classes - 1 {
		q := model.Predictor{Data: &glm.Data{X: x, Names: names, Y: p.Y},
			Model: glm.Model{Coefficients: []prior.Prior{{Kind: prior.Normal, Location: 0.2, Scale: 1.5}}}}
		for i := 0; k == 1 && i < s.rows; i++ {
			q.Data.Offset = append(q.Data.Offset, 0.3*float64(i%3))
		}
		for range s.columns - 1 {
			law := s.law
			if law.Scale == 0 {
				law = prior.Prior{Kind: prior.Normal, Scale: 1 + 0.5*float64(k)}
			}
			q.Model.Coefficients = append(q.Model.Coefficients, law)
		}
		if s.levels > 0 {
			q.Data.Effects = []*design.Effects{s.effects()}
			q.Model.Effects = []glm.EffectsPrior{{SD: []prior.Prior{{Kind: prior.HalfNormal, Scale: 1}}, LKJ: 1}}
		}
		p.Predictors = append(p.Predictors, q)
	}
	return p
}

// design returns a column of ones and random columns, with their names.
func (s study) design(rng *infer.Stream) (design.Matrix, []string) {
	x := &design.Dense{Rows: s.rows, Cols: s.columns, Values: make([]float64, s.rows*s.columns)}
	names := []string{"(Intercept)"}
	for i := range s.rows {
		x.Values[i] = 1
		for j := 1; j < s.columns; j++ {
			v := 2*rng.Float64() - 1
			if s.sparse && i%(s.columns-1) != j-1 {
				v = 0
			}
			x.Values[j*s.rows+i] = v
		}
	}
	for j := 1; j < s.columns; j++ {
		names = append(names, fmt.Sprintf("x%d", j))
	}
	if !s.sparse {
		return x, names
	}
	out := design.NewSparse(s.rows, s.columns, 0)
	for j := range s.columns {
		out.AppendDense(x.Col(j))
	}
	return out, names
}

// effects returns one effect for each level of a grouping.
func (s study) effects() *design.Effects {
	of, names := make([]int32, s.rows), make([]string, s.levels)
	for i := range of {
		of[i] = int32((i * 7 / 3) % s.levels)
	}
	for l := range names {
		names[l] = fmt.Sprint(l)
	}
	return &design.Effects{Grouping: design.NewGrouping(of, s.levels), Group: "g", Levels: names,
		Terms: []string{"Intercept"}, Columns: [][]float64{nil}}
}

// theta draws a position from the prior: the heads of all predictors, then their effects.
func (s study) theta(p *model.Problem, rng *infer.Stream) (theta []float64) {
	var effects []float64
	for _, q := range p.Predictors {
		for _, law := range q.Model.Coefficients {
			theta = append(theta, law.Draw(rng))
		}
		for _, e := range q.Model.Effects {
			sd := e.SD[0].Draw(rng)
			theta = append(theta, sd)
			for range s.levels {
				effects = append(effects, prior.Prior{Kind: prior.Normal, Scale: sd}.Draw(rng))
			}
		}
	}
	return append(theta, effects...)
}

// density returns linear predictors by row, log likelihood and log prior, by package math and from the definitions.
func (s study) density(p *model.Problem, theta []float64) (eta [][]float64, logLik, logPrior float64) {
	d := s.columns
	head := d
	if s.levels > 0 {
		head++
	}
	eta = make([][]float64, s.rows)
	for i := range eta {
		eta[i] = make([]float64, len(p.Predictors))
	}
	for k, q := range p.Predictors {
		own, effects := theta[k*head:(k+1)*head], theta[head*len(p.Predictors)+k*s.levels:][:s.levels]
		for j, law := range q.Model.Coefficients {
			logPrior += law.LogDensity(own[j])
		}
		if s.levels > 0 {
			logPrior += q.Model.Effects[0].SD[0].LogDensity(own[d])
			for _, r := range effects {
				logPrior += prior.Prior{Kind: prior.Normal, Scale: own[d]}.LogDensity(r)
			}
		}
		for i := range s.rows {
			if q.Data.Offset != nil {
				eta[i][k] += q.Data.Offset[i]
			}
			if s.levels > 0 {
				eta[i][k] += effects[q.Data.Effects[0].Grouping.Of()[i]]
			}
		}
		for j := range d {
			c := q.Data.X.Column(j)
			for i, v := range c.Values {
				row := i
				if c.Rows != nil {
					row = int(c.Rows[i])
				}
				eta[row][k] += v * own[j]
			}
		}
	}
	for i, row := range eta {
		sum := 1.0
		for _, e := range row {
			sum += math.Exp(e)
		}
		value := -math.Log(sum)
		if y := int(p.Y[i]); y > 0 {
			value += row[y-1]
		}
		if p.Frequency != nil {
			value *= p.Frequency[i]
		}
		logLik += value
	}
	return eta, logLik, logPrior
}

// simulate draws a position from the prior and responses given it.
func (s study) simulate(rng *infer.Stream) (*model.Problem, []float64) {
	p := s.problem(rng)
	theta := s.theta(p, rng)
	eta, _, _ := s.density(p, theta)
	for i, row := range eta {
		p.Y[i] = p.Family.Several().Draw(rng, row)
	}
	return p, theta
}

// joint is the joint distribution of positions and responses.
func (s study) joint(name string, sampler func(*model.Problem) (infer.Setup, error)) infertest.Joint {
	_, theta := s.simulate(infer.NewStream(5, name))
	law := infertest.Joint{Name: name, Statistics: []string{"log likelihood", "log prior", "class 0"}}
	for j := range theta {
		law.Statistics = append(law.Statistics, fmt.Sprintf("theta %d", j))
	}
	law.Simulate = func(rng *infer.Stream) ([]float64, infertest.Given, error) {
		p, theta := s.simulate(rng)
		return theta, infertest.Given{
			Setup: func() (infer.Setup, error) { return sampler(p) },
			Evaluate: func(theta []float64) []float64 {
				eta, logLik, logPrior := s.density(p, theta)
				first := 0.0
				for _, e := range eta[0] {
					first += e * (1 + p.Y[0])
				}
				return append([]float64{logLik, logPrior, first}, theta...)
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
