package nuts

import (
	"encoding/binary"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/internal/state"
)

// stateVersion leads a serialised kernel.
//
// Layout, little-endian: version (1 byte), flags (1), iteration, planned
// warm-up, size and last iteration of the current window (8 each), number of coordinates (8), u (8 each), stream length
// (1), stream; step size, the four numbers of dual averaging (8 each); the
// metric after its length (8 each); in warm-up the count, mean and scatter of
// the current window, each after its length.
//
// Densities and gradients are functions of u and are computed anew, to the bit.
const stateVersion = 1

const (
	flagDense = 1 << iota
	flagStatic
	flagFresh // the gradient was known: a restored chain does not count it again
)

func (k *kernel) flags() byte {
	var f byte
	if k.dense() {
		f |= flagDense
	}
	if k.opts.Static {
		f |= flagStatic
	}
	return f
}

// warming tells whether the chain at an iteration still adapts.
func (w *windows) warming(iteration int64) bool { return iteration < w.planned }

// MarshalBinary returns the whole state of the chain: O(d) numbers, or with a
// dense metric O(d²).
func (k *kernel) MarshalBinary() ([]byte, error) {
	stream, err := k.stream.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if len(stream) > math.MaxUint8 {
		return nil, fmt.Errorf("nuts: stream state of %d bytes", len(stream))
	}
	flags := k.flags()
	if k.fresh {
		flags |= flagFresh
	}
	out := []byte{stateVersion, flags}
	for _, v := range []int64{k.iteration, k.windows.planned, k.windows.size, k.windows.next} {
		out = binary.LittleEndian.AppendUint64(out, uint64(v))
	}
	out = state.AppendFloats(out, k.here.u)
	out = append(out, byte(len(stream)))
	out = append(out, stream...)
	out = state.AppendFloats(out, []float64{k.step, k.dual.count, k.dual.centre, k.dual.shortfall, k.dual.average})
	out = state.AppendFloats(out, k.space.metric.m)
	if k.windows.warming(k.iteration) {
		out = state.AppendFloats(out, []float64{k.moments.count})
		out = state.AppendFloats(out, k.moments.mean)
		out = state.AppendFloats(out, k.moments.scatter)
	}
	return out, nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh
// from an equal Setup and an equal planned warm-up. On an error the kernel is as
// it was.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("nuts", data)
	version, flags := r.Byte(), r.Byte()
	switch {
	case r.Err() == nil && version != stateVersion:
		return fmt.Errorf("nuts: chain state has version %d, this program reads %d", version, stateVersion)
	case r.Err() == nil && flags&^flagFresh != k.flags():
		return fmt.Errorf("nuts: chain state has flags %#x, this sampler has %#x: metric or method differ", flags, k.flags())
	}
	iteration, w := int64(r.Word()), k.windows
	planned := int64(r.Word())
	w.size, w.next = int64(r.Word()), int64(r.Word())
	dim := k.target.Dim()
	u := r.Finite(dim, "coordinates")
	stream := r.Bytes(int(r.Byte()))
	steps := r.Finite(5, "numbers of the step size")
	entries := r.Finite(len(k.space.metric.m), "numbers of the metric")
	if r.Err() != nil {
		return r.Err()
	}
	if planned != w.planned {
		return fmt.Errorf("nuts: chain state was planned with %d iterations of warm-up, this fit has %d", planned, w.planned)
	}
	if iteration < 0 {
		return fmt.Errorf("nuts: chain state is damaged: iteration %d", iteration)
	}
	seen, err := readMoments(r, k, w.warming(iteration), len(entries))
	if err != nil {
		return err
	}
	if err := plausible(w, steps); err != nil {
		return err
	}
	m, err := newMetric(dim, entries, k.dense())
	if err != nil {
		return fmt.Errorf("nuts: chain state is damaged: %w", err)
	}
	restored := new(infer.Stream)
	if err := restored.UnmarshalBinary(stream); err != nil {
		return err
	}
	here := newPoint(dim)
	copy(here.u, u)
	if flags&flagFresh != 0 {
		if err := k.evaluate(here); err != nil {
			return fmt.Errorf("nuts: chain state is damaged: %w", err)
		}
	}
	*k.stream = *restored
	k.iteration, k.windows, k.here, k.fresh = iteration, w, here, flags&flagFresh != 0
	k.step, k.dual = steps[0], dual{steps[1], steps[2], steps[3], steps[4]}
	k.space.metric = m
	if seen != nil {
		k.moments = seen
	}
	return nil
}

// plausible finds damage to the adaptation.
func plausible(w windows, steps []float64) error {
	switch fresh := newWindows(w.planned); {
	case !(steps[0] >= 0):
		return fmt.Errorf("nuts: chain state is damaged: step size %v", steps[0])
	case !(steps[1] >= 0):
		return fmt.Errorf("nuts: chain state is damaged: %v updates of the step size", steps[1])
	case w.size < fresh.size || w.next < fresh.next || w.next > max(fresh.next, w.end-1) || w.size > max(fresh.size, 2*w.planned):
		return fmt.Errorf("nuts: chain state is damaged: warm-up window of %d iterations to %d", w.size, w.next)
	}
	return nil
}

// readMoments reads the current window, if the chain is in warm-up, and demands
// that nothing follows.
func readMoments(r *state.Reader, k *kernel, warming bool, size int) (*moments, error) {
	var m *moments
	if warming {
		m = newMoments(k.target.Dim(), k.dense())
		m.count = r.Finite(1, "counts of the window")[0]
		m.mean = r.Finite(len(m.mean), "means of the window")
		m.scatter = r.Finite(size, "sums of the window")
	}
	switch {
	case r.Err() != nil:
		return nil, r.Err()
	case r.Rest() > 0:
		return nil, fmt.Errorf("nuts: chain state is damaged: %d bytes too many", r.Rest())
	case m != nil && !(m.count >= 0):
		return nil, fmt.Errorf("nuts: chain state is damaged: %v positions in the window", m.count)
	}
	return m, nil
}
