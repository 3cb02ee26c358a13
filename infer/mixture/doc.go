// Package mixture samples finite mixtures of generalised linear models: each row is of one of K components, which have
// coefficients and dispersions of their own.
//
//	y_i ~ Σ_k w_k·family(g⁻¹(o_i + x_i·beta_k), phi_k)
//	w ~ Dirichlet(a, …, a), or known;  beta_k, phi_k ~ the model's priors, independent and the same for each k
//
// An iteration draws the component of each row, its label, from its distribution given everything else, by
// enumeration over the K cached linear predictors; then w given the number of rows of each component; then the
// parameters of each component by a sweep of package cggibbs over its rows, or from the prior if it has none.
//
// The posterior is the same under every renumbering of the components, so what a chain calls component 1 means nothing
// by itself. A position therefore has every parameter twice: with the components numbered in increasing order of one of
// their parameters, which no renumbering moves, and as they were sampled.
//
// Limits: dense designs; proper priors that are not horseshoes; neither group-level effects nor smooths.
//
// Source: Diebolt and Robert (1994), Estimation of finite mixture distributions through Bayesian sampling,
// doi:10.1111/j.2517-6161.1994.tb01985.x; Jasra, Holmes and Stephens (2005), Markov chain Monte Carlo methods and the
// label switching problem, doi:10.1214/088342305000000016.
//
// Read layout.go (the entries of a position), mixture.go (the set-up), chain.go (the common part of chains of all
// mixtures), kernel.go (an iteration), start.go and restart.go (how a chain starts) and state.go; weights.go has
// the distribution of the weights, and simulate.go draws from the prior.
package mixture
