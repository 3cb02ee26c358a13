package linalg

import (
	"math"
)

// gramCondition is the condition number of A up to which RowSpace trusts AAᵀ.
const gramCondition = 1e3

// RowSpace is an orthonormal basis V of the row space of a wide n × d matrix A with its singular values: A =
// U·diag(S)·Vᵀ. Where A is well conditioned V is not formed: V = Aᵀ·Lift. NewRowSpaceOf has a triangle instead of
// U·diag(S), and V = [Aᵀ·Lift, OwnRows].
type RowSpace struct {
	Rank int
	S    []float64 // descending, len Rank; nil if no eigenvalues were needed
	US   []float64 // A·V, n × Rank by column
	Lift []float64 // U·diag(S)⁻¹, n × Rank by column; nil if V is explicit or lower serves
	V    []float64 // Rank × d: V(j, k) at V[j*Rank+k]; nil if it is not explicit

	Own     int       // the number of directions that no row of A but one has
	OwnRows []float64 // their d × Own entries of V: (j, k) at OwnRows[j*Own+k]

	rows  int   // n, where lower serves
	kept  []int // rows of A that lower is of, in order
	lower *Chol // L, with LLᵀ the products of these rows; Lift is L⁻ᵀ
}

// Explicit reports whether all of V is stored.
func (s *RowSpace) Explicit() bool { return s.Lift == nil && s.lower == nil }

// NewRowSpace decomposes A, n × d, which block writes in parts: columns first to first+m−1, entry (i, first+j) at
// dst[i*m+j].
//
// With all singular values above 1e-3·S[0] it takes the eigenvalues of AAᵀ: VᵀV
// differs from I by at most about n·ε·(S[0]/S[n−1])², below 1e-10·n·2⁻⁷, and
// A·VVᵀ from A by that times S[0]. Otherwise it is NewSVD with tol: errors of a few
// ε, and a part of A of at most tol·S[0] in each dropped direction. Cost: n²·d/2 +
// 8·n³ and memory for 256 columns, or that of NewSVD, about 4·n²·d + 15·n³ and memory for A.
func NewRowSpace(block func(first, m int, dst []float64), n, d int, tol float64) (*RowSpace, error) {
	if n <= d {
		s, err := viaGram(block, n, d)
		if s != nil || err != nil {
			return s, err
		}
	}
	at := make([]float64, n*d) // Aᵀ by column
	block(0, d, at)
	svd, err := NewSVD(at, d, n, tol)
	if err != nil {
		return nil, err
	}
	s := &RowSpace{Rank: svd.Rank, S: svd.S, US: svd.V, V: make([]float64, d*svd.Rank)}
	for k, v := range svd.S {
		for i := range n {
			s.US[k*n+i] *= v
		}
		for j, u := range svd.U[k*d : (k+1)*d] {
			s.V[j*s.Rank+k] = u
		}
	}
	return s, nil
}

// viaGram returns nil if AAᵀ is not accurate enough.
func viaGram(block func(first, m int, dst []float64), n, d int) (*RowSpace, error) {
	k := make([]float64, n*n)
	gramOf(d, n, func(first, m int, dst []float64) int {
		block(first, m, dst)
		return n
	}, nil, k)
	mirror(k, n)
	values, u, err := SymEigen(k, n)
	if err != nil {
		return nil, err
	}
	if !(values[n-1]*gramCondition*gramCondition >= values[0]) || !(values[0] > 0) {
		return nil, nil
	}
	s := &RowSpace{Rank: n, S: values, US: u, Lift: make([]float64, n*n)}
	for c := range n {
		s.S[c] = math.Sqrt(values[c])
		for i := range n {
			s.Lift[c*n+i] = u[c*n+i] / s.S[c]
			u[c*n+i] *= s.S[c]
		}
	}
	return s, nil
}

// Lifted writes the q to dst for which Vw = Aᵀq: Lift·w, len n, and what w has of the
// Own directions after that. Cost: n·Rank, or half of it.
func (s *RowSpace) Lifted(w, dst []float64) {
	if s.lower != nil {
		s.solveUpper(w, dst)
		return
	}
	clear(dst)
	kernels.AxpyColumns(w, s.Lift, dst)
}

// Lowered writes Vᵀx to dst, len Rank, for a = A·x, with what x has of the Own
// directions after that. Cost: n·Rank, or half of it.
func (s *RowSpace) Lowered(a, dst []float64) {
	if s.lower != nil {
		s.solveLower(a, dst)
		return
	}
	kernels.DotColumns(s.Lift, a, dst)
}

// solveUpper is Lifted by L⁻ᵀ.
func (s *RowSpace) solveUpper(w, dst []float64) {
	p := s.lower.n
	copy(dst, w[:p])
	s.lower.SolveUpper(dst[:p])
	clear(dst[p:s.rows])
	for i := p - 1; i >= 0; i-- { // a row of A is never before its place among the kept
		if at := s.kept[i]; at != i {
			dst[at], dst[i] = dst[i], 0
		}
	}
	copy(dst[s.rows:], w[p:])
}

// solveLower is Lowered by L⁻¹.
func (s *RowSpace) solveLower(a, dst []float64) {
	p := s.lower.n
	for i, at := range s.kept {
		dst[i] = a[at]
	}
	s.lower.SolveLower(dst[:p])
	copy(dst[p:], a[s.rows:])
}
