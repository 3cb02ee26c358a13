package glm

// checkLaw refuses the flat priors that no data make proper, or that are not
// proved to be, by family.
func (t *Target) checkLaw(flat []int) error {
	refuse := improper
	name, link := t.model.Family.Name, t.model.Family.Link
	switch {
	case len(flat) == 0:
	case link == "cauchit":
		return refuse("the cauchit link falls so slowly that flat priors are proper only where more rows than columns oppose every direction, "+
			"which is not checked", "give the coefficients student_t or normal priors")
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
			return refuse("the likelihood does not vanish as the shape grows (it becomes that of poisson), so that a flat prior of shape never becomes proper",
				"give shape a proper prior such as gamma(0.01, 0.01) or half_cauchy(5)")
		case d == "nu":
			return refuse("the likelihood does not vanish as nu grows (it becomes that of gaussian), so that a flat prior of nu never becomes proper",
				"give nu gamma(2, 0.1), or fix it with constant(4)")
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
	zeros := &Target{data: &Data{X: t.data.X, Y: make([]float64, t.Rows())}, model: Model{Family: Family{"poisson", "log"}}}
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
