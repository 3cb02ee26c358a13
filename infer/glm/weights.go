package glm

import (
	"fmt"
	"math"

	"glmbatch/internal/vec"
	"glmbatch/internal/words"
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

// TakesPrecision reports whether the family's responses have a precision that a
// row's weight can multiply.
func (f Family) TakesPrecision() bool { return precisionHint(f) == "" }

// precisionHint says what to write in place of precision weights; empty for the
// families that have them.
func precisionHint(f Family) string {
	switch f.Name {
	case "gaussian", "student_t", "gamma", "inverse_gaussian":
		return ""
	case "bernoulli", "binomial":
		return "a response out of several trials is family binomial with trials(n); a row that stands for several equal " +
			"ones has frequency_weights"
	case "poisson", "negative_binomial":
		return "an exposure is offset(log(e)); a row that stands for several equal ones has frequency_weights"
	}
	return "a row that stands for several equal ones has frequency_weights"
}

// PrecisionError tells that a family has no precision for weights to multiply.
type PrecisionError struct{ Family Family }

// Error returns the sentence.
func (e *PrecisionError) Error() string {
	return fmt.Sprintf("family %s takes no precision weights", e.Family.Name)
}

// CheckPrecision returns a *PrecisionError for a family without a precision.
func CheckPrecision(f Family) error {
	if hint := precisionHint(f); hint != "" {
		return words.Clause(&PrecisionError{f}, hint)
	}
	return nil
}

// Limits of precisions: beyond them products with a dispersion may overflow or
// underflow.
const (
	minPrecision = 1e-100
	maxPrecision = 1e100
)

// CheckWeights checks the rows' weights, either of which may be nil. The error
// is a *DomainError for the first bad row, or a *PrecisionError.
func CheckWeights(f Family, frequency, precision []float64) error {
	for i, w := range frequency {
		if !(w >= 1 && w <= maxCount && w == math.Floor(w)) {
			return &DomainError{What: "frequency weight", Row: i, Value: w,
				Allowed: count(w, "a frequency is a whole number")}
		}
	}
	if precision == nil {
		return nil
	}
	if err := CheckPrecision(f); err != nil {
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

// count returns how often row i counts.
func (r rows) count(i int) float64 {
	if r.frequency == nil {
		return 1
	}
	return r.frequency[i]
}

// weight returns the precision of row i, and its root.
func (r rows) weight(i int) float64 {
	if r.precision == nil {
		return 1
	}
	return r.precision[i]
}

func (r rows) root(i int) float64 {
	if r.roots == nil {
		return 1
	}
	return r.roots[i]
}

// atPrecision returns the dispersions of row i: sigma/√w or shape·w for its
// precision w.
func (r rows) atPrecision(f Family, i int, disp [2]float64) [2]float64 {
	switch {
	case r.precision == nil:
	case f.Name == "gaussian", f.Name == "student_t":
		disp[0] /= math.Sqrt(r.precision[i])
	default:
		disp[0] *= r.precision[i]
	}
	return disp
}

// countRows multiplies each row of v by its frequency.
func (r rows) countRows(v []float64) {
	for i, w := range r.frequency {
		v[i] *= w
	}
}
