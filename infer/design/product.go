package design

import (
	"math"

	"glmbatch/internal/simd"
)

// vector has the bits of package vec in the form that this processor runs
// fastest.
var vector = simd.Vector()

// WeightedGram writes the lower triangle of XᵀWX, by rows, to h (d × d, fully
// overwritten below the diagonal). w is per row; scratch has length n.
// Cost: d/2 times the stored entries, as fused multiply-adds.
func WeightedGram(x Matrix, w, scratch, h []float64) {
	dense, _ := x.(*Dense)
	n, d := x.Size()
	clear(scratch)
	for i := range d {
		column := x.Column(i)
		column.SpreadTo(w, scratch)
		if dense != nil {
			vector.DotColumns(dense.Values[:(i+1)*n], scratch, h[i*d:i*d+i+1])
			continue
		}
		for j := range i + 1 {
			h[i*d+j] = x.Column(j).DotBy(vector, scratch)
		}
		column.ClearIn(scratch)
	}
}

// Transposed writes Xᵀv to dst.
func Transposed(x Matrix, v, dst []float64) { x.TransposedProduct(vector, v, dst) }

// Multiplied writes X·b to dst. It is for those who read the design now and then: rows of one that lives outside the
// heap are idle again when they were read.
func Multiplied(x Matrix, b, dst []float64) {
	clear(dst)
	dense, ok := x.(*Dense)
	if !ok || dense.Place == nil {
		x.AddProduct(vector, b, dst)
		return
	}
	for first := 0; first < len(dst); first += idleRows {
		last := min(first+idleRows, len(dst))
		for j, v := range b { // the order in which a row's products are added
			vector.Axpy(v, dense.Col(j)[first:last], dst[first:last])
		}
		IdleRows(dense, first, last)
	}
}

// idleRows is how many rows become idle at a time: the pages of a column in which they stand are many.
const idleRows = 1 << 17

// Largest returns max |v|; NaN if an entry is NaN.
func Largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
