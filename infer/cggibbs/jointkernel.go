package cggibbs

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// jointBatch is the number of proposals that are evaluated in one reading of the
// design, and from one guard to the next; guardShare of the coordinates, rounded up,
// move by themselves in a guard.
const (
	jointBatch = 16
	guardShare = 8
)

// jointSetup is a rotated basis whose coordinates move all at once.
type jointSetup struct {
	*basisSetup
	law   *jointLaw
	pilot jointPilot
	why   string // it was chosen
}

// jointKernel is one chain of independence Metropolis steps. The proposals do not
// depend on where the chain is, so jointBatch of them are drawn and evaluated ahead:
// they wait in the queue, which is part of the state. Each step decides on the next
// ones, by the ratio of the weights posterior/proposal.
//
// Proposals may lie lighter than the posterior somewhere, whence a chain would be
// long in leaving: so jointBatch of them begin with a guard, univariate updates of the
// next coordinates in turn, whatever the state. Every coordinate is updated once in
// guardShare·jointBatch proposals, of tall data once in dim·jointBatch. Where
// Options.Joint is "swept" there are no guards, since every so many iterations end with a sweep.
//
// Source: Tierney (1994), Markov chains for exploring posterior distributions,
// section 2.3.3, doi:10.1214/aos/1176325750.
type jointKernel struct {
	*basisKernel
	setup *jointSetup
	batch *glm.Batch
	queue queue

	weight float64   // log weight of where the chain is, between proposals
	taken  int       // place in the queue of where it is, −1 where the point itself is there
	v, z   []float64 // scratch
}

// queue holds proposals with their log likelihoods and log weights.
type queue struct {
	u               []float64 // one after the other
	logLik, weights []float64
}

// Kernel returns one chain at its dispersed start.
func (s *jointSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.basisSetup.Kernel(c)
	if err != nil {
		return nil, err
	}
	dim, like := len(s.widths), s.frame.Like
	out := &jointKernel{basisKernel: k.(*basisKernel), setup: s, batch: glm.NewBatch(like, nil),
		queue: queue{make([]float64, jointBatch*dim), make([]float64, jointBatch), make([]float64, jointBatch)},
		v:     make([]float64, like.Cols()), z: make([]float64, dim), taken: -1}
	out.Saver = state.NewSaver("cggibbs", jointStateVersion, out.list)
	return out, nil
}

// Step decides on Options.Moves joint proposals in turn, with a guard before one when it is due,
// or, where Options.Joint is "swept", a sweep after the last in each Options.SweepEvery-th iteration. See kernel.Step
// for its errors.
//
// Cost: n·(k + 1) a proposal for k coordinates, in a batch that reads the design once for 16
// of them; a guard costs another reading and k/8 updates, a sweep k of them.
func (k *jointKernel) Step() (infer.Info, error) {
	k.touched, k.slice.evaluations = 0, 0
	k.proposals, k.accepted = 0, 0
	if k.plainDue() {
		k.refresh()
		if j, ok := k.sweepPlainly(); !ok {
			return infer.Info{}, k.failed(j)
		}
	}
	k.weigh()
	for i := range k.opts.movesIn(k.iteration, k.scan.first) {
		at := k.queued(i)
		if at == 0 {
			k.arriveAt()
			if j, ok := k.guard(i); !ok {
				return infer.Info{}, k.failed(j)
			}
			if at, ok := k.propose(); !ok {
				return infer.Info{}, &NonFiniteError{"all parameters at once", k.iteration, k.queue.weights[at]}
			}
		}
		k.decide(at)
	}
	k.arriveAt()
	if k.opts.sweeps(k.iteration) {
		k.refresh()
		if j, ok := k.sweep(); !ok {
			return infer.Info{}, k.failed(j)
		}
		k.renew()
	}
	k.iteration++
	return infer.Info{LogLik: k.point.Value().LogLik, LogPrior: k.logPrior(), Accept: k.accepted / float64(k.proposals),
		Evaluations: k.slice.evaluations + k.proposals, Touched: k.touched}, nil
}

// guardSize returns how many of some coordinates a guard updates: of tall data one, since there the posterior is near
// normal, and an update costs as much as six proposals.
func guardSize(rows, coordinates int) int {
	if glm.Tall(rows) {
		return 1
	}
	return (coordinates + guardShare - 1) / guardShare
}

// guarded returns the i-th coordinate of the guard after some number of proposals, size being that of guards.
func guarded(decided int64, i, size, dim int) int {
	cycle := int(decided / jointBatch % int64(dim))
	return (cycle*size + i) % dim
}

// decided returns how many proposals were decided on before proposal i of an iteration.
func (k *jointKernel) decided(iteration int64, i int) int64 {
	warm := min(iteration, k.scan.first)
	return warm*int64(k.opts.movesIn(0, warm)) + (iteration-warm)*int64(k.opts.moves()) + int64(i)
}

// queued returns the place in the queue of proposal i of an iteration.
func (k *jointKernel) queued(i int) int { return int(k.decided(k.iteration, i) % jointBatch) }

// guard makes the cached predictor anew and updates the coordinates whose turn it
// is before proposal i of an iteration; none where sweeps do. It returns the one whose
// log density was not finite.
func (k *jointKernel) guard(i int) (failed int, ok bool) {
	if k.opts.Joint == "swept" {
		return 0, true
	}
	k.refresh()
	dim := len(k.widths)
	size := guardSize(int(k.rows()), dim)
	for c := range size {
		j := guarded(k.decided(k.iteration, i), c, size, dim)
		if k.opts.Scan == "random" {
			j = variate.Index(k.stream, dim)
		}
		if !k.update(j) {
			return j, false
		}
	}
	k.arrive()
	k.weigh()
	return 0, true
}

// propose fills the queue. It returns the place of a proposal whose log density was
// NaN or +Inf.
func (k *jointKernel) propose() (failed int, ok bool) {
	q := &k.queue
	k.setup.law.draws(k.stream, q.u)
	k.batch.LogLiks(q.u, q.logLik)
	k.touched += k.entries() + jointBatch*k.rows()
	k.setup.weights(q.u, q.logLik, q.weights, k.v, k.z)
	for i, w := range q.weights {
		if !(w <= math.MaxFloat64) {
			return i, false
		}
	}
	return 0, true
}

// decide takes a proposal of the queue, or stays.
func (k *jointKernel) decide(at int) {
	threshold := logUniform(k.stream)
	ratio := k.queue.weights[at] - k.weight
	k.proposals++
	if ratio >= 0 {
		k.accepted++
	} else {
		k.accepted += vec.Exp(ratio)
	}
	if threshold < ratio {
		k.taken, k.weight = at, k.queue.weights[at]
	}
}

// arriveAt moves the point to the proposal that was taken last, if one was.
func (k *jointKernel) arriveAt() {
	if at, dim := k.taken, len(k.widths); at >= 0 {
		k.point.Place(k.queue.u[at*dim:(at+1)*dim], k.queue.logLik[at])
		k.renew()
		k.taken = -1
	}
}

// weigh finds the weight of the point.
func (k *jointKernel) weigh() {
	logLik, weight := [1]float64{k.point.Value().LogLik}, [1]float64{}
	k.setup.weights(k.u, logLik[:], weight[:], k.v, k.z)
	k.weight = weight[0]
}

// weights writes the logs of posterior over proposal density, less a constant, at points x with their log likelihoods,
// at most jointBatch of them. v and z are scratch.
func (s *jointSetup) weights(x, logLik, dst, v, z []float64) {
	s.law.logDensities(x, dst, z)
	for i, l := range logLik {
		at := x[i*len(z) : (i+1)*len(z)]
		s.frame.Values(at[:len(v)], v)
		value := l + s.frame.LogPrior(v)
		for j := len(v); j < len(at); j++ {
			value += s.frame.Like.LogPriorAlong(j, at[j])
		}
		dst[i] = value - dst[i]
	}
}
