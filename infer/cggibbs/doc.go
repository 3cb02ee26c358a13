// Package cggibbs samples GLM posteriors one coordinate at a time, caching the
// linear predictor so that a sweep over d coefficients and n rows, like one
// gradient, is O(n·d).
//
// It is the compute-graph Gibbs sampler of Luu, Xu, Surjanovic, Biron-Lattes,
// Campbell and Bouchard-Côté, "Is Gibbs sampling faster than Hamiltonian Monte
// Carlo on GLMs?" (arXiv:2410.03630): slice sampling with doubling and
// shrinkage (Neal 2003) of each coefficient in turn, and of the logarithm of
// sigma or other dispersions where the family has them.
//
// It sees a glm.Target only; transform makes its data, report stores the draws.
//
// The scales of horseshoe priors move in blocks after each sweep.
//
// Read options.go, then gibbs.go, then slice.go, scales.go and state.go.
package cggibbs
