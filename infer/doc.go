// Package infer is the vocabulary that samplers and the pipeline share: a
// random Stream per chain, a Setup per fit, a Kernel per chain, Info per
// iteration, Block for runs of draws and Columns for all draws of some
// parameters.
//
// It holds no algorithm and no I/O. Everything below infer/ is pure: float64
// in, draws out, built with CGO_ENABLED=0.
//
// One spelling for each quantity, here and in every package below:
//
//	n, d      rows and columns of the design matrix
//	X, x      design matrix, one of its columns
//	y         response
//	beta      coefficients, on the scale of the design as sampled
//	eta       linear predictor, offset + X·beta
//	mu        mean of the response, inverse link of eta
//	sigma     dispersion of the gaussian family (residual sd)
//	theta     everything that Position writes: beta, then dispersions
//
// Read stream.go, then kernel.go (Setup, Kernel, Info), then block.go (draws, and the shorter rows that some
// samplers store); parallel.go (parts of a computation in parallel) is for set-ups.
package infer
