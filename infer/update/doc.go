// Package update runs the updates of an iteration of a chain: a kernel lists its moves in a Schedule, and embeds a
// Stepper, which makes them in their order, counts what they cost, and has the methods that all kernels share.
//
// A package of a sampler has a file for each of its moves. Read stepper.go.
package update
