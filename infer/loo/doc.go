// Package loo estimates how well a model would predict each observation if it
// had not seen it: leave-one-out cross-validation by Pareto-smoothed importance
// sampling (PSIS-LOO), and the widely applicable information criterion (WAIC),
// from the log densities of the responses at each draw.
//
// It sees the log likelihoods of one row at a time, chains × draws, and keeps
// nothing of the rows before: memory is O(draws). It does not know where they
// come from; of several models it knows the weights that predict best, and
// leaves differences of sums to report.
//
// The numbers are those of the R package loo 2.5.1 with r_eff =
// relative_eff(exp(log_lik), chain_id), to 1e-9:
//
//   - ELPD, the log predictive density of a row given all others, by importance
//     sampling with ratios 1/p(y | θ), whose largest are replaced by the expected
//     order statistics of a generalised Pareto law fitted to them;
//   - MCSE, the Monte Carlo standard error of ELPD;
//   - K, the shape of that law: the larger, the more a row weighs on its own
//     prediction. From Threshold on its ELPD cannot be relied on;
//   - P, the log density with the row minus that without: summed over rows the
//     effective number of parameters;
//   - WAIC, the log density with the row minus the variance PWAIC of its log
//     likelihood.
//
// Deliberate differences from loo: the relative efficiency is taken from
// likelihoods divided by their largest, so that none underflows to 0; it is 1
// where it cannot be computed (loo stops); Monte Carlo errors are of such
// likelihoods too; and autocovariances have the same scale within and between
// chains for every length.
//
// Sources: Vehtari, Gelman and Gabry (2017), Practical Bayesian model evaluation
// using leave-one-out cross-validation and WAIC, doi:10.1007/s11222-016-9696-4;
// Vehtari, Simpson, Gelman, Yao and Gabry (2024), Pareto smoothed importance
// sampling, JMLR 25(72); Zhang and Stephens (2009), A new and efficient
// estimation method for the generalized Pareto distribution,
// doi:10.1198/tech.2009.08017; Watanabe (2010), JMLR 11:3571.
//
// Match estimates a row with a K above Threshold again, from draws that are moved toward the posterior without it. Its
// numbers are those of loo_moment_match where loo 2.5.1 is set right: the draws that are moved back are, by the exact
// inverse; relative efficiencies are of both halves; the Monte Carlo error takes the density, not its exponential; and
// P is against the density under the posterior, not under the moved draws.
//
// Read loo.go and smoothed.go, then pareto.go, then efficiency.go and mcse.go, then match.go and transform.go,
// weights.go, mean.go.
package loo
