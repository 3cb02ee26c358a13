package design

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/simd"
)

// Matrix is a design matrix, n × d, read by column: a *Dense or a *Sparse.
type Matrix interface {
	// Size returns n and d.
	Size() (rows, cols int)
	// Entries returns how many entries are stored: what a pass over all columns
	// reads.
	Entries() int64
	// Column returns what is stored of column j; it aliases the matrix.
	Column(j int) Column
	// Col returns column j with its zeros, len n: the memory of a Dense matrix, a
	// copy of a Sparse one's column.
	Col(j int) []float64
	// Read writes rows first, first+1, … of column j, zeros too, to dst.
	Read(j, first int, dst []float64)

	// AddProduct adds X·b to dst, column after column; TransposedProduct writes
	// Xᵀv to dst. Both have the same bits by any kernels. AddRows is AddProduct of
	// rows first, first+1, … as many as dst has.
	AddProduct(k simd.Kernels, b, dst []float64)
	AddRows(k simd.Kernels, b, dst []float64, first int)
	TransposedProduct(k simd.Kernels, v, dst []float64)
}

// Column holds the values of some rows in increasing order, and zeros for all others.
type Column struct {
	Rows   []int32 // nil: every row
	Values []float64
}

// Dot returns Σ x·v over the column, in an order fixed by what is stored.
func (c Column) Dot(v []float64) float64 { return c.DotBy(vector, v) }

// AddTo adds a·x to dst, as one fused multiply-add for each stored value.
func (c Column) AddTo(dst []float64, a float64) { c.AddToBy(vector, dst, a) }

// AddPart is AddTo of rows first, first+1, … as many as dst has.
func (c Column) AddPart(dst []float64, a float64, first int) {
	if c.Rows == nil {
		vector.Axpy(a, c.Values[first:first+len(dst)], dst)
		return
	}
	at, _ := slices.BinarySearch(c.Rows, int32(first))
	for ; at < len(c.Rows) && int(c.Rows[at]) < first+len(dst); at++ {
		i := int(c.Rows[at]) - first
		dst[i] = math.FMA(a, c.Values[at], dst[i])
	}
}

// Largest returns the largest magnitude.
func (c Column) Largest() float64 { return Largest(c.Values) }

// DotBy is Dot by these kernels.
func (c Column) DotBy(k simd.Kernels, v []float64) float64 {
	if c.Rows == nil {
		return k.Dot(c.Values, v)
	}
	return k.GatheredDot(c.Values, c.Rows, v)
}

// AddToBy is AddTo by these kernels.
func (c Column) AddToBy(k simd.Kernels, dst []float64, a float64) {
	if c.Rows == nil {
		k.Axpy(a, c.Values, dst)
		return
	}
	k.ScatteredAxpy(a, c.Values, c.Rows, dst)
}

// SumSquares returns Σ x²·w.
func (c Column) SumSquares(w []float64) float64 {
	sum := 0.0
	if c.Rows == nil {
		for i, x := range c.Values {
			sum = math.FMA(float64(x*w[i]), x, sum)
		}
		return sum
	}
	for i, r := range c.Rows {
		x := c.Values[i]
		sum = math.FMA(float64(x*w[r]), x, sum)
	}
	return sum
}

// SpreadTo writes x·w to dst at the stored rows.
func (c Column) SpreadTo(w, dst []float64) {
	if c.Rows == nil {
		for r, v := range c.Values {
			dst[r] = v * w[r]
		}
		return
	}
	for i, r := range c.Rows {
		dst[r] = c.Values[i] * w[r]
	}
}

// ClearIn writes 0 to dst at the stored rows.
func (c Column) ClearIn(dst []float64) {
	if c.Rows == nil {
		clear(dst)
		return
	}
	for _, r := range c.Rows {
		dst[r] = 0
	}
}

// Dense is a design matrix stored by column: entry (i, j) is Values[j*Rows+i], so that one coordinate's pass reads
// contiguous memory.
type Dense struct {
	Rows, Cols int
	Values     []float64
	// Place is the memory that holds Values; nil means the heap.
	Place Place
}

// Place is memory outside the heap, in which tall designs live.
type Place interface {
	// Zeros returns n zeros in memory of the same kind, or an error if there is not enough.
	Zeros(n int) ([]float64, error)
	// Idle says that the numbers first to last−1 of the design will not be read soon. They keep their values.
	Idle(first, last int)
}

// PlaceError reports that there was no memory for a further matrix of a tall design.
type PlaceError struct{ Err error }

// Error says why.
func (e *PlaceError) Error() string {
	return "there is no memory for the sampler's copy of the design: " + e.Err.Error()
}

// Unwrap returns the reason.
func (e *PlaceError) Unwrap() error { return e.Err }

// ZerosLike returns a zero matrix of the same size in memory of the same kind. It panics with a *PlaceError where
// there is none: a set-up must not choose another way, since that would be other draws.
func (m *Dense) ZerosLike() *Dense {
	if m.Place == nil {
		return NewDense(m.Rows, m.Cols)
	}
	values, err := m.Place.Zeros(m.Rows * m.Cols)
	if err != nil {
		panic(&PlaceError{err})
	}
	return &Dense{Rows: m.Rows, Cols: m.Cols, Values: values}
}

// IdleRows says that rows first to last−1 will not be read soon.
func IdleRows(x Matrix, first, last int) {
	if m, dense := x.(*Dense); dense && m.Place != nil {
		for j := range m.Cols {
			m.Place.Idle(j*m.Rows+first, j*m.Rows+last)
		}
	}
}

// IdleColumn says that column j will not be read soon.
func IdleColumn(x Matrix, j int) {
	if m, dense := x.(*Dense); dense && m.Place != nil {
		m.Place.Idle(j*m.Rows, (j+1)*m.Rows)
	}
}

// NewDense returns a zero matrix.
func NewDense(rows, cols int) *Dense {
	return &Dense{Rows: rows, Cols: cols, Values: make([]float64, rows*cols)}
}

// DenseError reports that a sparse matrix would take more memory with its zeros than it may.
type DenseError struct {
	Rows, Cols int
	Most       int64 // bytes
}

// Error names the size.
func (e *DenseError) Error() string {
	return fmt.Sprintf("the sampler makes the sparse design of %d rows × %d columns dense: %d MB, and it may take %d MB",
		e.Rows, e.Cols, int64(e.Rows)*int64(e.Cols)*8/1e6, e.Most/1e6)
}

// ToDense returns x itself where it is dense, or a copy with its zeros. It panics with a *DenseError where a sparse
// matrix has a limit and the copy would be larger: a set-up must not choose another way for want of memory, since that
// would be other draws.
func ToDense(x Matrix) *Dense {
	if dense, ok := x.(*Dense); ok {
		return dense
	}
	n, d := x.Size()
	if sparse, ok := x.(*Sparse); ok && sparse.MostDense > 0 && int64(n)*int64(d) > sparse.MostDense/8 {
		panic(&DenseError{n, d, sparse.MostDense})
	}
	out := NewDense(n, d)
	for j := range d {
		x.Read(j, 0, out.Col(j))
	}
	return out
}

// Size returns n and d.
func (m *Dense) Size() (rows, cols int) { return m.Rows, m.Cols }

// Entries returns n·d.
func (m *Dense) Entries() int64 { return int64(m.Rows) * int64(m.Cols) }

// Col returns column j; it aliases the matrix.
func (m *Dense) Col(j int) []float64 { return m.Values[j*m.Rows : (j+1)*m.Rows : (j+1)*m.Rows] }

// Column returns column j, every row of it.
func (m *Dense) Column(j int) Column { return Column{Values: m.Col(j)} }

// Read copies rows of a column.
func (m *Dense) Read(j, first int, dst []float64) { copy(dst, m.Col(j)[first:]) }

// AddProduct adds X·b to dst.
func (m *Dense) AddProduct(k simd.Kernels, b, dst []float64) { k.AxpyColumns(b, m.Values, dst) }

// AddRows adds rows of X·b to dst.
func (m *Dense) AddRows(k simd.Kernels, b, dst []float64, first int) {
	k.AxpyParts(b, m.Values[first:], m.Rows, dst)
}

// TransposedProduct writes Xᵀv to dst.
func (m *Dense) TransposedProduct(k simd.Kernels, v, dst []float64) { k.DotColumns(m.Values, v, dst) }

// EqualRows groups the rows that are equal to the bit in a design and in the auxiliary columns, of which nil ones
// do not count. It returns the first row of each group and the group of each row, in the order of their first
// appearance; nil if there are more groups than limit. Cost: O(what the design stores), less where the rows differ
// in a column of the first.
func EqualRows(x Matrix, beside [][]float64, limit int) (first, of []int) {
	n, d := x.Size()
	p := newPartition(n, limit)
	for _, v := range beside {
		if v != nil && !p.refine(Column{Values: v}) {
			return nil, nil
		}
	}
	for j := range d {
		if !p.refine(x.Column(j)) {
			return nil, nil
		}
	}
	if !p.refine(Column{Values: make([]float64, n)}) { // numbers by first appearance
		return nil, nil
	}
	for i, g := range p.of {
		if g == len(first) {
			first = append(first, i)
		}
	}
	return first, p.of
}

// Take returns the entries of v at some rows; nil for nil.
func Take[T any](v []T, at []int) []T {
	if v == nil {
		return nil
	}
	out := make([]T, len(at))
	for g, i := range at {
		out[g] = v[i]
	}
	return out
}

// TakeRows returns some rows of a design, stored as it is.
func TakeRows(x Matrix, at []int) Matrix {
	if s, sparse := x.(*Sparse); sparse {
		return s.Taken(at)
	}
	_, d := x.Size()
	out := NewDense(len(at), d)
	for j := range d {
		copy(out.Col(j), Take(x.Col(j), at))
	}
	return out
}

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

// idleRows is the number of rows that become idle at a time: their pages of a column are many.
const idleRows = 1 << 17

// Largest returns max |v|; NaN if an entry is NaN.
func Largest(v []float64) float64 {
	m := 0.0
	for _, x := range v {
		m = max(m, math.Abs(x))
	}
	return m
}
