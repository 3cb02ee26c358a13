package linalg

import (
	"errors"
	"math"

	"glmbatch/internal/vec"
)

// errNoConvergence is returned when an iteration that converges in a handful
// of rounds on finite input has not: the input held NaN or infinities.
var errNoConvergence = errors.New("linalg: the decomposition did not converge; is every entry finite?")

// SymEigen decomposes the symmetric n × n matrix a, stored by column, as
// a = V·diag(values)·Vᵀ. It returns the eigenvalues in descending order and
// the orthonormal eigenvectors by column; a is overwritten.
//
// Householder reduction to tridiagonal form, then implicit QL with Wilkinson
// shifts: backward stable, |error| of a value ≤ a few n·ε·max|values|. Cost:
// about 8·n³ multiplications, n² further memory. The order of operations is
// fixed, so that equal input gives equal bits.
//
// Source: Bowdler, Martin, Reinsch, Wilkinson (1968), The QR and QL algorithms
// for symmetric matrices, doi:10.1007/BF02166681.
func SymEigen(a []float64, n int) (values, vectors []float64, err error) {
	if len(a) != n*n {
		panic("linalg: SymEigen: shape of a")
	}
	d, e := make([]float64, n), make([]float64, n)
	tau := tridiagonalise(a, n, d, e)
	z := accumulate(a, n, tau)
	if err := implicitQL(d, e, z, n); err != nil {
		return nil, nil, err
	}
	sortColumns(d, z, n)
	return d, z, nil
}

// tridiagonalise reduces a to tridiagonal form with diagonal d and
// off-diagonal e[k] = entry (k+1, k). Reflector k = I − tau[k]·v·vᵀ is left in
// column k of a, rows k+1 and below.
func tridiagonalise(a []float64, n int, d, e []float64) (tau []float64) {
	tau = make([]float64, n)
	work := make([]float64, n)
	for k := 0; k < n; k++ {
		d[k] = a[k*n+k]
		if k >= n-2 {
			if k == n-2 {
				e[k] = a[k*n+k+1]
			}
			continue
		}
		v := a[k*n+k+1 : (k+1)*n]
		e[k], tau[k] = reflector(v)
		if tau[k] != 0 {
			rankTwoUpdate(a, n, k, v, tau[k], work[:len(v)])
		}
	}
	return tau
}

// rankTwoUpdate applies the reflector (v, tau) from both sides to the trailing
// block of a below and right of k: A − v·wᵀ − w·vᵀ with
// w = tau·A·v − (tau²/2)(vᵀAv)·v.
func rankTwoUpdate(a []float64, n, k int, v []float64, tau float64, w []float64) {
	clear(w)
	for j := range v {
		kernels.Axpy(v[j], a[(k+1+j)*n+k+1:(k+2+j)*n], w)
	}
	for i := range w {
		w[i] *= tau
	}
	kernels.Axpy(-0.5*tau*kernels.Dot(w, v), v, w)
	for j := range v {
		col := a[(k+1+j)*n+k+1 : (k+2+j)*n]
		kernels.Axpy(-w[j], v, col)
		kernels.Axpy(-v[j], w, col)
	}
}

// accumulate multiplies the reflectors that tridiagonalise left in a.
func accumulate(a []float64, n int, tau []float64) (z []float64) {
	z = make([]float64, n*n)
	for j := range n {
		z[j*n+j] = 1
	}
	for k := n - 3; k >= 0; k-- {
		if tau[k] == 0 {
			continue
		}
		v := a[k*n+k+1 : (k+1)*n]
		for j := k + 1; j < n; j++ {
			reflect(v, tau[k], z[j*n+k+1:(j+1)*n])
		}
	}
	return z
}

// implicitQL diagonalises the tridiagonal matrix (d, e) and rotates the
// columns of z along; d receives the eigenvalues, in no order.
func implicitQL(d, e, z []float64, n int) error {
	var norm float64
	for k := range n {
		norm = max(norm, math.Abs(d[k]), math.Abs(e[k]))
	}
	floor := norm * 0x1p-104
	for l := range n {
		for round := 0; ; round++ {
			m := l
			for ; m < n-1; m++ {
				off := math.Abs(e[m])
				if off <= floor || off <= 0x1p-53*(math.Abs(d[m])+math.Abs(d[m+1])) {
					break
				}
			}
			if m == l {
				break
			}
			if round == 80 || math.IsNaN(norm) {
				return errNoConvergence
			}
			qlSweep(d, e, z, n, l, m)
		}
	}
	return nil
}

// qlSweep is one implicit QL step on rows l to m of the tridiagonal matrix.
func qlSweep(d, e, z []float64, n, l, m int) {
	g := (d[l+1] - d[l]) / (2 * e[l])
	r := Hypot(g, 1)
	g = d[m] - d[l] + e[l]/(g+math.Copysign(r, g))
	s, c, p := 1.0, 1.0, 0.0
	for i := m - 1; i >= l; i-- {
		f, b := s*e[i], float64(c*e[i])
		r = Hypot(f, g)
		e[i+1] = r
		if r == 0 { // underflow: the block has split, begin again
			d[i+1] -= p
			e[m] = 0
			return
		}
		s, c = f/r, g/r
		g = d[i+1] - p
		r = math.FMA(d[i]-g, s, float64(2*c*b))
		p = float64(s * r)
		d[i+1] = g + p
		g = math.FMA(c, r, -b)
		rotate(z[i*n:(i+1)*n], z[(i+1)*n:(i+2)*n], c, s)
	}
	d[l] -= p
	e[l] = g
	e[m] = 0
}

// rotate replaces (x, y) by (c·x − s·y, s·x + c·y).
func rotate(x, y []float64, c, s float64) { kernels.Rotate(c, s, x, y) }

// Hypot returns √(x² + y²); math.Hypot is assembly on some processors and its
// last bit differs.
func Hypot(x, y float64) float64 {
	x, y = math.Abs(x), math.Abs(y)
	if x < y {
		x, y = y, x
	}
	if x == 0 {
		return 0
	}
	t := y / x
	return float64(x * math.Sqrt(math.FMA(t, t, 1)))
}

// sortColumns orders values from large to small, and the columns of z, each of
// the given length, along.
func sortColumns(values, z []float64, length int) {
	n := len(values)
	for i := range n {
		best := i
		for j := i + 1; j < n; j++ {
			if values[j] > values[best] {
				best = j
			}
		}
		if best == i {
			continue
		}
		values[i], values[best] = values[best], values[i]
		x, y := z[i*length:(i+1)*length], z[best*length:(best+1)*length]
		for k := range x {
			x[k], y[k] = y[k], x[k]
		}
	}
}

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
