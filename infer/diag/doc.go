// Package diag measures how far the draws of Markov chains can be trusted, one column (chains × iterations of one
// quantity) at a time.
//
// It sees float64 slices only: it does not know what the draws mean, and gates
// and verdicts are report's. The numbers are those of the R package posterior
// 1.4.0, to 1e-10, and mean:
//
//   - RHat: the larger of two rank-normalised split R-hats. Each chain is cut in two halves, draws are replaced by
//     the normal scores of their ranks, and the variance between halves is compared with that within: 1 is perfect,
//     and above 1.01 the chains disagree. The second one takes ranks of the distance from the median, and sees
//     chains that agree in location but not in scale. PerfectRHat is the largest value that perfect mixing would
//     give over many parameters.
//   - ESSBulk: the number of independent draws that would place the middle of the distribution as well; ESSTail,
//     the same for the worse of the 5 % and the 95 % quantile. ESSMean, ESSSD and ESSQuantile are for one estimate
//     each. All sum autocorrelations by Geyer's initial monotone sequence, and all are capped at S·log10(S) for S
//     draws.
//   - MCSEMean, MCSESD, MCSEQuantile: the standard error of an estimate, in the
//     unit of the draws: how much a mean, standard deviation or quantile would
//     move if the chains were run again.
//
// A number that cannot be computed is NaN, and Summary.Reason says why:
//
//	a draw is NaN                             everything
//	a draw is infinite                        all but R-hat, ESSBulk, quantiles
//	all draws are equal                       R-hat, ESS, MCSE
//	fewer than 4 iterations per chain         R-hat, and for fewer than 6 ESS and MCSE
//	5 % of the draws equal the largest        ESS and MCSE of the 95 % quantile, ESSTail
//	(95 % of the draws equal the largest)     (those of the 5 % quantile, too)
//	all draws equally far from the mean       MCSESD
//
// R-hat is +Inf if no half varies but they differ. Differences from posterior are deliberate. Its R-hat is NA if
// all draws lie equally far from their median, as those of an indicator that is 1 in half of the draws, because the
// folded draws do not vary; ours is that of the draws themselves. It calls draws constant if they range over less
// than 2.2e-16, whatever their unit; we ask whether they are equal. It mistakes chains for iterations at 2 and 3
// iterations. Its ESS overlooks a NaN that is the middle draw of an odd chain. It returns the rounded value of 1/0
// if ours is +Inf.
//
// Source: Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), Rank-
// normalization, folding, and localization: an improved R-hat for assessing
// convergence of MCMC, Bayesian Analysis 16(2), doi:10.1214/20-BA1221.
//
// Results depend on the draws alone, to the bit: a diagnostic decides when a
// run stops, so nothing here may differ between processors.
//
// Read summary.go and measures.go; then rank.go, moments.go and geyer.go, which define the numbers; then
// workspace.go, event.go, edges.go and spectrum.go, which make them fast; pooled.go, for draws of several
// posteriors that are mixed. Independent of these are perfect.go (R-hat under perfect mixing), condition.go and
// operator.go (condition numbers of large matrices by their products), and rates.go (the decay of the
// autocorrelation for a normal target, before it is sampled).
package diag
