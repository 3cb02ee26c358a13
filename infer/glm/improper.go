package glm

import (
	"fmt"

	"glmbatch/infer/internal/linalg"
)

// ImproperError tells why a posterior has no finite integral, so that there is
// nothing to sample.
type ImproperError struct {
	Reason string
	Hint   string
}

// Error returns the reason and the hint.
func (e *ImproperError) Error() string {
	return "the posterior is improper: " + e.Reason + "; " + e.Hint
}

// dependent is the share of a column's norm outside the span of others below
// which the column counts as a linear combination of them.
const dependent = 1e-11

// perfect is the share of the response outside the span of the design below
// which only rounding is left of it. It is nearer to the rounding of a
// float64, so that a response such as 1e12 ± 1 remains one to model.
const perfect = 1e-13

const properHint = "give its coefficients normal priors, or leave columns out"

// checkProper refuses the improper posteriors that it recognises. With normal
// priors on all coefficients only the gaussian can fail.
func (t *Target) checkProper() error {
	flat := t.flatColumns()
	if err := t.checkFlatRank(flat); err != nil {
		return err
	}
	if err := t.checkLaw(flat); err != nil {
		return err
	}
	switch t.model.Family.Name {
	case "gaussian", "student_t":
		if len(t.free) > 0 && t.free[0] == 0 {
			if err := t.checkSigma(len(flat)); err != nil {
				return err
			}
		}
	}
	if err := t.checkPerfectFit(); err != nil {
		return err
	}
	return t.checkOverlap(flat)
}

// flatColumns lists the columns with flat priors.
func (t *Target) flatColumns() []int {
	var flat []int
	for j, p := range t.model.Coefficients {
		if !p.Proper() {
			flat = append(flat, j)
		}
	}
	return flat
}

// checkFlatRank demands that the columns with flat priors are independent.
func (t *Target) checkFlatRank(flat []int) error {
	if len(flat) > t.Rows() {
		return &ImproperError{
			Reason: fmt.Sprintf("%d coefficients have flat priors and there are only %d rows", len(flat), t.Rows()),
			Hint:   "give the coefficients normal priors",
		}
	}
	span := linalg.NewSpan(dependent)
	for _, j := range flat {
		if !span.Add(t.data.X.Col(j)) {
			return &ImproperError{
				Reason: fmt.Sprintf("column %s is a linear combination of other columns with flat priors", columnName(t.data, j)),
				Hint:   properHint,
			}
		}
	}
	return nil
}

// checkSigma demands that a flat prior of sigma leaves a finite integral at
// sigma → ∞, where the marginal posterior density falls as σ^−(n − f) for f
// independent columns with flat priors.
func (t *Target) checkSigma(flat int) error {
	if t.model.Dispersion.Proper() || t.rows.total-float64(flat) >= 2 {
		return nil
	}
	return &ImproperError{
		Reason: fmt.Sprintf("sigma has a flat prior, and %d rows leave fewer than 2 beyond the %d coefficients with flat priors",
			t.Rows(), flat),
		Hint: "give sigma a half_cauchy or half_normal prior",
	}
}

// checkPerfectFit refuses a response whose link (less the offset) is in the span
// of the design's columns when rows are left over: the posterior density then
// grows without bound as sigma → 0, or the precision → ∞, unless the prior
// outweighs that: see perfectResponse. The case n = rank, where nothing is left
// over, is proper if the other checks pass.
//
// A fit that is perfect on all rows is perfect on the first d + 32, which are
// looked at first.
func (t *Target) checkPerfectFit() error {
	wanted, parameter := t.perfectResponse()
	if wanted == nil {
		return nil
	}
	n, d := t.Rows(), t.Cols()
	rows := n
	if m := d + 32; m < n {
		rows = m
	}
	for {
		rank, yes := t.fitsPerfectly(wanted, rows)
		switch {
		case !yes:
			return nil
		case rows < n:
			rows = n
			continue
		case float64(rank) >= t.rows.total:
			return nil
		}
		reason := "the design fits the " + t.model.Family.Name + " response perfectly"
		if constant(t.data.Y) {
			reason = "the " + t.model.Family.Name + " response is the same in every row"
		}
		return &ImproperError{
			Reason: reason + ", so that " + parameter,
			Hint:   "model another response, or leave out the columns that determine it",
		}
	}
}

// fitsPerfectly tells whether the first rows of the response lie in the span
// of the first rows of the design, and the rank of that.
func (t *Target) fitsPerfectly(wanted []float64, rows int) (rank int, yes bool) {
	span := linalg.NewSpan(dependent)
	for j := range t.Cols() {
		if span.Rank() == rows {
			break
		}
		span.Add(t.data.X.Col(j)[:rows])
	}
	y := make([]float64, rows)
	copy(y, wanted)
	if t.data.Offset != nil {
		for i := range y {
			y[i] -= t.data.Offset[i]
		}
	}
	_, share := span.Residual(y)
	return span.Rank(), share <= perfect
}

// constant tells whether all values are equal.
func constant(y []float64) bool {
	for _, v := range y {
		if v != y[0] {
			return false
		}
	}
	return true
}
