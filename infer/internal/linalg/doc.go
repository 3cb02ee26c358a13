// Package linalg holds dense factorisations with a fixed order of operations,
// so that their results are equal to the bit on every processor: Cholesky with
// triangular solves, orthonormal spans for ranks, and a symmetric
// eigen-decomposition.
//
// Read chol.go, then span.go, then eigen.go.
package linalg
