package glm_test

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// A condensed posterior is the one of all rows, to rounding: log posterior and gradient, with weights, precisions
// and offsets, over several blocks of rows, and with a mean of 1e8 and deviations of 1.
func TestCondensedIsTheSamePosterior(t *testing.T) {
	stream := infer.NewStream(3, "condensed")
	condensed := 0
	for _, c := range append(append(infertest.Cases(), infertest.WeightedCases()...), infertest.FamilyCases()...) {
		for _, shift := range []float64{0, 1e8} {
			_, small, err := c.Simulate(infer.NewStream(5, "condensed", c.Name))
			must(t, err)
			gaussian := c.Model.Family == glm.Family{Name: "gaussian", Link: "identity"}
			if !gaussian {
				continue
			}
			data := repeated(small.Data(), 2500)
			model := *small.Model()
			model.Coefficients = append([]prior.Prior(nil), model.Coefficients...)
			for i := range data.Y {
				data.Y[i] += shift
			}
			model.Coefficients[0].Location += shift
			if shift > 0 { // what the columns leave of it
				for i, v := range data.X.Col(0) {
					data.Y[i] += shift * (v - 1)
				}
			}
			target, err := glm.NewTarget(data, model)
			must(t, err)
			got, words := target.Condensed()
			condensed++
			if got.Rows() != target.Cols()+1 || got.Observations() != target.Observations() || words == "" {
				t.Errorf("%s: %d rows for %v observations, %q", c.Name, got.Rows(), got.Observations(), words)
			}
			samePosterior(t, fmt.Sprintf("%s, shift %v", c.Name, shift), target, got, 1e-11*(1+1e-4*shift), stream)
		}
	}
	if condensed < 4 {
		t.Errorf("%d cases condensed", condensed)
	}
}

// samePosterior compares log posterior, gradient and the log likelihood along
// coefficients, at points around the penalised one.
func samePosterior(t *testing.T, name string, target, got *glm.Target, precision float64, stream *infer.Stream) {
	t.Helper()
	a, b := glm.NewPoint(target), glm.NewPoint(got)
	u, dim := make([]float64, target.Dim()), target.Dim()
	g, h := make([]float64, dim), make([]float64, dim)
	for range 5 {
		copy(u, target.Penalised())
		for j := range u {
			u[j] += 0.3 * variate.Normal(stream)
		}
		a.SetUnconstrained(u)
		b.SetUnconstrained(u)
		want := a.LogPosterior()
		tol := precision * (1 + math.Abs(want))
		if d := want - b.LogPosterior(); want != b.LogPosterior() && !(math.Abs(d) <= tol) {
			t.Errorf("%s: log posterior %v, condensed off by %v", name, want, d)
		}
		for j := range target.Cols() {
			x, y := a.Along(j, 0.01).LogLik, b.Along(j, 0.01).LogLik
			if x != y && !(math.Abs(x-y) <= tol) {
				t.Errorf("%s: log likelihood %v along coefficient %d, condensed off by %v", name, x, j, y-x)
			}
		}
		a.Gradient(g, make([]float64, target.Rows()))
		b.Gradient(h, make([]float64, got.Rows()))
		for j := range g {
			if math.IsInf(want, -1) {
				break // outside the domain of a link
			}
			if !(math.Abs(g[j]-h[j]) <= tol*10) {
				t.Errorf("%s: gradient %v, condensed %v", name, g, h)
				break
			}
		}
	}
}
