package linalg

import "glmbatch/infer/internal/vec"

// gramRows is the number of rows of a block of Gram: 256 rows of 500 columns
// are a megabyte, which stays in a core's cache.
const gramRows = 256

// Gram writes the lower triangle of XᵀWX by rows (entry (i, j) at h[i*cols+j],
// j ≤ i) for X of rows × cols by column, and leaves what is above it. w is the
// diagonal of W; nil means ones. Cost: rows·cols²/2 fused multiply-adds in a
// fixed order, four products to a reading of a column.
func Gram(x []float64, rows, cols int, w, h []float64) {
	for i := range cols {
		clear(h[i*cols : i*cols+i+1])
	}
	var scaled [gramRows]float64
	for first := 0; first < rows; first += gramRows {
		m := min(gramRows, rows-first)
		block := func(j int) []float64 { return x[j*rows+first : j*rows+first+m] }
		for i := range cols {
			left := scaled[:m]
			copy(left, block(i))
			if w != nil {
				for r, v := range w[first : first+m] {
					left[r] *= v
				}
			}
			row := h[i*cols : i*cols+i+1]
			j := 0
			for ; j+4 <= len(row); j += 4 {
				a, b, c, d := vec.Dot4(left, block(j), block(j+1), block(j+2), block(j+3))
				row[j] += a
				row[j+1] += b
				row[j+2] += c
				row[j+3] += d
			}
			for ; j < len(row); j++ {
				row[j] += vec.Dot1(left, block(j))
			}
		}
	}
}
