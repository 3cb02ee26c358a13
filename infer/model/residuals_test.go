package model_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/model"
	"glmbatch/infer/prior"
)

// bound has three gaussian responses with correlated residuals. Levels have correlated effects in the first two of
// them. Row 5 counts twice, row 7 not at all.
var bound = study{rows: 24, columns: 2, levels: 4, terms: []int{1, 1}}

// The numbers of a position of bound: coefficients and sds, then sigmas. Correlations and effects follow.
var (
	intercept, slope, levelSD = prior.Prior{Kind: prior.Normal, Location: 0.2, Scale: 1.5},
		prior.Prior{Kind: prior.Normal, Scale: 1}, prior.Prior{Kind: prior.HalfNormal, Scale: 1}
	noise       = prior.Prior{Kind: prior.Gamma, Shape: 4, Rate: 2}
	lawsOfBound = []prior.Prior{intercept, slope, levelSD, intercept, slope, levelSD, intercept, slope, noise, noise, noise}
	// Under normal priors coefficients and effects are drawn at once; with another one predictors move in turn.
	lawsOfBoundBy = map[string][]prior.Prior{"closed": lawsOfBound, "in turn": slices.Replace(slices.Clone(lawsOfBound), 7, 8,
		prior.Prior{Kind: prior.StudentT, DF: 5, Scale: 1})}
	namesOfBound = "a_(Intercept) a_x1 sd_g__a_Intercept b_(Intercept) b_x1 sd_g__b_Intercept c_(Intercept) c_x1 " +
		"sigma_a sigma_b sigma_c rescor__a__b rescor__a__c rescor__b__c cor_g__a_Intercept__b_Intercept"
)

// problemOfBound returns the model without responses.
func problemOfBound(rng *infer.Stream, laws []prior.Prior) *model.Problem {
	x, names := bound.design(rng, bound.columns, true)
	out := &model.Problem{Rescor: lkj}
	for k, name := range []string{"a", "b", "c"} {
		own := &model.Problem{Name: name, Family: family.Default, Y: make([]float64, bound.rows)}
		own.Frequency = slices.Repeat([]float64{1}, bound.rows)
		own.Frequency[5], own.Frequency[7] = 2, 0
		data := &glm.Data{X: x, Names: names}
		law := glm.Model{Coefficients: laws[3*k : 3*k+2], Dispersion: laws[8+k]}
		if k < 2 {
			data.Effects = []*design.Effects{bound.effects(rng, 1)}
			law.Effects = []glm.EffectsPrior{{SD: []prior.Prior{levelSD}, LKJ: lkj}}
		}
		own.Predictors = []model.Predictor{{Data: data, Model: law}}
		out.Responses = append(out.Responses, own)
	}
	return out
}

// thetaOfBound draws a position from the prior.
func thetaOfBound(rng *infer.Stream, laws []prior.Prior) (theta []float64) {
	for _, law := range laws {
		theta = append(theta, law.Draw(rng))
	}
	theta = append(theta, drawCorrelations(rng, 3)...)
	sds, effects := []float64{theta[2], theta[5]}, []float64(nil)
	for _, sd := range sds {
		for range bound.levels {
			effects = append(effects, prior.Prior{Kind: prior.Normal, Scale: sd}.Draw(rng))
		}
	}
	return append(theta, bound.link(rng, sds, effects)...)
}

// etaOfBound returns the means of a row.
func etaOfBound(p *model.Problem, theta []float64, i int) [3]float64 {
	data := p.Responses[0].Predictors[0].Data
	g, x := int(data.Effects[0].Grouping.Of()[i]), data.X.Col(1)[i]
	return [3]float64{theta[0] + theta[1]*x + theta[15+g], theta[3] + theta[4]*x + theta[15+bound.levels+g],
		theta[6] + theta[7]*x}
}

// densitiesOfBound are the log densities by package math: a row by the factor of the correlations.
func densitiesOfBound(p *model.Problem, laws []prior.Prior, theta []float64) (logLik, logPrior float64) {
	for j, law := range laws {
		logPrior += law.LogDensity(theta[j])
	}
	logPrior += bound.linked([]float64{theta[2], theta[5]}, theta[14:15], theta[15:])
	none := study{}
	logPrior += none.linked(make([]float64, 3), theta[11:14], nil)
	l := factor(theta[11:14], 3)
	for i := range bound.rows {
		eta, row := etaOfBound(p, theta, i), 0.0
		var z [3]float64
		for k, of := range p.Responses {
			z[k] = (of.Y[i] - eta[k]) / theta[8+k]
			for j := range k {
				z[k] -= l[k][j] * z[j]
			}
			z[k] /= l[k][k]
			row -= 0.5*z[k]*z[k] + math.Log(l[k][k]*theta[8+k]) + 0.5*math.Log(2*math.Pi)
		}
		logLik += p.Responses[0].Frequency[i] * row
	}
	return logLik, logPrior
}

// simulateBound draws a position and responses.
func simulateBound(rng *infer.Stream, laws []prior.Prior) (*model.Problem, []float64) {
	p, theta := problemOfBound(rng, laws), thetaOfBound(rng, laws)
	l := factor(theta[11:14], 3)
	for i := range bound.rows {
		eta := etaOfBound(p, theta, i)
		var z [3]float64
		for k, of := range p.Responses {
			z[k] = prior.Prior{Kind: prior.Normal, Scale: 1}.Draw(rng)
			e := 0.0
			for j := range k + 1 {
				e += l[k][j] * z[j]
			}
			of.Y[i] = eta[k] + theta[8+k]*e
		}
	}
	return p, theta
}

// Responses with correlated residuals have the densities and the gradient of the definition, and names as in brms.
func TestCorrelatedResiduals(t *testing.T) {
	for name, laws := range lawsOfBoundBy {
		t.Run(name, func(t *testing.T) { checkBound(t, laws) })
	}
}

func checkBound(t *testing.T, laws []prior.Prior) {
	p, _ := simulateBound(infer.NewStream(3, "bound"), laws)
	setup, err := model.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, q := range setup.Parameters()[:15] {
		names = append(names, q.Name)
	}
	if got := strings.Join(names, " "); got != namesOfBound {
		t.Errorf("parameters %s, want %s", got, namesOfBound)
	}
	infertest.Conforms(t, setup, infertest.Posterior{Parameters: setup.Parameters(),
		LogDensity: func(theta []float64) (logLik, logPrior float64) { return densitiesOfBound(p, laws, theta) },
		Other:      func() ([]byte, error) { return nil, errors.New("none") }})
	target, err := model.NewTarget(p, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	checkTarget(t, target, func(theta []float64) (logLik, logPrior float64) { return densitiesOfBound(p, laws, theta) })
}

// checkTarget compares densities of a target at a start with those of the definition, and its gradient with differences.
func checkTarget(t *testing.T, target *model.Target, densities func(theta []float64) (logLik, logPrior float64)) {
	t.Helper()
	u, _ := target.Start(infer.Chain{Count: 1, Stream: infer.NewStream(2, "target")})
	density, grad, none := target.Densities(), make([]float64, len(u)), make([]float64, len(u))
	theta, back := make([]float64, len(target.Parameters())), make([]float64, len(u))
	_, logLik, logPrior := density(u, grad)
	target.Constrain(u, theta)
	if target.Unconstrain(theta, back); !near(u, back) {
		t.Errorf("coordinates %v come back as %v", u, back)
	}
	if wantLik, wantPrior := densities(theta); math.Abs(logLik-wantLik) > 1e-9 || math.Abs(logPrior-wantPrior) > 1e-9 {
		t.Errorf("densities %v and %v, want %v and %v", logLik, logPrior, wantLik, wantPrior)
	}
	for j, at := range u {
		const h = 1e-5
		u[j] = at + h
		above, _, _ := density(u, none)
		u[j] = at - h
		below, _, _ := density(u, none)
		u[j] = at
		if want := (above - below) / (2 * h); math.Abs(grad[j]-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("slope %d is %v, want %v", j, grad[j], want)
		}
	}
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*(1+math.Abs(x)) })
}

// jointOfBound is the joint distribution of positions and responses.
func jointOfBound(name string, laws []prior.Prior) infertest.Joint {
	law := infertest.Joint{Name: name, Statistics: []string{"log likelihood", "log prior"}}
	for j := range 15 + 2*bound.levels {
		law.Statistics = append(law.Statistics, fmt.Sprintf("theta %d", j))
	}
	law.Simulate = func(rng *infer.Stream) ([]float64, infertest.Given, error) {
		p, theta := simulateBound(rng, laws)
		for _, own := range p.Responses {
			own.Frequency[5] = 1 // a row that counts twice is two rows
		}
		return theta, infertest.Given{
			Setup: func() (infer.Setup, error) { return model.New(p, nil) },
			Evaluate: func(theta []float64) []float64 {
				logLik, logPrior := densitiesOfBound(p, laws, theta)
				return append([]float64{logLik, logPrior}, theta...)
			},
		}, nil
	}
	return law
}

// Steps leave the joint distribution of positions and correlated responses as it is.
func TestInvarianceOfCorrelatedResiduals(t *testing.T) {
	for name, laws := range lawsOfBoundBy {
		t.Run(name, func(t *testing.T) {
			infertest.InvarianceOf(t, jointOfBound(name, laws),
				infertest.Check{Seed: infertest.Seed(t), Pairs: infertest.Scale(600, 20_000)})
		})
	}
}
