package vec

import (
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"testing"
)

// points is the number of random arguments per range: 4000, or 400,000 with
// GLMBATCH_STAT=1.
func points() int {
	if os.Getenv("GLMBATCH_STAT") == "1" {
		return 400_000
	}
	return 4000
}

// argument draws from [lo, hi], half of them uniform, half log-uniform in
// magnitude down to 1e-320.
func argument(r *rand.Rand, lo, hi float64) float64 {
	for range r.IntN(2) * 50 {
		x := math.Pow(10, -320+628*r.Float64())
		if r.IntN(2) == 0 {
			x = -x
		}
		if x >= lo && x <= hi {
			return x
		}
	}
	return lo + (hi-lo)*r.Float64()
}

func TestUlps(t *testing.T) {
	one := bigOf(1)
	log1p := func(x *big.Float) *big.Float {
		if f, _ := x.Float64(); math.Abs(f) < 1e-20 { // 200 bits do not hold 1 + x
			return newBig().Sub(x, newBig().Quo(newBig().Mul(x, x), bigOf(2)))
		}
		return bigLog(newBig().Add(one, x))
	}
	cases := []struct {
		name   string
		f      func(float64) float64
		ref    func(*big.Float) *big.Float
		lo, hi float64
		bound  float64 // as the doc comment promises
		points []float64
	}{
		{"Exp", Exp, bigExp, -745.2, 709.8, 0.9, []float64{
			0, 1, -1, math.Ln2 / 2, -math.Ln2 / 2, math.Nextafter(math.Ln2/2, 1), expMax, expMin,
			-206.89330342353026, -708.3964185322641, -708.4, -744.4400719213812, -745.1, 709.78, 0x1p-1074, -0x1p-60}},
		{"Exp subnormal", Exp, bigExp, -745.2, -708.3, 1, nil},
		{"Exp centre", Exp, bigExp, -1, 1, 0.9, nil},
		{"Log", Log, bigLog, 0x1p-1074, math.MaxFloat64, 1, []float64{
			1, math.Nextafter(1, 0), math.Nextafter(1, 2), math.Sqrt2, math.Nextafter(math.Sqrt2, 2),
			math.Sqrt2 / 2, 0x1p-1074, 0x1p-1022, math.MaxFloat64, 2, 0.5}},
		{"Log centre", Log, bigLog, 0.5, 2, 1, nil},
		{"Log1p", Log1p, log1p, -1 + 0x1p-53, 1e300, 1, []float64{
			1, -0.2928, 0.4142, -0.5, 0x1p-54, -0x1p-54, 0x1p-53, 0x1p-1074, 0x1p53, 0x1p60, -1 + 0x1p-53}},
		{"Log1p centre", Log1p, log1p, -0.9, 3, 1, nil},
		{"Log1p where 1 + x is rounded", Log1p, log1p, 1, 1.05, 1, nil},
		{"Log1pExp", Log1pExp, func(x *big.Float) *big.Float { return log1p(bigExp(x)) }, -745, 800, 2, []float64{
			-745, -700, -37, -36.7, 0, 36.7, 700, 800}},
		{"Log1pExp centre", Log1pExp, func(x *big.Float) *big.Float { return log1p(bigExp(x)) }, -40, 40, 2, nil},
		{"Logistic", Logistic, func(x *big.Float) *big.Float {
			return newBig().Quo(one, newBig().Add(one, bigExp(newBig().Neg(x))))
		}, -708, 800, 2, []float64{-708, -1, 0, 1, 37, 800}},
		{"Logistic centre", Logistic, func(x *big.Float) *big.Float {
			return newBig().Quo(one, newBig().Add(one, bigExp(newBig().Neg(x))))
		}, -40, 40, 2, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			worst, at := 0.0, 0.0
			check := func(x float64) {
				if e := ulps(c.f(x), c.ref(bigOf(x))); e > worst {
					worst, at = e, x
				}
			}
			for _, x := range c.points {
				check(x)
			}
			for range points() {
				check(argument(r, c.lo, c.hi))
			}
			t.Logf("largest error %.3f units at %v", worst, at)
			if worst > c.bound {
				t.Errorf("error %.3f units in the last place at %v, promised %v", worst, at, c.bound)
			}
		})
	}
}

func TestSpecialValues(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	negZero := math.Copysign(0, -1)
	cases := []struct {
		name    string
		f       func(float64) float64
		x, want float64
	}{
		{"Exp", Exp, inf, inf}, {"Exp", Exp, -inf, 0}, {"Exp", Exp, nan, nan}, {"Exp", Exp, 0, 1}, {"Exp", Exp, negZero, 1},
		{"Exp", Exp, 710, inf}, {"Exp", Exp, -746, 0}, {"Exp", Exp, 1e300, inf}, {"Exp", Exp, -1e300, 0},
		{"Exp", Exp, 0x1p-1074, 1}, {"Exp", Exp, -745.13, 0x1p-1074},
		{"Log", Log, inf, inf}, {"Log", Log, -inf, nan}, {"Log", Log, nan, nan}, {"Log", Log, 0, -inf},
		{"Log", Log, negZero, -inf}, {"Log", Log, 1, 0}, {"Log", Log, -1, nan}, {"Log", Log, -0x1p-1074, nan},
		{"Log1p", Log1p, inf, inf}, {"Log1p", Log1p, -inf, nan}, {"Log1p", Log1p, nan, nan}, {"Log1p", Log1p, 0, 0},
		{"Log1p", Log1p, negZero, negZero}, {"Log1p", Log1p, -1, -inf}, {"Log1p", Log1p, -1.5, nan},
		{"Log1p", Log1p, 0x1p-1074, 0x1p-1074}, {"Log1p", Log1p, -0x1p-1074, -0x1p-1074},
		{"Log1pExp", Log1pExp, inf, inf}, {"Log1pExp", Log1pExp, -inf, 0}, {"Log1pExp", Log1pExp, nan, nan},
		{"Log1pExp", Log1pExp, 1e300, 1e300}, {"Log1pExp", Log1pExp, -746, 0},
		{"Logistic", Logistic, inf, 1}, {"Logistic", Logistic, -inf, 0}, {"Logistic", Logistic, nan, nan},
		{"Logistic", Logistic, 0, 0.5}, {"Logistic", Logistic, -746, 0}, {"Logistic", Logistic, 746, 1},
	}
	for _, c := range cases {
		got := c.f(c.x)
		if math.Float64bits(got) != math.Float64bits(c.want) && !(got != got && c.want != c.want) {
			t.Errorf("%s(%v) = %v, want %v", c.name, c.x, got, c.want)
		}
	}
}

// The factorial of k is exact in math/big.
func TestLogFactorial(t *testing.T) {
	product := bigOf(1)
	for k := 0; k <= 3000; k++ {
		if k > 1 {
			product.Mul(product, bigOf(float64(k)))
		}
		if e := ulps(LogFactorial(float64(k)), bigLog(product)); e > 4 {
			t.Fatalf("LogFactorial(%d) = %v is off by %.1f units in the last place", k, LogFactorial(float64(k)), e)
		}
	}
	if got := LogFactorial(1 << 53); !(got > 3e17 && got < 4e17) {
		t.Errorf("LogFactorial(2^53) = %v", got)
	}
}
