// Package linalg holds dense factorisations with a fixed order of operations,
// so that their results are equal to the bit on every processor: Cholesky with
// triangular solves, Gram matrices, packed triangular matrices, orthonormal
// spans for ranks, QR (also of rows that arrive in blocks), the symmetric
// eigen-decomposition, the largest eigenvalues of a matrix known by its products,
// the singular value decomposition, the row space of wide matrices and the
// geometric mean of two matrices.
//
// Read chol.go, gram.go, then pivoted.go (ranks), then
// qr.go, eigen.go, lanczos.go, svd.go, wide.go and rows.go.
package linalg
