// Package linalg holds dense factorisations with a fixed order of operations,
// so that their results are equal to the bit on every processor: Cholesky with
// triangular solves, orthonormal spans for ranks, QR (also of
// rows that arrive in blocks), the symmetric eigen-decomposition and the
// singular value decomposition.
//
// Read chol.go, then span.go, then qr.go, eigen.go and svd.go.
package linalg
