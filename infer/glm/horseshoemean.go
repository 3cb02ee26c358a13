package glm

import (
	"errors"

	"glmbatch/internal/linalg"
)

// horseshoeMeans lists the coefficients with horseshoe priors whose posterior
// mean may not exist, with the reason.
//
// Given tau the density of a coefficient falls like tau²/beta², as that of a
// Cauchy prior; with tau drawn as well like log|beta|/beta². A bounded likelihood
// that does not fall in a whole cone of directions, as under complete separation,
// leaves ∫ t·t^(m−1)·t^(−1)·t^(−m) dt = ∫ dt/t along it for m coefficients that run
// off with tau together: there is no mean. Dependent columns alone are no reason:
// a subspace of k < m dimensions leaves t^(k−m−1), unless a column is 0 everywhere.
//
// The regularised form has spread ≤ c, so that its tail is that of c (an inverse
// chi of slab_df degrees) times that of tau·lambda, |beta|^(−slab_df−2)·log|beta|:
// moments below slab_df + 1 exist whatever the data, the mean always.
func (t *Target) horseshoeMeans() (columns []int, words string) {
	candidates := t.flatColumns()
	for _, h := range t.shoes {
		if h.Slab < 0 {
			columns = append(columns, h.Columns...)
		}
	}
	if len(columns) == 0 {
		return nil, ""
	}
	candidates = append(candidates, columns...)
	span := linalg.NewSpan(dependent)
	var free []int
	zero := false
	for _, j := range candidates {
		zero = zero || t.data.X.Column(j).Largest() == 0
		if len(free) < t.Rows() && span.Add(t.data.X.Col(j)) {
			free = append(free, j)
		}
	}
	reason := "a column is 0 in every row"
	if !zero {
		err := t.checkFlat(free)
		if err == nil {
			return nil, ""
		}
		var improper *ImproperError
		errors.As(err, &improper)
		reason = improper.Reason
	}
	return columns, "the posterior mean may not exist where the prior has none (horseshoe) and the data do not bound the coefficient: " +
		reason + "; read the median and the quantiles, or use regularised_horseshoe"
}
