// Package cpu measures the processor time of single goroutines.
//
// Read cpu_linux.go; cpu_other.go replaces it on other systems.
package cpu
