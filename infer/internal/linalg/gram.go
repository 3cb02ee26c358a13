package linalg

import "glmbatch/infer/internal/simd"

// kernels have the bits of package vec in the form that this processor runs
// fastest.
var kernels = simd.Vector()

// blockRows is the number of rows that Gram and Multiply work on together: 256
// rows of 500 columns are a megabyte, which stays in a core's cache.
const blockRows = 256

// pack copies rows first to first+m−1 of x, rows × cols by column, so that they
// stand by column without gaps.
func pack(x []float64, rows, cols, first, m int, dst []float64) {
	for j := range cols {
		copy(dst[j*m:(j+1)*m], x[j*rows+first:])
	}
}

// Gram writes the lower triangle of XᵀWX by rows (entry (i, j) at h[i*cols+j],
// j ≤ i) for X of rows × cols by column, and leaves what is above it. w is the
// diagonal of W; nil means ones. Cost: rows·cols²/2 fused multiply-adds in a
// fixed order.
func Gram(x []float64, rows, cols int, w, h []float64) {
	for i := range cols {
		clear(h[i*cols : i*cols+i+1])
	}
	block, sums := make([]float64, min(rows, blockRows)*cols), make([]float64, cols)
	left := make([]float64, blockRows)
	for first := 0; first < rows; first += blockRows {
		m := min(blockRows, rows-first)
		pack(x, rows, cols, first, m, block)
		for i := range cols {
			copy(left[:m], block[i*m:(i+1)*m])
			if w != nil {
				for r, v := range w[first : first+m] {
					left[r] *= v
				}
			}
			kernels.DotColumns(block[:(i+1)*m], left[:m], sums[:i+1])
			for j, v := range sums[:i+1] {
				h[i*cols+j] += v
			}
		}
	}
}
