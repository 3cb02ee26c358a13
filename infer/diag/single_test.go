package diag

import "math"

// The functions of this file compute one number of one column apart from
// Summarize, whose numbers the tests compare with them.

// loaded returns a new workspace that holds chains.
func loaded(chains [][]float64) *Workspace {
	w := new(Workspace)
	w.load(chains)
	return w
}

// RHat returns the rank-normalised split R-hat: the larger of bulk and folded.
// It is NaN if the draws hold a NaN, are all equal, or are fewer than 4 per chain; +Inf if no half of a chain varies.
func RHat(chains [][]float64) float64 {
	return loaded(chains).rhat()
}

// ESSTail returns the smaller ESS of the 5 % and the 95 % quantile; see
// ESSQuantile.
func ESSTail(chains [][]float64) float64 {
	w := loaded(chains)
	return math.Min(w.essQuantile(0.05), w.essQuantile(0.95))
}

// ESSMean returns the effective sample size for the mean; NaN if a draw is
// infinite.
func ESSMean(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	return w.plainMoments(w.unit()).ess
}

// ESSSD returns the effective sample size for the standard deviation, that of
// the distances from the mean; NaN if a draw is infinite or all distances agree
// to rounding.
func ESSSD(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	u := w.unit()
	return w.distanceMoments(u, w.plainMoments(u).mean).ess
}

// ESSQuantile returns the effective sample size for the p-quantile, 0 ≤ p ≤ 1,
// that of the event of being at most the quantile. It is NaN if a draw is
// infinite or the event is certain: 1 − p of the draws equal the largest.
func ESSQuantile(chains [][]float64, p float64) float64 {
	w := loaded(chains)
	return w.essQuantile(p)
}

// MCSEMean returns the Monte Carlo standard error of the mean, in the unit of
// the draws; NaN where ESSMean is.
func MCSEMean(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	u := w.unit()
	return math.Ldexp(w.mcseMean(w.plainMoments(u)), u.exponent)
}

// MCSESD returns the Monte Carlo standard error of the standard deviation, in the
// unit of the draws, from the ESS of the squared distances from the mean; NaN
// where ESSSD is.
func MCSESD(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	u := w.unit()
	return math.Ldexp(w.mcseSD(w.squareMoments(u, w.plainMoments(u).mean)), u.exponent)
}

// MCSEQuantile returns the Monte Carlo standard error of the p-quantile,
// 0 ≤ p ≤ 1, in the unit of the draws; NaN where ESSQuantile is.
func MCSEQuantile(chains [][]float64, p float64) float64 {
	w := loaded(chains)
	return w.mcseQuantile(p, w.essQuantile(p))
}

// rhat is the rank-normalised split R-hat.
func (w *Workspace) rhat() float64 {
	bulk, _ := w.bulk()
	return math.Max(bulk, w.foldedRHat())
}

// distanceMoments takes the moments of the absolute deviations from their mean.
func (w *Workspace) distanceMoments(u unit, mean float64) moments {
	w.transform(u, func(y, x []float64, scale, origin float64) {
		for i, v := range x {
			y[i] = math.Abs(float64(v*scale) - origin - mean)
		}
	})
	return w.momentsHere(rounding)
}
