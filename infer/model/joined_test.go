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
	"glmbatch/infer/nuts"
	"glmbatch/infer/prior"
)

// pair has two responses: a is gaussian, and b a count with zeros of a second source. Levels of a grouping have
// correlated effects in the predictors of both. Some rows miss one of the responses: it counts 0 times.
var pair = study{rows: 24, columns: 2, levels: 4, terms: []int{1, 1}}

// The numbers of a position of pair: three of a, its sd, three of b, one of zi, then a correlation and effects.
var (
	lawsOfPair = []prior.Prior{{Kind: prior.Normal, Location: 0.2, Scale: 1.5}, {Kind: prior.Normal, Scale: 1}, {Kind: prior.Gamma,
		Shape: 4, Rate: 2}, {Kind: prior.HalfNormal, Scale: 1}, {Kind: prior.Normal, Location: 0.2, Scale: 1.5},
		{Kind: prior.Normal, Scale: 1}, {Kind: prior.HalfNormal, Scale: 1}, {Kind: prior.Normal, Scale: 1}}
	namesOfPair = "a_(Intercept) a_x1 sigma_a sd_g__a_Intercept b_(Intercept) b_x1 sd_g__b_Intercept zi_b_(Intercept) " +
		"cor_g__a_Intercept__b_Intercept"
)

// problemOfPair returns the model without responses.
func problemOfPair(rng *infer.Stream) *model.Problem {
	x, names := pair.design(rng, pair.columns, true)
	effects := func() []*design.Effects { return []*design.Effects{pair.effects(rng, 1)} }
	sd := []glm.EffectsPrior{{SD: lawsOfPair[3:4], LKJ: lkj}}
	a := &model.Problem{Name: "a", Family: family.Default, Y: make([]float64, pair.rows)}
	a.Predictors = []model.Predictor{{Data: &glm.Data{X: x, Names: names, Penalised: glm.Penalised{Effects: effects()}},
		Model: glm.Model{Coefficients: lawsOfPair[:2], Dispersion: lawsOfPair[2], Effects: sd}}}
	b := &model.Problem{Name: "b", Family: family.Named("zero_inflated_poisson").Family(), Y: make([]float64, pair.rows)}
	b.Predictors = []model.Predictor{{Data: &glm.Data{X: x, Names: names, Penalised: glm.Penalised{Effects: effects()}},
		Model: glm.Model{Coefficients: lawsOfPair[4:6], Effects: sd}},
		{Data: &glm.Data{X: design.FirstColumns(x, 1), Names: names[:1]}, Model: glm.Model{Coefficients: lawsOfPair[7:8]}}}
	for k, of := range []*model.Problem{a, b} {
		of.Frequency = slices.Repeat([]float64{1}, pair.rows)
		of.Frequency[3+k], of.Frequency[5] = 0, float64(k) // a misses rows 3 and 5, b row 4
	}
	return &model.Problem{Responses: []*model.Problem{a, b}}
}

// thetaOfPair draws a position from the prior.
func thetaOfPair(rng *infer.Stream) (theta []float64) {
	for _, law := range lawsOfPair {
		theta = append(theta, law.Draw(rng))
	}
	sds, effects := []float64{theta[3], theta[6]}, []float64(nil)
	for _, sd := range sds {
		for range pair.levels {
			effects = append(effects, prior.Prior{Kind: prior.Normal, Scale: sd}.Draw(rng))
		}
	}
	return append(theta, pair.link(rng, sds, effects)...)
}

// etaOfPair returns the predictors of a row.
func etaOfPair(p *model.Problem, theta []float64, i int) (a, b, zi float64) {
	data := p.Responses[0].Predictors[0].Data
	g, x := int(data.Effects[0].Grouping.Of()[i]), data.X.Col(1)[i]
	return theta[0] + theta[1]*x + theta[9+g], theta[4] + theta[5]*x + theta[9+pair.levels+g], theta[7]
}

// densitiesOfPair are the log densities by package math.
func densitiesOfPair(p *model.Problem, theta []float64) (logLik, logPrior float64) {
	for j, law := range lawsOfPair {
		logPrior += law.LogDensity(theta[j])
	}
	logPrior += pair.linked([]float64{theta[3], theta[6]}, theta[8:9], theta[9:])
	for i, y := range p.Responses[0].Y {
		a, b, zi := etaOfPair(p, theta, i)
		if p.Responses[0].Frequency[i] > 0 {
			logLik += gaussian(y, []float64{a, math.Log(theta[2])}, 0)
		}
		if p.Responses[1].Frequency[i] > 0 {
			logLik += inflated(poisson)(p.Responses[1].Y[i], []float64{b, zi}, 0)
		}
	}
	return logLik, logPrior
}

// simulatePair draws a position and responses.
func simulatePair(rng *infer.Stream) (*model.Problem, []float64) {
	p, theta := problemOfPair(rng), thetaOfPair(rng)
	for i := range pair.rows {
		a, b, zi := etaOfPair(p, theta, i)
		p.Responses[0].Y[i] = prior.Prior{Kind: prior.Normal, Location: a, Scale: theta[2]}.Draw(rng)
		p.Responses[1].Y[i] = p.Responses[1].Family.Several().Draw(rng, []float64{b, zi}, [2]float64{}, 1)
	}
	return p, theta
}

// Two responses have the densities and the gradient of the definition, and names by response.
func TestResponses(t *testing.T) {
	p, _ := simulatePair(infer.NewStream(3, "pair"))
	setup, err := model.New(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, q := range setup.Parameters()[:9] {
		names = append(names, q.Name)
	}
	if got := strings.Join(names, " "); got != namesOfPair {
		t.Errorf("parameters %s, want %s", got, namesOfPair)
	}
	infertest.Conforms(t, setup, infertest.Posterior{Parameters: setup.Parameters(),
		LogDensity: func(theta []float64) (logLik, logPrior float64) { return densitiesOfPair(p, theta) },
		Other:      func() ([]byte, error) { return nil, errors.New("none") }})
	target, err := model.NewTarget(p, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	u, _ := target.Start(infer.Chain{Count: 1, Stream: infer.NewStream(2, "pair")})
	density, grad, none := target.Densities(), make([]float64, len(u)), make([]float64, len(u))
	theta := make([]float64, len(target.Parameters()))
	_, logLik, logPrior := density(u, grad)
	target.Constrain(u, theta)
	if wantLik, wantPrior := densitiesOfPair(p, theta); math.Abs(logLik-wantLik) > 1e-9 || math.Abs(logPrior-wantPrior) > 1e-9 {
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
	if _, err := nuts.NewFor(target, nuts.Options{}); err != nil {
		t.Fatal(err)
	}
}

// Steps leave the joint distribution of positions and both responses as it is.
func TestInvarianceOfResponses(t *testing.T) {
	law := infertest.Joint{Name: "pair", Statistics: []string{"log likelihood", "log prior"}}
	for j := range len(lawsOfPair) + 1 + 2*pair.levels {
		law.Statistics = append(law.Statistics, fmt.Sprintf("theta %d", j))
	}
	law.Simulate = func(rng *infer.Stream) ([]float64, infertest.Given, error) {
		p, theta := simulatePair(rng)
		return theta, infertest.Given{
			Setup: func() (infer.Setup, error) { return model.New(p, nil) },
			Evaluate: func(theta []float64) []float64 {
				logLik, logPrior := densitiesOfPair(p, theta)
				return append([]float64{logLik, logPrior}, theta...)
			},
		}, nil
	}
	infertest.InvarianceOf(t, law, infertest.Check{Seed: infertest.Seed(t), Pairs: infertest.Scale(600, 20_000)})
}

// Random responses of a position have its means, one response after the other.
func TestRespondOfResponses(t *testing.T) {
	p, theta := simulatePair(infer.NewStream(3, "pair"))
	of, err := model.NewPosterior(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	const draws = 4000
	var sums [2]float64
	for k := range draws {
		y := of.Respond(infer.NewStream(4, "respond", fmt.Sprint(k)), theta)
		if len(y) != 2*pair.rows {
			t.Fatalf("%d responses of %d rows", len(y), pair.rows)
		}
		for r := range sums {
			sums[r] += y[r*pair.rows] / draws
		}
	}
	a, b, zi := etaOfPair(p, theta, 0)
	mean := math.Exp(b) / (1 + math.Exp(zi))
	if math.Abs(sums[0]-a) > 6*theta[2]/math.Sqrt(draws) || math.Abs(sums[1]-mean) > 6*math.Sqrt(mean*(1+math.Exp(b))/draws) {
		t.Errorf("means %v, want %v and %v", sums, a, mean)
	}
}
