package glm

import (
	"fmt"

	"glmbatch/internal/linalg"
	"glmbatch/internal/words"
)

// ImproperError tells why a posterior has no finite integral, so that there is
// nothing to sample.
type ImproperError struct{ Reason string }

// Error returns the reason.
func (e *ImproperError) Error() string { return "the posterior is improper: " + e.Reason }

// improper returns an *ImproperError with what to do.
func improper(reason, hint string) error { return words.Clause(&ImproperError{reason}, hint) }

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
	if err := t.checkTails(len(flat)); err != nil {
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
		return improper(fmt.Sprintf("%d coefficients have flat priors and there are only %d rows", len(flat), t.Rows()),
			"give the coefficients normal priors")
	}
	span := linalg.NewSpan(dependent)
	for _, j := range flat {
		if !span.Add(t.data.X.Col(j)) {
			return improper(fmt.Sprintf("column %s is a linear combination of other columns with flat priors",
				columnName(t.data, j)), properHint)
		}
	}
	return nil
}

// perfectFit reports whether the link of the response, less the offset, is in the
// span of the design's columns, so that the density there has no bound as
// sigma → 0, or the precision → ∞; and how many observations are left over beyond
// the rank of the design.
//
// A fit that is perfect on all rows is perfect on the first d + 32, which are
// looked at first.
func (t *Target) perfectFit() (spare float64, perfect bool) {
	wanted := t.perfectResponse()
	if wanted == nil {
		return 0, false
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
			return 0, false
		case rows < n:
			rows = n
			continue
		}
		return t.rows.total - float64(rank), true
	}
}

// fitsPerfectly reports whether the first rows of the response lie in the span
// of the first rows of the design, and the rank of that.
func (t *Target) fitsPerfectly(wanted []float64, rows int) (rank int, yes bool) {
	span, column := linalg.NewSpan(dependent), make([]float64, rows)
	for j := range t.Cols() {
		if span.Rank() == rows {
			break
		}
		t.data.X.Read(j, 0, column)
		span.Add(column)
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

// constant reports whether all values are equal.
func constant(y []float64) bool {
	for _, v := range y {
		if v != y[0] {
			return false
		}
	}
	return true
}

// checkLaw refuses the flat priors that no data make proper, or that are not
// proved to be, by family.
func (t *Target) checkLaw(flat []int) error {
	refuse := improper
	name, link := t.model.Family.Name, t.model.Family.Link
	switch {
	case len(flat) == 0:
	case link == "cauchit":
		return refuse("the cauchit link falls so slowly that flat priors are proper only where more rows than columns "+
			"oppose every direction, "+"which is not checked", "give the coefficients student_t or normal priors")
	case t.oneWay() && !t.balanced(flat):
		reason := "the likelihood does not vanish as the means go to 0"
		if name == "inverse_gaussian" {
			reason = "the density of an inverse gaussian response does not vanish as its mean grows"
		}
		return refuse(reason+", and columns with flat priors can move all rows that way", properHint)
	}
	for _, k := range t.free {
		if t.model.DispersionPrior(k).Proper() {
			continue
		}
		switch d := t.dispersions[k].Name; {
		case name == "negative_binomial":
			return refuse("the likelihood does not vanish as the shape grows (it becomes that of poisson), so that a flat "+
				"prior of shape never becomes proper", "give shape a proper prior such as gamma(0.01, 0.01) or half_cauchy(5)")
		case d == "nu":
			return refuse("the likelihood does not vanish as nu grows (it becomes that of gaussian), so that a flat prior of "+
				"nu never becomes proper", "give nu gamma(2, 0.1), or fix it with constant(4)")
		}
	}
	return nil
}

// oneWay reports whether a row's likelihood falls in one direction of eta only:
// it does not as the mean of an inverse gaussian goes to ∞, or that of a
// gaussian to 0.
func (t *Target) oneWay() bool {
	f := t.model.Family
	return f == Family{"inverse_gaussian", "log"} || f.Name == "gaussian" && f.Link != "identity"
}

// balanced reports whether every combination b ≠ 0 of columns has rows of both
// signs: then the flat posterior of a family that is oneWay is proper, as some
// row falls along every b (doubly exponentially, or at the wall). It has not if
// Newton's iteration does not converge to the minimum of Σ exp((Xb)ᵢ), which exists
// exactly then: the likelihood of poisson counts that are all 0.
func (t *Target) balanced(cols []int) bool {
	if len(cols) > overlapColumns {
		return false
	}
	zeros := &Target{data: &Data{X: t.data.X, Y: make([]float64, t.Rows())},
		model: Model{Family: Family{"poisson", "log"}}}
	_, converged := zeros.separates(cols, t.Rows())
	return converged
}

// perfectResponse returns the linear predictor at which the density of every row
// has no bound as the precision grows; nil where the family has none, or a
// response is outside the link's domain.
func (t *Target) perfectResponse() []float64 {
	family := t.model.Family
	switch family.Name {
	case "gaussian", "student_t":
		if family.Link == "identity" {
			return t.data.Y
		}
	case "gamma", "inverse_gaussian", "beta":
	default:
		return nil
	}
	out := make([]float64, len(t.data.Y))
	for i, y := range t.data.Y {
		if family.Name != "beta" && !(y > 0) {
			return nil
		}
		out[i] = t.linkOf(y)
	}
	return out
}
