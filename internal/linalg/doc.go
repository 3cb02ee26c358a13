// Package linalg holds dense factorisations with a fixed order of operations,
// so that their results are equal to the bit on every processor: Cholesky with
// triangular solves, Gram matrices, packed triangular matrices, orthonormal
// spans for ranks, QR (also of rows that arrive in blocks), the symmetric
// eigen-decomposition, the singular value decomposition, the row space of wide
// matrices and the geometric mean of two matrices.
//
// Read chol.go, gram.go, then pivoted.go and span.go (ranks), then
// qr.go, eigen.go, svd.go, wide.go, rows.go and mean.go.
package linalg
