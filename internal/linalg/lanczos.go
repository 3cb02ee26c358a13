package linalg

import (
	"cmp"
	"math"
	"slices"
)

// LargestEigen returns the k eigenvalues of largest magnitude of a symmetric n × n matrix that is known by its products
// alone, in descending order (not of their magnitude), and their orthonormal eigenvectors by column. multiply writes
// the product of the matrix with v to dst.
//
// Lanczos' process with full reorthogonalisation, without a restart: the space grows until the residual of each wanted
// pair is below 1e-14 of the largest value. A matrix of few rows is decomposed whole. The start and the order of
// operations are fixed, so that equal input gives equal bits. Cost: for a space of m vectors, some 2·k of them and
// more where values lie close, m products and about 4·n·m² + 3·m³ multiplications.
//
// Source: Parlett (1998), The Symmetric Eigenvalue Problem, chapter 13, doi:10.1137/1.9781611971163.
func LargestEigen(n, k int, multiply func(dst, v []float64)) (values, vectors []float64, err error) {
	l := &lanczos{n: n, multiply: multiply}
	for m := min(n, 2*k+40); ; m = min(n, m+m/2) {
		l.grow(m)
		done, err := l.solve(k)
		if err != nil {
			return nil, nil, err
		}
		if done || len(l.alpha) >= n {
			break
		}
	}
	values, vectors = l.largest(k)
	return values, vectors, nil
}

// lanczos is the tridiagonal form of a matrix in the space of the vectors found so far.
type lanczos struct {
	n           int
	multiply    func(dst, v []float64)
	basis       [][]float64
	alpha, beta []float64 // diagonal, and below it; beta[j] is the length of what vector j + 1 was before it was scaled
	next        []float64 // vector len(alpha)
	values, z   []float64 // of the tridiagonal form
}

// grow adds vectors up to m.
func (l *lanczos) grow(m int) {
	if l.next == nil {
		l.next = l.fresh(0)
	}
	for j := len(l.alpha); j < m; j++ {
		l.basis = append(l.basis, l.next)
		w := make([]float64, l.n)
		l.multiply(w, l.next)
		size := math.Sqrt(kernels.SumSquares(w))
		l.alpha = append(l.alpha, kernels.Dot(w, l.next))
		rest := l.orthogonal(w)
		if j+1 < l.n && !(rest > 1e-15*size) { // the space holds its own products: continue with another start
			rest, w = 0, l.fresh(j+1)
		}
		l.beta, l.next = append(l.beta, rest), w
	}
}

// fresh is a vector of length 1 that is orthogonal to all so far: of fixed numbers without a pattern that a symmetric
// matrix might share.
func (l *lanczos) fresh(start int) []float64 {
	w := make([]float64, l.n)
	for i := range w {
		_, part := math.Modf(float64(float64((start+1)*(i+1)) * 0.6180339887498949))
		w[i] = part + 0.1
	}
	if len(l.basis) == l.n || l.orthogonal(w) == 0 {
		clear(w)
	}
	return w
}

// orthogonal takes the vectors so far out of w, twice, scales it to length 1 and returns what its length was.
func (l *lanczos) orthogonal(w []float64) float64 {
	for range 2 {
		for _, q := range l.basis {
			kernels.Axpy(-kernels.Dot(q, w), q, w)
		}
	}
	length := math.Sqrt(kernels.SumSquares(w))
	for i := range w {
		if length > 0 {
			w[i] /= length
		}
	}
	return length
}

// solve decomposes the tridiagonal form, and reports whether the k largest values belong to the matrix.
func (l *lanczos) solve(k int) (done bool, err error) {
	m := len(l.alpha)
	l.values = slices.Clone(l.alpha)
	l.z = make([]float64, m*m)
	for j := range m {
		l.z[j*m+j] = 1
	}
	off := slices.Clone(l.beta)
	if err := implicitQL(l.values, off, l.z, m); err != nil {
		return false, err
	}
	sortColumns(l.values, l.z, m)
	order := l.order()
	largest := math.Abs(l.values[order[0]])
	for _, i := range order[:min(k, m)] {
		if !(math.Abs(float64(l.beta[m-1]*l.z[i*m+m-1])) <= 1e-14*largest) {
			return false, nil
		}
	}
	return true, nil
}

// order is that of the values by magnitude.
func (l *lanczos) order() []int {
	out := make([]int, len(l.values))
	for i := range out {
		out[i] = i
	}
	slices.SortStableFunc(out, func(a, b int) int { return cmp.Compare(math.Abs(l.values[b]), math.Abs(l.values[a])) })
	return out
}

// largest returns the k values of largest magnitude, and their vectors.
func (l *lanczos) largest(k int) (values, vectors []float64) {
	m := len(l.alpha)
	kept := l.order()[:min(k, m)]
	slices.Sort(kept)
	for _, i := range kept {
		values = append(values, l.values[i])
		v := make([]float64, l.n)
		for j, q := range l.basis {
			kernels.Axpy(l.z[i*m+j], q, v)
		}
		vectors = append(vectors, v...)
	}
	return values, vectors
}
