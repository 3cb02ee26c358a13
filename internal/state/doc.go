// Package state writes and reads the bytes in which kernels keep their state:
// little-endian words and lists of numbers led by their lengths.
//
// It knows no layout; each kernel's state.go states its own. Read state.go.
package state
