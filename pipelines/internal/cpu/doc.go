// Package cpu measures the processor time of single goroutines.
//
// Read cpu_linux.go; cpu_other.go is its stand-in elsewhere.
package cpu
