package linalg

import "math"

// SVD is the thin singular value decomposition A = U·diag(S)·Vᵀ with its null
// directions dropped. S is in descending order.
type SVD struct {
	Rows, Cols, Rank int
	U                []float64 // Rows × Rank by column, orthonormal columns
	S                []float64 // Rank
	V                []float64 // Cols × Rank by column, orthonormal columns
}

// NewSVD decomposes a, rows × cols by column, and drops the directions with
// S ≤ tol·S[0] (tol below 1e-15 counts as 1e-15: such directions are rounding
// error). It overwrites a. Cost: about rows·cols·k + 15·k³
// multiplications with k = min(rows, cols).
//
// QR of the taller of A and Aᵀ, then the eigenvectors of RᵀR to come near,
// then one-sided Jacobi rotations on R itself to the full accuracy of R: an
// error of a value is a few ε·S[0], not the √ε·S[0] of an eigen-decomposition
// of AᵀA alone. The order of operations is fixed.
//
// Source: Drmač and Veselić (2008), New fast and accurate Jacobi SVD
// algorithm I, doi:10.1137/050639193, for Jacobi after a QR factorisation.
func NewSVD(a []float64, rows, cols int, tol float64) (*SVD, error) {
	if rows < cols {
		t := make([]float64, len(a))
		for j := range cols {
			for i := range rows {
				t[i*cols+j] = a[j*rows+i]
			}
		}
		s, err := NewSVD(t, cols, rows, tol)
		if err != nil {
			return nil, err
		}
		s.Rows, s.Cols, s.U, s.V = rows, cols, s.V, s.U
		return s, nil
	}
	tol = max(tol, 1e-15)
	q := NewQR(a, rows, cols, cols)
	b, v, err := jacobi(q, cols)
	if err != nil {
		return nil, err
	}
	return assemble(q, b, v, rows, cols, tol), nil
}

// jacobi returns B = R·V with orthogonal columns, and V, both k × k.
func jacobi(q *QR, k int) (b, v []float64, err error) {
	gram := make([]float64, k*k)
	r := make([]float64, k*k) // by column
	for j := range k {
		for i := 0; i <= j; i++ {
			r[j*k+i] = q.At(i, j)
		}
		for i := 0; i <= j; i++ {
			gram[j*k+i] = kernels.Dot(r[i*k:i*k+i+1], r[j*k:j*k+i+1])
			gram[i*k+j] = gram[j*k+i]
		}
	}
	if _, v, err = SymEigen(gram, k); err != nil {
		return nil, nil, err
	}
	b = make([]float64, k*k)
	for j := range k {
		for i := range k {
			kernels.Axpy(v[j*k+i], r[i*k:i*k+i+1], b[j*k:j*k+i+1])
		}
	}
	norms := make([]float64, k)
	for sweep := 0; sweep < 60; sweep++ {
		rotated, err := jacobiSweep(b, v, norms, k)
		if err != nil {
			return nil, nil, err
		}
		if !rotated {
			return b, v, nil
		}
	}
	return nil, nil, errNoConvergence
}

// jacobiSweep makes each pair of columns of b orthogonal once, in the order
// of rows of the upper triangle, and reports whether any pair was not yet. A
// column below ε·(largest) is rounding error and is left alone.
func jacobiSweep(b, v, norms []float64, k int) (rotated bool, err error) {
	var largest float64
	for j := range k {
		norms[j] = kernels.SumSquares(b[j*k : (j+1)*k])
		largest = max(largest, norms[j])
	}
	if math.IsNaN(largest) || math.IsInf(largest, 0) {
		return false, errNoConvergence
	}
	const eps2 = 0x1p-106
	tol2 := eps2 * 16 * float64(k)
	for p := 0; p < k-1; p++ {
		for q := p + 1; q < k; q++ {
			if min(norms[p], norms[q]) <= eps2*largest {
				continue
			}
			x, y := b[p*k:(p+1)*k], b[q*k:(q+1)*k]
			dot := kernels.Dot(x, y)
			if dot*dot <= tol2*norms[p]*norms[q] {
				continue
			}
			rotated = true
			c, s := jacobiRotation(norms[p], norms[q], dot)
			rotate(x, y, c, s)
			rotate(v[p*k:(p+1)*k], v[q*k:(q+1)*k], c, s)
			norms[p], norms[q] = kernels.SumSquares(x), kernels.SumSquares(y)
		}
	}
	return rotated, nil
}

// jacobiRotation returns the rotation, of at most 45°, that diagonalises
// [[pp, pq], [pq, qq]].
func jacobiRotation(pp, qq, pq float64) (c, s float64) {
	zeta := (qq - pp) / (2 * pq)
	t := math.Copysign(1/(math.Abs(zeta)+Hypot(1, zeta)), zeta)
	length := Hypot(1, t)
	return 1 / length, t / length
}

// assemble sorts, drops the null directions and maps B's columns back by Q.
func assemble(q *QR, b, v []float64, rows, k int, tol float64) *SVD {
	values := make([]float64, k)
	for j := range k {
		values[j] = math.Sqrt(kernels.SumSquares(b[j*k : (j+1)*k]))
	}
	both := make([]float64, 2*k*k) // column j is b_j above v_j: sorted together
	for j := range k {
		copy(both[2*j*k:], b[j*k:(j+1)*k])
		copy(both[(2*j+1)*k:], v[j*k:(j+1)*k])
	}
	sortColumns(values, both, 2*k)
	rank := 0
	for rank < k && values[rank] > 0 && values[rank] > tol*values[0] {
		rank++
	}
	s := &SVD{Rows: rows, Cols: k, Rank: rank, S: values[:rank:rank],
		U: make([]float64, rows*rank), V: make([]float64, k*rank)}
	for j := range rank {
		u := s.U[j*rows : (j+1)*rows]
		for i, x := range both[2*j*k : (2*j+1)*k] {
			u[i] = x / values[j]
		}
		q.Apply(u)
		copy(s.V[j*k:(j+1)*k], both[(2*j+1)*k:])
	}
	return s
}
