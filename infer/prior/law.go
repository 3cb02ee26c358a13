package prior

import (
	"math"

	"glmbatch/internal/vec"
)

// Kind is a prior's distribution.
type Kind string

// The priors. A flat prior is the improper density 1 on the whole support, of the dispersion itself, not of its
// logarithm. Constant fixes a dispersion at a value, so that it is not sampled.
const (
	Flat         Kind = "flat"
	Normal       Kind = "normal"
	StudentT     Kind = "student_t"
	Cauchy       Kind = "cauchy"
	Laplace      Kind = "laplace"
	HalfNormal   Kind = "half_normal"
	HalfStudentT Kind = "half_student_t"
	HalfCauchy   Kind = "half_cauchy"
	Exponential  Kind = "exponential"
	Gamma        Kind = "gamma"
	InverseGamma Kind = "inverse_gamma"
	Uniform      Kind = "uniform"
	Constant     Kind = "constant"
	Beta         Kind = "beta" // of a number between 0 and 1, see Share
	// The horseshoe priors, see Group.
	Horseshoe            Kind = "horseshoe"
	RegularisedHorseshoe Kind = "regularised_horseshoe"
	// SpikeSlab is 0 with probability 1 − Inclusion, else normal(0, Scale). Its density is with respect to Lebesgue
	// measure and a unit mass at 0.
	SpikeSlab Kind = "spike_slab"
	// Penalised is the prior of the coefficients of a smooth, see Group. It is never written.
	Penalised Kind = "penalised"
)

// Prior is a univariate prior density. Each kind uses the fields of its
// arguments, see Parse; the others are zero.
type Prior struct {
	Kind     Kind
	Location float64 // normal, student_t, cauchy, laplace; the value of constant
	Scale    float64 // of these and the half priors; of inverse_gamma; tau0 of the horseshoes
	DF       float64 // degrees of freedom of student_t, half_student_t and the slab of regularised_horseshoe
	Shape    float64 // gamma, inverse_gamma; the first of beta
	Rate     float64 // exponential, gamma: 1/scale; the second shape of beta
	Low      float64 // uniform
	High     float64 // uniform
	Slab     float64 // scale of the slab of regularised_horseshoe
	// Inclusion is the probability of spike_slab that the coefficient is not 0, between 0 and 1.
	Inclusion float64 `json:",omitzero"`
}

const (
	halfLog2Pi = 0.91893853320467274178 // ½ log 2π
	log2       = 0.69314718055994530942
	logPi      = 1.14472988584940017414
	log2OverPi = -0.45158270528945486473 // log(2/π)
)

// LogDensity returns the logarithm of the normalised density at x; 0 for a
// flat prior and for one that shrinks, whose density is that of its group; −Inf
// outside the support.
func (p Prior) LogDensity(x float64) float64 { return p.at(x, p.top()) }

// at is LogDensity with the density's constant given.
func (p *Prior) at(x, top float64) float64 {
	switch p.Kind {
	case Gamma, InverseGamma, Beta:
		if !(x >= 0) {
			return math.Inf(-1)
		}
		return p.over(x, vec.Log(x), top)
	}
	return p.over(x, 0, top)
}

// LogDensityAt is LogDensity with log x given, which gamma and inverse_gamma
// alone need, so that x may underflow.
func (p *Prior) LogDensityAt(x, logX float64) float64 { return p.over(x, logX, p.top()) }

// top returns the terms of LogDensity that do not depend on x.
func (p *Prior) top() float64 {
	switch p.Kind {
	case Normal:
		return -halfLog2Pi - vec.Log(p.Scale)
	case SpikeSlab:
		return vec.Log(p.Inclusion) - halfLog2Pi - vec.Log(p.Scale)
	case HalfNormal:
		return (log2 - halfLog2Pi) - vec.Log(p.Scale)
	case HalfCauchy:
		return log2OverPi - vec.Log(p.Scale)
	case Cauchy:
		return -(logPi + vec.Log(p.Scale))
	case StudentT:
		return p.studentTop()
	case HalfStudentT:
		return log2 + p.studentTop()
	case Laplace:
		return -(log2 + vec.Log(p.Scale))
	case Exponential:
		return vec.Log(p.Rate)
	case Gamma:
		return math.FMA(p.Shape, vec.Log(p.Rate), -vec.LogGamma(p.Shape))
	case InverseGamma:
		return math.FMA(p.Shape, vec.Log(p.Scale), -vec.LogGamma(p.Shape))
	case Uniform:
		return -vec.Log(p.High - p.Low)
	case Beta:
		return vec.LogGamma(p.Shape+p.Rate) - vec.LogGamma(p.Shape) - vec.LogGamma(p.Rate)
	}
	return 0
}

// over is at with log x given.
func (p *Prior) over(x, logX, top float64) float64 {
	if x < 0 && p.positive() {
		return math.Inf(-1)
	}
	z := (x - p.Location) / p.Scale
	switch p.Kind {
	case SpikeSlab:
		if x == 0 {
			return vec.Log1p(-p.Inclusion)
		}
		return math.FMA(-0.5*z, z, top)
	case Normal, HalfNormal:
		return math.FMA(-0.5*z, z, top)
	case HalfCauchy, Cauchy:
		return top - vec.Log1p(float64(z*z))
	case StudentT, HalfStudentT:
		return math.FMA(-0.5*(p.DF+1), vec.Log1p(float64(z/p.DF*z)), top)
	case Laplace:
		return top - math.Abs(z)
	case Exponential:
		return math.FMA(-p.Rate, x, top)
	case Gamma:
		if x > math.MaxFloat64 {
			return math.Inf(-1)
		}
		power := 0.0
		if p.Shape != 1 { // 0·(−Inf) at 0
			power = float64((p.Shape - 1) * logX)
		}
		return top + (power - float64(p.Rate*x))
	case InverseGamma:
		if x == 0 {
			return math.Inf(-1)
		}
		return top - math.FMA(p.Shape+1, logX, p.Scale/x)
	case Uniform:
		if !(x >= p.Low && x <= p.High) {
			return math.Inf(-1)
		}
	case Beta:
		if !(x > 0 && x < 1) {
			return math.Inf(-1)
		}
		return math.FMA(p.Shape-1, logX, math.FMA(p.Rate-1, vec.Log1p(-x), top))
	}
	return top
}

// studentTop returns the log density of student_t at its location.
func (p *Prior) studentTop() float64 {
	return vec.LogRising(0.5*p.DF, 0.5) - halfLog2Pi - vec.Log(p.Scale)
}

// positive reports whether the support is that of a dispersion.
func (p *Prior) positive() bool {
	switch p.Kind {
	case HalfNormal, HalfStudentT, HalfCauchy, Exponential, Gamma, InverseGamma:
		return true
	}
	return false
}

// Gradient returns the derivative of LogDensity at a point of the support; at
// the location of laplace, 0.
func (p *Prior) Gradient(x float64) float64 {
	z := (x - p.Location) / p.Scale
	switch p.Kind {
	case Normal, SpikeSlab: // within the slab
		return -z / p.Scale
	case HalfNormal:
		return -(x / p.Scale) / p.Scale
	case HalfCauchy, Cauchy:
		return -2 * z / (p.Scale * math.FMA(z, z, 1))
	case StudentT, HalfStudentT:
		return -(p.DF + 1) * z / (p.Scale * math.FMA(z, z, p.DF))
	case Laplace:
		switch {
		case z > 0:
			return -1 / p.Scale
		case z < 0:
			return 1 / p.Scale
		}
	case Exponential:
		return -p.Rate
	case Gamma:
		return (p.Shape-1)/x - p.Rate
	case InverseGamma:
		return (p.Scale/x - (p.Shape + 1)) / x
	case Beta:
		return (p.Shape-1)/x - (p.Rate-1)/(1-x)
	}
	return 0
}

// Proper reports whether the density has a finite integral.
func (p Prior) Proper() bool { return p.Kind != Flat }

// Curvature is minus the second derivative of LogDensity, by central
// differences where the prior is not normal: to about 1e-9.
func (p Prior) Curvature(x float64) float64 {
	if p.Kind == Normal {
		return 1 / p.Scale / p.Scale
	}
	h := float64(1e-4 * (math.Abs(x) + p.Scale))
	if !(h > 0) {
		return 0 // flat
	}
	return (p.Gradient(x-h) - p.Gradient(x+h)) / (2 * h)
}

// Ends returns how a dispersion's prior density behaves at the ends of (0, ∞):
// as x^(zero−1) for x → 0 and as x^−tail for x → ∞; +Inf where it vanishes faster
// than any power.
func (p Prior) Ends() (zero, tail float64) {
	switch p.Kind {
	case Flat:
		return 1, 0
	case HalfCauchy:
		return 1, 2
	case HalfStudentT:
		return 1, p.DF + 1
	case Cauchy: // of a parameter of either sign, which has no end at 0
		return math.Inf(1), 2
	case StudentT:
		return math.Inf(1), p.DF + 1
	case Gamma:
		return p.Shape, math.Inf(1)
	case InverseGamma:
		return math.Inf(1), p.Shape + 1
	case HalfNormal, Exponential:
		return 1, math.Inf(1)
	case Uniform:
		if p.Low == 0 {
			return 1, math.Inf(1)
		}
	}
	return math.Inf(1), math.Inf(1)
}
