package prior

import (
	"math"

	"glmbatch/internal/vec"
)

// Length makes a Group the coefficients of basis functions of a Gaussian process with the exponentiated quadratic
// covariance tau²·exp(−½|x − x'|²/ℓ²) of points of D numbers. Function j is an eigenfunction of the Laplacian with
// eigenvalue ω_j², and the variance of its coefficient is the spectral density at ω_j:
//
//	spread_j² = tau²·(√(2π)·ℓ)^D·exp(−½·ℓ²·ω_j²)
//
// The log of ℓ is the scale with the number Slab of the group.
//
// Source: Riutort-Mayol, Bürkner, Andersen, Solin and Vehtari (2023), Practical Hilbert space approximate Bayesian
// Gaussian processes, doi:10.1007/s11222-022-10167-2, equations 1 and 8.
type Length struct {
	Numbers     int       // D
	Frequencies []float64 // ω_j, in the order of the group's columns; the first is the least, the last the largest
	Prior       Prior     // of ℓ: any of a dispersion that is proper and not constant
}

// minSpread is the least log of spread_j/tau: no tau within scaleRange makes such a function visible, and precisions
// stay numbers.
const minSpread = -320

// logSpread returns the log of spread_i/tau.
func (l *Length) logSpread(logLength float64, i int) float64 {
	z := float64(l.Frequencies[i] * vec.Exp(logLength))
	return max(minSpread, math.FMA(-0.25*z, z, float64(float64(l.Numbers)*(0.5*(logLength+halfLog2Pi)))))
}

// slope returns the derivative of logSpread in the log of ℓ.
func (l *Length) slope(logLength float64, i int) float64 {
	if l.logSpread(logLength, i) == minSpread {
		return 0
	}
	z := float64(l.Frequencies[i] * vec.Exp(logLength))
	return math.FMA(-0.5*z, z, float64(0.5*float64(l.Numbers)))
}

// Start returns the log of ℓ at which the prior density of log ℓ is about largest.
func (l *Length) Start() float64 {
	return l.Peak(func(x float64) float64 { return l.Prior.LogDensityAt(vec.Exp(x), x) + x })
}

// Peak returns the best of some logs of ℓ: from that of the shortest length that the functions can represent to that of
// a straight line.
func (l *Length) Peak(at func(logLength float64) float64) float64 {
	const points = 24
	low, high := -vec.Log(l.Frequencies[len(l.Frequencies)-1]), 1-vec.Log(l.Frequencies[0])
	best, value := 0.5*(low+high), math.Inf(-1)
	for i := range points + 1 {
		x := math.FMA(high-low, float64(i)/points, low)
		if v := at(x); v > value {
			best, value = x, v
		}
	}
	return best
}

// Value returns ℓ at its log.
func (l *Length) Value(x float64) float64 { return vec.Exp(x) }

// At is the inverse of Value.
func (l *Length) At(length float64) float64 { return vec.Log(length) }

// LogJacobian returns the log of the derivative of Value.
func (l *Length) LogJacobian(x float64) float64 { return x }

// logPrior returns the log prior density of ℓ on its own scale.
func (l *Length) logPrior(x float64) float64 {
	if math.Abs(x) > scaleRange {
		return math.Inf(-1)
	}
	return l.Prior.LogDensityAt(vec.Exp(x), x)
}

// priorSlope returns the derivative of logPrior + LogJacobian.
func (l *Length) priorSlope(x float64) float64 {
	length := vec.Exp(x)
	return math.FMA(length, l.Prior.Gradient(length), 1)
}

// Inside moves the log of ℓ into the support of a uniform prior.
func (l *Length) Inside(x float64) float64 { return Inside(l.Prior, x) }

// Draw draws the log of ℓ from its prior.
func (l *Length) Draw(s Source) float64 { return vec.Log(l.Prior.Draw(s)) }

// Inside moves the log of a scale into the support of a uniform prior.
func Inside(p Prior, x float64) float64 {
	if p.Kind == Uniform && !(vec.Exp(x) > p.Low && vec.Exp(x) < p.High) {
		return vec.Log(0.5 * (p.Low + p.High))
	}
	return x
}
