package groups

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
)

// crossing2 is a gaussian design of two groupings: level i of the first meets level j of the second in cell(i, j) rows.
func crossing2(a, b int, cell func(i, j int) int) *glm.Data {
	var of [2][]int32
	for i := range a {
		for j := range b {
			for range cell(i, j) {
				of[0], of[1] = append(of[0], int32(i)), append(of[1], int32(j))
			}
		}
	}
	n := len(of[0])
	x := design.NewDense(n, 1)
	copy(x.Col(0), filled(n))
	data := &glm.Data{X: x, Intercept: 0, Y: make([]float64, n)}
	for k, levels := range []int{a, b} {
		data.Effects = append(data.Effects, &design.Effects{Grouping: design.NewGrouping(of[k], levels), Terms: []string{"Intercept"},
			Columns: [][]float64{nil}})
	}
	return data
}

var gaussianFamily = glm.Family{Name: "gaussian", Link: "identity"}

// The closed forms of arXiv:1803.09460: with full cells the collapsed sampler mixes at once; on a ring, where each
// level meets two of the other grouping, the walk from level to level has the rate cos²(π/levels); with one
// unbalanced grouping the rate is the mean share over rows.
func TestRatesHaveClosedForms(t *testing.T) {
	const levels = 8
	share := func(rows, sd, sigma float64) float64 { return rows * sd * sd / (rows*sd*sd + sigma*sigma) }
	ring := func(i, j int) int {
		if j == i || j == (i+1)%levels {
			return 3
		}
		return 0
	}
	one := crossing2(3, 1, func(i, _ int) int { return 1 + 4*i })
	one.Effects = one.Effects[:1]
	mean := 0.0
	for i := range 3 {
		rows := float64(1 + 4*i)
		mean += rows / 15 * share(rows, 0.7, 1.3)
	}
	a, b := share(6, 0.7, 1.3), share(6, 0.4, 1.3)
	slow := math.Cos(math.Pi / levels)
	for name, c := range map[string]struct {
		data *glm.Data
		sds  []float64
		want Rates
	}{
		"full cells": {crossing2(6, 4, func(int, int) int { return 2 }), []float64{0.7, 0.4},
			Rates{max(share(8, 0.7, 1.3), share(12, 0.4, 1.3)), 0}},
		"ring":         {crossing2(levels, levels, ring), []float64{0.7, 0.4}, Rates{a, a * b * slow * slow}},
		"one grouping": {one, []float64{0.7}, Rates{mean, 0}},
	} {
		got, ok := PredictRates(c.data, gaussianFamily, c.sds, 1.3)
		if !ok || math.Abs(got.Plain-c.want.Plain) > 2e-3 || math.Abs(got.Collapsed-c.want.Collapsed) > 2e-3 {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
	if _, ok := PredictRates(one, glm.Family{Name: "bernoulli", Link: "logit"}, []float64{1}, 1); ok {
		t.Error("a rate of bernoulli")
	}
}

// A chain of the plain sampler on an unbalanced crossed design has the rate of the prediction: the autocorrelations
// of its intercept fall by it from lag to lag once faster directions have mixed.
//
// False alarms: at 20,000 sweeps the ratio of autocorrelations at lags 4 and 1 has an error of about 0.02; the limit is
// four of these. Power: a rate that is off by 0.03.
func TestPlainRateIsThatOfAChain(t *testing.T) {
	const sigma, sweeps = 1.0, 20_000
	sds := []float64{0.5, 0.3}
	data := crossing2(12, 8, func(i, j int) int { return (i*j + i + 2*j) % 4 })
	rates, ok := PredictRates(data, gaussianFamily, sds, sigma)
	if !ok {
		t.Fatal("no prediction")
	}
	rng := infer.NewStream(1, "plain")
	mu, r, n := 0.0, [][]float64{make([]float64, 12), make([]float64, 8)}, data.Rows()
	draws := make([]float64, sweeps)
	for s := range draws {
		for k, e := range data.Effects {
			other, sums, rows := 1-k, make([]float64, len(r[k])), make([]float64, len(r[k]))
			for i, l := range e.Grouping.Of() {
				sums[l] -= mu + r[other][data.Effects[other].Grouping.Of()[i]]
				rows[l]++
			}
			for l := range r[k] {
				precision := rows[l]/sigma/sigma + 1/sds[k]/sds[k]
				r[k][l] = sums[l]/sigma/sigma/precision + variate.Normal(rng)/math.Sqrt(precision)
			}
		}
		sum := 0.0
		for i := range n {
			sum -= r[0][data.Effects[0].Grouping.Of()[i]] + r[1][data.Effects[1].Grouping.Of()[i]]
		}
		mu = sum/float64(n) + sigma*variate.Normal(rng)/math.Sqrt(float64(n))
		draws[s] = mu
	}
	at := func(lag int) float64 { return stat.Correlation(draws[:sweeps-lag], draws[lag:], nil) }
	if got := math.Cbrt(at(4) / at(1)); math.Abs(got-rates.Plain) > 0.04 {
		t.Errorf("autocorrelations fall by %.3f, predicted %.3f", got, rates.Plain)
	}
}
