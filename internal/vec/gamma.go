package vec

import "math"

// stirlingFrom is the argument from which the asymptotic series below are used:
// their first term left out is below 1e-17 there.
const stirlingFrom = 10

const halfLogTwoPi = 0.91893853320467274178

// stirling returns the tail of Stirling's series, lgamma(x) − (x − ½)·log x + x −
// ½·log 2π, for x ≥ 10 (DLMF 5.11.1).
func stirling(x float64) float64 {
	z := 1 / float64(x*x)
	s := math.FMA(z, 1.0/156, -691.0/360360)
	s = math.FMA(z, s, 1.0/1188)
	s = math.FMA(z, s, -1.0/1680)
	s = math.FMA(z, s, 1.0/1260)
	s = math.FMA(z, s, -1.0/360)
	return math.FMA(z, s, 1.0/12) / x
}

// lift multiplies x·(x + 1)· … until x ≥ 10, and returns both.
func lift(x float64) (product, lifted float64) {
	product = 1
	for ; x < stirlingFrom; x++ {
		product *= x
	}
	return product, x
}

// LogGamma returns log Γ(x) for x > 0 with an error below 1e-14·max(1, x, |log
// Γ(x)|): a relative error of a few units in the last place away from the zeros at
// 1 and 2. It is +Inf at 0 and NaN below.
func LogGamma(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0 || x > 1e305:
		return math.Inf(1)
	}
	product, x := lift(x)
	base := math.FMA(x-0.5, Log(x), -x) + (halfLogTwoPi + stirling(x))
	if product == 1 {
		return base
	}
	return base - Log(product)
}

// LogGammaExcess returns log Γ(x) − x·log x + x, which grows as −½·log x only:
// what is left of a gamma density's normaliser at its mode. x > 0; error below
// 1e-14·max(1, |log x|).
func LogGammaExcess(x float64) float64 {
	if x >= stirlingFrom {
		return math.FMA(-0.5, Log(x), halfLogTwoPi+stirling(x))
	}
	return LogGamma(x) - math.FMA(x, Log(x), -x)
}

// ExcessArguments writes the 3·len(x) numbers to of whose logarithms ExcessFrom needs
// for LogGammaExcess of each x: x itself, x lifted, and the product that lifted it.
func ExcessArguments(of, x []float64) {
	n := len(x)
	for i, v := range x {
		of[i], of[n+i], of[2*n+i] = v, v, 1
		if 0 < v && v < stirlingFrom {
			of[2*n+i], of[n+i] = lift(v)
		}
	}
}

// ExcessFrom writes LogGammaExcess of each x to dst, with its bits, from what
// ExcessArguments wrote and the logarithms of that.
func ExcessFrom(dst, x, of, logs []float64) {
	n := len(x)
	for i, v := range x {
		switch {
		case v >= stirlingFrom:
			dst[i] = math.FMA(-0.5, logs[i], halfLogTwoPi+stirling(v))
		case v > 0:
			lifted := of[n+i]
			base := math.FMA(lifted-0.5, logs[n+i], -lifted) + (halfLogTwoPi + stirling(lifted))
			if of[2*n+i] != 1 {
				base -= logs[2*n+i]
			}
			dst[i] = base - math.FMA(v, logs[i], -v)
		default:
			dst[i] = LogGammaExcess(v)
		}
	}
}

// LogRising returns log Γ(x + k) − log Γ(x) − k·log x for x > 0 and k ≥ 0: the
// logarithm of (1 + 1/x)·(1 + 2/x) … (1 + (k − 1)/x) where k is whole. It loses
// nothing to cancellation as x → ∞, where it is k(k − 1)/(2x). Error below
// 1e-14·max(1, k·max(1, |log(k/x)|)).
func LogRising(x, k float64) float64 {
	if x >= stirlingFrom {
		growth := Log1p(k / x)
		return math.FMA(x+k-0.5, growth, -k) + (stirling(x+k) - stirling(x))
	}
	return LogGamma(x+k) - LogGamma(x) - float64(k*Log(x))
}

// Digamma returns the derivative of log Γ at x > 0 (DLMF 5.11.2), with an error
// below 1e-14·max(1, |ψ(x)|); NaN for x ≤ 0.
func Digamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	below := 0.0
	for ; x < stirlingFrom; x++ {
		below += 1 / x
	}
	z := 1 / float64(x*x)
	s := math.FMA(z, -1.0/12, 691.0/32760)
	s = math.FMA(z, s, -1.0/132)
	s = math.FMA(z, s, 1.0/240)
	s = math.FMA(z, s, -1.0/252)
	s = math.FMA(z, s, 1.0/120)
	s = math.FMA(z, s, -1.0/12)
	return (math.FMA(z, s, Log(x)) - 0.5/x) - below
}

// ScaledTrigamma returns x²·ψ′(x) for x > 0 (DLMF 5.15.8), which tends to 1 as x
// → 0 and to x as x → ∞, with a relative error below 1e-14; NaN for x ≤ 0.
func ScaledTrigamma(x float64) float64 {
	if !(x > 0) {
		return math.NaN()
	}
	first, below := x, 0.0
	for ; x < stirlingFrom; x++ {
		r := first / x
		below = math.FMA(r, r, below)
	}
	z := 1 / float64(x*x)
	s := math.FMA(z, 7.0/6, -691.0/2730)
	s = math.FMA(z, s, 5.0/66)
	s = math.FMA(z, s, -1.0/30)
	s = math.FMA(z, s, 1.0/42)
	s = math.FMA(z, s, -1.0/30)
	s = math.FMA(z, s, 1.0/6)
	// ψ′(x) = 1/x + 1/2x² + s/x³
	r := first / x
	inner := math.FMA(math.FMA(s, 1/x, 0.5), 1/x, 1) // x·ψ′(x)
	return math.FMA(first*r, inner, below)
}
