package simd

import "math"

// The operations below are on a sparse column as stored: values, and their rows, in increasing order. Rows beyond
// the vector panic, as an index does.

// GatheredDot returns Σ values[i]·v[rows[i]], in four lanes.
func (k Kernels) GatheredDot(values []float64, rows []int32, v []float64) float64 {
	return k.where(within(rows, v)).gatheredDot(values[:len(rows)], rows, v)
}

func gatheredDot(values []float64, rows []int32, v []float64) float64 {
	var sum [4]float64 // so that no addition waits for the one before
	for ; len(rows) >= 4; rows, values = rows[4:], values[4:] {
		sum[0] = math.FMA(values[0], v[rows[0]], sum[0])
		sum[1] = math.FMA(values[1], v[rows[1]], sum[1])
		sum[2] = math.FMA(values[2], v[rows[2]], sum[2])
		sum[3] = math.FMA(values[3], v[rows[3]], sum[3])
	}
	for i, r := range rows {
		sum[i] = math.FMA(values[i], v[r], sum[i])
	}
	return (sum[0] + sum[2]) + (sum[1] + sum[3])
}

// ScatteredAxpy adds a·values[i] to dst[rows[i]], each in one rounding.
func (k Kernels) ScatteredAxpy(a float64, values []float64, rows []int32, dst []float64) {
	k.where(within(rows, dst)).scatteredAxpy(a, values[:len(rows)], rows, dst)
}

func scatteredAxpy(a float64, values []float64, rows []int32, dst []float64) {
	for i, r := range rows {
		dst[r] = math.FMA(a, values[i], dst[r])
	}
}

// Gather writes v[rows[i]] to dst[i].
func (k Kernels) Gather(dst []float64, rows []int32, v []float64) {
	k.where(within(rows, v)).gather(dst[:len(rows)], rows, v)
}

func gather(dst []float64, rows []int32, v []float64) {
	for i, r := range rows {
		dst[i] = v[r]
	}
}

// GatheredDots writes GatheredDot of columns to dst: of column j, which has the entries
// from starts[j] to starts[j+1] of all. rows of a column are in increasing order.
func (k Kernels) GatheredDots(dst []float64, starts []int, values []float64, rows []int32, v []float64) {
	starts = starts[:len(dst)+1]
	values, rows = values[starts[0]:starts[len(dst)]], rows[starts[0]:starts[len(dst)]]
	k.where(allWithin(starts, rows, v)).gatheredDots(dst, starts, values, rows, v)
}

func gatheredDots(dst []float64, starts []int, values []float64, rows []int32, v []float64) {
	for j := range dst {
		first, last := starts[j]-starts[0], starts[j+1]-starts[0]
		dst[j] = gatheredDot(values[first:last], rows[first:last], v)
	}
}

// ScatteredAxpys is ScatteredAxpy of a[j] and column j for one column after the other;
// columns are as in GatheredDots.
func (k Kernels) ScatteredAxpys(a []float64, starts []int, values []float64, rows []int32, dst []float64) {
	starts = starts[:len(a)+1]
	values, rows = values[starts[0]:starts[len(a)]], rows[starts[0]:starts[len(a)]]
	k.where(allWithin(starts, rows, dst)).scatteredAxpys(a, starts, values, rows, dst)
}

func scatteredAxpys(a []float64, starts []int, values []float64, rows []int32, dst []float64) {
	for j := range a {
		first, last := starts[j]-starts[0], starts[j+1]-starts[0]
		scatteredAxpy(a[j], values[first:last], rows[first:last], dst)
	}
}

// where is k where the rows are fine, and else Scalar, whose indexing panics.
func (k Kernels) where(fine bool) Kernels {
	if fine {
		return k
	}
	return Scalar
}

// allWithin reports whether columns follow each other, and the rows of each are within v.
func allWithin(starts []int, rows []int32, v []float64) bool {
	for j, last := range starts[1:] {
		first := starts[j]
		if first > last || !within(rows[first-starts[0]:last-starts[0]], v) {
			return false
		}
	}
	return true
}

// within reports whether rows in increasing order are places of v; assembly does not
// look.
func within(rows []int32, v []float64) bool {
	return len(rows) == 0 || rows[0] >= 0 && int(rows[len(rows)-1]) < len(v)
}

// SumRows adds Σ values[i]·q[rows[i]] to dst, q being a matrix stored by rows of len(dst)
// numbers: a sparse column times it, one entry after the other.
func (k Kernels) SumRows(dst, values []float64, rows []int32, q []float64) {
	values = values[:len(rows)]
	if m := len(dst); k.tiled(m) && withinRows(rows, m, q) {
		sumRowsVector(k, dst, values, rows, q)
		return
	}
	for i, r := range rows {
		k.Axpy(values[i], rowOf(q, r, len(dst)), dst)
	}
}

// AddRows adds values[i]·step to q[rows[i]], q being a matrix stored by rows of len(step)
// numbers: the outer product of a sparse column and step.
func (k Kernels) AddRows(step, values []float64, rows []int32, q []float64) {
	values = values[:len(rows)]
	if m := len(step); k.tiled(m) && withinRows(rows, m, q) {
		addRowsVector(k, step, values, rows, q)
		return
	}
	for i, r := range rows {
		k.Axpy(values[i], step, rowOf(q, r, len(step)))
	}
}

// tiled reports whether rows of m numbers stay in registers.
func (k Kernels) tiled(m int) bool { return k != Scalar && m%8 == 0 && 0 < m && m <= 32 }

// rowOf is row r of a matrix stored by rows of m numbers.
func rowOf(q []float64, r int32, m int) []float64 {
	return q[:len(q):len(q)][int(r)*m : (int(r)+1)*m]
}

// withinRows is within for rows of m numbers.
func withinRows(rows []int32, m int, q []float64) bool { return within(rows, q[:len(q)/m]) }
