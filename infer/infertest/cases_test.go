package infertest

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
)

// TestPriorDraws: a case's prior draws have the law of their density. False
// alarms 1e-6 per prior; 20,000 draws show a distance of 0.019, which is a scale
// error of 6 %.
func TestPriorDraws(t *testing.T) {
	for _, c := range []struct {
		prior glm.Prior
		cdf   func(x float64) float64
	}{
		{glm.Prior{Kind: glm.Normal, Location: 2, Scale: 3}, func(x float64) float64 { return 0.5 * math.Erfc((2-x)/3/math.Sqrt2) }},
		{glm.Prior{Kind: glm.HalfNormal, Scale: 3}, func(x float64) float64 { return math.Erf(x / 3 / math.Sqrt2) }},
		{glm.Prior{Kind: glm.HalfCauchy, Scale: 3}, func(x float64) float64 { return 2 / math.Pi * math.Atan(x/3) }},
	} {
		rng := infer.NewStream(Seed(t), "prior draws", c.prior.String())
		u := make([]float64, 20_000)
		for i := range u {
			u[i] = c.cdf(drawPrior(c.prior, rng))
		}
		if d, limit := uniform(u), uniformLimit(len(u), 1e-6); d > limit {
			t.Errorf("%s: distance %.4f, limit %.4f", c.prior, d, limit)
		}
		const h = 1e-6 // and the density is the derivative of the same law
		for _, x := range []float64{0.3, 2, 7} {
			want := math.Log((c.cdf(x+h) - c.cdf(x-h)) / (2 * h))
			if got := priorDensity(c.prior, x); math.Abs(got-want) > 1e-7 {
				t.Errorf("%s: log density %v at %v, want %v", c.prior, got, x, want)
			}
			if got := c.prior.LogDensity(x); math.Abs(got-want) > 1e-7 {
				t.Errorf("%s: glm has log density %v at %v, want %v", c.prior, got, x, want)
			}
		}
	}
}

// TestResponses: simulated responses have the law of rowDensity. False alarms
// 1e-6 per family; 20,000 responses show a distance of 0.019.
func TestResponses(t *testing.T) {
	for _, c := range []struct {
		family string
		link   string
		eta    float64
		trials float64
	}{{"poisson", "log", 0.8, 1}, {"poisson", "log", -1, 1}, {"bernoulli", "logit", 0.4, 1}, {"binomial", "logit", -0.7, 5}, {"gaussian", "identity", 1.2, 1},
		{"bernoulli", "probit", 0.4, 1}, {"binomial", "cloglog", -0.7, 5}, {"bernoulli", "cauchit", 0.8, 1}, {"poisson", "sqrt", 1.2, 1},
		{"negative_binomial", "log", 0.6, 1}} {
		const n = 20_000
		const sigma = 1.7
		f, disp := glm.Family{Name: c.family, Link: c.link}, [2]float64{sigma}
		rng := infer.NewStream(Seed(t), "responses", c.family, c.link)
		y := make([]float64, n)
		for i := range y {
			y[i] = response(f, c.eta, disp, c.trials, rng)
		}
		limit := uniformLimit(n, 1e-6)
		if c.family == "gaussian" {
			for i := range y {
				y[i] = 0.5 * math.Erfc((c.eta-y[i])/sigma/math.Sqrt2)
			}
			if d := uniform(y); d > limit {
				t.Errorf("%s: distance %.4f, limit %.4f", c.family, d, limit)
			}
			continue
		}
		count := map[float64]int{}
		for _, v := range y {
			count[v]++
		}
		var empirical, exact float64
		for k := 0.0; k <= 80; k++ {
			if c.family == "bernoulli" && k > 1 || c.family == "binomial" && k > c.trials {
				break
			}
			empirical += float64(count[k]) / n
			exact += math.Exp(rowDensity(f, k, c.eta, disp, c.trials))
			if math.Abs(empirical-exact) > limit {
				t.Errorf("%s at eta %v: P(y ≤ %v) is %.4f, want %.4f", c.family, c.eta, k, empirical, exact)
			}
		}
		if math.Abs(exact-1) > 1e-12 {
			t.Errorf("%s: the density sums to %v", c.family, exact)
		}
	}
}
