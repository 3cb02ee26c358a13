package family_test

import (
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/family"
)

// The probabilities of classes add up to 1 and to the distribution function, and draws have them. False alarms: below
// 1e-6, 6 standard errors of 68 shares.
func TestClassesAgree(t *testing.T) {
	check := func(name string, f family.Family, eta []float64) {
		const draws, classes = 20_000, 4
		several, rng := f.Several(), infer.NewStream(9, name)
		means, seen, sum := make([]float64, classes), make([]float64, classes), 0.0
		several.Means(eta, [2]float64{}, means)
		for range draws {
			seen[int(several.Draw(rng, eta, [2]float64{}, 1))] += 1.0 / draws
		}
		for k, p := range means {
			sum += p
			if cdf := several.CDF(float64(k), eta, [2]float64{}, 1); math.Abs(cdf-sum) > 1e-12 {
				t.Errorf("%s: distribution function %v at class %d, probabilities add up to %v", name, cdf, k, sum)
			}
			if math.Abs(seen[k]-p) > 6*math.Sqrt(p*(1-p)/draws) {
				t.Errorf("%s: a share %v of draws in class %d, probability %v", name, seen[k], k, p)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%s: probabilities add up to %v", name, sum)
		}
	}
	check("categorical", family.Classes, []float64{0.4, -1, 1.3})
	ordinals(func(name string, f family.Family) {
		eta := []float64{0.3}
		if f.Predicted != "" {
			eta = append(eta, 0.4)
		}
		check(name, f, append(eta, -1.2, 0.1, 0.9))
	})
}

// Random counts of classes add up to the trials and have the probabilities as shares, and the count of the first class
// its distribution function. False alarms: below 1e-6, 6 standard errors of 8 shares.
func TestCountsAgree(t *testing.T) {
	const draws, trials = 20_000, 7.0
	f := family.Named("multinomial").Family()
	of, rng, eta := f.Several(), infer.NewStream(9, "counts"), []float64{0.4, -1, 1.3}
	means, counts, shares, upTo := make([]float64, 4), make([]float64, 4), make([]float64, 4), 0.0
	of.Means(eta, [2]float64{}, means)
	for range draws {
		f.Likelihood().DrawCounts(rng, eta, trials, counts)
		sum := 0.0
		for k, v := range counts {
			sum += v
			shares[k] += v / trials / draws
		}
		if sum != trials {
			t.Fatalf("counts %v of %v trials", counts, trials)
		}
		if of.Draw(rng, eta, [2]float64{}, trials) <= 1 {
			upTo += 1.0 / draws
		}
	}
	for k, p := range means {
		if math.Abs(shares[k]-p) > 6*math.Sqrt(p*(1-p)/trials/draws) {
			t.Errorf("share %v of class %d, probability %v", shares[k], k, p)
		}
	}
	if cdf := of.CDF(1, eta, [2]float64{}, trials); math.Abs(cdf-upTo) > 6*math.Sqrt(cdf*(1-cdf)/draws) || of.CDF(trials,
		eta, [2]float64{}, trials) != 1 {
		t.Errorf("distribution function %v at 1, draws %v", cdf, upTo)
	}
}

// The coordinate of a dispersion goes to its value and back, with the slope of both.
func TestCoordinates(t *testing.T) {
	for _, d := range family.AllDispersions() {
		for _, u := range []float64{-6, -0.7, 0.2, 3} {
			x := d.At(u)
			want := (d.At(u+h) - d.At(u-h)) / (2 * h)
			if back := d.Coordinate(x); math.Abs(back-u) > 1e-10 || !d.Holds(x) {
				t.Errorf("%s: coordinate %v, and %v after both ways", d.Name, u, back)
			}
			if math.Abs(d.Slope(x)/want-1) > 1e-7 || math.Abs(math.Exp(d.LogSlope(u))/want-1) > 1e-7 {
				t.Errorf("%s at %v: slopes %v and e^%v, want %v", d.Name, u, d.Slope(x), d.LogSlope(u), want)
			}
		}
	}
}
