// Package system has what a run asks of a discrete system beyond a sampler: names of variables and states, functionals
// of a state, counts of states, certified scans, and answers without chains.
//
// A chain of a million variables cannot store a number per variable and sweep. Its draws are a few functionals of the
// state: the share of a state, the agreement of neighbours, errors against a truth. The chain counts how often each
// variable was in each state. docs/decisions/0025 has the reasons.
//
// The samplers are in discrete/mrf and discrete/herded. The data sets and models of a spec become a Field in
// pipelines/internal/discrete.
//
// Read field.go, functional.go (a draw), chain.go with tally.go and conditionals.go (what a chain counts), scan.go
// (certified scans), solve.go (answers without chains), simulate.go (independent states) and result.go.
package system
