// Package variate draws from the distributions that samplers and simulated
// responses need, given a source of uniform numbers in the open interval (0, 1).
//
// Every draw is a fixed function of its uniforms, computed by package vec: the same stream gives the same bits on
// every processor. The comment of each function gives the number of uniforms a draw takes; rejection takes a
// varying number.
//
// Read variate.go: the distributions of priors and proposals, draws at a point of a line, moves of scales, then the
// distributions of responses.
package variate
