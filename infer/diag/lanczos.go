package diag

import (
	"errors"
	"math"

	"glmbatch/infer"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Definite is a symmetric positive definite matrix A that is known by its
// products: Mul writes A·x to dst, Solve A⁻¹·x; x and dst do not overlap.
type Definite interface {
	Dim() int
	Mul(x, dst []float64)
	Solve(x, dst []float64)
}

// errNotConverged tells that an eigenvalue was not found to a thousandth.
var errNotConverged = errors.New("diag: the iteration for an eigenvalue has not converged")

const (
	lanczosSteps = 300
	lanczosEvery = 10   // steps between looks at the convergence
	lanczosAim   = 1e-5 // residual, relative to the eigenvalue, at which it stops
)

// largest returns the largest eigenvalue of a symmetric matrix of n rows, of
// which apply writes the product with x to dst, by Lanczos' iteration from a
// fixed start with all vectors kept orthogonal. The error of the eigenvalue is
// of the order of the square of the residual, where it stands apart from the
// next. Cost: at most 300 products and 2·300²·n multiplications.
//
// Source: Golub and Van Loan (2013), Matrix Computations, 10.1.
func largest(n int, apply func(x, dst []float64)) (float64, error) {
	stream := infer.NewStream(1, "lanczos")
	q := make([]float64, n)
	for j := range q {
		q[j] = variate.Normal(stream)
	}
	scale(q, 1/math.Sqrt(vec.SumSquares(q)))
	basis := [][]float64{q}
	var alpha, beta []float64
	limit := min(n, lanczosSteps)
	for k := 0; ; k++ {
		r := make([]float64, n)
		apply(basis[k], r)
		alpha = append(alpha, vec.Dot(basis[k], r))
		for range 2 { // twice is enough (Parlett 1980)
			for _, v := range basis {
				vec.Axpy(-vec.Dot(v, r), v, r)
			}
		}
		rest := math.Sqrt(vec.SumSquares(r))
		if math.IsNaN(rest) {
			return math.NaN(), ErrNotDefinite
		}
		beta = append(beta, rest)
		done := k+1 == limit || rest == 0
		if !done && (k+1)%lanczosEvery != 0 {
			scale(r, 1/rest)
			basis = append(basis, r)
			continue
		}
		value, residual, err := ritz(alpha, beta)
		switch {
		case err != nil:
			return math.NaN(), err
		case residual <= lanczosAim*math.Abs(value) || rest == 0 || k+1 == n:
			return value, nil
		case k+1 == limit && residual > 1e-3*math.Abs(value):
			return value, errNotConverged
		case k+1 == limit:
			return value, nil
		}
		scale(r, 1/rest)
		basis = append(basis, r)
	}
}

// ritz returns the largest eigenvalue of the tridiagonal matrix and the norm of
// its residual.
func ritz(alpha, beta []float64) (value, residual float64, err error) {
	k := len(alpha)
	t := make([]float64, k*k)
	for i, a := range alpha {
		t[i*k+i] = a
		if i+1 < k {
			t[i*k+i+1], t[(i+1)*k+i] = beta[i], beta[i]
		}
	}
	values, vectors, err := linalg.SymEigen(t, k)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	return values[0], math.Abs(beta[k-1] * vectors[k-1]), nil
}

func scale(x []float64, by float64) {
	for j := range x {
		x[j] *= by
	}
}

// extremes returns the largest and the smallest eigenvalue of a matrix from its
// products and solutions.
func extremes(n int, mul, solve func(x, dst []float64)) (top, bottom float64, err error) {
	if top, err = largest(n, mul); err != nil {
		return math.NaN(), math.NaN(), err
	}
	inverse, err := largest(n, solve)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	bottom = 1 / inverse
	if !(top > 0 && bottom > 4e-16*top) {
		return math.NaN(), math.NaN(), ErrNotDefinite
	}
	return top, bottom, nil
}
