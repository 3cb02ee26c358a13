package glm_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// walledTarget is a poisson regression whose maximum likelihood is outside the support of its uniform priors.
func walledTarget(t *testing.T, slope prior.Prior) *glm.Target {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 1))
	const n = 40
	data := &glm.Data{X: design.NewDense(n, 2), Names: []string{"(Intercept)", "a"}, Y: make([]float64, n)}
	for i := range n {
		data.X.Col(0)[i], data.X.Col(1)[i] = 1, rng.NormFloat64()
		data.Y[i] = math.Floor(math.Exp(2 + data.X.Col(1)[i]))
	}
	target, err := glm.NewTarget(data, glm.Model{Family: glm.Family{Name: "poisson", Link: "log"}, Coefficients: []prior.Prior{
		{Kind: prior.Uniform, Low: -5, High: 1}, slope,
	}})
	must(t, err)
	return target
}

// Every start is within the support, also if the likelihood pulls beyond it, and the penalised point keeps off its
// ends.
func TestStartsBetweenWalls(t *testing.T) {
	for _, slope := range []prior.Prior{{Kind: prior.Uniform, Low: -1, High: 0.25}, {Kind: prior.Uniform, Low: 3, High: 3.01}, {Kind: prior.Uniform, Low: -1e6, High: 1e6}} {
		target := walledTarget(t, slope)
		inside := func(what string, u []float64) {
			for j, p := range target.Model().Coefficients {
				if !(u[j] >= p.Low && u[j] <= p.High) {
					t.Errorf("%s of %v is %v", what, p, u[j])
				}
			}
		}
		inside("penalised point", target.Penalised())
		for c := range 50 {
			u, words := target.Start(infer.Chain{Index: c, Count: 50, Stream: infer.NewStream(1, strconv.Itoa(c))})
			inside("start ("+words+")", u)
		}
	}
}

// A uniform prior is flat between its ends and forbids what lies outside, for
// coefficients below 0 too; a dispersion's may not reach below 0.
func TestUniformSupport(t *testing.T) {
	p := prior.Prior{Kind: prior.Uniform, Low: -3, High: -1}
	if p.ForCoefficient() != nil || p.ForDispersion() == nil {
		t.Errorf("%v: of a coefficient %v, of a dispersion %v", p, p.ForCoefficient(), p.ForDispersion())
	}
	for x, want := range map[float64]float64{-3.001: math.Inf(-1), -2: -math.Log(2), -1: -math.Log(2), -0.5: math.Inf(-1), 2: math.Inf(-1)} {
		if got := p.LogDensity(x); got != want && math.Abs(got-want) > 1e-15 {
			t.Errorf("log density %v at %v, want %v", got, x, want)
		}
	}
}
