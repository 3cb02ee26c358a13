package glm

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/internal/linalg"
)

// TriangleVersion names how rows become their triangular factor: another one is other bits.
const TriangleVersion = "1"

// Triangle is the sufficient statistic of a gaussian response with the identity link, whose rows need not be in
// memory: the triangular factor of (1, x₁ − a₁, …), the rows weighted by frequency, in which a is the first row, so
// that a column far from 0 keeps its digits. Rows arrive in pieces of any size and are factored 1024 at a time: no
// bit depends on the pieces.
type Triangle struct {
	qr     *linalg.RowQR
	k      int       // columns, that of ones included
	origin []float64 // the first row; nil before it
	block  []float64 // by column
	filled int       // rows of block

	Rows  int     // that were pushed
	Total float64 // of their frequencies
}

// NewTriangle returns a factor of the given number of columns and the column of ones, without rows.
func NewTriangle(columns int) *Triangle {
	k := columns + 1
	return &Triangle{k: k, qr: linalg.NewRowQR(k), block: make([]float64, condenseRows*k)}
}

// Push adds rows, given by column; frequency says how often each counts, nil once. It keeps none of them. Cost:
// (columns + 1)² multiplications a row, and as many additions.
func (t *Triangle) Push(columns [][]float64, frequency []float64) {
	n := len(columns[0])
	if t.origin == nil && n > 0 {
		t.origin = make([]float64, t.k-1)
		for j, x := range columns {
			t.origin[j] = x[0]
		}
	}
	for first := 0; first < n; {
		m := min(condenseRows-t.filled, n-first)
		t.write(columns, frequency, first, m)
		first += m
		if t.filled += m; t.filled == condenseRows {
			t.flush()
		}
	}
	t.Rows += n
	if frequency == nil {
		t.Total += float64(n)
	}
	for _, f := range frequency { // whole numbers: their sum has no rounding
		t.Total += f
	}
}

// write puts m rows from first on behind those of the block.
func (t *Triangle) write(columns [][]float64, frequency []float64, first, m int) {
	column := func(j int) []float64 { return t.block[j*condenseRows+t.filled : j*condenseRows+t.filled+m] }
	ones := column(0)
	for i := range ones {
		ones[i] = 1
		if frequency != nil {
			ones[i] = math.Sqrt(frequency[first+i])
		}
	}
	for j, x := range columns {
		a, dst := t.origin[j], column(j+1)
		for i, v := range x[first : first+m] {
			dst[i] = float64((v - a) * ones[i])
		}
	}
}

// flush factors the rows of the block.
func (t *Triangle) flush() {
	m := t.filled
	if t.filled = 0; m < condenseRows { // the last ones, side by side
		for j := 1; j < t.k; j++ {
			copy(t.block[j*m:(j+1)*m], t.block[j*condenseRows:])
		}
	}
	t.qr.Push(t.block[:m*t.k], m)
}

// End factors the rows that are left. It comes before what follows, and after it no row is pushed.
func (t *Triangle) End() {
	if t.filled > 0 {
		t.flush()
	}
}

// Moments returns mean and standard deviation (divisor Total − 1) of column j over the observations.
func (t *Triangle) Moments(j int) (mean, sd float64) {
	square := 0.0
	for i := 1; i <= j+1; i++ {
		square = math.FMA(t.qr.At(i, j+1), t.qr.At(i, j+1), square)
	}
	return t.origin[j] + t.qr.At(0, j+1)/t.qr.At(0, 0), math.Sqrt(square / (t.Total - 1))
}

// Columns is the number of columns apart from that of ones.
func (t *Triangle) Columns() int { return t.k - 1 }

// Numbers are all that the factor says: rows and observations, what was taken off columns, and its upper triangle.
func (t *Triangle) Numbers() []float64 {
	out := append([]float64{float64(t.Rows), t.Total}, t.origin...)
	for j := range t.k {
		for i := range j + 1 {
			out = append(out, t.qr.At(i, j))
		}
	}
	return out
}

// At returns entry (i, j) of the factor; column 0 is that of ones, column j + 1 that of column j less its origin.
func (t *Triangle) At(i, j int) float64 { return t.qr.At(i, j) }

// Representatives returns as many rows as the factor has, with the same sufficient statistics as all rows that were
// pushed. Column j of them is (xⱼ − centre[j]) / scale[j]. Their counts are whole numbers, so that sums of squares and
// products, means and the number of observations are those of all rows. ok is false if fewer observations than rows
// were pushed.
//
// With R the factor, and u the roots of the rows' shares, they are the rows of Q·R divided by the roots of the
// frequencies, where Q is the reflection that takes the first unit vector to u.
func (t *Triangle) Representatives(centre, scale []float64) (columns [][]float64, frequency []float64, ok bool) {
	k := t.k
	if frequency = shares(t.Total, k); frequency == nil {
		return nil, nil, false
	}
	u := make([]float64, k)
	for i, f := range frequency {
		u[i] = math.Sqrt(f / t.Total)
	}
	v, norm := make([]float64, k), 0.0 // of the reflection: e₁ − u
	for i := range v {
		v[i] = -u[i]
		if i == 0 {
			v[0]++
		}
		norm = math.FMA(v[i], v[i], norm)
	}
	root := t.qr.At(0, 0) // ± √Total
	for j := range k - 1 {
		x := make([]float64, k) // of R
		for i := range x {
			x[i] = t.qr.At(i, j+1)
		}
		x[0] = math.FMA(t.origin[j]-centre[j], root, x[0])
		dot := 0.0
		for i := range x {
			dot = math.FMA(v[i], x[i], dot)
		}
		for i := range x {
			x[i] = math.FMA(-2*dot/norm, v[i], x[i]) / math.Copysign(math.Sqrt(frequency[i]), root) / scale[j]
		}
		columns = append(columns, x)
	}
	return columns, frequency, true
}

// shares divides a whole number into k whole parts above 0, as equal as they can be; nil if it is less than k.
func shares(total float64, k int) []float64 {
	each := math.Floor(total / float64(k))
	if each < 1 {
		return nil
	}
	out, more := make([]float64, k), total-float64(each*float64(k))
	for i := range out {
		if out[i] = each; float64(i) < more {
			out[i]++
		}
	}
	return out
}

// FromTriangle computes X, Offset, Frequency and Y from the rows of a triangle: the columns of the design without its
// intercept, the offset if there is one, and the response. Names and Intercept are given. ok is false if there are
// too few rows.
func (d *Data) FromTriangle(t *Triangle, centre, scale []float64) (ok bool) {
	columns, frequency, ok := t.Representatives(centre, scale)
	if !ok {
		return false
	}
	x, k := design.NewDense(len(frequency), len(d.Names)), 0
	for j := range d.Names {
		col := x.Col(j)
		if j == d.Intercept {
			for i := range col {
				col[i] = 1
			}
			continue
		}
		copy(col, columns[k])
		k++
	}
	if k+1 < len(columns) {
		d.Offset = columns[k]
	}
	d.X, d.Frequency, d.Y = x, frequency, columns[len(columns)-1]
	return true
}
