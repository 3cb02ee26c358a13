package glm

import (
	"fmt"
	"math"
)

// DomainError tells which number of a data set is impossible.
type DomainError struct {
	What    string // "response", "trials", "offset" or "column …"
	Row     int    // 0-based row of the design
	Value   float64
	Allowed string // what the family allows
}

// Error names the row counted from 1, as people count.
func (e *DomainError) Error() string {
	return fmt.Sprintf("%s, row %d: %v is not allowed: %s", e.What, e.Row+1, e.Value, e.Allowed)
}

// maxCount is the largest count whose neighbours a float64 still tells apart.
const maxCount = 1 << 53

// CheckResponse checks every response, and the trials of a binomial, against
// the family's domain. The error is a *DomainError for the first bad row, or
// of another type if the lengths disagree or the family is unknown.
func CheckResponse(f Family, y, trials []float64) error {
	if trials != nil && len(trials) != len(y) {
		return fmt.Errorf("glm: %d trials for %d responses", len(trials), len(y))
	}
	isCount := func(v float64) bool { return v >= 0 && v <= maxCount && v == math.Floor(v) }
	for i, v := range y {
		bad := func(what string, value float64, allowed string) error {
			return &DomainError{What: what, Row: i, Value: value, Allowed: allowed}
		}
		switch f.Name {
		case "gaussian", "student_t":
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return bad("response", v, "a "+f.Name+" response is a finite number")
			}
		case "bernoulli":
			if v != 0 && v != 1 {
				return bad("response", v, "a bernoulli response is 0 or 1")
			}
		case "binomial":
			m := 1.0
			if trials != nil {
				m = trials[i]
			}
			if !isCount(m) {
				return bad("trials", m, "the trials of a binomial are a whole number, 0 or more")
			}
			if !isCount(v) || v > m {
				return bad("response", v, fmt.Sprintf("a binomial response is a whole number from 0 to its %v trials", m))
			}
		case "poisson", "negative_binomial":
			if !isCount(v) {
				return bad("response", v, "a "+f.Name+" response is a whole number, 0 or more")
			}
		case "gamma", "inverse_gaussian":
			if !(v >= 1e-150 && v <= 1e150) {
				return bad("response", v, "a "+f.Name+" response is a number above 0, between 1e-150 and 1e150")
			}
		case "beta":
			if !(v >= 1e-150 && v < 1) {
				return bad("response", v, "a beta response is a number between 0 and 1, both excluded, and not below 1e-150")
			}
		default:
			return fmt.Errorf("glm: unknown family %q", f.Name)
		}
	}
	return nil
}
