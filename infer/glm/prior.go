package glm

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
