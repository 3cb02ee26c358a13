// Package dogs certifies and improves the order in which a Gibbs sampler updates the variables of a system, from a
// matrix of influences between them or from the precision of a normal distribution.
//
// The influence C_ij of variable j on i bounds how far the full conditional of i moves, in total variation, when j
// alone changes. If b_i bounds the probability that two coupled chains, one of them in π, differ in variable i, an
// update of i makes it b_i ← Σ_j C_ij·b_j. From b = 1, the worst start, a scan ends at the Dobrushin variation dᵀb
// of a target d: with d the indicator of a set of variables it bounds the total variation distance of their joint
// distribution under the chain and under π. Optimise rearranges a scan of given length to make it smaller
// (algorithm 2), Search finds a short scan that brings it below a target.
//
// A certificate holds for every start and for the exact scan; it does not hold for other orders. It is computed in
// float64 from sums of non-negative numbers: its relative rounding error is about the number of updates times
// 1e-16.
//
// For a normal distribution (Normal) the difference of two coupled chains is multiplied by a known matrix, whatever
// is drawn. Its absolute values are influences as above, which bound Wasserstein distances instead of total
// variation if a norm of them is below one. With the signs kept, the remaining effect of a start after a scan is
// exact, for any correlations (Kept). PlanCycle chooses how often to update what, for the fewest updates to an
// effective draw of some variables.
//
// Source: Mitliagkas and Mackey (2017), Improving Gibbs Sampler Scan Quality with
// DoGS, arXiv:1707.05807; Dobrushin and Shlosman (1985); Hayes (2006).
//
// Read influence.go (C; discrete/influence bounds that of discrete systems), then variation.go (dᵀb), norms.go
// (whether any scan contracts), optimise.go, search.go and iterate.go. For normal distributions: normal.go,
// improve.go, cycle.go, plan.go.
package dogs
