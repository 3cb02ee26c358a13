// Package discrete makes discrete Markov random fields of the data sets and models
// of a spec, and fits of them: tables, images and generated data in, an mrf.Model and
// a set-up that the run drives as any other out.
//
// A chain of a million variables has no place for a number per variable and sweep.
// What a draw is here are a few functionals of the state (share of a state,
// agreement of neighbours, errors against a truth); how often each variable was in
// each state is counted by the chain, in its saved state. docs/decisions/0025 has
// the reasons.
//
// It samples nothing itself: discrete/mrf, discrete/herded and infer/dogs do.
//
// Read data.go (variables and edges) with table.go, image.go, cells.go and
// made.go, then field.go (the model) with hash.go (its identity), functional.go
// (what a draw is), chain.go with tally.go and conditionals.go
// (what a chain keeps), scan.go
// (certified scans), solve.go (what needs no chain) and result.go.
package discrete
