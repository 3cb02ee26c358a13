// Package simd does the arithmetic of package vec on whole slices, in assembly
// where the processor has it: sums, dot products, elementary functions, and the
// fused passes over a column of the design that the samplers live on.
//
// Every function has three forms: AVX-512, AVX2 with fused multiply-add, and
// portable Go. They agree to the bit, NaN for NaN, whatever the lengths and the
// alignment: a sum has vec's 8 lanes and its tree, an element goes through vec's
// operations in vec's order, and nothing is left to a compiler. Where package
// vec has the function, the portable form is that one; so either package may
// be called for the same draws, and vec's error bounds hold here.
//
// The command in gen writes the assembly, with avo, and the methods that choose
// between the forms; tests hold the files to it. docs/design/adding-a-kernel.md shows how to
// add one.
//
// Slices of one call have the length of the first; longer ones are cut, shorter
// ones panic. A result may be written over an operand, but not over a shifted
// one. Costs in ns per element are in docs/evidence/measurements.md.
//
// Read kernels.go, then reduce.go, elementary.go, along.go, rows.go
// and sparse.go; counter.go makes uniform draws,
// fourier.go serve diagnostics.
package simd

//go:generate go run -C gen . -dir ..
