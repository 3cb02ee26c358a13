package design

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/simd"
)

// SparseVersion names the order of operations on a sparse design: another one is
// another sequence of draws.
const SparseVersion = "csc/1"

// Sparse is a design matrix that stores the non-zeros of each column: compressed
// sparse columns. A column without zeros is read as a Dense one's.
type Sparse struct {
	// MostDense is the memory in bytes that ToDense may take for a copy. Zero means any.
	MostDense int64

	rows   int
	starts []int // of the columns in index and values; len d + 1
	index  []int32
	values []float64
}

// NewSparse returns a matrix of no columns, with room for some columns and
// entries.
func NewSparse(rows, cols, entries int) *Sparse {
	return &Sparse{rows: rows, starts: append(make([]int, 0, cols+1), 0), index: make([]int32, 0, entries),
		values: make([]float64, 0, entries)}
}

// Append adds a column of these values in these rows, from 0 and in increasing
// order, and leaves out values of 0.
func (m *Sparse) Append(rows []int32, values []float64) {
	last := int32(-1)
	for i, r := range rows {
		if r <= last || int(r) >= m.rows {
			panic(fmt.Sprintf("design: row %d after row %d in a sparse column of %d rows", r, last, m.rows))
		}
		last = r
		if values[i] != 0 {
			m.index = append(m.index, r)
			m.values = append(m.values, values[i])
		}
	}
	m.starts = append(m.starts, len(m.index))
}

// AppendDense adds a column given with its zeros.
func (m *Sparse) AppendDense(col []float64) {
	for r, v := range col {
		if v != 0 {
			m.index = append(m.index, int32(r))
			m.values = append(m.values, v)
		}
	}
	m.starts = append(m.starts, len(m.index))
}

// Taken returns the matrix of rows from[0], from[1], … of m, repetitions allowed.
// Cost: O(n + entries·repetitions).
func (m *Sparse) Taken(from []int) *Sparse {
	_, d := m.Size()
	first, columns, values := m.byRows()
	ends := make([]int, d+1) // of the columns, moved by one
	for _, i := range from {
		for k := first[i]; k < first[i+1]; k++ {
			ends[columns[k]+1]++
		}
	}
	for j := range d {
		ends[j+1] += ends[j]
	}
	out := &Sparse{rows: len(from), starts: slices.Clone(ends), index: make([]int32, ends[d]),
		values: make([]float64, ends[d])}
	for to, i := range from {
		for k := first[i]; k < first[i+1]; k++ {
			at := &ends[columns[k]]
			out.index[*at], out.values[*at] = int32(to), values[k]
			*at++
		}
	}
	return out
}

// byRows returns the entries by rows: where each row begins, with the end last, and their columns and values.
func (m *Sparse) byRows() (first []int, columns []int32, values []float64) {
	first = make([]int, m.rows+2)
	for _, i := range m.index {
		first[i+2]++
	}
	for i := range m.rows {
		first[i+2] += first[i+1]
	}
	columns, values = make([]int32, len(m.index)), make([]float64, len(m.index))
	for j := range len(m.starts) - 1 {
		for k := m.starts[j]; k < m.starts[j+1]; k++ {
			at := &first[m.index[k]+1]
			columns[*at], values[*at] = int32(j), m.values[k]
			*at++
		}
	}
	return first[:m.rows+1], columns, values
}

// Size returns n and d.
func (m *Sparse) Size() (rows, cols int) { return m.rows, len(m.starts) - 1 }

// Entries returns the number of non-zeros.
func (m *Sparse) Entries() int64 { return int64(len(m.values)) }

// Column returns the non-zeros of column j.
func (m *Sparse) Column(j int) Column {
	first, last := m.starts[j], m.starts[j+1]
	c := Column{Values: m.values[first:last:last]}
	if last-first < m.rows {
		c.Rows = m.index[first:last:last]
	}
	return c
}

// Col returns a copy of column j with its zeros. Cost: O(n).
func (m *Sparse) Col(j int) []float64 {
	out := make([]float64, m.rows)
	m.Read(j, 0, out)
	return out
}

// Read writes rows of column j, zeros too. Cost: O(log n + len(dst)).
func (m *Sparse) Read(j, first int, dst []float64) {
	c := m.Column(j)
	if c.Rows == nil {
		copy(dst, c.Values[first:])
		return
	}
	clear(dst)
	at, _ := slices.BinarySearch(c.Rows, int32(first))
	for ; at < len(c.Rows) && int(c.Rows[at]) < first+len(dst); at++ {
		dst[int(c.Rows[at])-first] = c.Values[at]
	}
}

// Outer adds Σ x_j·x_jᵀ/ridge[j] to the lower triangle of k by rows, n × n; a column of
// infinite ridge adds nothing. Cost: half of the squares of what columns store.
func (m *Sparse) Outer(ridge, k []float64) {
	for j, r := range ridge {
		if r > math.MaxFloat64 {
			continue
		}
		c := m.Column(j)
		for i, v := range c.Values {
			at := i
			part := Column{Values: c.Values[:i+1]}
			if c.Rows != nil {
				at, part.Rows = int(c.Rows[i]), c.Rows[:i+1]
			}
			part.AddToBy(vector, k[at*m.rows:][:at+1], v/r)
		}
	}
}

// AddRows adds rows of X·b to dst.
func (m *Sparse) AddRows(_ simd.Kernels, b, dst []float64, first int) {
	for j, v := range b {
		m.Column(j).AddPart(dst, v, first)
	}
}

// AddProduct adds X·b to dst.
func (m *Sparse) AddProduct(k simd.Kernels, b, dst []float64) {
	m.runs(func(first, last int) {
		if c := m.Column(first); c.Rows == nil {
			c.AddToBy(k, dst, b[first])
			return
		}
		k.ScatteredAxpys(b[first:last], m.starts[first:last+1], m.values, m.index, dst)
	})
}

// TransposedProduct writes Xᵀv to dst.
func (m *Sparse) TransposedProduct(k simd.Kernels, v, dst []float64) {
	m.runs(func(first, last int) {
		if c := m.Column(first); c.Rows == nil {
			dst[first] = c.DotBy(k, v)
			return
		}
		k.GatheredDots(dst[first:last], m.starts[first:last+1], m.values, m.index, v)
	})
}

// runs visits columns without zeros one by one, and those between them together.
func (m *Sparse) runs(visit func(first, last int)) {
	_, d := m.Size()
	for first := 0; first < d; {
		last := first
		for last < d && m.starts[last+1]-m.starts[last] < m.rows {
			last++
		}
		last = max(last, first+1)
		visit(first, last)
		first = last
	}
}
