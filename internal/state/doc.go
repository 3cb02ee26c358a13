// Package state writes and reads the bytes in which kernels keep their state: little-endian words and lists of numbers
// led by their lengths.
//
// A kernel embeds a Saver and lists the parts of its state once; see state.go.
package state
