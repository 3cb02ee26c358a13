package nuts

import (
	"math"

	"glmbatch/internal/simd"
)

// kernels are the vector passes, which have the bits of scalar ones.
var kernels = simd.Vector()

// point is a point of phase space. It does not change once it is made.
type point struct {
	u, p     []float64 // position, as Target.Unconstrain writes it, and momentum
	grad     []float64 // of the log posterior at u
	velocity []float64 // the metric times p
	energy   float64   // −log posterior + ½·pᵀMp; +Inf or NaN out of bounds
	density
}

// density holds the densities at a position.
type density struct{ logPosterior, logLik, logPrior float64 }

// phase holds the numbers of a trajectory: it is the space of points whose
// weight is e^(H₀ − H), moved by leapfrog steps.
type phase struct {
	densities func(u, grad []float64) (logPosterior, logLik, logPrior float64)
	metric    *metric
	step      float64 // step size
	start     float64 // energy at the start, H₀
	pool      pool
	taken     int64 // gradients
}

func newPhase(target Target, m *metric) *phase {
	return &phase{densities: target.Densities(), metric: m, pool: pool{dim: target.Dim()}}
}

// gradient evaluates the density and its gradient at u.
func (s *phase) gradient(u, grad []float64) (out density) {
	s.taken++
	out.logPosterior, out.logLik, out.logPrior = s.densities(u, grad)
	return out
}

// hamiltonian sets the velocity and the energy of a point.
func (s *phase) hamiltonian(z *point) {
	s.metric.velocity(z.p, z.velocity)
	z.energy = math.FMA(0.5, kernels.Dot(z.p, z.velocity), -z.logPosterior)
}

// leap makes one leapfrog step: half a kick, a drift, half a kick.
func (s *phase) leap(from *point, forward bool) *point {
	e := s.step
	if !forward {
		e = -e
	}
	z := s.pool.point()
	copy(z.p, from.p)
	kernels.Axpy(e/2, from.grad, z.p)
	s.metric.velocity(z.p, z.velocity)
	copy(z.u, from.u)
	kernels.Axpy(e, z.velocity, z.u)
	z.density = s.gradient(z.u, z.grad)
	kernels.Axpy(e/2, z.grad, z.p)
	s.hamiltonian(z)
	return z
}

// weigh returns H₀ − H; an energy that is not a number counts as infinite.
func (s *phase) weigh(z *point) (logWeight float64, divergent bool) {
	w := s.start - z.energy
	if math.IsNaN(w) {
		w = math.Inf(-1)
	}
	return w, -w > maxDeltaH
}

func (s *phase) momentum(z *point) []float64 { return z.p }

func (s *phase) add(a, b []float64) []float64 {
	sum := s.pool.vector()
	for j, v := range a {
		sum[j] = v + b[j]
	}
	return sum
}

// turned is the generalised criterion: one end's velocity does not point along
// the sum of momenta any more.
//
// Source: Betancourt (2013), Generalizing the No-U-Turn Sampler to Riemannian
// manifolds, arXiv:1304.1920.
func (s *phase) turned(one, other *point, sum []float64) bool {
	return !(kernels.Dot(one.velocity, sum) > 0 && kernels.Dot(other.velocity, sum) > 0)
}

func (s *phase) release(z *point)       { s.pool.points = append(s.pool.points, z) }
func (s *phase) releaseSum(v []float64) { s.pool.vectors = append(s.pool.vectors, v) }

// pool lends points and vectors, and takes them back. The caller copies the results of a transition before the next
// begins: reset takes back all that is still lent. The numbers of a trajectory so stay near the processor, whatever
// its length: some three points for each doubling.
type pool struct {
	dim     int
	vectors [][]float64 // not lent
	points  []*point
	allV    [][]float64 // all that were made
	allP    []*point
}

// reset takes everything back.
func (l *pool) reset() {
	l.vectors = append(l.vectors[:0], l.allV...)
	l.points = append(l.points[:0], l.allP...)
}

func (l *pool) vector() []float64 {
	n := len(l.vectors)
	if n == 0 {
		v := make([]float64, l.dim)
		l.allV = append(l.allV, v)
		return v
	}
	v := l.vectors[n-1]
	l.vectors = l.vectors[:n-1]
	return v
}

func (l *pool) point() *point {
	n := len(l.points)
	if n == 0 {
		z := newPoint(l.dim)
		l.allP = append(l.allP, z)
		return z
	}
	z := l.points[n-1]
	l.points = l.points[:n-1]
	return z
}

func newPoint(dim int) *point {
	v := make([]float64, 4*dim)
	return &point{u: v[:dim:dim], p: v[dim : 2*dim : 2*dim], grad: v[2*dim : 3*dim : 3*dim], velocity: v[3*dim:]}
}

// take copies another point.
func (z *point) take(other *point) {
	copy(z.u, other.u)
	copy(z.p, other.p)
	copy(z.grad, other.grad)
	copy(z.velocity, other.velocity)
	z.energy, z.density = other.energy, other.density
}
