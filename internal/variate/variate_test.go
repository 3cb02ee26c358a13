package variate

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// Exact quantiles from an independent computation with 50 digits (mpmath,
// findroot on the complementary error function), rounded to float64.
var quantiles = []struct{ p, z float64 }{
	{1.1102230246251565e-16, -8.209536151601387},
	{1e-300, -37.0470962993612},
	{1e-100, -21.273453560965326},
	{1e-20, -9.262340089798407},
	{1e-12, -7.034483825301132},
	{1e-10, -6.361340902404057},
	{1e-06, -4.753424308822899},
	{0.0013, -3.0114537584997843},
	{0.01, -2.326347874040841},
	{0.025, -1.9599639845400543},
	{0.05, -1.6448536269514726},
	{0.074, -1.4466320671589785},
	{0.0750000001, -1.4395314702320188},
	{0.1, -1.2815515655446004},
	{0.25, -0.6744897501960817},
	{0.3, -0.5244005127080408},
	{0.4, -0.2533471031357997},
	{0.499, -0.002506630899571766},
	{0.6, 0.2533471031357997},
	{0.75, 0.6744897501960817},
	{0.9, 1.2815515655446006},
	{0.925, 1.4395314709384561},
	{0.93, 1.475791028179171},
	{0.975, 1.9599639845400538},
	{0.999, 3.090232306167813},
	{0.9999990463256836, 4.7630010342678135},
	{0.9999999999999999, 8.209536151601387},
}

func TestQuantile(t *testing.T) {
	for _, q := range quantiles {
		if got := Quantile(q.p); math.Abs(got-q.z) > 4e-16*math.Abs(q.z) {
			t.Errorf("Quantile(%v) = %.17g, want %.17g", q.p, got, q.z)
		}
	}
	if got := Quantile(0.5); got != 0 {
		t.Errorf("Quantile(0.5) = %v", got)
	}
	for p, want := range map[float64]float64{0: math.Inf(-1), 1: math.Inf(1)} {
		if got := Quantile(p); got != want {
			t.Errorf("Quantile(%v) = %v, want %v", p, got, want)
		}
	}
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		if got := Quantile(p); got == got {
			t.Errorf("Quantile(%v) = %v, want NaN", p, got)
		}
	}
}

// The quantile is odd about ½ and rises, over the midpoints that a stream
// can give and across the branches' seams.
func TestQuantileIsOddAndRises(t *testing.T) {
	last := math.Inf(-1)
	for p := 0x1p-53; p < 0.5; p *= 1.001 {
		z := Quantile(p)
		if !(z > last) {
			t.Fatalf("Quantile(%v) = %v does not rise above %v", p, z, last)
		}
		if q := 1 - p; 1-q == p && Quantile(q) != -z {
			t.Fatalf("Quantile(1−%v) = %v, want %v", p, Quantile(q), -z)
		}
		last = z
	}
}

func normalCDF(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

func t3CDF(x float64) float64 {
	u := x / math.Sqrt(3)
	return 0.5 + (math.Atan(u)+u/(1+u*u))/math.Pi
}

func chi3CDF(x float64) float64 {
	return math.Erf(math.Sqrt(x/2)) - math.Sqrt(2*x/math.Pi)*math.Exp(-x/2)
}

// distance returns the Kolmogorov distance of a sample from a law.
func distance(sample []float64, cdf func(float64) float64) float64 {
	slices.Sort(sample)
	d, n := 0.0, float64(len(sample))
	for i, x := range sample {
		f := cdf(x)
		d = max(d, f-float64(i)/n, float64(i+1)/n-f)
	}
	return d
}

// False alarms: at most 1e-6 per run, split over 5 laws, by the
// Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant, which is no
// approximation. Power: 40,000 draws put the limit at 0.0138; the planted
// scale error of 15 % is caught for every law, a shift of a normal by 0.05
// standard deviations too (its distance is 0.020).
func TestLaws(t *testing.T) {
	n := 40_000
	if os.Getenv("GLMBATCH_STAT") == "1" {
		n = 4_000_000
	}
	limit := math.Sqrt(math.Log(2/(1e-6/5)) / (2 * float64(n)))
	laws := []struct {
		name string
		draw func(Source) float64
		cdf  func(float64) float64
	}{
		{"normal", Normal, normalCDF},
		{"exponential", Exponential, func(x float64) float64 { return -math.Expm1(-x) }},
		{"chi-square 3", ChiSquare3, chi3CDF},
		{"t 3", func(s Source) float64 { z := Normal(s); return z * math.Sqrt(3/ChiSquare3(s)) }, t3CDF},
		{"half-cauchy", HalfCauchy, func(x float64) float64 { return 2 * math.Atan(x) / math.Pi }},
	}
	sample := make([]float64, n)
	for _, law := range laws {
		src := rand.New(rand.NewPCG(11, 12))
		fill := func(f func(Source) float64) float64 {
			for i := range sample {
				sample[i] = f(src)
			}
			return distance(sample, law.cdf)
		}
		if d := fill(law.draw); d > limit {
			t.Errorf("%s: Kolmogorov distance %.4f, limit %.4f", law.name, d, limit)
		}
		if d := fill(func(s Source) float64 { return 1.15 * law.draw(s) }); d <= limit {
			t.Errorf("%s: a scale error of 15 %% is not caught: distance %.4f, limit %.4f", law.name, d, limit)
		}
	}
}

// constant gives the same uniform for ever.
type constant float64

func (c constant) Float64() float64 { return float64(c) }

func TestIndex(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 1 << 30} {
		if lo, hi := Index(constant(0x1p-53), n), Index(constant(1-0x1p-53), n); lo != 0 || hi != n-1 {
			t.Errorf("n=%d: the extreme uniforms give %d and %d", n, lo, hi)
		}
	}
	if got := Index(constant(0.5), 4); got != 2 {
		t.Errorf("Index(½, 4) = %d", got)
	}
}

func BenchmarkNormal(b *testing.B) {
	src := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		Normal(src)
	}
}
