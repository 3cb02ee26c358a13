package linalg

import (
	"math"

	"glmbatch/internal/vec"
)

// GeometricMean returns the matrix M with M·B·M = A, the geometric mean of A
// and B⁻¹, for symmetric positive definite n × n matrices, which it overwrites:
// M = B^−½·(B^½·A·B^½)^½·B^−½. Eigenvalues of B below 1e-15 of its largest
// count as that. Cost: about 22·n³ multiplications.
//
// Source: Bhatia (2007), Positive definite matrices, chapter 4.
func GeometricMean(a, b []float64, n int) ([]float64, error) {
	values, vectors, err := SymEigen(b, n)
	if err != nil {
		return nil, err
	}
	root, inverse := make([]float64, n), make([]float64, n)
	for j, v := range values {
		root[j] = math.Sqrt(max(v, 1e-15*values[0]))
		inverse[j] = 1 / root[j]
	}
	half := congruent(a, spectral(vectors, root, n), n)
	inner, innerVectors, err := SymEigen(half, n)
	if err != nil {
		return nil, err
	}
	for j, v := range inner {
		inner[j] = math.Sqrt(max(v, 0))
	}
	return congruent(spectral(innerVectors, inner, n), spectral(vectors, inverse, n), n), nil
}

// spectral returns V·diag(values)·Vᵀ.
func spectral(vectors, values []float64, n int) []float64 {
	out := make([]float64, n*n)
	for k, v := range values {
		u := vectors[k*n : (k+1)*n]
		for j, x := range u {
			vec.Axpy(v*x, u[:j+1], out[j*n:j*n+j+1])
		}
	}
	mirror(out, n)
	return out
}

// congruent returns S·A·S for symmetric matrices.
func congruent(a, s []float64, n int) []float64 {
	as, out := make([]float64, n*n), make([]float64, n*n)
	for i := range n {
		for j := range n {
			as[i*n+j] = vec.Dot(a[i*n:(i+1)*n], s[j*n:(j+1)*n]) // (A·S)(i, j)
		}
	}
	for i := range n {
		for k := range n {
			vec.Axpy(s[i*n+k], as[k*n:k*n+i+1], out[i*n:i*n+i+1])
		}
	}
	mirror(out, n)
	return out
}

// mirror copies the lower triangle, by rows, to the upper one.
func mirror(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
}
