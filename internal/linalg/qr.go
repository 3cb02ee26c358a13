package linalg

import "math"

// reflector overwrites x with the vector v of the Householder reflection
// I − tau·v·vᵀ that maps x to (alpha, 0, …, 0). tau is 0, and x untouched,
// when x is such a vector already.
func reflector(x []float64) (alpha, tau float64) {
	if len(x) < 2 || kernels.SumSquares(x[1:]) == 0 {
		if len(x) == 0 {
			return 0, 0
		}
		return x[0], 0
	}
	alpha = -math.Copysign(math.Sqrt(kernels.SumSquares(x)), x[0])
	x[0] -= alpha
	return alpha, -1 / (alpha * x[0])
}

// reflect overwrites y with (I − tau·v·vᵀ)·y.
func reflect(v []float64, tau float64, y []float64) {
	if tau != 0 {
		kernels.Axpy(-tau*kernels.Dot(v, y), v, y)
	}
}

// QR is the Householder factorisation of an m × n matrix, Q·R with Q
// orthogonal m × m and R upper triangular (in its first k columns).
type QR struct {
	m, n int
	a    []float64 // reflectors on and below the diagonal, R above it
	tau  []float64
	diag []float64 // of R
}

// NewQR factorises a, m × n by column, with k ≤ min(m, n) reflectors: the
// first k columns become triangular, the others are multiplied by the same
// Qᵀ. It keeps and overwrites a. Cost: about m·n·k multiplications.
//
// Source: Householder (1958), doi:10.1145/320941.320947.
func NewQR(a []float64, m, n, k int) *QR {
	if len(a) != m*n || k > min(m, n) {
		panic("linalg: QR: shape")
	}
	q := &QR{m: m, n: n, a: a, tau: make([]float64, k), diag: make([]float64, k)}
	for j := range k {
		v := a[j*m+j : (j+1)*m]
		q.diag[j], q.tau[j] = reflector(v)
		for c := j + 1; c < n; c++ {
			reflect(v, q.tau[j], a[c*m+j:(c+1)*m])
		}
	}
	return q
}

// At returns entry (i, j) of R = Qᵀ·A, zero below the diagonal of the first k
// columns.
func (q *QR) At(i, j int) float64 {
	switch {
	case i < j || j >= len(q.diag):
		return q.a[j*q.m+i]
	case i == j:
		return q.diag[j]
	}
	return 0
}

// Apply overwrites x, of length m, with Q·x.
func (q *QR) Apply(x []float64) {
	for j := len(q.tau) - 1; j >= 0; j-- {
		reflect(q.a[j*q.m+j:(j+1)*q.m], q.tau[j], x[j:])
	}
}

// RowQR is the triangular factor of a tall matrix that arrives in blocks of
// rows: after any number of pushes, RᵀR = AᵀA, computed without forming AᵀA,
// so that the condition number is not squared. Memory is k² whatever the
// number of rows. The zero value is not usable; call NewRowQR.
type RowQR struct {
	k int
	r []float64 // upper triangle, by column
}

// NewRowQR returns the factor of a matrix of k columns and no rows yet.
func NewRowQR(k int) *RowQR { return &RowQR{k: k, r: make([]float64, k*k)} }

// Push adds rows more rows; block holds them by column (rows × k) and is
// overwritten. Cost: rows·k² multiplications and as many additions.
func (t *RowQR) Push(block []float64, rows int) {
	if len(block) != rows*t.k {
		panic("linalg: RowQR: shape of block")
	}
	for j := range t.k {
		v := block[j*rows : (j+1)*rows]
		below := kernels.SumSquares(v)
		if below == 0 {
			continue
		}
		// The reflector's vector is (head; v): rows of R below j are zero.
		diag := t.r[j*t.k+j]
		alpha := -math.Copysign(math.Sqrt(math.FMA(diag, diag, below)), diag)
		head := diag - alpha
		tau := -1 / (alpha * head)
		t.r[j*t.k+j] = alpha
		for c := j + 1; c < t.k; c++ {
			col, top := block[c*rows:(c+1)*rows], &t.r[c*t.k+j]
			s := -tau * math.FMA(head, *top, kernels.Dot(v, col))
			*top = math.FMA(s, head, *top)
			kernels.Axpy(s, v, col)
		}
	}
}

// At returns entry (i, j) of R, zero below the diagonal.
func (t *RowQR) At(i, j int) float64 {
	if i > j {
		return 0
	}
	return t.r[j*t.k+i]
}
