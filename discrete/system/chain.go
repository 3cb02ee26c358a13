package system

import (
	"encoding/binary"
	"errors"
	"fmt"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// Version names the numbers that chains keep: it changes whenever the same states give others.
const Version = "discrete/1"

// Setup is the set-up of a sampler whose chains compute functionals of their states and count these states. It is an
// infer.Setup; its kernels are *Chain.
type Setup struct {
	*Field
	Plan
	inner infer.Setup
	focus []int // the variables that the scan is for; nil: all

	names []infer.Parameter
	at    []functional
	// weights are the variables whose weights follow the functionals.
	weights []int
}

// NewSetup wraps the set-up of a sampler of the field's model, whose kernels must be
// mrf.Samplers. focus are the variables that its scan is for, nil for all.
func (f *Field) NewSetup(inner infer.Setup, p Plan, focus []int) (*Setup, error) {
	if p.Batch > maxBatch {
		p.Batch = maxBatch
	}
	s := &Setup{Field: f, Plan: p, inner: inner, focus: focus}
	s.names, s.at = f.parameters(focus)
	return s, nil
}

// KeepWeights adds the weights of watched variables to a position. The sampler must be herded Gibbs.
func (s *Setup) KeepWeights() {
	s.weights = s.Watched
	for _, i := range s.weights {
		s.names = append(s.names, infer.Parameter{Name: "weight[" + s.ID(i) + "]", Kind: Weight, Term: s.ID(i)})
	}
}

// ChainBytes is the memory of one chain: states, counts, weights of herded Gibbs.
func (s *Setup) ChainBytes() int64 {
	n := 3*int64(s.N) + s.Plan.bytes(s.N, s.States)
	if h, ok := s.inner.(*herded.Setup); ok {
		n += h.WeightBytes()
	}
	return n
}

// Parameters names the functionals, then the watched variables.
func (s *Setup) Parameters() []infer.Parameter { return s.names }

// Kernel returns a chain at its start.
func (s *Setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.inner.Kernel(c)
	if err != nil {
		return nil, err
	}
	sampler, ok := k.(mrf.Sampler)
	if !ok {
		return nil, errors.New("discrete: the kernel is no sampler of states")
	}
	out := &Chain{Setup: s, sampler: sampler, before: make([]uint8, s.N)}
	copy(out.before, sampler.State())
	out.tally = s.newTally()
	return out, nil
}

// newTally begins to count.
func (s *Setup) newTally() tally {
	return tally{Plan: s.Plan, q: s.States, variable: s.N, only: s.focus, of: s.Model,
		lw: make([]float64, s.States), p: make([]float64, s.States)}
}

// Chain is one chain of a Setup.
type Chain struct {
	*Setup
	sampler   mrf.Sampler
	iteration int
	before    []uint8 // the state that the last iteration began with
	tally     tally
}

// Step advances the chain, and counts its state. Info.Accept is the share of
// variables that are in another state than before.
//
// Cost in addition to that of the sampler: a pass over the variables, and a full conditional of each if these are
// averaged.
func (k *Chain) Step() (infer.Info, error) {
	info, err := k.sampler.Step()
	if err != nil {
		return info, err
	}
	x := k.sampler.State()
	info.Accept = k.changed(x)
	k.tally.add(k.iteration, x)
	k.iteration++
	return info, nil
}

// changed is the share of variables that are in another state than before, of those that the
// scan is for, and notes the present states.
func (k *Chain) changed(x []uint8) float64 {
	changed := 0
	if k.focus != nil {
		for _, i := range k.focus {
			if x[i] != k.before[i] {
				changed++
			}
			k.before[i] = x[i]
		}
		return float64(changed) / float64(len(k.focus))
	}
	for i, a := range x {
		if a != k.before[i] {
			changed++
		}
	}
	copy(k.before, x)
	return float64(changed) / float64(len(x))
}

// Position writes the functionals of the state. Cost: a pass over the variables each, and
// one over the edges.
func (k *Chain) Position(dst []float64) {
	x := k.sampler.State()
	for i, f := range k.at {
		dst[i] = f.at(x)
	}
	for j, i := range k.weights {
		dst[len(k.at)+j] = k.sampler.(*herded.Chain).Weight(i)
	}
}

// Start says how the first state was made.
func (k *Chain) Start() string { return k.sampler.Start() }

// stateVersion leads the serialised chain: version, iteration, length of the sampler's
// state, that, counts.
const stateVersion = 1

// MarshalBinary returns the chain's state: the sampler's, and the counts.
func (k *Chain) MarshalBinary() ([]byte, error) {
	inner, err := k.sampler.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 17+len(inner)+len(k.tally.segments)*int(16+k.Plan.bytes(k.N, k.States)))
	out = append(out, stateVersion)
	out = binary.LittleEndian.AppendUint64(out, uint64(k.iteration))
	out = binary.LittleEndian.AppendUint64(out, uint64(len(inner)))
	return k.tally.append(append(out, inner...)), nil
}

// UnmarshalBinary restores a state that MarshalBinary of a chain of an equal set-up
// wrote.
func (k *Chain) UnmarshalBinary(data []byte) error {
	const head = 17
	if len(data) < head {
		return errors.New("discrete: a chain's state is cut short")
	}
	if data[0] != stateVersion {
		return fmt.Errorf("discrete: chain state has version %d, this program reads %d", data[0], stateVersion)
	}
	iteration, size := binary.LittleEndian.Uint64(data[1:]), binary.LittleEndian.Uint64(data[9:])
	if size > uint64(len(data)-head) {
		return errors.New("discrete: a chain's state is cut short")
	}
	counts := k.newTally()
	rest, err := counts.read(data[head+size:])
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return errors.New("discrete: a chain's state is too long")
	}
	if err := k.sampler.UnmarshalBinary(data[head : head+size]); err != nil {
		return err
	}
	k.iteration, k.tally = int(iteration), counts
	copy(k.before, k.sampler.State())
	return nil
}
