package glm

import (
	"fmt"
	"math"
	"strconv"

	"glmbatch/infer/internal/variate"
	"glmbatch/infer/internal/vec"
)

// PriorKind is a prior's distribution.
type PriorKind string

// The priors of coefficients (Flat, Normal) and of dispersions (Flat,
// HalfNormal, HalfCauchy). A flat prior is the improper density 1 on the whole
// support, and speaks of the dispersion itself, not of its logarithm.
const (
	Flat       PriorKind = "flat"
	Normal     PriorKind = "normal"
	HalfNormal PriorKind = "half_normal"
	HalfCauchy PriorKind = "half_cauchy"
)

// Prior is a univariate prior density.
type Prior struct {
	Kind     PriorKind
	Location float64 // normal only
	Scale    float64 // standard deviation (normal), scale parameter (half priors)
}

const (
	halfLog2Pi = 0.91893853320467274178 // ½ log 2π
	log2       = 0.69314718055994530942
	log2OverPi = -0.45158270528945486473 // log(2/π)
)

// LogDensity returns the logarithm of the normalised density at x; 0 for a
// flat prior, −Inf outside the support of a half prior.
func (p Prior) LogDensity(x float64) float64 {
	switch p.Kind {
	case Normal:
		z := (x - p.Location) / p.Scale
		return math.FMA(-0.5*z, z, -halfLog2Pi-vec.Log(p.Scale))
	case HalfNormal:
		if x < 0 {
			return math.Inf(-1)
		}
		z := x / p.Scale
		return math.FMA(-0.5*z, z, (log2-halfLog2Pi)-vec.Log(p.Scale))
	case HalfCauchy:
		if x < 0 {
			return math.Inf(-1)
		}
		z := x / p.Scale
		return (log2OverPi - vec.Log(p.Scale)) - vec.Log1p(float64(z*z))
	}
	return 0
}

// gradient returns the derivative of LogDensity at a point of the support.
func (p Prior) gradient(x float64) float64 {
	switch p.Kind {
	case Normal:
		return -((x - p.Location) / p.Scale) / p.Scale
	case HalfNormal:
		return -(x / p.Scale) / p.Scale
	case HalfCauchy:
		z := x / p.Scale
		return -2 * z / (p.Scale * math.FMA(z, z, 1))
	}
	return 0
}

// Proper tells whether the density has a finite integral.
func (p Prior) Proper() bool { return p.Kind != Flat }

// String returns the canonical spelling, which ParsePrior reads back to an
// equal prior: "normal(0, 2.5)", "half_cauchy(5)", "flat".
func (p Prior) String() string {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	switch p.Kind {
	case Normal:
		return "normal(" + number(p.Location) + ", " + number(p.Scale) + ")"
	case HalfNormal, HalfCauchy:
		return string(p.Kind) + "(" + number(p.Scale) + ")"
	}
	return string(p.Kind)
}

// Draw returns a draw from the prior; NaN if it is not proper. A normal takes
// one uniform, a half-normal one, a half-Cauchy two.
func (p Prior) Draw(s Source) float64 {
	switch p.Kind {
	case Normal:
		return math.FMA(p.Scale, variate.Normal(s), p.Location)
	case HalfNormal:
		return p.Scale * math.Abs(variate.Normal(s))
	case HalfCauchy:
		return p.Scale * variate.HalfCauchy(s)
	}
	return math.NaN()
}

// Source gives uniform numbers in the open interval (0, 1), such as
// *infer.Stream.
type Source interface{ Float64() float64 }

// ForCoefficient tells why p cannot be the prior of a coefficient, or nil.
func (p Prior) ForCoefficient() error {
	switch p.Kind {
	case Flat, Normal:
		return p.check()
	}
	return fmt.Errorf("%s cannot be the prior of a coefficient: use normal(location, scale) or flat", p)
}

// ForDispersion tells why p cannot be the prior of a dispersion, or nil.
func (p Prior) ForDispersion() error {
	switch p.Kind {
	case Flat, HalfNormal, HalfCauchy:
		return p.check()
	}
	return fmt.Errorf("%s cannot be the prior of a dispersion: use half_cauchy(scale), half_normal(scale) or flat", p)
}

// Limits of a prior's scale: outside them the products that a sampler forms
// may overflow or underflow.
const (
	minScale = 1e-100
	maxScale = 1e100
)

// check tells which number of p is impossible.
func (p Prior) check() error {
	if p.Kind == Flat {
		return nil
	}
	if math.IsNaN(p.Location) || math.Abs(p.Location) > maxScale {
		return fmt.Errorf("location %v is not a number between -1e100 and 1e100", p.Location)
	}
	if !(p.Scale >= minScale && p.Scale <= maxScale) {
		return fmt.Errorf("scale %v is not a number between 1e-100 and 1e100", p.Scale)
	}
	return nil
}
