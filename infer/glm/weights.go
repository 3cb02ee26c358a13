package glm

import (
	"slices"

	"glmbatch/infer/family"
	"glmbatch/internal/vec"
)

// Two weights of a row, which are not the same:
//
//   - a frequency w: the row stands for w equal ones, and its log density counts
//     w times. The posterior is that of the data with every row written w times.
//   - a precision w: the response of the row is a mean of w, or is measured w
//     times as precisely. Gaussian responses have variance sigma²/w, those of
//     student_t the scale sigma/√w; gamma and inverse gaussian ones the shape
//     shape·w, so that the mean of w gamma (or inverse gaussian) responses of one
//     mean is such a response. This is what R's glm(weights =) says of these
//     families.

// Limits of precisions: beyond them products with a dispersion may overflow or
// underflow.
const (
	minPrecision = 1e-100
	maxPrecision = 1e100
)

// CheckWeights checks the rows' weights, either of which may be nil. The error
// is a *DomainError for the first bad row, or a *family.PrecisionError.
func CheckWeights(f Family, frequency, precision []float64) error {
	for i, w := range frequency {
		if !family.IsCount(w) {
			return &DomainError{What: "frequency weight", Row: i, Value: w,
				Allowed: family.Count(w, "a frequency is a whole number")}
		}
	}
	if len(frequency) > 0 && !slices.ContainsFunc(frequency, func(w float64) bool { return w > 0 }) {
		return &DomainError{What: "frequency weight", Allowed: "some row counts once or more"}
	}
	if precision == nil {
		return nil
	}
	if err := family.CheckPrecision(f); err != nil {
		return err
	}
	for i, w := range precision {
		if !(w >= minPrecision && w <= maxPrecision) {
			return &DomainError{What: "precision weight", Row: i, Value: w,
				Allowed: "a precision is a number above 0, between 1e-100 and 1e100"}
		}
	}
	return nil
}

// product returns a·b by rows, where nil stands for ones; the result may be one
// of them.
func product(a, b []float64) []float64 {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	out := make([]float64, len(a))
	for i, v := range a {
		out[i] = v * b[i]
	}
	return out
}

// total returns Σ v by rows, where nil stands for ones.
func (t *Target) total(v []float64) float64 {
	if v == nil {
		return float64(t.Rows())
	}
	return vec.Sum(v)
}
