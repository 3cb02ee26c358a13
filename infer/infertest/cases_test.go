package infertest

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// TestPriorDraws: a case's prior draws have the distribution of their density. False alarms 1e-6 per prior; 20,000
// draws show a distance of 0.019, which is a scale error of 6 %.
func TestPriorDraws(t *testing.T) {
	for _, c := range []struct {
		prior prior.Prior
		cdf   func(x float64) float64
	}{
		{prior.Prior{Kind: prior.Normal, Location: 2, Scale: 3}, func(x float64) float64 { return 0.5 * math.Erfc((2-x)/3/math.Sqrt2) }},
		{prior.Prior{Kind: prior.HalfNormal, Scale: 3}, func(x float64) float64 { return math.Erf(x / 3 / math.Sqrt2) }},
		{prior.Prior{Kind: prior.HalfCauchy, Scale: 3}, func(x float64) float64 { return 2 / math.Pi * math.Atan(x/3) }},
	} {
		rng := infer.NewStream(Seed(t), "prior draws", c.prior.String())
		u := make([]float64, 20_000)
		for i := range u {
			u[i] = c.cdf(drawPrior(c.prior, rng))
		}
		if d, limit := uniform(u), uniformLimit(len(u), 1e-6); d > limit {
			t.Errorf("%s: distance %.4f, limit %.4f", c.prior, d, limit)
		}
		const h = 1e-6 // and the density is the derivative of the same distribution function
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

// TestResponses: simulated responses have the distribution of rowDensity, of every family and link. False alarms
// 1e-6 per law; 20,000 responses show a distance of 0.019.
func TestResponses(t *testing.T) {
	for _, family := range laws.OfOne() {
		for _, link := range family.Links {
			for _, eta := range []float64{0.7, 1.9} {
				f := glm.Family{Name: family.Name, Link: link.Name}
				checkResponses(t, f, eta, [2]float64{1.7, 4})
			}
		}
	}
}

func checkResponses(t *testing.T, f glm.Family, eta float64, disp [2]float64) {
	const n = 20_000
	data, trials := glm.Data{}, 1.0
	if f.Support().Trials {
		trials = 12
		data.Trials = []float64{trials}
	}
	outcomes, err := glm.NewPointwise(f, &data)
	if err != nil {
		t.Fatal(err)
	}
	rng := infer.NewStream(Seed(t), "responses", f.String())
	y := make([]float64, n)
	for i := range y {
		y[i] = outcomes.Draw(rng, 0, eta, disp[:])
	}
	slices.Sort(y)
	limit := uniformLimit(n, 1e-6)
	density := func(x float64) float64 { return math.Exp(rowDensity(f, x, eta, disp, trials)) }
	counts := f.Support().Whole
	exact, at := 0.5/n, 0.0 // of what is below the smallest response, within 1/n for continuous laws
	for i := range y {
		switch {
		case counts && i == 0:
			exact, at = 0, -1
			fallthrough
		case counts:
			for at < y[i] {
				at++
				exact += density(at)
			}
			if i+1 < n && y[i+1] == y[i] {
				continue
			}
		case i > 0: // the trapezoid rule between neighbours
			exact += (y[i] - y[i-1]) * (density(y[i]) + density(y[i-1])) / 2
		}
		if got := float64(i+1) / n; math.Abs(got-exact) > limit {
			t.Errorf("%s at eta %v: P(y ≤ %v) is %.4f, want %.4f", f, eta, y[i], got, exact)
			return
		}
	}
	if math.Abs(exact-1) > limit {
		t.Errorf("%s at eta %v: the density sums to %v", f, eta, exact)
	}
}
