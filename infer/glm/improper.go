package glm

import (
	"fmt"

	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/words"
)

// ImproperError gives the reason why a posterior has no finite integral.
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
	if t.model.Family.Limits != family.NoLimits {
		return t.checkObserved(flat)
	}
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

// checkObserved is checkProper with limits. The factor of a censored row is at most 1: if the posterior of the observed
// rows alone is proper, so is that of all rows. Truncation divides by a probability that may be 0.
func (t *Target) checkObserved(flat []int) error {
	proper := len(flat) == 0
	for _, k := range t.free {
		proper = proper && t.model.DispersionPrior(k).Proper()
	}
	var rows []int
	for i := range t.data.Y {
		if t.data.Kind == nil || t.data.Kind[i] == family.Observed {
			rows = append(rows, i)
		}
	}
	switch {
	case !proper && t.model.Family.Limits == family.Truncated:
		return improper("flat priors are not known to give a proper posterior of truncated responses", properHint)
	case !proper && len(rows) == 0:
		return improper("no row is observed, and priors are flat", properHint)
	case len(rows) == 0:
		return nil // a bounded likelihood
	}
	data := t.data.Taken(rows)
	data.Kind, data.Bounds = nil, nil
	of := *t
	of.data, of.model.Family = data, t.model.Family.OfObserved()
	if err := of.takeFamily(); err != nil {
		return err
	}
	of.rowData()
	return of.checkProper()
}

// flatColumns lists the columns with flat priors, and those of smooths with a flat standard deviation: without it m
// of their coefficients have the density |b|^(1−m), from m = 2 on one that can be integrated at 0 and is bounded
// elsewhere, so that the posterior is proper where it would be with flat ones.
func (t *Target) flatColumns() []int {
	var flat []int
	for j, p := range t.model.Coefficients {
		if !p.Proper() || t.scaleGroupOf != nil && t.scaleGroupOf[j] >= 0 &&
			!t.scaleGroups[t.scaleGroupOf[j]].Prior.Proper() {
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
				ColumnName(t.data, j)), properHint)
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
		return t.rows.Total - float64(rank), true
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
	slow, oneWay := t.model.Family.Of().Slow, t.oneWay()
	switch {
	case len(flat) == 0:
	case slow != "":
		return improper(slow, "give the coefficients student_t or normal priors")
	case oneWay != "" && !t.balanced(flat):
		return improper(oneWay+", and columns with flat priors can move all rows that way", properHint)
	}
	for _, k := range t.free {
		if d := &t.dispersions[k]; d.Limit != "" && !t.model.DispersionPrior(k).Proper() {
			return improper(d.Limit, d.Remedy)
		}
	}
	return nil
}

// oneWay is the reason why a row's likelihood falls in one direction of eta only; empty if it does not.
func (t *Target) oneWay() string { return t.model.Family.Likelihood().OneWay }

// balanced reports whether every combination b ≠ 0 of columns has rows of both signs: then the flat posterior of a
// family that is oneWay is proper, as some row falls along every b (doubly exponentially, or at the boundary of the
// domain). It has not if Newton's iteration does not converge to the minimum of Σ exp((Xb)ᵢ), which exists exactly
// then: the likelihood of poisson counts that are all 0.
func (t *Target) balanced(cols []int) bool {
	if len(cols) > overlapColumns {
		return false
	}
	zeros := &Target{data: &Data{X: t.data.X, Y: make([]float64, t.Rows())},
		model: Model{Family: family.Counts}}
	_, converged := zeros.separates(cols, t.Rows())
	return converged
}

// perfectResponse returns the linear predictor at which the density of every row has no bound as the precision
// grows; nil if the family has none, or a response is outside the link's domain.
func (t *Target) perfectResponse() []float64 {
	f := t.model.Family
	if !f.First().Concentrates {
		return nil
	}
	if f.Located() {
		return t.data.Y
	}
	out := make([]float64, len(t.data.Y))
	for i, y := range t.data.Y {
		if !(y > 0) {
			return nil
		}
		out[i] = t.linkOf(y)
	}
	return out
}

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
	e := t.evidence(flat)
	e.Spare, e.Perfect = t.perfectFit()
	return t.law.Ends(e)
}

// evidence is that of the rows; whether the design fits perfectly is left out.
func (t *Target) evidence(flat int) family.Evidence {
	e := family.Evidence{Rows: t.rows.Total, Flat: float64(flat), Link: t.model.Family.Of(),
		Fixed: t.model.Nu.Kind == prior.Constant}
	for i, y := range t.data.Y {
		if y > 0 {
			e.Positive += t.rows.Count(i)
		}
	}
	return e
}

// checkTails refuses a posterior whose integral over the first dispersion
// diverges at 0 or at ∞: see likelihoodEnds.
func (t *Target) checkTails(flat int) error {
	if len(t.free) == 0 || t.free[0] != 0 {
		return nil
	}
	priorZero, priorTail := t.model.Dispersion.Ends()
	zero, tail := t.likelihoodEnds(flat)
	name, scale := t.dispersions[0].Name, t.dispersions[0].Scale()
	switch {
	case zero+priorZero > 0 && tail+priorTail > 1:
		return nil
	case scale && zero+priorZero > 0:
		return improper(fmt.Sprintf("sigma has a flat prior, and %d rows leave fewer than 2 beyond the %d coefficients "+
			"with flat priors", t.Rows(), flat), "give sigma a half_cauchy or half_normal prior")
	case !scale && tail+priorTail > 1:
		return improper(fmt.Sprintf("%d coefficients have flat priors, and too few rows speak against a %s near 0", flat,
			name), properHint)
	}
	words := "sigma is driven to 0"
	if !scale {
		words = "its precision is driven to infinity"
	}
	reason := "the design fits the " + t.model.Family.Name + " response perfectly"
	if constant(t.data.Y) && t.Rows() > 1 {
		reason = "the " + t.model.Family.Name + " response is the same in every row"
	}
	return improper(reason+", so that "+words,
		"model another response, leave out the columns that determine it, or give "+name+" a prior that forbids it")
}
