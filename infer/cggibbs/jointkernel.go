package cggibbs

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
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
// Options.Joint is "swept" there are no guards, since each iteration ends with a sweep.
//
// Source: Tierney (1994), Markov chains for exploring posterior distributions,
// section 2.3.3, doi:10.1214/aos/1176325750.
type jointKernel struct {
	*basisKernel
	setup *jointSetup
	batch *glm.Batch
	queue queue

	v, z []float64 // scratch
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
	return &jointKernel{basisKernel: k.(*basisKernel), setup: s, batch: glm.NewBatch(like, nil),
		queue: queue{make([]float64, jointBatch*dim), make([]float64, jointBatch), make([]float64, jointBatch)},
		v:     make([]float64, like.Cols()), z: make([]float64, dim)}, nil
}

// Step decides on Options.Moves joint proposals in turn, with a guard before one when it is due,
// or, where Options.Joint is "swept", a sweep after the last. See kernel.Step for its errors.
//
// Cost: n·(k + 1) a proposal for k coordinates, in a batch that reads the design once for 16
// of them; a guard costs another reading and k/8 updates, a sweep k of them.
func (k *jointKernel) Step() (infer.Info, error) {
	k.touched, k.slice.evaluations = 0, 0
	k.proposals, k.accepted = 0, 0
	for i := range k.opts.moves() {
		at := k.queued(i)
		if at == 0 {
			if j, ok := k.guard(i); !ok {
				return infer.Info{}, k.failed(j)
			}
			if at, ok := k.propose(); !ok {
				return infer.Info{}, &NonFiniteError{"all parameters at once", k.iteration, k.queue.weights[at]}
			}
		}
		k.decide(at)
	}
	if k.opts.Joint == "swept" {
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
func (k *jointKernel) decided(i int) int64 { return k.iteration*int64(k.opts.moves()) + int64(i) }

// queued returns the place in the queue of proposal i of an iteration.
func (k *jointKernel) queued(i int) int { return int(k.decided(i) % jointBatch) }

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
		j := guarded(k.decided(i), c, size, dim)
		if k.opts.Scan == "random" {
			j = variate.Index(k.stream, dim)
		}
		if !k.update(j) {
			return j, false
		}
	}
	k.arrive()
	return 0, true
}

// propose fills the queue. It returns the place of a proposal whose log density was
// NaN or +Inf.
func (k *jointKernel) propose() (failed int, ok bool) {
	q, dim := &k.queue, len(k.widths)
	for i := range jointBatch {
		k.setup.law.draw(k.stream, q.u[i*dim:(i+1)*dim])
	}
	k.batch.LogLiks(q.u, q.logLik)
	k.touched += k.entries() + jointBatch*k.rows()
	for i := range jointBatch {
		x := q.u[i*dim : (i+1)*dim]
		k.frame.Values(x[:len(k.v)], k.v)
		q.weights[i] = k.setup.weight(x, k.v, k.z, q.logLik[i])
		if !(q.weights[i] <= math.MaxFloat64) {
			return i, false
		}
	}
	return 0, true
}

// decide moves to a proposal of the queue, or stays.
func (k *jointKernel) decide(at int) {
	dim := len(k.widths)
	threshold := logUniform(k.stream)
	ratio := k.queue.weights[at] - k.setup.weight(k.u, k.line.v, k.z, k.point.Value().LogLik)
	k.proposals++
	k.accepted += min(1, vec.Exp(ratio))
	if threshold < ratio {
		k.point.Place(k.queue.u[at*dim:(at+1)*dim], k.queue.logLik[at])
		k.renew()
	}
}

// weight returns the log of posterior over proposal density at x, whose
// coefficients' values are v, less a constant.
func (s *jointSetup) weight(x, v, z []float64, logLik float64) float64 {
	value := logLik + s.frame.LogPrior(v)
	for j := len(v); j < len(x); j++ {
		value += s.frame.Like.LogPriorAlong(j, x[j])
	}
	return value - s.law.logDensity(x, z)
}
