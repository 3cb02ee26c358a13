// Package variate draws from the distributions that samplers need, given a
// source of uniform numbers in the open interval (0, 1).
//
// Every draw is a fixed function of a fixed number of uniforms, computed by
// package vec: the same stream gives the same bits on every processor.
package variate
