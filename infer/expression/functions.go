package expression

import (
	"math"

	"glmbatch/internal/simd"
	"glmbatch/internal/vec"
)

// function is an operation on numbers of rows.
type function struct {
	name string
	args int
	// value writes values to dst, which is none of the arguments; those beyond args are nil.
	value pass
	// unary writes the derivatives of a function of one argument a, by its values, to b and c.
	unary pass
	// binary returns the derivatives of a function of two arguments.
	binary func(f, a, b float64) (inA, inB, inAA, inAB, inBB float64)
	// random draws a value; value is nil.
	random func(s Source, a, b, c float64) float64
}

// pass goes through a block of rows.
type pass = func(k simd.Kernels, dst, a, b, c []float64)

// each makes a pass of a function of a number.
func each(f func(x float64) float64) pass {
	return func(_ simd.Kernels, dst, a, _, _ []float64) {
		for i := range dst {
			dst[i] = f(a[i])
		}
	}
}

// kernel makes a pass of a vector kernel.
func kernel(f func(k simd.Kernels, dst, x []float64)) pass {
	return func(k simd.Kernels, dst, a, _, _ []float64) { f(k, dst, a) }
}

// along makes a pass of the derivatives of a function of a number.
func along(of func(f, a float64) (first, second float64)) pass {
	return func(_ simd.Kernels, f, a, first, second []float64) {
		for i := range first {
			first[i], second[i] = of(f[i], a[i])
		}
	}
}

// truth makes a pass of a comparison, whose derivatives are 0.
func truth(name string, holds func(a, b float64) bool) *function {
	return &function{name: name, args: 2, value: func(_ simd.Kernels, dst, a, b, _ []float64) {
		for i := range dst {
			if dst[i] = 0; holds(a[i], b[i]) {
				dst[i] = 1
			}
		}
	}, binary: func(_, _, _ float64) (_, _, _, _, _ float64) { return }}
}

// The operations that graphs and frames know, besides those of functions.
var (
	add = &function{name: "+", args: 2, value: func(_ simd.Kernels, dst, a, b, _ []float64) {
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	}}
	minus = &function{name: "-", args: 2, value: func(_ simd.Kernels, dst, a, b, _ []float64) {
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	}}
	times = &function{name: "*", args: 2, value: func(_ simd.Kernels, dst, a, b, _ []float64) {
		for i := range dst {
			dst[i] = a[i] * b[i]
		}
	}}
	over = &function{name: "/", args: 2, value: func(_ simd.Kernels, dst, a, b, _ []float64) {
		for i := range dst {
			dst[i] = a[i] / b[i]
		}
	}}
	choose = &function{name: "ifelse", args: 3, value: func(_ simd.Kernels, dst, a, b, c []float64) {
		for i := range dst {
			switch {
			case a[i] != a[i]:
				dst[i] = a[i]
			case a[i] != 0:
				dst[i] = b[i]
			default:
				dst[i] = c[i]
			}
		}
	}}
	negative = &function{name: "-", args: 1, value: func(_ simd.Kernels, dst, a, _, _ []float64) {
		for i := range dst {
			dst[i] = -a[i]
		}
	}, unary: along(func(_, _ float64) (float64, float64) { return -1, 0 })}
	exponential = &function{name: "exp", args: 1, value: kernel(simd.Kernels.Exp),
		unary: func(_ simd.Kernels, f, _, first, second []float64) {
			copy(first, f)
			copy(second, f)
		}}
	logarithm = &function{name: "log", args: 1, value: kernel(simd.Kernels.Log),
		unary: along(func(_, a float64) (float64, float64) { return 1 / a, -1 / a / a })}
	log1p = &function{name: "log1p", args: 1, value: kernel(simd.Kernels.Log1p),
		unary: along(func(_, a float64) (float64, float64) { return 1 / (1 + a), -1 / (1 + a) / (1 + a) })}
	logistic = &function{name: "logistic", args: 1, value: kernel(simd.Kernels.Logistic),
		unary: along(func(p, _ float64) (float64, float64) { return p * (1 - p), p * (1 - p) * (1 - 2*p) })}
	softplus = &function{name: "log1p_exp", args: 1, value: kernel(simd.Kernels.Log1pExp),
		unary: func(k simd.Kernels, _, a, first, second []float64) {
			k.Logistic(first, a)
			for i, p := range first {
				second[i] = p * (1 - p)
			}
		}}
)

// functions are those of the language, operators among them, that are no macros.
var functions = []*function{add, minus, times, over, choose, negative, exponential, logarithm, log1p, logistic,
	softplus,
	truth("<", func(a, b float64) bool { return a < b }), truth("<=", func(a, b float64) bool { return a <= b }),
	truth(">", func(a, b float64) bool { return a > b }), truth(">=", func(a, b float64) bool { return a >= b }),
	truth("==", func(a, b float64) bool { return a == b }), truth("!=", func(a, b float64) bool { return a != b }),
	truth("&", func(a, b float64) bool { return a != 0 && b != 0 }),
	truth("|", func(a, b float64) bool { return a != 0 || b != 0 }),
	{name: "expm1", args: 1, value: each(expm1),
		unary: along(func(f, _ float64) (float64, float64) { return f + 1, f + 1 })},
	{name: "sqrt", args: 1, value: each(math.Sqrt),
		unary: along(func(f, a float64) (float64, float64) { return 0.5 / f, -0.25 / f / a })},
	{name: "abs", args: 1, value: each(math.Abs), unary: along(func(_, a float64) (float64, float64) {
		if a == 0 {
			return 0, 0
		}
		return math.Copysign(1, a), 0
	})},
	{name: "floor", args: 1, value: each(math.Floor), unary: along(func(_, _ float64) (float64, float64) { return 0, 0 })},
	{name: "lgamma", args: 1, value: lgamma,
		unary: along(func(_, a float64) (float64, float64) { return vec.Digamma(a), vec.ScaledTrigamma(a) / a / a })},
	{name: "digamma", args: 1, value: each(vec.Digamma),
		unary: along(func(_, a float64) (float64, float64) { return vec.ScaledTrigamma(a) / a / a, tetragamma(a) })},
	{name: "normal_lcdf", args: 1, value: kernel(simd.Kernels.LogNormalCDF),
		unary: along(func(_, a float64) (float64, float64) {
			fall := vec.NormalHazard(-a)
			return fall, -fall * (a + fall)
		})},
	{name: "^", args: 2, value: power, binary: powerSlopes},
}

// macros are functions that others make up, with their arguments. A name may have several numbers of these.
var macros = []struct {
	name string
	args []string
	body string
}{
	{"!", []string{"x"}, "x == 0"},
	{"pow", []string{"x", "y"}, "x ^ y"},
	{"square", []string{"x"}, "x ^ 2"},
	{"log1m", []string{"x"}, "log1p(-x)"},
	{"log1m_exp", []string{"x"}, "ifelse(x > -0.6931471805599453, log(-expm1(x)), log1p(-exp(x)))"},
	{"logit", []string{"p"}, "log(p) - log1p(-p)"},
	{"min", []string{"a", "b"}, "ifelse(a < b, a, b)"},
	{"max", []string{"a", "b"}, "ifelse(a > b, a, b)"},
	{"log_add", []string{"a", "b"}, "ifelse(a > b, a + log1p_exp(b - a), b + log1p_exp(a - b))"},
	{"log_sum_exp", []string{"a", "b"}, "log_add(a, b)"},
	{"log_mix", []string{"p", "a", "b"}, "log_add(log(p) + a, log1p(-p) + b)"},
	{"normal_lcdf", []string{"y", "m", "s"}, "normal_lcdf((y - m) / s)"},
	{"normal_cdf", []string{"x"}, "exp(normal_lcdf(x))"},
	{"normal_lpdf", []string{"y", "m", "s"}, "-0.5 * ((y - m) / s) ^ 2 - log(s) - 0.9189385332046727418"},
	{"poisson_lpmf", []string{"y", "m"}, "y * log(m) - m - lgamma(y + 1)"},
	{"lbeta", []string{"a", "b"}, "lgamma(a) + lgamma(b) - lgamma(a + b)"},
	{"lchoose", []string{"n", "k"}, "lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)"},
	{"inv_cloglog", []string{"x"}, "-expm1(-exp(x))"},
}

// expm1 returns e^x − 1 to a few units in the last place: the rounding of e^x is that of its logarithm.
func expm1(x float64) float64 {
	u := vec.Exp(x)
	switch {
	case u == 1:
		return x
	case math.Abs(x) > 1:
		return u - 1
	}
	return (u - 1) * (x / vec.Log(u))
}

// lgamma adds x·log x − x to LogGammaExcess.
func lgamma(k simd.Kernels, dst, a, _, _ []float64) {
	var logs [BlockRows]float64
	k.Log(logs[:], a)
	k.LogGammaExcess(dst, a)
	for i, x := range a {
		if dst[i] += math.FMA(x, logs[i], -x); !(x > 0 && x < 1e300) {
			dst[i] = vec.LogGamma(x)
		}
	}
}

// tetragamma returns the second derivative of digamma at x > 0: the asymptotic series from 10 on (DLMF 5.15.8), and
// below by recurrence.
func tetragamma(x float64) float64 {
	below := 0.0
	for ; x < 10; x++ {
		if !(x > 0) {
			return math.NaN()
		}
		below -= 2 / x / x / x
	}
	z := 1 / float64(x*x)
	s := math.FMA(z, 10.0/12, -0.3)
	s = math.FMA(z, s, 1.0/6)
	s = math.FMA(z, s, -1.0/6)
	s = math.FMA(z, s, 0.5)
	return below - float64(z*(1+1/x+float64(s*z)))
}

// power writes a^b: products for a small whole b that all rows share, else e^(b·log a).
func power(k simd.Kernels, dst, a, b, _ []float64) {
	if p, shared := whole(b); shared {
		for i, x := range a {
			v := 1.0
			for range int(math.Abs(p)) {
				v *= x
			}
			if dst[i] = v; p < 0 {
				dst[i] = 1 / v
			}
		}
		return
	}
	k.Log(dst, a)
	for i := range dst {
		dst[i] *= b[i]
	}
	k.Exp(dst, dst)
	for i, x := range a {
		switch {
		case b[i] == 0:
			dst[i] = 1
		case x == 0:
			dst[i] = math.Inf(1)
			if b[i] > 0 {
				dst[i] = 0
			}
		case x < 0 && b[i] == math.Floor(b[i]):
			if dst[i] = vec.Exp(b[i] * vec.Log(-x)); math.Mod(b[i], 2) != 0 {
				dst[i] = -dst[i]
			}
		}
	}
}

// whole returns the whole number of at most 8 that all are; false of others.
func whole(b []float64) (float64, bool) {
	for _, v := range b {
		if v != b[0] {
			return 0, false
		}
	}
	return b[0], math.Abs(b[0]) <= 8 && b[0] == math.Floor(b[0])
}

func powerSlopes(f, a, b float64) (inA, inB, inAA, inAB, inBB float64) {
	switch b { // exact where a may be 0 or below
	case 0:
	case 1:
		inA = 1
	case 2:
		inA, inAA = 2*a, 2
	default:
		inA = b * (f / a)
		inAA = inA * ((b - 1) / a)
	}
	if a > 0 {
		l := vec.Log(a)
		inB, inAB, inBB = f*l, f/a*(1+float64(b*l)), f*l*l
	}
	return inA, inB, inAA, inAB, inBB
}
