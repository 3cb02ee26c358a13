package diag

import "math"

// loaded returns a new workspace that holds chains.
func loaded(chains [][]float64) *Workspace {
	w := new(Workspace)
	w.load(chains)
	return w
}

// RHat returns the rank-normalised split R-hat: the larger of bulk and folded.
func RHat(chains [][]float64) float64 {
	return loaded(chains).rhat()
}

// ESSBulk returns the effective sample size of the rank-normalised draws.
func ESSBulk(chains [][]float64) float64 {
	_, ess := loaded(chains).bulk()
	return ess
}

// ESSTail returns the smaller ESS of the 5 % and the 95 % quantile.
func ESSTail(chains [][]float64) float64 {
	w := loaded(chains)
	return math.Min(w.essQuantile(0.05), w.essQuantile(0.95))
}

// ESSMean returns the effective sample size for the mean.
func ESSMean(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	return w.plainMoments(w.unit()).ess
}

// ESSSD returns the effective sample size for the standard deviation.
func ESSSD(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	u := w.unit()
	return w.distanceMoments(u, w.plainMoments(u).mean).ess
}

// ESSQuantile returns the effective sample size for the p-quantile, 0 ≤ p ≤ 1.
func ESSQuantile(chains [][]float64, p float64) float64 {
	w := loaded(chains)
	return w.essQuantile(p)
}

// MCSEMean returns the Monte Carlo standard error of the mean.
func MCSEMean(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	u := w.unit()
	return math.Ldexp(w.mcseMean(w.plainMoments(u)), u.exponent)
}

// MCSESD returns the Monte Carlo standard error of the standard deviation.
func MCSESD(chains [][]float64) float64 {
	w := loaded(chains)
	if !w.finite() || w.size() == 0 {
		return math.NaN()
	}
	u := w.unit()
	return math.Ldexp(w.mcseSD(w.squareMoments(u, w.plainMoments(u).mean)), u.exponent)
}

// MCSEQuantile returns the Monte Carlo standard error of the p-quantile,
// 0 ≤ p ≤ 1.
func MCSEQuantile(chains [][]float64, p float64) float64 {
	w := loaded(chains)
	return w.mcseQuantile(p, w.essQuantile(p))
}
