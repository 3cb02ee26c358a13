package diag

import (
	"errors"
	"math"

	"glmbatch/infer"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Condition holds the condition numbers of a covariance or of a Hessian:
// how much harder the posterior is than a round one.
type Condition struct {
	Raw         float64 // of the matrix itself: largest over smallest eigenvalue
	Correlation float64 // of D⁻½AD⁻½, D its diagonal
	// Residual is the condition number after the best diagonal preconditioner, inf over D of κ(DAD), from above;
	// ResidualLow bounds it from below: 2 % apart, unless the iterations ran out first.
	Residual, ResidualLow float64
}

// ErrNotDefinite reports that a matrix is not positive definite up to rounding.
var ErrNotDefinite = errors.New("diag: the matrix is not positive definite")

// ConditionNumbers returns the condition numbers of a symmetric positive
// definite n × n matrix, which it leaves alone. Cost: 8·n³ multiplications for
// each of at most 600 eigen-decompositions, about 0.2 s at n = 32.
//
// The residual one is a minimum over E of κ subject to E ≤ A ≤ κE with E
// diagonal (Qu et al. 2022, arXiv:2209.00809; Braatz and Morari 1994,
// doi:10.1137/S0036144593242937), hence quasi-convex. With B = SAS it is sought
// as the minimum over log S of (log tr Bᵖ + log tr B⁻ᵖ)/p for p = 1, 2, 4, …,
// which is smooth, and where it is stationary X = Bᵖ/tr and Y = B⁻ᵖ/tr have equal
// diagonals. Any such pair bounds the optimum from below by tr(BX)/tr(BY): the
// gap is what is left to find, not a hope.
func ConditionNumbers(a []float64, n int) (Condition, error) {
	nan := math.NaN()
	out := Condition{nan, nan, nan, nan}
	if n == 0 || len(a) != n*n {
		return out, ErrNotDefinite
	}
	unit, scale := make([]float64, n), make([]float64, n)
	for j := range n {
		if v := a[j*n+j]; !(v > 0) || v > math.MaxFloat64 {
			return out, ErrNotDefinite
		}
		unit[j] = 1
		scale[j] = 1 / math.Sqrt(a[j*n+j])
	}
	var err error
	if out.Raw, err = conditionOf(scaled(a, unit, n), n); err != nil {
		return out, err
	}
	equal := scaled(a, scale, n)
	if out.Correlation, err = conditionOf(append([]float64(nil), equal...), n); err != nil {
		return out, err
	}
	out.Residual, out.ResidualLow, err = residual(equal, n)
	out.Residual = min(out.Residual, out.Correlation, out.Raw)
	return out, err
}

// scaled returns SAS.
func scaled(a, s []float64, n int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		for j := range n {
			out[i*n+j] = s[i] * a[i*n+j] * s[j]
		}
	}
	return out
}

// conditionOf overwrites a.
func conditionOf(a []float64, n int) (float64, error) {
	values, _, err := linalg.SymEigen(a, n)
	if err != nil {
		return math.NaN(), err
	}
	if !(values[n-1] > 4e-16*float64(n)*values[0]) {
		return math.NaN(), ErrNotDefinite
	}
	return values[0] / values[n-1], nil
}

// smooth is the smoothed objective at scales e^log.
type smooth struct {
	value     float64
	gradient  []float64
	condition float64 // upper bound: κ(B)
	lower     float64 // by the pair X, Y made equal on the diagonal
}

// evaluate computes the objective of exponent p for the scales e^log.
func evaluate(a, log []float64, n int, p float64) (*smooth, error) {
	s := make([]float64, n)
	for j, v := range log {
		s[j] = vec.Exp(v)
	}
	values, vectors, err := linalg.SymEigen(scaled(a, s, n), n)
	if err != nil || !(values[n-1] > 0) {
		return nil, errors.Join(err, ErrNotDefinite)
	}
	top, low := values[0], values[n-1]
	x, y := make([]float64, n), make([]float64, n) // diagonals of X and Y
	var up, down float64
	for k, v := range values {
		wx, wy := power(v/top, p), power(low/v, p)
		up, down = up+wx, down+wy
		for j, e := range vectors[k*n : (k+1)*n] {
			x[j] = math.FMA(wx*e, e, x[j])
			y[j] = math.FMA(wy*e, e, y[j])
		}
	}
	out := &smooth{value: vec.Log(top) - vec.Log(low) + (vec.Log(up)+vec.Log(down))/p, condition: top / low,
		gradient: make([]float64, n)}
	for j := range x {
		x[j], y[j] = x[j]/up, y[j]/down
		out.gradient[j] = 2 * (x[j] - y[j])
	}
	out.lower = certify(values, vectors, x, y, up, down, n, p)
	return out, nil
}

// power returns xᵖ for positive x.
func power(x, p float64) float64 { return vec.Exp(p * vec.Log(x)) }

// certify scales X and Y to the smaller of their diagonals, each, and returns
// tr(BX)/tr(BY). B is taken by its spectrum.
func certify(values, vectors, x, y []float64, up, down float64, n int, p float64) float64 {
	cx, cy := make([]float64, n), make([]float64, n)
	for j := range x {
		m := min(x[j], y[j])
		cx[j], cy[j] = math.Sqrt(m/x[j]), math.Sqrt(m/y[j])
	}
	var bx, by float64
	inner := make([]float64, n)
	for k, v := range values { // X = Σ w e eᵀ: tr(B·C·X·C) = Σ w (C e)ᵀ B (C e)
		wx, wy := power(v/values[0], p)/up, power(values[n-1]/v, p)/down
		e := vectors[k*n : (k+1)*n]
		quadratic := func(c []float64) (sum float64) {
			for j := range inner {
				inner[j] = c[j] * e[j]
			}
			for l, w := range values {
				dot := 0.0
				for j, f := range vectors[l*n : (l+1)*n] {
					dot = math.FMA(f, inner[j], dot)
				}
				sum = math.FMA(w*dot, dot, sum)
			}
			return sum
		}
		bx = math.FMA(wx, quadratic(cx), bx)
		by = math.FMA(wy, quadratic(cy), by)
	}
	return bx / by
}

// residual brackets the optimum for a matrix of unit diagonal.
func residual(a []float64, n int) (high, low float64, err error) {
	high, low = math.Inf(1), 1
	log := make([]float64, n)
	left := 600
	for p := 1.0; p <= 1024 && left > 0 && high > 1.02*low; p *= 2 {
		at, err := evaluate(a, log, n, p)
		if err != nil {
			return math.NaN(), math.NaN(), err
		}
		step := 1 / p
		for round := 0; round < 60 && left > 0; round++ {
			left--
			high, low = min(high, at.condition), max(low, at.lower)
			size := 0.0
			for _, g := range at.gradient {
				size = math.FMA(g, g, size)
			}
			if size < 1e-8 || high <= 1.02*low {
				break
			}
			next, trial := make([]float64, n), (*smooth)(nil)
			for ; step > 1e-12; step /= 2 { // Armijo
				for j, g := range at.gradient {
					next[j] = math.FMA(-step, g, log[j])
				}
				if trial, err = evaluate(a, next, n, p); err == nil && trial.value <= math.FMA(-0.3*step, size, at.value) {
					break
				}
				left--
			}
			if trial == nil || step <= 1e-12 {
				break
			}
			log, at, step = next, trial, 2*step
		}
	}
	return high, low, nil
}

// Definite is a symmetric positive definite matrix A that is known by its
// products: Mul writes A·x to dst, Solve A⁻¹·x; x and dst do not overlap.
type Definite interface {
	Dim() int
	Mul(x, dst []float64)
	Solve(x, dst []float64)
}

// errNotConverged reports that an eigenvalue was not found to a thousandth.
var errNotConverged = errors.New("diag: the iteration for an eigenvalue has not converged")

const (
	lanczosSteps = 300
	lanczosEvery = 10   // steps between looks at the convergence
	lanczosAim   = 1e-5 // residual, relative to the eigenvalue, at which it stops
)

// largest returns the largest eigenvalue of a symmetric matrix of n rows, of which apply writes the product with x
// to dst, by Lanczos' iteration from a fixed start with all vectors kept orthogonal. The error of the eigenvalue is
// of the order of the square of the residual, if it is separated from the next. Cost: at most 300 products and
// 2·300²·n multiplications.
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
