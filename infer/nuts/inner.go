package nuts

import (
	"math"

	"glmbatch/infer"
	"glmbatch/internal/vec"
)

// decisions are the random decisions of trajectories, drawn from a chain's stream.
type decisions struct{ *infer.Stream }

// forward draws the direction of a doubling.
func (d decisions) forward() bool { return d.Float64() < 0.5 }

// accept is true with probability min(1, e^logRatio).
func (d decisions) accept(logRatio float64) bool { return d.Float64() < vec.Exp(min(0, logRatio)) }

// innerDepth is the largest number of doublings of an inner trajectory.
const innerDepth = 8

// Inner makes transitions of NUTS for another sampler, which draws a few coordinates given all others: the metric is
// the identity, the step size is the caller's, and nothing adapts, so that it has no state between transitions. It
// belongs to one chain.
type Inner struct {
	space *phase
	here  *point
}

// Moved holds the statistics of a transition of an Inner.
type Moved struct {
	Gradients int64
	Accept    float64 // mean over the leapfrog steps of min(1, weight); 0 if there was no step
	Divergent bool
}

// NewInner returns transitions over dim coordinates. density returns a log density, which need not be normalised, and
// writes its gradient; it may change between transitions, not during one.
func NewInner(dim int, density func(u, grad []float64) float64) *Inner {
	densities := func(u, grad []float64) (logPosterior, logLik, logPrior float64) {
		return density(u, grad), 0, 0
	}
	return &Inner{here: newPoint(dim),
		space: &phase{densities: densities, metric: unitMetric(dim, false), pool: pool{dim: dim}}}
}

// Move overwrites u, a draw from the density, with another one: a transition that leaves the density invariant. Where
// the density or its gradient at u is no finite number u stays.
//
// Cost: a gradient for u and one for each of at most 255 leapfrog steps.
func (m *Inner) Move(stream *infer.Stream, u []float64, step float64) Moved {
	s, z := m.space, m.here
	s.taken, s.step = 0, step
	s.pool.reset()
	copy(z.u, u)
	z.density = s.gradient(z.u, z.grad)
	if sum := z.logPosterior + vec.Sum(z.grad); math.IsNaN(sum) || math.IsInf(sum, 0) {
		return Moved{Gradients: s.taken}
	}
	s.metric.draw(stream, z.p)
	s.hamiltonian(z)
	s.start = z.energy
	to, f := explore(s, choices(decisions{stream}), z, innerDepth)
	copy(u, to.u)
	return Moved{Gradients: s.taken, Accept: f.mean, Divergent: f.divergent}
}
