// Package dogs certifies and improves the order in which a Gibbs sampler updates
// the variables of a system, from a matrix of influences between them or from the
// precision of a normal law.
//
// The influence C_ij of variable j on i bounds how far the full conditional of i
// moves, in total variation, when j alone changes. If b_i bounds the probability
// that two coupled chains, one of them in π, differ in variable i, an update of i
// makes it b_i ← Σ_j C_ij·b_j. From b = 1, the worst start, a scan ends at the
// Dobrushin variation dᵀb of a target d: with d the indicator of a set of
// variables it bounds the total variation distance between their joint law and
// π's. Optimise rearranges a scan of given length to make it smaller (algorithm 2),
// Search finds a short scan that brings it below a target.
//
// A certificate speaks of every start and of the exact scan; it says nothing of
// other orders. It is computed in float64 from sums of non-negative numbers: its
// relative rounding error is about the number of updates times 1e-16.
//
// Of a normal law (Normal) the difference of two coupled chains is multiplied by a known
// matrix, whatever is drawn. Its absolute values are influences as above, which bound Wasserstein
// distances in place of total variation, where a norm of them is below one; with
// the signs kept what a scan leaves of a start is exact, for any correlations (Kept). PlanCycle
// chooses how often to update what, for the fewest updates to an effective draw of
// some variables.
//
// Source: Mitliagkas and Mackey (2017), Improving Gibbs Sampler Scan Quality with
// DoGS, arXiv:1707.05807; Dobrushin and Shlosman (1985); Hayes (2006).
//
// Read influence.go (C; discrete/influence bounds that of discrete systems), then variation.go
// (dᵀb), norms.go (whether any scan contracts), optimise.go,
// search.go and iterate.go. Of normal laws: normal.go, improve.go, cycle.go, plan.go.
package dogs
