// Package nuts samples GLM posteriors by Hamiltonian Monte Carlo: the No-U-Turn sampler as in Stan, and static HMC.
//
// NUTS is the multinomial form with biased progressive sampling, the
// generalised U-turn criterion and its checks across subtrees (Betancourt 2017,
// A conceptual introduction to Hamiltonian Monte Carlo, arXiv:1701.02434, after
// Hoffman and Gelman 2014, The No-U-Turn Sampler, JMLR 15). Step size and metric
// adapt in Stan's three phases of warm-up and are frozen after it.
//
// A chain lives on the coordinates u of a Target: of a regression (beta, log(dispersions − their lower ends)), where
// a gradient is one pass over X for eta and one for Xᵀr; package groups has those of group-level effects.
// Package transform makes the data, report stores the draws.
//
// Read options.go, tree.go (which points a trajectory has and which one is
// drawn, without their numbers), phase.go (the numbers), metric.go,
// fisher.go, warmup.go (also from an earlier posterior),
// kernel.go and state.go; learnt.go makes the metrics of a warm-up again,
// forecast.go names what trajectories go over, and inner.go makes transitions for
// a sampler that draws a few coordinates given all others.
package nuts
