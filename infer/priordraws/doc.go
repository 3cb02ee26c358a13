// Package priordraws draws from the prior of a model: independent draws, in
// which the response has no part, through the same contract as a sampler of its
// posterior.
//
// Group-level effects are drawn with their sds and correlations, for every level.
//
// It refuses improper priors by name. If the domain of the link is eta > 0, the
// prior is cut off there, as it is in the posterior.
//
// Read kernel.go: the refusal, the set-up, one chain and its state.
package priordraws
