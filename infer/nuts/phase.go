package nuts

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/internal/vec"
)

// point is a point of phase space. It does not change once it is made.
type point struct {
	u, p     []float64 // position, as Target.Unconstrain has it, and momentum
	grad     []float64 // of the log posterior at u
	velocity []float64 // the metric times p
	energy   float64   // −log posterior + ½·pᵀMp; +Inf or NaN out of bounds
	density
}

// density is what is known about a position.
type density struct{ logPosterior, logLik, logPrior float64 }

// phase holds the numbers of a trajectory: it is the space of points whose
// weight is e^(H₀ − H), moved by leapfrog steps.
type phase struct {
	target *glm.Target
	at     *glm.Predictor // where the last gradient was taken
	rows   []float64      // scratch
	metric *metric
	step   float64 // step size
	start  float64 // energy at the start, H₀
	pool   pool
	taken  int64 // gradients
}

func newPhase(target *glm.Target, m *metric) *phase {
	return &phase{
		target: target, at: glm.NewPredictor(target), rows: make([]float64, target.Rows()),
		metric: m, pool: pool{dim: target.Dim()},
	}
}

// gradient evaluates the density and its gradient at u. Cost: two passes over
// X, 2·n·d.
func (s *phase) gradient(u, grad []float64) density {
	s.at.SetUnconstrained(u)
	s.at.Gradient(grad, s.rows)
	s.taken++
	logLik, logPrior := s.at.Value().LogLik, s.at.LogPrior()
	return density{s.at.LogPosterior(), logLik, logPrior}
}

// hamiltonian sets the velocity and the energy of a point.
func (s *phase) hamiltonian(z *point) {
	s.metric.velocity(z.p, z.velocity)
	z.energy = math.FMA(0.5, vec.Dot(z.p, z.velocity), -z.logPosterior)
}

// leap makes one leapfrog step: half a kick, a drift, half a kick.
func (s *phase) leap(from *point, forward bool) *point {
	e := s.step
	if !forward {
		e = -e
	}
	z := s.pool.point()
	for j, p := range from.p {
		z.p[j] = math.FMA(e/2, from.grad[j], p)
	}
	s.metric.velocity(z.p, z.velocity)
	for j, u := range from.u {
		z.u[j] = math.FMA(e, z.velocity[j], u)
	}
	z.density = s.gradient(z.u, z.grad)
	for j, g := range z.grad {
		z.p[j] = math.FMA(e/2, g, z.p[j])
	}
	s.hamiltonian(z)
	return z
}

// weigh returns H₀ − H; an energy that is no number counts as infinite.
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
	return !(vec.Dot(one.velocity, sum) > 0 && vec.Dot(other.velocity, sum) > 0)
}

// pool lends the vectors of one transition and takes them back all at once, so
// that short trajectories allocate nothing. Of a long one the vectors beyond
// poolNumbers are left to the garbage collector.
type pool struct {
	dim     int
	vectors [][]float64
	points  []*point
	usedV   int
	usedP   int
}

// poolNumbers bounds what a pool keeps: 2^20 numbers, 8 MB.
const poolNumbers = 1 << 20

// reset takes everything back.
func (l *pool) reset() { l.usedV, l.usedP = 0, 0 }

func (l *pool) vector() []float64 {
	if l.usedV < len(l.vectors) {
		l.usedV++
		return l.vectors[l.usedV-1]
	}
	v := make([]float64, l.dim)
	if (len(l.vectors)+1)*l.dim <= poolNumbers {
		l.vectors = append(l.vectors, v)
		l.usedV++
	}
	return v
}

func (l *pool) point() *point {
	if l.usedP < len(l.points) {
		l.usedP++
		return l.points[l.usedP-1]
	}
	z := newPoint(l.dim)
	if (len(l.points)+1)*4*l.dim <= poolNumbers {
		l.points = append(l.points, z)
		l.usedP++
	}
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
