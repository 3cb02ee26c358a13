package transform

import (
	"math"
	"testing"
)

// The functions of formulas agree with package math's to two units in the last
// place each (both may be off by one) over their whole ranges.
func TestElementaryFunctions(t *testing.T) {
	near := func(name string, x, got, want float64) {
		if math.Abs(got-want) > 4*math.Abs(want)*0x1p-53 {
			t.Errorf("%s(%v) is %v, want %v", name, x, got, want)
		}
	}
	for e := -300.0; e <= 300; e += 0.37 {
		x := math.Pow(10, e)
		near("log", x, naturalLog(x), math.Log(x))
		near("log2", x, log2(x), math.Log2(x))
		near("log10", x, log10(x), math.Log10(x))
		near("log1p", x, log1p(x), math.Log1p(x))
		if x < 1 {
			near("log1p", -x, log1p(-x), math.Log1p(-x))
		}
	}
	for x := -745.0; x < 710; x += 0.173 {
		if x > -708 { // below, results lose digits to denormals
			near("exp", x, exponential(x), math.Exp(x))
		}
	}
	for x := -0.5; x < 2; x += 0.0137 {
		near("log1p", x, log1p(x), math.Log1p(x))
	}
}

// Exact results stay exact, and the ends of the ranges hold.
func TestElementaryEnds(t *testing.T) {
	for k := -300; k <= 300; k++ {
		if got := log2(math.Ldexp(1, k)); got != float64(k) {
			t.Errorf("log2(2^%d) is %v", k, got)
		}
	}
	for k, x := range powers {
		if got := log10(x); got != float64(k) {
			t.Errorf("log10(10^%d) is %v", k, got)
		}
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"exp(0)", exponential(0), 1}, {"exp(710)", exponential(710), inf}, {"exp(-746)", exponential(-746), 0},
		{"exp(-745)", exponential(-745), 5e-324}, {"log1p(0)", log1p(0), 0}, {"log1p(-1)", log1p(-1), -inf}, {"log1p(1e300)", log1p(1e300), math.Log(1e300)},
		{"log1p(1e-300)", log1p(1e-300), 1e-300}, {"0^0", power(0, 0), 1}, {"0^1.5", power(0, 1.5), 0}, {"0^-1.5", power(0, -1.5), inf}, {"0^-1", power(0, -1), inf},
		{"3^4", power(3, 4), 81}, {"2^-2", power(2, -2), 0.25}, {"2^0.5", power(2, 0.5), math.Sqrt2}, {"(-2)^3", power(-2, 3), -8},
		{"(-1)^101", power(-1, 101), -1}, {"(-1)^100", power(-1, 100), 1}, {"10^3", power(10, 3), 1000},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	if got := power(-2, 0.3); !math.IsNaN(got) {
		t.Errorf("(-2)^0.3 is %v", got)
	}
	// Powers through the logarithm lose 2·|y·ln x| units in the last place. The
	// values are those of R 4.2.2 (the C library's pow, correctly rounded).
	for _, c := range [][3]float64{{1.7, 2.3, 3.3886952911476458}, {150, 1.7, 5004.4360093917903}, {0.01, -3.5, 1e7}, {1.001, 500.5, 1.6491333651854325}, {3, 99, 1.7179250691067045e+47}} {
		got, want := power(c[0], c[1]), c[2]
		if math.Abs(got-want) > (4+2*math.Abs(c[1]*math.Log(c[0])))*math.Abs(want)*0x1p-53 {
			t.Errorf("%v^%v is %v, want %v", c[0], c[1], got, want)
		}
	}
}

// Numbers are written as R's as.character writes them (R 4.2.2).
func TestRNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 1: "1", -2.5: "-2.5", 1e5: "1e+05", 123456: "123456", 100000.5: "100000.5", 1e-4: "1e-04",
		0.001: "0.001", 0.00012: "0.00012", 1e15: "1e+15", 123456789012: "123456789012", 1.0 / 3: "0.333333333333333", 0.1 + 0.2: "0.3",
		1e-300: "1e-300", 2e10: "2e+10", 1234567890123456789: "1234567890123456768"} {
		if got := rNumber(v); got != want {
			t.Errorf("%v is written %q, want %q", v, got, want)
		}
	}
}
