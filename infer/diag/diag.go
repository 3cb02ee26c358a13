package diag

import "math"

// RHat returns the rank-normalised split R-hat: the larger of bulk and folded.
func RHat(chains [][]float64) float64 { return refRHat(chains) }

// ESSBulk returns the effective sample size of the rank-normalised draws.
func ESSBulk(chains [][]float64) float64 { return refESS(refZ(refSplit(chains))) }

// ESSTail returns the smaller ESS of the 5 % and the 95 % quantile.
func ESSTail(chains [][]float64) float64 {
	return math.Min(ESSQuantile(chains, 0.05), ESSQuantile(chains, 0.95))
}

// ESSMean returns the effective sample size for the mean.
func ESSMean(chains [][]float64) float64 { return refESSMean(chains) }

// ESSSD returns the effective sample size for the standard deviation.
func ESSSD(chains [][]float64) float64 { return refESSSD(chains) }

// ESSQuantile returns the effective sample size for the p-quantile.
func ESSQuantile(chains [][]float64, p float64) float64 { return refESSQuantile(chains, p) }

// MCSEMean returns the Monte Carlo standard error of the mean.
func MCSEMean(chains [][]float64) float64 {
	return math.Sqrt(refVar(refFlat(chains)) / ESSMean(chains))
}

// MCSESD returns the Monte Carlo standard error of the standard deviation.
func MCSESD(chains [][]float64) float64 { return refMCSESD(chains) }

// MCSEQuantile returns the Monte Carlo standard error of the p-quantile.
func MCSEQuantile(chains [][]float64, p float64) float64 { return refMCSEQuantile(chains, p) }
