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
// The scales of horseshoe priors and smooths move in blocks after each sweep.
//
// That is the coordinate basis, which stays as reference. Two others give the same posterior by far fewer passes:
// rotated (package basis), whose coordinates are nearly independent, and reduced (reduce.go), which replaces d
// coefficients with normal priors by the at most n directions of them that the likelihood depends on. The mixture
// basis (mixture.go) does the like for priors that are normal given scales, which it draws in each iteration.
//
// Read options.go and setup.go, then stepper.go, gibbs.go, slice.go, scales.go, scan.go and state.go: the reference.
// Then
//
//   - line.go, basis.go, basiskernel.go: coordinates in a basis, with their updates
//     tangent.go, blocks.go and scale.go;
//   - reduce.go, reducedby.go, rows.go: the basis reduced, and its sweeps of rows;
//   - mixture.go, surrogate.go: priors that are normal given scales;
//   - joint.go, jointlaw.go, jointpilot.go, jointkernel.go: all coordinates of tall data at once;
//   - slow.go, slowfind.go: what single coefficients leave of a sparse design, and how it is found;
//   - subspace.go, subspacepilot.go, subspacemove.go: directions that are drawn jointly given all else, those of
//     Options.Blocks and slow ones;
//   - pilot.go, costs.go, auto.go: what is tried before, what ways cost, and the choice among all these;
//   - plain.go: sweeps of the reference between the updates of a basis, where a posterior may have several modes;
//   - quadratic.go, smooths.go, process.go: all coefficients at once with the standard deviations of smooths, and the
//     lengths of Gaussian processes;
//   - select.go: coefficients that a prior spike_slab leaves out or takes in;
//   - forecast.go: the content of an iteration, from which the decay of the autocorrelation is predicted;
//   - coefficients.go, drift.go: chains of coefficients alone, next to effects and cells; part.go: sweeps given
//     rows that change.
package cggibbs
