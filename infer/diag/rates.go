package diag

import (
	"math"

	"glmbatch/infer"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Rates are the rates at which a chain mixes on a normal target, computed before it is sampled. Functions are given
// by the weights of the coordinates, in the units of the precision; an effective draw is one of the effective
// sample size for the function's mean.
type Rates struct {
	// Kept is the share of the distance from the mean that an iteration keeps along
	// the slowest direction, in the long run: the spectral radius of what an
	// iteration makes of the mean, from 0 to below 1.
	Kept float64
	// Slowest is a linear function whose autocorrelation at lag k is ±Keptᵏ; nil if the slowest directions rotate
	// into each other, or Kept is 0.
	Slowest []float64
	// Least is the number of effective draws an iteration of the linear function that
	// has the fewest of all, and Along this function.
	Least float64
	Along []float64
	// Each is the number of effective draws an iteration of each coordinate.
	Each []float64
	// Bound is the bound of Kept that a theorem gives for all targets of this condition number.
	Bound float64
	// Condition is the condition number that Bound rests on.
	Condition float64
	// Positive is the number of pairs of coordinates with a positive entry in the precision, of systematic sweeps. If
	// it is 0, the hypothesis of PaperBound holds.
	Positive int
}

// Sweep describes an iteration of a Gibbs sampler. The zero value is one systematic sweep.
type Sweep struct {
	// Random is whether coordinates are drawn with replacement, as many as there are, and not
	// taken from first to last.
	Random bool
	// Others is the number of coordinates besides those of the target, independent of them,
	// among which random scans draw, too.
	Others int
	// Times is the number of sweeps in an iteration. Zero means 1.
	Times int
}

// SweepRates returns the rates of Gibbs sampling of normal(0, A⁻¹), A symmetric with n rows. Any update whose mean
// is that of the conditional distribution has the same rates: a slice, for one.
//
// With D the diagonal of A, C = D⁻½AD⁻½ and L the lower triangle of A with D, the mean of a sweep is B = I − L⁻¹A
// (Roberts and Sahu 1997, JRSS B 59:291, theorem 1), whose spectral radius is Kept. The sum of the autocovariances
// of a sweep is Σ + 2·sym(ΣΣ Bᵏ) = A⁻¹DA⁻¹, since xᵀLx = ½·xᵀ(A + D)x: so coordinate j has Σ_jj / (A⁻¹DA⁻¹)_jj
// effective draws a sweep, and the worst linear function the least eigenvalue of C. Random scans are reversible:
// C's eigenvectors with (1 − λ/n)ⁿ give all their rates, n with Others.
//
// Condition is κ* = 1/λ_min(C), the least that diagonal scaling can make of the largest
// diagonal entry over the least eigenvalue; κ* ≤ κ_r ≤ κ_cor. A random update contracts the
// Kullback-Leibler divergence, the square of a distance, by 1 − 1/(κ*·n) (Ascolani, Lavenant
// and Zanella 2024, arXiv:2410.00858, theorem 3.2), whence Bound = exp(−times/(2κ*)).
//
// Cost: 8·n³ multiplications, and for systematic sweeps some 10 to 40 products of n × n
// matrices. The error is ErrNotDefinite.
func SweepRates(a []float64, n int, w Sweep) (*Rates, error) {
	times, updates := max(1, w.Times), float64(n+w.Others)
	c, s, err := unitDiagonal(a, n)
	if err != nil {
		return nil, err
	}
	values, vectors, err := eigenOf(c, n)
	if err != nil {
		return nil, err
	}
	condition := 1 / values[n-1]
	bound := SweepBound(condition, times)
	if w.Random {
		kept := make([]float64, n)
		for k, v := range values {
			// λ ≤ n, and the base is 0 only for n copies of one coordinate.
			kept[k] = power(max(1-v/updates, 1e-300), updates*float64(times))
		}
		out := reversible(values, vectors, s, kept)
		out.Bound, out.Condition = bound, condition
		return out, nil
	}
	out := &Rates{Bound: bound, Condition: condition, Positive: positive(c, n)}
	b := sweep(c, n)
	p := b
	for range times - 1 {
		p = product(p, b, n)
	}
	out.Kept, out.Slowest = dominant(p, n)
	total := spectralOf(values, vectors, -2) // C⁻¹DC⁻¹ with D = I
	out.Least, out.Along = values[n-1], append(out.Along, vectors[(n-1)*n:]...)
	if times > 1 {
		total = summed(p, spectralOf(values, vectors, -1), n)
		if out.Least, out.Along, err = worst(total, values, vectors, n); err != nil {
			return nil, err
		}
	}
	out.Each = make([]float64, n)
	for j := range n {
		variance := 0.0
		for k, v := range values {
			e := vectors[k*n+j]
			variance = math.FMA(e/v, e, variance)
		}
		out.Each[j] = variance / total[j*n+j]
	}
	weighted(out.Slowest, s)
	weighted(out.Along, s)
	return out, nil
}

// SweepBound returns exp(−times/(2κ)): the share of a distance that random sweeps keep at most, of any target
// whose condition number κ* is at most κ.
func SweepBound(condition float64, times int) float64 {
	return vec.Exp(-float64(times) / (2 * condition))
}

// PaperBound returns exp(−times/κ): the share of a distance that times systematic sweeps keep at most, in the long
// run, for a normal target whose precision has no positive entry off its diagonal. κ is the condition number of the
// covariance, or the residual one.
//
// Source: Luu et al. (2024), arXiv:2410.03630, theorem 4.1 and, of the residual number, proposition 4.3.
func PaperBound(condition float64, times int) float64 {
	return vec.Exp(-float64(times) / condition)
}

// positive counts the pairs of coordinates with a positive entry in a precision, above rounding of a unit diagonal.
func positive(c []float64, n int) (pairs int) {
	for i := range n {
		for _, v := range c[i*n : i*n+i] {
			if v > 1e-12 {
				pairs++
			}
		}
	}
	return pairs
}

// unitDiagonal returns SAS of unit diagonal, and S.
func unitDiagonal(a []float64, n int) (c, s []float64, err error) {
	if n == 0 || len(a) != n*n {
		return nil, nil, ErrNotDefinite
	}
	s = make([]float64, n)
	for j := range n {
		v := a[j*n+j]
		if !(v > 0) || v > math.MaxFloat64 {
			return nil, nil, ErrNotDefinite
		}
		s[j] = 1 / math.Sqrt(v)
	}
	return scaled(a, s, n), s, nil
}

// eigenOf decomposes a definite matrix, which it leaves alone.
func eigenOf(a []float64, n int) (values, vectors []float64, err error) {
	values, vectors, err = linalg.SymEigen(append([]float64(nil), a...), n)
	if err != nil || !(values[n-1] > 4e-16*float64(n)*values[0]) {
		return nil, nil, ErrNotDefinite
	}
	return values, vectors, nil
}

// weighted takes a function of scaled coordinates to one of x = S·y.
func weighted(f, s []float64) {
	for j := range f {
		f[j] /= s[j]
	}
}

// reversible has the rates of a chain that keeps the share kept[k] of eigenvector
// k of the precision of y, x = S·y.
func reversible(values, vectors, s, kept []float64) *Rates {
	n := len(s)
	slowest, along := 0, 0
	for k, r := range kept {
		if math.Abs(r) > math.Abs(kept[slowest]) {
			slowest = k
		}
		if r > kept[along] {
			along = k
		}
	}
	out := &Rates{Kept: math.Abs(kept[slowest]), Least: draws(kept[along]), Each: make([]float64, n)}
	out.Slowest = append(out.Slowest, vectors[slowest*n:(slowest+1)*n]...)
	out.Along = append(out.Along, vectors[along*n:(along+1)*n]...)
	weighted(out.Slowest, s)
	weighted(out.Along, s)
	for j := range n {
		variance, total := 0.0, 0.0
		for k, v := range values {
			e := vectors[k*n+j]
			share := float64(e*e) / v
			variance += share
			total += share / draws(kept[k])
		}
		out.Each[j] = variance / total
	}
	return out
}

// draws is the number of effective draws an iteration where autocorrelations are powers of r.
func draws(r float64) float64 { return (1 - r) / (1 + r) }

// sweep returns B = I − L⁻¹C by rows, for C of unit diagonal.
func sweep(c []float64, n int) []float64 {
	b := append([]float64(nil), c...)
	for i := range n {
		for k := range i {
			kernels.Axpy(-c[i*n+k], b[k*n:(k+1)*n], b[i*n:(i+1)*n])
		}
	}
	for i := range b {
		b[i] = -b[i]
	}
	for i := range n {
		b[i*n+i]++
	}
	return b
}

// product returns the product of two n × n matrices by rows.
func product(x, y []float64, n int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		for k := range n {
			if v := x[i*n+k]; v != 0 {
				kernels.Axpy(v, y[k*n:(k+1)*n], out[i*n:(i+1)*n])
			}
		}
	}
	return out
}

const (
	maxSquarings = 48
	enough       = 26    // squarings after which a norm's root is the radius to 1e-7
	nilpotent    = 1e-14 // norm of what is rounding
	parallel     = 1e-7  // residual of an eigenvector, relative to the eigenvalue
)

// dominant returns the spectral radius of P, and a left eigenvector of it; nil if that is complex or there is none.
// It squares P until a sum of its rows is an eigenvector. Where that never comes about, the N-th root of the norm
// of Pᴺ is the radius (Gelfand).
func dominant(p []float64, n int) (radius float64, left []float64) {
	q, logs, share := append([]float64(nil), p...), 0.0, 1.0
	left, image, weights := make([]float64, n), make([]float64, n), make([]float64, n)
	stream := infer.NewStream(1, "rates")
	for i := range weights { // without a pattern, for rows that are orthogonal or opposite
		weights[i] = variate.Normal(stream)
	}
	for range enough {
		size := math.Sqrt(vec.SumSquares(q))
		if !(size > nilpotent) {
			return 0, nil
		}
		scale(q, 1/size)
		logs = math.FMA(share, vec.Log(size), logs)
		clear(left)
		for i, w := range weights {
			kernels.Axpy(w, q[i*n:(i+1)*n], left)
		}
		if value, ok := eigenvector(left, p, image); ok {
			return math.Abs(value), left
		}
		q, share = product(q, q, n), share/2
	}
	return vec.Exp(logs), nil
}

// eigenvector reports whether a function is a left eigenvector of P, and its eigenvalue.
func eigenvector(f, p, image []float64) (value float64, ok bool) {
	n := len(f)
	clear(image)
	for i, v := range f {
		kernels.Axpy(v, p[i*n:(i+1)*n], image)
	}
	size := vec.SumSquares(f)
	value = vec.Dot(f, image) / size
	kernels.Axpy(-value, f, image)
	return value, vec.SumSquares(image) <= float64(parallel*value)*float64(parallel*value)*size
}

// spectralOf returns E·Λᵖ·Eᵀ for an integer p.
func spectralOf(values, vectors []float64, p int) []float64 {
	n := len(values)
	out := make([]float64, n*n)
	for k, v := range values {
		weight := v
		if p < 0 {
			weight = 1 / v
		}
		if p == -2 {
			weight = float64(weight * weight)
		}
		e := vectors[k*n : (k+1)*n]
		for i := range n {
			kernels.Axpy(weight*e[i], e, out[i*n:(i+1)*n])
		}
	}
	return out
}

// summed returns the sum of the autocovariances Σ, PΣ, P²Σ … on both sides of lag 0,
// doubling how many there are until the next power is nothing.
func summed(p, sigma []float64, n int) []float64 {
	one := product(p, sigma, n)
	q := p
	for range maxSquarings {
		kernels.Axpy(1, product(q, one, n), one)
		q = product(q, q, n)
		if math.Sqrt(vec.SumSquares(q)) < nilpotent {
			break
		}
	}
	out := append([]float64(nil), sigma...)
	for i := range n {
		for j := range n {
			out[i*n+j] += one[i*n+j] + one[j*n+i]
		}
	}
	return out
}

// worst returns the least of fᵀΣf / fᵀTf over linear functions f, and the f of that,
// for the sum T of the autocovariances and Σ⁻¹ by its spectrum. With f = C½e it is
// one over the largest eigenvalue of C½TC½.
func worst(total, values, vectors []float64, n int) (least float64, along []float64, err error) {
	roots := make([]float64, n)
	for k, v := range values {
		roots[k] = math.Sqrt(v)
	}
	root := spectralOf(roots, vectors, 1)
	top, directions, err := linalg.SymEigen(product(product(root, total, n), root, n), n)
	if err != nil {
		return math.NaN(), nil, ErrNotDefinite
	}
	along = make([]float64, n)
	for i := range n {
		along[i] = vec.Dot(root[i*n:(i+1)*n], directions[:n])
	}
	return 1 / top[0], along, nil
}

// Metric is the metric of a Hamiltonian sampler of a normal target after warm-up.
type Metric int

// The metrics: variances, or the covariance matrix.
const (
	Variances Metric = iota
	Covariance
)

// Trajectory is one of static Hamiltonian Monte Carlo.
type Trajectory struct {
	Length, Jitter float64 // in time; Length times a uniform draw from 1 ± Jitter
	Accept         float64 // probability that its end is taken, else the chain stays
}

// TrajectoryRates returns the rates of Hamiltonian Monte Carlo of normal(0, A⁻¹) in a learnt metric. An exact
// trajectory of length t takes an eigenvector of eigenvalue λ, of the precision in the metric, to cos(t·√λ) times
// itself, on average over momenta. t is nil if the lengths of trajectories have no fixed distribution (the
// No-U-Turn rule): then Kept, Least and Each are NaN or nil, and Slowest and Along are of the least eigenvalue.
//
// Condition is κ of the precision in the metric, and Bound 1 − 1/(16κ): what an ideal trajectory of
// length 1/(2√L) keeps, L the largest eigenvalue (Chen and Vempala 2019, arXiv:1905.02313).
//
// Cost: 16·n³ multiplications. The error is ErrNotDefinite.
func TrajectoryRates(a []float64, n int, m Metric, t *Trajectory) (*Rates, error) {
	c, s, err := unitDiagonal(a, n)
	if err != nil {
		return nil, err
	}
	values, vectors, err := eigenOf(c, n)
	if err != nil {
		return nil, err
	}
	if m == Variances {
		sigma, sds := spectralOf(values, vectors, -1), make([]float64, n)
		for j := range sds {
			sds[j] = math.Sqrt(sigma[j*n+j])
			s[j] *= sds[j]
		}
		if values, vectors, err = eigenOf(scaled(c, sds, n), n); err != nil {
			return nil, err
		}
	}
	kept, condition := make([]float64, n), values[0]/values[n-1]
	if m == Covariance {
		condition = 1
	}
	for k, v := range values {
		if m == Covariance {
			v = 1
		}
		if kept[k] = 1 - v/values[0]; t != nil { // without, to rank them
			kept[k] = math.FMA(t.Accept, t.kept(math.Sqrt(v))-1, 1)
		}
	}
	out := reversible(values, vectors, s, kept)
	out.Bound, out.Condition = 1-1/(16*condition), condition
	if t == nil {
		out.Kept, out.Least, out.Each = math.NaN(), math.NaN(), nil
	}
	return out, nil
}

// kept is the mean of cos(ω·t) over lengths.
func (t *Trajectory) kept(omega float64) float64 {
	phase := float64(omega * t.Length)
	if spread := float64(phase * t.Jitter); spread > 1e-8 {
		return float64(cosine(phase) * (cosine(spread-math.Pi/2) / spread))
	}
	return cosine(phase)
}

// cosine returns cos x, to 1e-11 for |x| < 10,000, with the same bits on every processor:
// a series for x/128 of an x within half a turn, and seven doublings.
func cosine(x float64) float64 {
	x = math.FMA(-2*math.Pi, math.Round(x/(2*math.Pi)), x) / 128
	y := float64(x * x)
	less := 0.0 // 1 − cos, which keeps its digits
	for k := 14.0; k >= 2; k -= 2 {
		less = float64(y / float64(k*(k-1)) * (1 - less))
	}
	for range 7 {
		less = float64(2 * less * (2 - less))
	}
	return 1 - less
}

// LagOne returns the autocorrelation at lag 1 of chains of one quantity, about the
// mean of all; NaN of fewer than two draws a chain, or of a constant.
func LagOne(chains [][]float64) float64 {
	total, count := 0.0, 0
	for _, x := range chains {
		total += vec.Sum(x)
		count += len(x)
	}
	middle, square, lagged := total/float64(count), 0.0, 0.0
	for _, x := range chains {
		square += vec.SquaresAbout(x, middle)
		for i := 1; i < len(x); i++ {
			lagged = math.FMA(x[i-1]-middle, x[i]-middle, lagged)
		}
	}
	if !(square > 0) || count <= len(chains) {
		return math.NaN()
	}
	return lagged / square * (float64(count) / float64(count-len(chains)))
}
