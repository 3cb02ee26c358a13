package cggibbs

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/update"
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
// Proposals may lie lighter than the posterior somewhere, whence a chain would be long in leaving: so jointBatch of
// them begin with a guard, univariate updates of the next coordinates in turn, whatever the state. Every coordinate
// is updated once in guardShare·jointBatch proposals, of tall data once in dim·jointBatch. If Options.Joint is
// "swept" there are no guards, since regular iterations end with a sweep.
//
// Source: Tierney (1994), Markov chains for exploring posterior distributions,
// section 2.3.3, doi:10.1214/aos/1176325750.
type jointKernel struct {
	*basisKernel
	setup *jointSetup
	batch *glm.Batch
	queue queue

	weight float64   // log weight of where the chain is, between proposals
	taken  int       // index of the current proposal in the queue, −1 for the point itself
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
	out.Updates = update.Schedule{First: update.Moves{out.begin}, Each: update.Moves{out.decideNext},
		Last: update.Moves{out.end}}
	out.Saver = state.NewSaver("cggibbs", jointStateVersion, out.list)
	return out, nil
}

// Step decides on Options.Moves joint proposals in turn, with a guard before one when it is due,
// or, where Options.Joint is "swept", a sweep after the last in each Options.SweepEvery-th iteration. See stepper.step.
//
// Cost: n·(k + 1) a proposal for k coordinates, in a batch that reads the design once for 16
// of them; a guard costs another reading and k/8 updates, a sweep k of them.
func (k *jointKernel) Step() (infer.Info, error) {
	return k.step(k, &k.Updates, k.opts.movesIn(k.Iteration, k.scan.first))
}

// ended does nothing, since the last move has brought u to the point, unless a move has failed.
func (k *jointKernel) ended() {
	if k.Failing != "" {
		k.arrive()
	}
}

// begin makes a plain sweep when one is due, and finds the weight of the point.
func (k *jointKernel) begin() bool {
	if k.plainDue() && !(k.refresh() && k.sweepPlainly()) {
		return false
	}
	k.weigh()
	return true
}

// decideNext decides on the next proposal of the queue, which it fills after a guard if it is empty.
func (k *jointKernel) decideNext() bool {
	at := k.queued(k.Turn)
	if at == 0 {
		k.arriveAt()
		if !k.guard(k.Turn) || !k.propose() {
			return false
		}
	}
	k.decide(at)
	return true
}

// end brings u to the point, and sweeps when that is due.
func (k *jointKernel) end() bool {
	k.arriveAt()
	if k.opts.sweeps(k.Iteration) {
		if !k.refresh() || !k.sweep() {
			return false
		}
		k.renew()
	}
	return true
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
func (k *jointKernel) queued(i int) int { return int(k.decided(k.Iteration, i) % jointBatch) }

// guard recomputes the cached predictor and updates the coordinates whose turn it is before proposal i of an
// iteration; none if sweeps do that.
func (k *jointKernel) guard(i int) bool {
	if k.opts.Joint == "swept" {
		return true
	}
	k.refresh()
	dim := len(k.widths)
	size := guardSize(int(k.rows()), dim)
	for c := range size {
		j := guarded(k.decided(k.Iteration, i), c, size, dim)
		if k.opts.Scan == "random" {
			j = variate.Index(k.Stream, dim)
		}
		if !k.update(j) {
			return false
		}
	}
	k.arrive()
	k.weigh()
	return true
}

// propose fills the queue.
func (k *jointKernel) propose() bool {
	q := &k.queue
	k.setup.law.draws(k.Stream, q.u)
	k.batch.LogLiks(q.u, q.logLik)
	k.Touched += k.entries() + jointBatch*k.rows()
	k.setup.weights(q.u, q.logLik, q.weights, k.v, k.z)
	for _, w := range q.weights {
		if !(w <= math.MaxFloat64) {
			return k.Fail("all parameters at once", w)
		}
	}
	return true
}

// decide takes a proposal of the queue, or stays.
func (k *jointKernel) decide(at int) {
	threshold := logUniform(k.Stream)
	ratio := k.queue.weights[at] - k.weight
	accept := 1.0
	if !(ratio >= 0) {
		accept = vec.Exp(ratio)
	}
	k.Tally(accept)
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

// weights writes the logs of posterior over proposal density, up to a constant, at points x with their log
// likelihoods, at most jointBatch of them. v and z are scratch.
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
