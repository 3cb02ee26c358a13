package glm

import "glmbatch/infer/prior"

// Model is a likelihood with its priors, on the scale of the design as sampled.
type Model struct {
	Family Family
	// Coefficients has one prior per column of Data.X, the intercept included.
	Coefficients []prior.Prior
	// Groups tells apart equal horseshoe priors: columns with equal numbers and
	// priors share their global scale. Nil means equal numbers. One per column.
	Groups []int
	// Dispersion is the prior of the family's first dispersion (sigma, shape or
	// phi); unused by families without one.
	Dispersion prior.Prior
	// Nu is the prior of student_t's degrees of freedom, cut off at 1; unused
	// by other families.
	Nu prior.Prior
}

// DispersionPrior returns the prior of the family's dispersion k.
func (m *Model) DispersionPrior(k int) prior.Prior {
	if k == 0 {
		return m.Dispersion
	}
	return m.Nu
}

// Proper reports whether every prior of the model is proper.
func (m *Model) Proper() bool {
	for _, p := range m.Coefficients {
		if !p.Proper() {
			return false
		}
	}
	for k := range m.Family.Dispersions() {
		if !m.DispersionPrior(k).Proper() {
			return false
		}
	}
	return true
}
