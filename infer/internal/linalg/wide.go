package linalg

import (
	"math"
)

// gramCondition is the condition number of A up to which RowSpace trusts AAᵀ.
const gramCondition = 1e3

// RowSpace is an orthonormal basis V of the row space of a wide n × d matrix A
// with its singular values: A = U·diag(S)·Vᵀ. Where A is well conditioned V is
// not formed: V = Aᵀ·Lift.
type RowSpace struct {
	Rank int
	S    []float64 // descending, len Rank
	US   []float64 // U·diag(S), n × Rank by column
	Lift []float64 // U·diag(S)⁻¹, n × Rank by column; nil where V is explicit
	V    []float64 // Rank × d: V(j, k) at V[j*Rank+k]; nil where Lift serves
}

// NewRowSpace decomposes A, given as Aᵀ by column (entry (i, j) of A at
// at[i*d+j]), which it may overwrite.
//
// With all singular values above 1e-3·S[0] it takes the eigenvalues of AAᵀ: VᵀV
// differs from I by at most about n·ε·(S[0]/S[n−1])², below 1e-10·n·2⁻⁷, and
// A·VVᵀ from A by that times S[0]. Otherwise it is NewSVD with tol: errors of a few
// ε, and a part of A of at most tol·S[0] in each dropped direction. Cost: n²·d/2 +
// 8·n³, or that of NewSVD, about 4·n²·d + 15·n³.
func NewRowSpace(at []float64, n, d int, tol float64) (*RowSpace, error) {
	if n <= d {
		s, err := viaGram(at, n, d)
		if s != nil || err != nil {
			return s, err
		}
	}
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

// viaGram returns nil where AAᵀ is not to be trusted.
func viaGram(at []float64, n, d int) (*RowSpace, error) {
	k := make([]float64, n*n)
	Gram(at, d, n, nil, k)
	for i := range n {
		for j := range i {
			k[j*n+i] = k[i*n+j]
		}
	}
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

// Lifted writes Lift·w to dst, len n: then Vw = Aᵀ·dst. Cost: n·Rank.
func (s *RowSpace) Lifted(w, dst []float64) {
	clear(dst)
	kernels.AxpyColumns(w, s.Lift, dst)
}

// Lowered writes Liftᵀ·a to dst, len Rank: Vᵀx for a = A·x. Cost: n·Rank.
func (s *RowSpace) Lowered(a, dst []float64) {
	kernels.DotColumns(s.Lift, a, dst)
}
