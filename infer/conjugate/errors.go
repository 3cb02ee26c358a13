package conjugate

import (
	"errors"
	"fmt"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// UnsupportedError tells that the model has no conjugate form.
type UnsupportedError struct{ What string } // the family or prior at fault

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("conjugate: %s has no exact sampler", e.What)
}

// unsupported returns an *UnsupportedError with what to do.
func unsupported(what, hint string) error { return words.Clause(&UnsupportedError{what}, hint) }

// improper returns a *glm.ImproperError. glm.NewTarget refuses most of these
// posteriors before; the decomposition decides again, at its own accuracy.
func improper(format string, args ...any) error {
	return words.Clause(&glm.ImproperError{Reason: fmt.Sprintf(format, args...)},
		"give the coefficients normal priors and sigma a half_cauchy or half_normal prior, or leave columns out")
}

// NumericError tells that the posterior is proper but outside the range that
// float64 serves.
type NumericError struct{ Err error }

func (e *NumericError) Error() string {
	return "conjugate: " + e.Err.Error() + "; scale the columns and the response to magnitudes near 1"
}

func (e *NumericError) Unwrap() error { return e.Err }

var (
	errNotFinite = errors.New("sums of squares overflow")
	errRange     = errors.New("the posterior of log sigma could not be bracketed")
	errAccuracy  = errors.New("the posterior of log sigma could not be integrated to 1e-10")
)
