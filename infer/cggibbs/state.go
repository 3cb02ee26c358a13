package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/state"
)

// Versions of the states of chains, which begin with them.
const (
	stateVersion      = 1
	basisStateVersion = 2
	jointStateVersion = 3
	seenStateVersion  = 1
)

const (
	flagCache   = 1 << iota // the cache follows: a refresh would not give its bits
	flagSettled             // sweeps are of blocks
)

// flag returns a flag if it is set.
func flag(flag byte, set bool) byte {
	if set {
		return flag
	}
	return 0
}

// list lists the state of the chain. Just before an iteration that begins with a refresh the state is small, O(d); at
// other times it has the cached linear predictor too, O(d + n).
func (k *kernel) list(c *state.Codec) {
	flags := c.Flags(flag(flagCache, !k.due(k.opts.RefreshEvery)), flagCache)
	c.Count("iteration", &k.Iteration)
	u := make([]float64, len(k.widths))
	k.point.Centred(u)
	u = c.Finite("coordinates", u)
	c.Short(k.Stream)
	listPoint(c, k.point, flags, func(p *glm.Point) { p.SetCentred(u) })
}

// listPoint lists the cache of a point if the flags have it. The point then goes where set brings another one.
func listPoint(c *state.Codec, point *glm.Point, flags byte, set func(*glm.Point)) {
	var cache []float64
	if flags&flagCache != 0 {
		cache = c.Floats("cached numbers", point.Cache())
	}
	var next *glm.Point
	c.Check(func() error {
		next = point.Anew()
		set(next)
		if cache == nil {
			return nil
		}
		if err := plausible(cache, next.Cache()); err != nil {
			return err
		}
		next.SetCache(cache)
		return nil
	})
	c.Then(func() { point.Restore(next) })
}

// plausible returns an error unless a saved cache is what its coordinates give up to rounding: 1e-3 of the largest
// number is far more than that.
func plausible(cache, fresh []float64) error {
	size := 1.0
	for _, v := range fresh {
		size = max(size, math.Abs(v))
	}
	for i, v := range cache {
		if !(math.Abs(v-fresh[i]) <= 1e-3*size) && v != fresh[i] {
			return fmt.Errorf("cached number %d is %v, its coordinates give %v", i, v, fresh[i])
		}
	}
	return nil
}

// list lists the state of the chain, see kernel.list.
func (k *basisKernel) list(c *state.Codec) {
	allowed := flagCache | flag(flagSettled, k.blocks != nil)
	flags := c.Flags(flag(flagCache, !k.due(k.opts.RefreshEvery))|flag(flagSettled, k.settled), allowed)
	c.Count("iteration", &k.Iteration)
	c.Word(&k.key)
	c.Same("parameters", k.target.Dim())
	u := c.Finite("coordinates", k.u)
	c.Short(k.Stream)
	listPoint(c, k.point.Point, flags, func(p *glm.Point) { p.SetUnconstrained(u) })
	c.Then(func() {
		k.settled = flags&flagSettled != 0
		k.arrive()
	})
}

// list lists the state of the chain: O(k), whatever the number of rows, since a guard recomputes the cached
// predictor and nothing else reads it. Proposals are part of it while they are in the queue.
func (k *jointKernel) list(c *state.Codec) {
	iteration := c.Count("iteration", &k.Iteration)
	c.Same("parameters", k.target.Dim())
	u := c.Finite("coordinates", k.u)
	logLik := c.Float(k.point.Value().LogLik)
	c.Short(k.Stream)
	if at := int(k.decided(iteration, 0) % jointBatch); at > 0 {
		c.Finite("proposed coordinates", k.queue.u[at*len(u):])
		for _, densities := range [][]float64{{logLik}, c.Floats("log likelihoods of proposals", k.queue.logLik[at:]),
			c.Floats("weights of proposals", k.queue.weights[at:])} {
			for _, v := range densities {
				c.Demand(v <= math.MaxFloat64, "a log density is %v", v)
			}
		}
	}
	c.Check(func() error { return plausible([]float64{logLik}, []float64{k.logLikAt(u)}) })
	c.Then(func() {
		point := glm.NewPoint(k.frame.Like)
		point.Place(u, logLik)
		k.point, k.taken = glm.NewCurved(point), -1
		k.arrive()
	})
}

// logLikAt returns the log likelihood at a point.
func (k *jointKernel) logLikAt(u []float64) float64 {
	var out [1]float64
	k.batch.LogLiks(u, out[:])
	return out[0]
}

// list lists the state of the chain: that of the other sampler with the key and the iteration.
func (k *seenKernel) list(c *state.Codec) {
	c.Count("iteration", &k.iteration)
	c.Word(&k.key)
	c.Same("parameters", k.target.Dim())
	c.Rest(k.chain)
	c.Then(k.arrive)
}
