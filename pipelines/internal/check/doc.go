// Package check calibrates a fit's sampler by simulation: it draws parameters
// from the prior, simulates responses on the user's own design, fits them with
// the user's own sampler, and ranks the parameters among the draws. If everything
// is right (generators, likelihood, prior, sampler, warm-up, thinning) the ranks
// are uniform.
//
// Exact under conditions on the responses alone: where simulated responses
// cannot be a data set (they overflow, say) the pair is left out, and counted.
// Ranks are those of nearly independent draws: a chain is run until it has three
// times as many effective draws as are ranked, and thinned.
//
// Sources: Talts, Betancourt, Simpson, Vehtari and Gelman (2018), Validating
// Bayesian inference algorithms with simulation-based calibration,
// arXiv:1804.06788; log_lik as a statistic: Modrák, Moon, Kim, Bürkner,
// Huurre, Faltejsková, Gelman and Vehtari (2023), doi:10.1214/23-BA1404; the
// test: Säilynoja, Bürkner and Vehtari (2022), doi:10.1007/s11222-022-10090-6;
// with the data given: Säilynoja, Schmitt, Bürkner and Vehtari (2025),
// arXiv:2502.03279.
//
// Read check.go, then simulate.go with chain.go, uniform.go and
// words.go.
package check
