package glm

import (
	"fmt"
	"math"
)

// Powers of the likelihood, with the flat coefficients integrated out, at the ends
// of its first dispersion x: L(x) ~ x^zero at 0 and x^−tail at ∞. f is the number
// of flat columns, n that of observations.
//
//	gaussian, student_t      0: ∞, or r − n at a perfect fit of rank r     ∞: n − f
//	gamma                    0: n − f                                      ∞: ∞, or (r − n)/2
//	inverse_gaussian         0: n/2 − f (1/mu^2), n/2 (log)                ∞: ∞, or (r − n)/2
//	negative_binomial        0: rows above 0 − f                           ∞: 0, poisson's likelihood
//	beta                     0: n                                          ∞: ∞, or (r − n)/2
//
// At 0 each row of gamma and negative_binomial has a factor shape, one of
// inverse_gaussian its root, and coefficients spread over 1/shape. At ∞ they
// concentrate within 1/√x of the perfect fit.
func (t *Target) likelihoodEnds(flat int) (zero, tail float64) {
	n, f := t.rows.total, float64(flat)
	zero, tail = math.Inf(1), math.Inf(1)
	spare, perfect := t.perfectFit()
	switch t.model.Family.Name {
	case "gaussian", "student_t":
		tail = n - f
		if t.model.Family.Link != "identity" {
			tail = n
		}
		if perfect {
			zero = -spare
		}
		return zero, tail
	case "negative_binomial":
		rows := 0.0
		for i, y := range t.data.Y {
			if y > 0 {
				rows += t.rows.count(i)
			}
		}
		return rows - f, 0
	case "gamma":
		zero = n - f
	case "inverse_gaussian":
		zero = 0.5 * n
		if t.model.Family.Link != "log" {
			zero -= f
		}
	case "beta":
		zero = n
	}
	if perfect {
		tail = -0.5 * spare
	}
	return zero, tail
}

// checkTails refuses a posterior whose integral over the first dispersion
// diverges at 0 or at ∞: see likelihoodEnds.
func (t *Target) checkTails(flat int) error {
	if len(t.free) == 0 || t.free[0] != 0 {
		return nil
	}
	priorZero, priorTail := t.model.Dispersion.Ends()
	zero, tail := t.likelihoodEnds(flat)
	name := t.dispersions[0].Name
	switch {
	case zero+priorZero > 0 && tail+priorTail > 1:
		return nil
	case name == "sigma" && zero+priorZero > 0:
		return improper(fmt.Sprintf("sigma has a flat prior, and %d rows leave fewer than 2 beyond the %d coefficients with flat priors", t.Rows(), flat),
			"give sigma a half_cauchy or half_normal prior")
	case name != "sigma" && tail+priorTail > 1:
		return improper(fmt.Sprintf("%d coefficients have flat priors, and too few rows speak against a %s near 0", flat, name),
			properHint)
	}
	words := "sigma is driven to 0"
	if name != "sigma" {
		words = "its precision is driven to infinity"
	}
	reason := "the design fits the " + t.model.Family.Name + " response perfectly"
	if constant(t.data.Y) && t.Rows() > 1 {
		reason = "the " + t.model.Family.Name + " response is the same in every row"
	}
	return improper(reason+", so that "+words,
		"model another response, leave out the columns that determine it, or give "+name+" a prior that forbids it")
}
