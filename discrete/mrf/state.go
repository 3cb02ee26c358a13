package mrf

import (
	"encoding/binary"
	"fmt"

	"glmbatch/infer"
	"glmbatch/internal/state"
)

// Walk is what every chain over a model keeps: its state, the best state that an
// iteration ended in, and U of both. Kernels embed it.
type Walk struct {
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

// Recount sums U of the current state anew, where changes did not go by Shift. Cost: a pass over the edges.
func (k *Walk) Recount() { k.u = k.sum() }

// refreshEvery is the number of iterations between sums of U anew.
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

// sum returns U(x), added anew.
func (k *Walk) sum() float64 {
	u := 0.0
	for i, a := range k.x {
		k.of.LogPrefix(k.lw, i, k.x)
		u += k.lw[a]
	}
	return u
}

// stateVersion leads the serialised chain: version, number of variables, iteration, U of
// the current and of the best state, both states, weights if it has some, stream.
const stateVersion = 1

// Marshal returns the chain's state: two bytes per variable, eight per weight, and 64 more
// (72 with weights). A chain without weights has nil.
func (k *Walk) Marshal(weights []float64) ([]byte, error) {
	stream, err := k.rng.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 72+2*len(k.x)+8*len(weights)+len(stream))
	out = append(out, stateVersion)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(k.x)))
	out = binary.LittleEndian.AppendUint64(out, k.iteration)
	out = state.AppendFloats(out, []float64{k.u, k.bestU})
	out = append(out, k.x...)
	out = append(out, k.best...)
	if weights != nil {
		out = state.AppendFloats(out, weights)
	}
	return append(out, stream...), nil
}

// Unmarshal restores a state that Marshal of a chain of an equal set-up wrote, and its
// weights. owner, a package's name, leads the errors; with an error all is as it was.
func (k *Walk) Unmarshal(owner string, data []byte, weights []float64) error {
	r := state.NewReader(owner, data)
	if v := r.Byte(); r.Err() == nil && v != stateVersion {
		return fmt.Errorf("%s: chain state has version %d, this program reads %d", owner, v, stateVersion)
	}
	if n := r.Word(); r.Err() == nil && n != uint64(len(k.x)) {
		return fmt.Errorf("%s: chain state has %d variables, the model has %d", owner, n, len(k.x))
	}
	iteration, u := r.Word(), r.Finite(2, "log densities")
	x, best := r.Bytes(len(k.x)), r.Bytes(len(k.x))
	var w []float64
	if r.Err() == nil && weights != nil {
		w = r.Finite(len(weights), "weights")
	}
	raw := r.Bytes(r.Rest())
	if err := r.Err(); err != nil {
		return err
	}
	for _, s := range [][]byte{x, best} {
		for i, a := range s {
			if int(a) >= k.of.States(i) {
				return fmt.Errorf("%s: chain state has state %d of variable %d, which has %d", owner, a, i, k.of.States(i))
			}
		}
	}
	stream := new(infer.Stream)
	if err := stream.UnmarshalBinary(raw); err != nil {
		return err
	}
	*k.rng = *stream
	k.iteration, k.u, k.bestU = iteration, u[0], u[1]
	copy(k.x, x)
	copy(k.best, best)
	copy(weights, w)
	return nil
}
