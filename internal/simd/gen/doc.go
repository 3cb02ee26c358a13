// Command gen writes the assembly of package simd, the methods that choose between its forms, and the substitutes
// for other processors:
//
//	go generate ./internal/simd
//
// It is a module of its own, so that the generator (avo) is no dependency of
// the project. A kernel is written once, over a form: one register of 8 doubles
// (AVX-512) or of 4 (AVX2), used twice for the 8 lanes. So both forms do the
// same operations on each lane in the same order.
//
// Read form.go for the operations, loop.go for the way through the slices,
// elementary.go for exp and log, then kernels.go and columns.go; join.go weaves
// the halves of a step and puts the two forms of a kernel into one function, dispatch.go writes the Go files, and main.go
// all of them. The other files are kernels by subject:
// normal.go, quantile.go, cauchy.go, philox.go, fourier.go, sparse.go, points.go, and
// tile.go with narrow.go.
package main
