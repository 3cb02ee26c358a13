package variate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"gonum.org/v1/gonum/mathext"
)

// source is fixed on pull requests and fresh under GLMBATCH_STAT, printed.
func source(t *testing.T) Source {
	seed := uint64(2026)
	if os.Getenv("GLMBATCH_STAT") == "1" {
		seed = uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
	}
	return rand.New(rand.NewPCG(seed, 17))
}

// scaled draws from a law whose mean is off by a factor.
type scaled struct {
	name string
	draw func(s Source, factor float64) float64
	cdf  func(x float64) float64
}

func poissonLaw(mean float64) scaled {
	return scaled{fmt.Sprintf("poisson %g", mean),
		func(s Source, f float64) float64 { return Poisson(s, f*mean) },
		func(k float64) float64 { return mathext.GammaIncRegComp(k+1, mean) }}
}

func binomialLaw(n, p float64) scaled {
	return scaled{fmt.Sprintf("binomial %g × %g", n, p),
		func(s Source, f float64) float64 {
			if p > 0.5 { // the factor is of the failures
				return Binomial(s, n, 1-f*(1-p), f*(1-p))
			}
			return Binomial(s, n, f*p, 1-f*p)
		},
		func(k float64) float64 {
			if k >= n {
				return 1
			}
			return mathext.RegIncBeta(n-k, k+1, 1-p)
		}}
}

// standard compares a count of a large mean and sd with the normal distribution, from which it differs by less than
// 1/sd.
func standard(name string, mean, sd float64, draw func(s Source) float64) scaled {
	return scaled{name, func(s Source, f float64) float64 { return (draw(s)-mean)/sd + (f-1)*3 }, normalCDF}
}

func negativeBinomialLaw(mean, shape float64) scaled {
	return scaled{fmt.Sprintf("negative binomial %g, shape %g", mean, shape),
		func(s Source, f float64) float64 { return NegativeBinomial(s, f*mean, shape) },
		func(k float64) float64 { return mathext.RegIncBeta(shape, k+1, shape/(shape+mean)) }}
}

func inverseGaussianLaw(mean, shape float64) scaled {
	return scaled{fmt.Sprintf("inverse gaussian %g, shape %g", mean, shape),
		func(s Source, f float64) float64 { return InverseGaussian(s, f*mean, f*shape) },
		func(x float64) float64 {
			r := math.Sqrt(shape / x)
			return normalCDF(r*(x/mean-1)) + math.Exp(2*shape/mean)*normalCDF(-r*(x/mean+1))
		}}
}

func laws() []scaled {
	all := []scaled{
		poissonLaw(0.3), poissonLaw(9.9), poissonLaw(10), poissonLaw(37.5), poissonLaw(5000),
		standard("poisson 1e9", 1e9, math.Sqrt(1e9), func(s Source) float64 { return Poisson(s, 1e9) }),
		standard("poisson 1e14", 1e14, 1e7, func(s Source) float64 { return Poisson(s, 1e14) }),
		standard("poisson 1e20", 1e20, 1e10, func(s Source) float64 { return Poisson(s, 1e20) }),
		binomialLaw(1, 0.3), binomialLaw(7, 0.5), binomialLaw(40, 0.24), binomialLaw(40, 0.26), binomialLaw(300, 0.9),
		binomialLaw(1e6, 3e-6), binomialLaw(1e5, 0.4),
		standard("binomial 1e12 × 0.25", 2.5e11, math.Sqrt(1.875e11), func(s Source) float64 { return Binomial(s, 1e12, 0.25, 0.75) }),
		negativeBinomialLaw(3, 0.2), negativeBinomialLaw(50, 4), negativeBinomialLaw(0.5, 30),
		inverseGaussianLaw(2, 0.3), inverseGaussianLaw(0.5, 5),
	}
	for _, shape := range []float64{0.2, 0.9, 1, 40} {
		all = append(all, scaled{fmt.Sprintf("gamma of mean 1, shape %g", shape),
			func(s Source, f float64) float64 { return f * GammaMean(s, shape) },
			func(x float64) float64 { return mathext.GammaIncReg(shape, shape*x) }},
			scaled{fmt.Sprintf("gamma, shape %g", shape),
				func(s Source, f float64) float64 { return f * Gamma(s, shape) },
				func(x float64) float64 { return mathext.GammaIncReg(shape, x) }})
	}
	for _, ab := range [][2]float64{{0.3, 0.2}, {0.7, 2}, {30, 5}} {
		all = append(all, scaled{fmt.Sprintf("beta %v", ab),
			func(s Source, f float64) float64 { return Beta(s, f*f*ab[0], ab[1]/f/f) },
			func(x float64) float64 { return mathext.RegIncBeta(ab[0], ab[1], math.Min(x, 1)) }})
	}
	return append(all, scaled{"student t, 5",
		func(s Source, f float64) float64 { return f * StudentT(s, 5) },
		func(x float64) float64 {
			tail := mathext.RegIncBeta(2.5, 0.5, 5/(5+x*x)) / 2
			if x > 0 {
				return 1 - tail
			}
			return tail
		}})
}

// discrete returns the distance of counts from their distribution: both have steps at the counts, so that only the
// values there are compared.
func discrete(sample []float64, cdf func(float64) float64) float64 {
	at := map[float64]float64{}
	for _, x := range sample {
		at[x]++
	}
	keys := make([]float64, 0, len(at))
	for k := range at {
		keys = append(keys, k)
	}
	d, below := 0.0, 0.0
	for _, k := range sorted(keys) {
		if k > 0 {
			d = max(d, math.Abs(cdf(k-1)-below/float64(len(sample))))
		}
		below += at[k]
		d = max(d, math.Abs(cdf(k)-below/float64(len(sample))))
	}
	return d
}

func sorted(x []float64) []float64 { distance(x, func(float64) float64 { return 0 }); return x }

// False alarms: at most 1e-6 per run, split over the laws, by the
// Dvoretzky–Kiefer–Wolfowitz inequality, which holds for counts as well. Power:
// 30,000 draws put the limit at 0.018; the planted error of the mean (of the rare
// outcome, of the shapes) by 30 % is caught in every law.
func TestResponseLaws(t *testing.T) {
	n := 30_000
	if os.Getenv("GLMBATCH_STAT") == "1" {
		n = 1_000_000
	}
	list := laws()
	limit := math.Sqrt(math.Log(2*float64(len(list))/1e-6) / (2 * float64(n)))
	s := source(t)
	sample := make([]float64, n)
	for _, law := range list {
		fill := func(factor float64) float64 {
			counts := true
			for i := range sample {
				sample[i] = law.draw(s, factor)
				counts = counts && sample[i] == math.Floor(sample[i])
			}
			if counts {
				return discrete(sample, law.cdf)
			}
			return distance(sample, law.cdf)
		}
		if d := fill(1); !(d <= limit) {
			t.Errorf("%s: Kolmogorov distance %.4f, limit %.4f", law.name, d, limit)
		}
		if d := fill(1.3); d <= limit {
			t.Errorf("%s: an error of 30 %% is not caught: distance %.4f, limit %.4f", law.name, d, limit)
		}
	}
}

// The saddle-point forms are the log probabilities of the textbook.
func TestLogProbabilities(t *testing.T) {
	lg := func(x float64) float64 { v, _ := math.Lgamma(x); return v }
	for _, mean := range []float64{10, 33.3, 400} {
		for _, k := range []float64{0, 1, 9, 35, 600} {
			want := k*math.Log(mean) - mean - lg(k+1)
			if got := logPoisson(k, mean); math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
				t.Errorf("poisson: log P(%v | %v) = %v, want %v", k, mean, got, want)
			}
		}
	}
	for _, k := range []float64{0, 1, 17, 39, 40} {
		want := lg(41) - lg(k+1) - lg(41-k) + k*math.Log(0.3) + (40-k)*math.Log(0.7)
		if got := logBinomial(k, 40, 0.3, 0.7); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
			t.Errorf("binomial: log P(%v) = %v, want %v", k, got, want)
		}
	}
}

func TestExtremesOfLaws(t *testing.T) {
	s := source(t)
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"poisson of 0", Poisson(s, 0), 0}, {"poisson of Inf", Poisson(s, inf), inf},
		{"no trials", Binomial(s, 0, 0.3, 0.7), 0}, {"no success", Binomial(s, 1e9, 0, 1), 0}, {"no failure", Binomial(s, 1e9, 1, 0), 1e9},
		{"never a failure", Binomial(s, 5, 1, 1e-300), 5},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, got := range map[string]float64{"poisson of NaN": Poisson(s, nan), "poisson of −1": Poisson(s, -1), "binomial of NaN": Binomial(s, 3, nan, nan)} {
		if got == got {
			t.Errorf("%s: %v, want NaN", name, got)
		}
	}
	for range 1000 {
		if y := Beta(s, 1e-3, 1e-3); !(y >= 0 && y <= 1) {
			t.Fatalf("beta(0.001, 0.001) gives %v", y)
		}
		if y := GammaMean(s, 1e-3); !(y >= 0) {
			t.Fatalf("gamma of shape 0.001 gives %v", y)
		}
	}
}
