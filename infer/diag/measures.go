package diag

import "math"

// The measures of a loaded column. Each leaves its transform of the draws in w.y; all are NaN for the reasons that
// summary.go gives.

// bulk takes R-hat and ESS of the normal scores of the draws.
func (w *Workspace) bulk() (rhat, ess float64) {
	if !w.ordered() || w.half < 2 {
		return math.NaN(), math.NaN()
	}
	w.rankNormalize(w.ranked)
	within := w.centerHalves()
	return w.basicRHat(within), w.essHere(within)
}

// foldedRHat is R-hat of the normal scores of the distances from the median; 0 if all of these are equal, as those
// of an indicator that is 1 in half of the draws, for which R-hat of the draws themselves suffices.
func (w *Workspace) foldedRHat() float64 {
	if !w.ordered() || w.half < 2 || !w.fold() {
		return math.NaN()
	}
	if folded := w.folded.values; folded[0] > 0 && folded[0] == folded[len(folded)-1] {
		return 0
	}
	w.rankNormalize(w.folded)
	return w.basicRHat(w.centerHalves())
}

// ordered reports whether the draws could be sorted.
func (w *Workspace) ordered() bool { return w.nans == 0 && w.size() > 0 }

// essHere is the ESS of the centred halves in y, whose sum of squares is within.
func (w *Workspace) essHere(within float64) float64 {
	between := w.between()
	if w.half < 3 || !(within > 0 || between > 0) {
		return math.NaN()
	}
	return w.ess((*Workspace).seriesLags, between)
}

// moments holds mean, sum of squared deviations and ESS of a transform of the
// draws that is finite.
type moments struct {
	mean, squares, ess float64
}

// momentsHere takes the moments of y over all draws, the middle ones included.
// The ESS is NaN if no draw is further than noise from the mean.
func (w *Workspace) momentsHere(noise float64) moments {
	middle := w.y[w.halves*w.stride:]
	if w.half == 0 {
		m := mean(middle)
		return moments{m, sumSquares(middle, m), math.NaN()}
	}
	middle = middle[:w.draws%2*w.chains]
	within := w.centerHalves()
	n, pivot := float64(w.half), w.means[0]
	total := float64(n*sum(w.means, pivot)) + sum(middle, pivot)
	m := moments{mean: pivot + total/float64(w.size()), ess: math.NaN()}
	m.squares = within + float64(n*sumSquares(w.means, m.mean)) + sumSquares(middle, m.mean)
	if m.squares > float64(noise*noise) {
		m.ess = w.essHere(within)
	}
	return m
}

// unit is the origin and the scale in which moments are taken, so that an
// offset costs no digits and sums of fourth powers neither overflow nor vanish:
// a middle draw, and a power of two 2^exponent that no distance from it reaches.
type unit struct {
	origin   float64
	exponent int
}

// unit returns the unit of a column that is finite.
func (w *Workspace) unit() unit {
	u := unit{origin: w.sorted.values[w.size()/2]}
	far := max(w.hi/2-u.origin/2, u.origin/2-w.lo/2)
	_, e := math.Frexp(far)
	u.exponent = max(e+1, -1000)
	return u
}

// transform fills y with what f makes of the draws x in u: of their product with scale, less origin.
func (w *Workspace) transform(u unit, f func(y, x []float64, scale, origin float64)) {
	scale := math.Ldexp(1, -u.exponent)
	origin := float64(u.origin * scale)
	w.parts(func(first int, x []float64) { f(w.y[first:first+len(x)], x, scale, origin) })
}

// plainMoments takes the moments of the draws in u.
func (w *Workspace) plainMoments(u unit) moments {
	w.transform(u, func(y, x []float64, scale, origin float64) {
		for i, v := range x {
			y[i] = float64(v*scale) - origin
		}
	})
	return w.momentsHere(0)
}

// rounding bounds the error of a deviation from the mean, and twice that of its
// square, in u: deviations that differ by less do not vary.
const rounding = 0x1p-50

// squareMoments takes those of the squared deviations from their mean.
func (w *Workspace) squareMoments(u unit, mean float64) moments {
	w.transform(u, func(y, x []float64, scale, origin float64) {
		for i, v := range x {
			d := float64(v*scale) - origin - mean
			y[i] = float64(d * d)
		}
	})
	return w.momentsHere(rounding)
}

// mcseMean is the standard error of the mean, in the unit of m.
func (w *Workspace) mcseMean(m moments) float64 {
	return math.Sqrt(m.squares / float64(w.size()-1) / m.ess)
}

// mcseSD is the standard error of the sd, in the unit of m, the moments of the
// squared deviations: sd(s) ≈ sd(s²)/(2s).
//
// Source: Kenney and Keeping (1951), Mathematics of Statistics, as in posterior.
func (w *Workspace) mcseSD(m moments) float64 {
	return math.Sqrt(m.squares / float64(w.size()) / m.ess / m.mean / 4)
}

// EBFMI returns the estimated Bayesian fraction of missing information of one
// chain of a Hamiltonian sampler: the mean squared change of the energy between
// iterations over its variance, 2 at best for normal energies. Below 0.3 the momentum
// draws move the chain too little between levels of energy for its tails to be
// trusted.
//
// It is NaN for fewer than 4 energies, or if one is not finite or all are equal.
// Cost: O(len(energy)).
//
// Source: Betancourt (2016), Diagnosing suboptimal cotangent disintegrations in
// Hamiltonian Monte Carlo, arXiv:1604.00695.
func EBFMI(energy []float64) float64 {
	if len(energy) < 4 {
		return math.NaN()
	}
	first := energy[0] // energies are large: their differences are what counts
	mean := 0.0
	for _, e := range energy {
		mean += (e - first) / float64(len(energy))
	}
	steps, spread := 0.0, 0.0
	for i, e := range energy {
		if math.IsNaN(e) || math.IsInf(e, 0) {
			return math.NaN()
		}
		d := e - first - mean
		spread = math.FMA(d, d, spread)
		if i > 0 {
			d = e - energy[i-1]
			steps = math.FMA(d, d, steps)
		}
	}
	if spread == 0 {
		return math.NaN()
	}
	return steps / spread
}
