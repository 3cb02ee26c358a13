package family

import (
	"fmt"
	"math"

	"glmbatch/internal/words"
)

// TakesPrecision reports whether the family's responses have a precision that a
// row's weight can multiply.
func (f Family) TakesPrecision() bool { return f.precisionHint() == "" }

// precisionHint is the remedy for precision weights; empty for the families that
// have them.
func (f Family) precisionHint() string {
	const frequencies = "a row that stands for several equal ones has frequency_weights"
	switch s := f.Support(); {
	case f.First().Power != 0 && !f.scales():
		return ""
	case s.Probability():
		return "a response out of several trials is family binomial with trials(n); " + frequencies
	case s.Counts():
		return "an exposure is offset(log(e)); " + frequencies
	}
	return frequencies
}

// scales reports whether two dispersions are scales, so that no precision multiplies the variance of a row.
func (f Family) scales() bool {
	d := f.Dispersions()
	return len(d) == 2 && d[0].Scale() && d[1].Scale()
}

// PrecisionError names a family that has no precision for weights to multiply.
type PrecisionError struct{ Family Family }

// Error returns the sentence.
func (e *PrecisionError) Error() string {
	return fmt.Sprintf("family %s takes no precision weights", e.Family.Name)
}

// CheckPrecision returns a *PrecisionError for a family without a precision.
func CheckPrecision(f Family) error {
	if hint := f.precisionHint(); hint != "" {
		return words.Clause(&PrecisionError{f}, hint)
	}
	return nil
}

// AtPrecision returns the dispersions of a row of precision w: sigma/√w or shape·w.
func (l *Distribution) AtPrecision(w float64, disp [2]float64) [2]float64 {
	if l.Dispersions[0].Scale() {
		disp[0] /= math.Sqrt(w)
	} else {
		disp[0] *= w
	}
	return disp
}
