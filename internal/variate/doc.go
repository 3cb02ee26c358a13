// Package variate draws from the distributions that samplers and simulated
// responses need, given a source of uniform numbers in the open interval (0, 1).
//
// Every draw is a fixed function of its uniforms, computed by package vec: the
// same stream gives the same bits on every processor. How many uniforms a draw
// takes stands at each; rejection takes a varying number.
//
// Read variate.go: the laws of priors and proposals, draws at a place of a line,
// moves of scales, then the laws of responses.
package variate
