package glm

import "fmt"

// checkLaw refuses the flat priors that no data make proper, or that are not
// proved to be, by family.
func (t *Target) checkLaw(flat []int) error {
	refuse := func(reason, hint string) error { return &ImproperError{Reason: reason, Hint: hint} }
	name, link := t.model.Family.Name, t.model.Family.Link
	switch {
	case len(flat) == 0:
	case link == "cauchit":
		return refuse("the cauchit link falls so slowly that flat priors are proper only where more rows than columns oppose every direction, "+
			"which is not checked", "give the coefficients student_t or normal priors")
	case name == "inverse_gaussian" && link == "log":
		return refuse("the density of an inverse gaussian response does not vanish as its mean grows, so that flat priors never become proper",
			properHint)
	case name == "gaussian" && link != "identity":
		return refuse("the likelihood does not vanish as the means go to 0, so that flat priors never become proper", properHint)
	}
	for _, k := range t.free {
		if t.model.DispersionPrior(k).Proper() {
			continue
		}
		switch d := t.dispersions[k].Name; {
		case name == "negative_binomial":
			return refuse("the likelihood does not vanish as the shape grows (it becomes that of poisson), so that a flat prior of shape never becomes proper",
				"give shape a proper prior such as gamma(0.01, 0.01) or half_cauchy(5)")
		case d == "nu":
			return refuse("the likelihood does not vanish as nu grows (it becomes that of gaussian), so that a flat prior of nu never becomes proper",
				"give nu gamma(2, 0.1), or fix it with constant(4)")
		}
	}
	return t.checkSmallShape(len(flat))
}

// checkSmallShape refuses too few rows beyond flat priors where the shape goes
// to 0: the flat coefficients' region grows as shape^−f, against shape^rows from
// the likelihood, with rows the non-zero counts, or n/2 for the inverse gaussian.
func (t *Target) checkSmallShape(flat int) error {
	rows := 0.0
	switch t.model.Family.Name {
	case "negative_binomial":
		for i, y := range t.data.Y {
			if y > 0 {
				rows += t.rows.count(i)
			}
		}
	case "inverse_gaussian":
		rows = 0.5 * t.rows.total
	default:
		return nil
	}
	if flat == 0 || len(t.free) == 0 || rows > float64(flat)-1 {
		return nil
	}
	return &ImproperError{
		Reason: fmt.Sprintf("%d coefficients have flat priors, and too few rows speak against a shape near 0", flat), Hint: properHint,
	}
}

// perfectResponse returns the linear predictor at which the density of every row
// has no bound as the precision grows, and what happens there in words; nil where
// the family has none, or the prior forbids it.
func (t *Target) perfectResponse() (eta []float64, words string) {
	if len(t.free) == 0 || t.free[0] != 0 {
		return nil, ""
	}
	if p := t.model.Dispersion; p.Kind == InverseGamma || p.Kind == Uniform && p.Low > 0 {
		if t.dispersions[0].Name == "sigma" { // the prior vanishes at 0
			return nil, ""
		}
	}
	family := t.model.Family
	switch family.Name {
	case "gaussian", "student_t":
		if family.Link == "identity" {
			return t.data.Y, "sigma is driven to 0"
		}
		return t.linked("sigma is driven to 0")
	case "gamma", "inverse_gaussian", "beta":
		if p := t.model.Dispersion; p.Kind == Uniform || p.Kind == Exponential || p.Kind == Gamma || p.Kind == HalfNormal {
			return nil, "" // light tails: a power of the precision is integrable
		}
		return t.linked("its precision is driven to infinity")
	}
	return nil, ""
}

// linked returns the link of every response, nil where a response is outside
// its domain, so that no fit is perfect.
func (t *Target) linked(words string) ([]float64, string) {
	out := make([]float64, len(t.data.Y))
	for i, y := range t.data.Y {
		if t.model.Family.Name != "beta" && !(y > 0) {
			return nil, ""
		}
		out[i] = t.linkOf(y)
	}
	return out, words
}

// MeanMayNotExist lists the coefficients whose posterior mean may not exist, and
// says why; empty words mean that every mean is known to exist, or that the
// program knows no reason why it should not.
//
// It recognises priors without a mean (cauchy, and student_t with at most one
// degree of freedom) on columns that the data do not bound: where these priors,
// taken as flat, would leave the posterior improper by rank deficiency or
// separation. For logistic regression this is exactly when the mean fails to
// exist (Ghosh, Li and Mitra 2018, doi:10.1214/17-BA1051). Cost: as the checks
// of flat priors in NewTarget.
func (t *Target) MeanMayNotExist() (columns []int, words string) {
	columns, words = t.cauchyMeans()
	more, why := t.horseshoeMeans()
	switch {
	case words == "":
		words = why
	case why != "":
		words += "; " + why
	}
	return append(columns, more...), words
}

// cauchyMeans looks at the columns with cauchy and student_t priors.
func (t *Target) cauchyMeans() (columns []int, words string) {
	cols := t.flatColumns()
	for j, p := range t.model.Coefficients {
		if p.Kind == Cauchy || p.Kind == StudentT && p.DF <= 1 {
			columns = append(columns, j)
			cols = append(cols, j)
		}
	}
	if len(columns) == 0 {
		return nil, ""
	}
	err := t.checkFlatRank(cols)
	if err == nil {
		err = t.checkOverlap(cols)
	}
	if err == nil {
		return nil, ""
	}
	return columns, "the posterior mean may not exist where the prior has none (cauchy, or student_t with df ≤ 1) and the data do not bound the coefficient: " +
		err.(*ImproperError).Reason + "; read the median and the quantiles"
}
