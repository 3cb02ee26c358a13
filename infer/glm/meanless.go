package glm

import (
	"errors"
	"fmt"
	"strings"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
)

// Doubt says of which parameters, by their places in theta, the posterior mean
// may not exist, and why.
type Doubt struct {
	Parameters []int
	Reason     string
}

const readMedian = "; read the median and the quantiles"

// MeanMayNotExist lists the parameters whose posterior mean may not exist. An empty list means that every mean
// exists, or that no reason against it is known. The five reasons: priors without a mean on coefficients that the
// data do not bound (cauchyMeans, horseshoeMeans), a dispersion whose posterior has a heavy tail, scales of
// horseshoe priors, and flat ones of smooths. Cost: as the checks in NewTarget.
func (t *Target) MeanMayNotExist() []Doubt {
	var out []Doubt
	for _, find := range []func() ([]int, string){t.cauchyMeans, t.horseshoeMeans, t.scaleMeans, t.smoothMeans} {
		if params, words := find(); len(params) > 0 {
			out = append(out, Doubt{params, words})
		}
	}
	return append(out, t.dispersionMeans()...)
}

// cauchyMeans looks at coefficients with cauchy and student_t priors of at most
// one degree of freedom.
//
// With independent cauchy priors, the others being proper and having means, the mean of coefficient j exists unless
// column j alone is a direction along which no row's likelihood falls, a solitary separator (Ghosh, Li and Mitra
// 2018, doi:10.1214/17-BA1051, for binary responses): m coefficients that must grow together leave ∫
// t·t^(m−1)·t^(−2m) dt, finite for m > 1. With flat columns too, with df < 1 or with horseshoes, all are in doubt
// if these columns together, taken as flat, would be improper.
func (t *Target) cauchyMeans() (columns []int, words string) {
	flat := t.flatColumns()
	simple := len(flat) == 0 && t.scaleGroups == nil
	for j, p := range t.model.Coefficients {
		if p.Kind == prior.Cauchy || p.Kind == prior.StudentT && p.DF <= 1 {
			columns = append(columns, j)
			simple = simple && (p.Kind == prior.Cauchy || p.DF == 1)
		}
	}
	if len(columns) == 0 {
		return nil, ""
	}
	reason := "its column alone separates the responses, or is 0 in every row"
	if simple {
		var alone []int
		for _, j := range columns {
			if t.recedesAlong(j) {
				alone = append(alone, j)
			}
		}
		columns = alone
	} else {
		err := t.checkFlat(append(flat, columns...))
		if err == nil {
			return nil, ""
		}
		reason = err.Error()
		var e *ImproperError
		if errors.As(err, &e) {
			reason = e.Reason
		}
	}
	return columns, "the posterior mean may not exist where the prior has none (cauchy, or student_t with df ≤ 1) and " +
		"the data do not bound the coefficient: " + reason + readMedian
}

// checkFlat returns why flat priors of columns would be improper at given
// dispersions.
func (t *Target) checkFlat(cols []int) error {
	if err := t.checkFlatRank(cols); err != nil {
		return err
	}
	if t.oneWay() != "" && !t.balanced(cols) {
		return &ImproperError{Reason: "the likelihood does not vanish in a direction of these columns"}
	}
	return t.checkOverlap(cols)
}

// recedesAlong reports whether no row's likelihood falls for ever as coefficient j
// grows, or as it falls.
func (t *Target) recedesAlong(j int) bool {
	x := t.data.X.Col(j)
	up := t.oneWay() != ""
	down := up
	for _, v := range x {
		up, down = up && v >= 0, down && v <= 0
	}
	if up || down || design.Largest(x) == 0 {
		return true
	}
	if !t.separable() {
		return false
	}
	s := &submodel{Target: &Target{data: t.data, form: t.directions()}, move: append([]float64(nil), x...)}
	if s.recedes() {
		return true
	}
	for i := range s.move {
		s.move[i] = -s.move[i]
	}
	return s.recedes()
}

// dispersionMeans looks at the tails of the dispersions, and at flat coefficients
// that follow them: those of gaussian and student_t spread over sigma, those of
// gamma, negative_binomial and inverse_gaussian(1/mu^2) over 1/shape.
func (t *Target) dispersionMeans() (out []Doubt) {
	flat := t.flatColumns()
	for i, k := range t.free {
		p := t.model.DispersionPrior(k)
		priorZero, priorTail := p.Ends()
		zero, tail := 2.0, 0.0 // of nu: the likelihood becomes gaussian
		spread := false        // flat coefficients spread as it grows
		if k == 0 {
			zero, tail = t.likelihoodEnds(len(flat))
			_, with := t.law.Ends(t.evidence(len(flat)))
			_, without := t.law.Ends(t.evidence(0))
			spread = with < without
		} else if of := t.dispersions[k].Tail; of != nil {
			tail = of(t.evidence(len(flat)))
			spread = tail < of(t.evidence(0))
		}
		name := t.dispersions[k].Name
		if power := tail + priorTail; power <= 2 {
			params := []int{t.Cols() + i}
			if spread {
				params = append(append([]int(nil), flat...), params...)
			}
			out = append(out, Doubt{params, fmt.Sprintf("the posterior mean does not exist where the prior of %s (%s) leaves "+
				"its density falling like 1/%s^%.3g only", name, p, name, power) + readMedian})
		}
		if k == 0 && t.spreads(len(flat)) && zero+priorZero <= 1 {
			out = append(out, Doubt{flat, "the posterior mean may not exist where the prior is flat and too few rows speak " +
				"against a shape near 0" + readMedian})
		}
	}
	return out
}

// spreads reports whether flat coefficients spread as the first dispersion goes to 0: whether they lower the power of
// the likelihood there.
func (t *Target) spreads(flat int) bool {
	with, _ := t.law.Ends(t.evidence(flat))
	without, _ := t.law.Ends(t.evidence(0))
	return with < without
}

// scaleMeans looks at the scales of regularised horseshoes: as tau or a lambda
// grows all spreads stay at c, so that they keep the tails of their priors.
func (t *Target) scaleMeans() (params []int, words string) {
	var names []string
	for _, h := range t.scaleGroups {
		if !h.Stretches() {
			continue
		}
		params = append(params, t.scaleStart()+h.Tau)
		names = append(names, "tau")
		if h.Prior.DF <= 1 {
			params = append(params, t.scaleStart()+h.Slab)
			names = append(names, "c")
		}
		for i := range h.Columns {
			params = append(params, t.scaleStart()+h.Local+i)
		}
	}
	return params, "the posterior mean does not exist: " + strings.Join(names, ", ") +
		" and lambda of regularised_horseshoe keep the tails of their priors" + readMedian
}

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
	for _, h := range t.scaleGroups {
		if h.Slab < 0 && !h.Smooth {
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
	return columns, "the posterior mean may not exist where the prior has none (horseshoe) and the data do not bound " +
		"the coefficient: " + reason + "; read the median and the quantiles, or use regularised_horseshoe"
}
