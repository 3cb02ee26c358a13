package linalg

import (
	"errors"
	"math"

	"glmbatch/internal/vec"
)

// Products gives a wide matrix A, n × Cols, by its products, so that it need not be stored with its zeros.
type Products struct {
	Cols int
	// Times adds A·x to dst, len n.
	Times func(x, dst []float64)
	// Transposed adds Aᵀ·q to dst, len Cols.
	Transposed func(q, dst []float64)
}

// trusted is the share of a row's square, outside the span of the rows before, from which a factor of AAᵀ is
// accurate enough: that of gramCondition.
const trusted = 1 / gramCondition / gramCondition

// orthonormality is the largest ‖(VᵀV − I)w‖/‖w‖ that the row space of Products may have.
const orthonormality = 1e-9

// errNotOrthonormal reports that rows are so near to dependent that their products do not determine their span.
var errNotOrthonormal = errors.New("linalg: the products of the rows do not tell their span")

// NewRowSpaceOf is NewRowSpace of a matrix given by its products a, from the lower triangle of K = AAᵀ by rows, n ×
// n, which it overwrites and keeps. With K = LLᵀ, V = Aᵀ·L⁻ᵀ is orthonormal and A = L·Vᵀ: no eigenvectors are
// needed, and V stays what a does.
//
// Rows of which less than a thousandth lies outside the span of those before are set
// aside, for their pivots are rounding. Each is made orthogonal to the others, twice,
// by itself: what is left of it is a direction of its own, stored, or dropped where
// it is at most tol times the largest singular value, which moves A·x by no more than
// that for ‖x‖ = 1. So repeated rows, and more rows than columns, do no harm.
//
// It returns an error where VᵀV is not I to 1e-9 on directions that it tries, which
// takes rows that are nearly dependent all together, no few of them by themselves.
//
// Cost: n³/6 fused multiply-adds, and for each row set aside 2·n² and four products.
func NewRowSpaceOf(k []float64, n int, a Products, tol float64) (*RowSpace, error) {
	largest := largestOf(k, n)
	if !(largest > 0) || largest > math.MaxFloat64 {
		if largest == 0 {
			return &RowSpace{rows: n, lower: &Chol{}}, nil
		}
		return nil, errNoConvergence
	}
	kept, aside := factorRows(k, n)
	s := &RowSpace{Rank: len(kept), kept: kept, rows: n, lower: &Chol{n: len(kept), l: compact(k, n, kept)}}
	o := &orthogonaliser{space: s, a: a, limit: tol * math.Sqrt(largest)}
	for _, i := range aside {
		o.add(i)
	}
	o.assemble(n)
	if !o.holds() {
		return nil, errNotOrthonormal
	}
	return s, nil
}

// largestOf returns the largest eigenvalue of K, from below, by ten steps of the
// power method from its diagonal.
func largestOf(k []float64, n int) float64 {
	x, y := make([]float64, n), make([]float64, n)
	value := 0.0
	for i := range n {
		x[i] = k[i*n+i]
		value = max(value, x[i])
	}
	for range 10 {
		norm := math.Sqrt(kernels.SumSquares(x))
		if !(norm > 0) || norm > math.MaxFloat64 {
			return norm
		}
		for i := range x {
			x[i] /= norm
		}
		clear(y)
		for i := range n {
			row := k[i*n : i*n+i]
			y[i] += math.FMA(k[i*n+i], x[i], kernels.Dot(row, x[:i]))
			kernels.Axpy(x[i], row, y[:i])
		}
		value = max(value, kernels.Dot(x, y))
		x, y = y, x
	}
	return value
}

// factorRows is Cholesky that passes over rows whose pivot is not trusted: the rows of
// k are those of L at the columns of kept, zero at those of the others.
func factorRows(k []float64, n int) (kept, aside []int) {
	passed, diagonal := make([]bool, n), make([]float64, n)
	for i := range n {
		diagonal[i] = k[i*n+i]
	}
	for first := 0; first < n; first += cholRows {
		last := min(first+cholRows, n)
		for j := range last {
			col := k[j*n : j*n+n]
			if j >= first {
				pivot := col[j] - kernels.SumSquares(col[:j])
				if passed[j] = !(pivot >= trusted*diagonal[j] && pivot > 0); passed[j] {
					aside = append(aside, j)
				} else {
					kept, col[j] = append(kept, j), math.Sqrt(pivot)
				}
			}
			for i := max(j+1, first); i < last; i++ {
				row := k[i*n : i*n+n]
				if passed[j] {
					row[j] = 0
				} else {
					row[j] = (row[j] - kernels.Dot(row[:j], col)) / col[j]
				}
			}
		}
	}
	return kept, aside
}

// compact returns the kept rows and columns of k, in k's memory.
func compact(k []float64, n int, kept []int) []float64 {
	p := len(kept)
	if p == n {
		return k
	}
	for i, row := range kept {
		for j, col := range kept[:i+1] { // never ahead of what is read
			k[i*p+j] = k[row*n+col]
		}
	}
	return k[: p*p : p*p]
}

// orthogonaliser adds rows that were set aside to a row space.
type orthogonaliser struct {
	space *RowSpace
	a     Products
	limit float64
	own   [][]float64 // directions of their own, len Cols each
	aside []asideRow
}

// asideRow is a row of A in the basis.
type asideRow struct {
	at       int
	seen     []float64 // by the kept rows
	explicit []float64 // by directions of their own
}

// add makes row i orthogonal to the basis, and keeps what is left of it.
func (o *orthogonaliser) add(i int) {
	n, p := o.space.rows, o.space.lower.n
	unit, residual := make([]float64, n), make([]float64, o.a.Cols)
	row := asideRow{at: i, seen: make([]float64, p), explicit: make([]float64, len(o.own), len(o.own)+1)}
	unit[i] = 1
	o.a.Transposed(unit, residual)
	sum, part, q := make([]float64, n), make([]float64, p), make([]float64, n)
	for range 2 {
		clear(sum)
		o.a.Times(residual, sum)
		o.space.Lowered(sum, part)
		vec.Axpy(1, part, row.seen)
		for c := range part {
			part[c] = -part[c]
		}
		o.space.Lifted(part, q)
		o.a.Transposed(q, residual)
		for c, v := range o.own {
			share := kernels.Dot(v, residual)
			row.explicit[c] += share
			kernels.Axpy(-share, v, residual)
		}
	}
	if norm := math.Sqrt(kernels.SumSquares(residual)); norm > o.limit {
		for j := range residual {
			residual[j] /= norm
		}
		o.own, row.explicit = append(o.own, residual), append(row.explicit, norm)
	}
	o.aside = append(o.aside, row)
}

// assemble completes the row space: US, and the directions of rows' own.
func (o *orthogonaliser) assemble(n int) {
	s := o.space
	p, m := s.lower.n, len(o.own)
	s.Rank, s.Own, s.OwnRows = p+m, m, make([]float64, m*o.a.Cols)
	for c, v := range o.own {
		for j, x := range v {
			s.OwnRows[j*m+c] = x
		}
	}
	s.US = make([]float64, n*s.Rank)
	const tile = 32 // rows and columns whose entries stay in the cache
	for first := 0; first < p; first += tile {
		for c0 := 0; c0 <= first; c0 += tile {
			for i := first; i < min(first+tile, p); i++ {
				row := s.lower.l[i*p : i*p+i+1]
				for c := c0; c < min(c0+tile, i+1); c++ {
					s.US[c*n+s.kept[i]] = row[c]
				}
			}
		}
	}
	for _, row := range o.aside {
		for c, v := range row.seen {
			s.US[c*n+row.at] = v
		}
		for c, v := range row.explicit {
			s.US[(p+c)*n+row.at] = v
		}
	}
}

// holds reports whether VᵀV is I on a few directions: those that a product with VᵀV − I
// keeps longest, from the sum of all and from one of changing signs.
func (o *orthogonaliser) holds() bool {
	s := o.space
	q, x := make([]float64, s.rows+s.Own), make([]float64, o.a.Cols)
	w, back := make([]float64, s.Rank), make([]float64, s.Rank)
	for _, sign := range []float64{1, -1} {
		for i := range w {
			w[i] = 1
			if i%2 == 1 {
				w[i] = sign
			}
		}
		for range 3 {
			norm := math.Sqrt(kernels.SumSquares(w))
			if norm == 0 {
				break // VᵀV is I to the last bit
			}
			for i := range w {
				w[i] /= norm
			}
			clear(x)
			s.times(o.a, w, q, x)
			clear(q)
			s.transposed(o.a, x, q, back)
			kernels.Axpy(-1, w, back)
			if !(kernels.SumSquares(back) <= orthonormality*orthonormality) {
				return false
			}
			copy(w, back)
		}
	}
	return true
}

// times adds V·w to x; q is scratch.
func (s *RowSpace) times(a Products, w, q, x []float64) {
	s.Lifted(w, q)
	a.Transposed(q[:s.rows], x)
	for j := range x {
		x[j] += kernels.Dot(s.OwnRows[j*s.Own:(j+1)*s.Own], q[s.rows:])
	}
}

// transposed writes Vᵀx to w; q is scratch, zero.
func (s *RowSpace) transposed(a Products, x, q, w []float64) {
	a.Times(x, q[:s.rows])
	kernels.AxpyColumns(x, s.OwnRows, q[s.rows:])
	s.Lowered(q, w)
}
