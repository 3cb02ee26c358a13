package mrf

import (
	"glmbatch/infer"
	"glmbatch/internal/state"
)

// Walk is the state of a chain over a model: its state, the best state that an
// iteration ended in, and U of both. Kernels embed it.
type Walk struct {
	state.Saver
	of        Model
	rng       *infer.Stream
	iteration uint64
	x         []uint8
	u         float64 // U(x), by increments
	best      []uint8
	bestU     float64

	lw []float64 // scratch
}

// NewWalk returns a walk that starts at x, and keeps x.
func NewWalk(m Model, rng *infer.Stream, x []uint8) Walk {
	k := Walk{of: m, rng: rng, x: x, best: append([]uint8(nil), x...), lw: make([]float64, MaxStates(m))}
	k.u = k.sum()
	k.bestU = k.u
	return k
}

// State returns the current state; it aliases the chain's own.
func (k *Walk) State() []uint8 { return k.x }

// U is U of the current state.
func (k *Walk) U() float64 { return k.u }

// Iterations is how many have ended.
func (k *Walk) Iterations() uint64 { return k.iteration }

// Best writes the state of largest U of those that iterations ended in, the start
// included, and returns its U.
func (k *Walk) Best(dst []uint8) float64 {
	copy(dst, k.best)
	return k.bestU
}

// Position writes the states.
func (k *Walk) Position(dst []float64) {
	for i, a := range k.x {
		dst[i] = float64(a)
	}
}

// Shift says by how much a change of state has moved U.
func (k *Walk) Shift(by float64) { k.u += by }

// Recount recomputes U of the current state, if changes did not go by Shift. Cost: a pass over the edges.
func (k *Walk) Recount() { k.u = k.sum() }

// refreshEvery is the number of iterations between recomputed sums of U.
const refreshEvery = 128

// End ends an iteration.
func (k *Walk) End() {
	if k.iteration++; k.iteration%refreshEvery == 0 {
		k.u = k.sum()
	}
	if k.u > k.bestU {
		k.bestU = k.u
		copy(k.best, k.x)
	}
}

// sum returns U(x), recomputed.
func (k *Walk) sum() float64 {
	u := 0.0
	for i, a := range k.x {
		k.of.LogPrefix(k.lw, i, k.x)
		u += k.lw[a]
	}
	return u
}

// stateVersion leads the state of a chain.
const stateVersion = 1

// Keep lets the walk save and restore its state, with the weights of its chain, nil for none. owner, the name of a
// package, begins the errors. The state has two bytes for each variable, eight for each weight, and 64 others, or 72
// with weights.
func (k *Walk) Keep(owner string, weights []float64) {
	k.Saver = state.NewSaver(owner, stateVersion, func(c *state.Codec) { k.list(c, weights) })
}

// list lists the state of the walk.
func (k *Walk) list(c *state.Codec, weights []float64) {
	c.Same("variables", len(k.x))
	c.Word(&k.iteration)
	u := c.Finite("log densities", []float64{k.u, k.bestU})
	for _, x := range [][]byte{c.Bytes(k.x), c.Bytes(k.best)} {
		for i, a := range x {
			if int(a) >= k.of.States(i) {
				c.Demand(false, "state %d of variable %d, which has %d", a, i, k.of.States(i))
			}
		}
	}
	if weights != nil {
		c.Finite("weights", weights)
	}
	c.Rest(k.rng)
	c.Then(func() { k.u, k.bestU = u[0], u[1] })
}
