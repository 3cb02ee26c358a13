package linalg

import "glmbatch/internal/simd"

// kernels have the bits of package vec in the form that this processor runs
// fastest.
var kernels = simd.Vector()

// blockRows is the number of rows that Gram and Multiply work on together: 256
// rows of 500 columns are a megabyte, which stays in a core's cache. Multiply, whose
// bits do not depend on it, takes fewer of more columns.
const blockRows, blockEntries = 256, 256 * 512

// pack copies rows first to first+m−1 of x, rows × cols by column, so that they are stored by column without gaps,
// and returns the number of columns up to the last one that is not zero in these rows.
func pack(x []float64, rows, cols, first, m int, dst []float64) (width int) {
	for width = cols; width > 0 && zero(x[(width-1)*rows+first:][:m]); width-- {
	}
	for j := range width {
		copy(dst[j*m:(j+1)*m], x[j*rows+first:])
	}
	return width
}

// zero reports whether all of x is 0.
func zero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// Gram writes the lower triangle of XᵀWX by rows (entry (i, j) at h[i*cols+j],
// j ≤ i) for X of rows × cols by column, and leaves what is above it. w is the
// diagonal of W; nil means ones. Cost: rows·cols²/2 fused multiply-adds in a
// fixed order, less those for last columns that are zero in a block of rows: two
// thirds less where X is a lower triangle.
func Gram(x []float64, rows, cols int, w, h []float64) {
	gramOf(rows, cols, func(first, m int, block []float64) int { return pack(x, rows, cols, first, m, block) }, w, h)
}

// gramOf is Gram of an X given by block: it writes rows first to first+m−1 as pack does, and returns the number of
// columns up to the last one that is not zero there.
func gramOf(rows, cols int, block func(first, m int, dst []float64) (width int), w, h []float64) {
	for i := range cols {
		clear(h[i*cols : i*cols+i+1])
	}
	part, sums := make([]float64, min(rows, blockRows)*cols), make([]float64, cols)
	left := make([]float64, blockRows)
	for first := 0; first < rows; first += blockRows {
		m := min(blockRows, rows-first)
		width := block(first, m, part)
		for i := range width {
			copy(left[:m], part[i*m:(i+1)*m])
			if w != nil {
				for r, v := range w[first : first+m] {
					left[r] *= v
				}
			}
			kernels.DotColumns(part[:(i+1)*m], left[:m], sums[:i+1])
			for j, v := range sums[:i+1] {
				h[i*cols+j] += v
			}
		}
	}
}
