package vec

import (
	"math"
	"testing"
)

// off returns |got − want| over max(1, scale).
func off(got, want, scale float64) float64 { return math.Abs(got-want) / max(1, math.Abs(scale)) }

// magnitudes runs over the magnitudes from 1e-300 to 1e15, with neighbours of the
// ends of the approximations.
func magnitudes() []float64 {
	var xs []float64
	for e := -300.0; e <= 15; e += 0.37 {
		xs = append(xs, math.Pow(10, e))
	}
	for x := 0.01; x < 45; x += 0.013 {
		xs = append(xs, x)
	}
	return append(xs, 1, 2, 9.999999999, 10, 0.84375*math.Sqrt2, 1.25*math.Sqrt2, math.Sqrt2/0.35, 28*math.Sqrt2)
}

func TestLogGamma(t *testing.T) {
	for _, x := range magnitudes() {
		want, _ := math.Lgamma(x)
		if d := off(LogGamma(x), want, max(x, math.Abs(want))); d > 1e-14 {
			t.Errorf("LogGamma(%v) = %v, want %v: off by %.2g", x, LogGamma(x), want, d)
		}
		if x > 1e-3 && x < 1e3 {
			want = want - x*math.Log(x) + x
			if d := off(LogGammaExcess(x), want, x*math.Log(x)); d > 1e-14 {
				t.Errorf("LogGammaExcess(%v) = %v, want %v", x, LogGammaExcess(x), want)
			}
		}
	}
	for _, x := range []float64{-1, math.NaN()} {
		if y := LogGamma(x); y == y {
			t.Errorf("LogGamma(%v) = %v", x, y)
		}
	}
	if !math.IsInf(LogGamma(0), 1) {
		t.Errorf("LogGamma(0) = %v", LogGamma(0))
	}
}

// For whole k the function is a finite sum of log1p.
func TestLogRising(t *testing.T) {
	for _, x := range magnitudes() {
		for _, k := range []float64{0, 1, 2, 7, 40, 300} {
			want, size := 0.0, 0.0
			for i := 1.0; i < k; i++ {
				want += math.Log1p(i / x)
			}
			size = max(1, k*max(1, math.Abs(math.Log(k/x))))
			if k == 0 {
				size = max(1, x)
			}
			if d := off(LogRising(x, k), want, size); d > 1e-14 {
				t.Errorf("LogRising(%v, %v) = %v, want %v", x, k, LogRising(x, k), want)
			}
		}
	}
	// k(k − 1)/2x, where plain differences keep no digit
	if got := LogRising(1e18, 1e4); math.Abs(got/(1e4*(1e4-1)/2e18)-1) > 0.1 && math.Abs(got) > 1e-11 {
		t.Errorf("LogRising(1e18, 1e4) = %v", got)
	}
}

// ψ and ψ′ obey their recurrences and reflection-free known values.
func TestDigammaTrigamma(t *testing.T) {
	const euler = 0.57721566490153286061
	for x, want := range map[float64]float64{1: -euler, 2: 1 - euler, 0.5: -euler - 2*math.Ln2, 11: 2.3517525890667211, 1e10: 23.025850929890456} {
		if d := off(Digamma(x), want, want); d > 1e-14 {
			t.Errorf("Digamma(%v) = %v, want %v", x, Digamma(x), want)
		}
	}
	for x, want := range map[float64]float64{1: math.Pi * math.Pi / 6, 0.5: math.Pi * math.Pi / 8, 1e-200: 1, 1e12: 1e12 + 0.5} {
		if d := math.Abs(ScaledTrigamma(x)/want - 1); d > 1e-14 {
			t.Errorf("ScaledTrigamma(%v) = %v, want %v", x, ScaledTrigamma(x), want)
		}
	}
	for _, x := range magnitudes() {
		if x > 1e4 {
			continue
		}
		if d := off(Digamma(x+1)-Digamma(x), 1/x, 1/x); x > 1e-9 && d > 1e-14 {
			t.Errorf("ψ(%v + 1) − ψ = %v, want %v", x, Digamma(x+1)-Digamma(x), 1/x)
		}
		if x > 0.1 && x < 100 {
			h := 1e-3 * x
			slope := (8*(Digamma(x+h)-Digamma(x-h)) - (Digamma(x+2*h) - Digamma(x-2*h))) / (12 * h)
			if d := math.Abs(x*x*slope/ScaledTrigamma(x) - 1); d > 1e-8 {
				t.Errorf("ψ′(%v): x²ψ′ = %v, slope of ψ gives %v", x, ScaledTrigamma(x), x*x*slope)
			}
		}
	}
}

func TestNormalTails(t *testing.T) {
	for _, x := range magnitudes() {
		if x > 36 {
			continue
		}
		for _, v := range []float64{x, -x} {
			want := math.Log(math.Erfc(-v/math.Sqrt2) / 2)
			if v > 0 {
				want = math.Log1p(-math.Erfc(v/math.Sqrt2) / 2)
			}
			if d := math.Abs(LogNormalCDF(v)-want) / math.Abs(want); d > 5e-14 && math.Abs(LogNormalCDF(v)-want) > 4e-16 {
				t.Errorf("LogNormalCDF(%v) = %v, want %v", v, LogNormalCDF(v), want)
			}
			density := math.Exp(-v*v/2) / math.Sqrt(2*math.Pi)
			if tail := math.Erfc(x/math.Sqrt2) / 2; math.Abs(NormalTail(x)/tail-1) > 1e-15*(10+x*x) {
				t.Errorf("NormalTail(%v) = %v, want %v", x, NormalTail(x), tail)
			}
			hazard := density / (math.Erfc(v/math.Sqrt2) / 2)
			if d := math.Abs(NormalHazard(v)/hazard - 1); d > 1e-15*(10+v*v) {
				t.Errorf("NormalHazard(%v) = %v, want %v", v, NormalHazard(v), hazard)
			}
		}
	}
	// far out: −x²/2 − log x − ½ log 2π − 1/x²
	for _, x := range []float64{38, 39.5, 45, 700, 1e8} {
		want := -x*x/2 - math.Log(x) - math.Log(2*math.Pi)/2 - 1/x/x + 2.5/x/x/x/x
		if d := math.Abs(LogNormalCDF(-x)/want - 1); d > 1e-11 {
			t.Errorf("LogNormalCDF(%v) = %v, want %v", -x, LogNormalCDF(-x), want)
		}
		if d := math.Abs(Mills(x)*(x+1/x-2/x/x/x) - 1); d > 1e-8 {
			t.Errorf("Mills(%v) = %v", x, Mills(x))
		}
	}
	// Laplace's fraction of 60 terms is an independent form from x = 3 on
	for x := 3.0; x < 60; x += 0.37 {
		f := x
		for k := 400.0; k >= 1; k-- {
			f = x + k/f
		}
		if d := math.Abs(Mills(x)*f - 1); d > 4e-15 {
			t.Errorf("Mills(%v) = %v, Laplace's fraction %v: %.2g", x, Mills(x), 1/f, d)
		}
	}
}

func TestAtan(t *testing.T) {
	for _, x := range append(magnitudes(), 0) {
		for _, v := range []float64{x, -x} {
			if want := math.Atan(v); math.Abs(Atan(v)-want) > 4e-16*math.Abs(want) {
				t.Errorf("Atan(%v) = %v, want %v", v, Atan(v), want)
			}
			p := 0.5 + math.Atan(v)/math.Pi
			if v < -0.5 {
				p = math.Atan(-1/v) / math.Pi
			}
			want := math.Log(p)
			if v > 0 {
				want = math.Log1p(-math.Atan2(1, v) / math.Pi)
			}
			if d := math.Abs(LogCauchyCDF(v) - want); d > 2e-15*math.Abs(want) {
				t.Errorf("LogCauchyCDF(%v) = %v, want %v", v, LogCauchyCDF(v), want)
			}
		}
	}
}

// The smaller number is added without overflow, and a NaN is kept.
func TestLogAdd(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range [][3]float64{
		{0, 0, math.Ln2}, {-1000, 1, 1}, {1, -1000, 1}, {-inf, 2, 2}, {2, -inf, 2}, {-inf, -inf, -inf},
		{700, 701, 701.3132616875182}, {nan, -inf, nan}, {-inf, nan, nan}, {1, nan, nan}, {nan, 1, nan},
	} {
		if got := LogAdd(c[0], c[1]); got != c[2] && !(math.Abs(got-c[2]) < 1e-13) && !(got != got && c[2] != c[2]) {
			t.Errorf("LogAdd(%v, %v) = %v, want %v", c[0], c[1], got, c[2])
		}
	}
}
