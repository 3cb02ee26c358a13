package nuts

import (
	"encoding/binary"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/internal/state"
)

// stateVersion leads a serialised kernel.
//
// Layout, little-endian: version (1 byte), flags (1), iteration, planned
// warm-up, size and last iteration of the current window (8 each), number of coordinates (8), u (8 each), stream length
// (1), stream; step size, the four numbers of dual averaging (8 each); the
// metric after its length (8 each), of low rank its diagonal, the number of
// directions (8), their values and vectors; in warm-up the count, mean and
// scatter of the current window, each after its length, of low rank those of
// positions and of gradients, then the number of rows kept, their stride (8
// each) and the rows of both.
//
// Densities and gradients are functions of u and are computed anew, to the bit.
const stateVersion = 1

const (
	flagDense = 1 << iota
	flagStatic
	flagFresh // the gradient was known: a restored chain does not count it again
	flagLowRank
)

func (k *kernel) flags() byte {
	var f byte
	if k.dense() {
		f |= flagDense
	}
	if k.lowRank() {
		f |= flagLowRank
	}
	if k.opts.Static {
		f |= flagStatic
	}
	return f
}

// warming reports whether the chain at an iteration still adapts.
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
	if low := k.space.metric.low; low != nil {
		out = binary.LittleEndian.AppendUint64(out, uint64(len(low.values)))
		out = state.AppendFloats(out, low.values)
		out = state.AppendFloats(out, low.vectors)
	}
	if k.windows.warming(k.iteration) {
		out = k.appendLearnt(out)
	}
	return out, nil
}

// appendLearnt writes what the current window has seen.
func (k *kernel) appendLearnt(out []byte) []byte {
	add := func(m *moments) {
		out = state.AppendFloats(out, []float64{m.count})
		out = state.AppendFloats(out, m.mean)
		out = state.AppendFloats(out, m.scatter)
	}
	if k.fisher == nil {
		add(k.moments)
		return out
	}
	add(k.fisher.draws)
	add(k.fisher.grads)
	out = binary.LittleEndian.AppendUint64(out, uint64(k.fisher.kept))
	out = binary.LittleEndian.AppendUint64(out, uint64(k.fisher.stride))
	return state.AppendFloats(state.AppendFloats(out, k.fisher.u), k.fisher.g)
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
	w := k.windows
	iteration, planned := int64(r.Word()), int64(r.Word())
	w.size, w.next = int64(r.Word()), int64(r.Word())
	u := r.Finite(k.target.Dim(), "coordinates")
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
	low, err := readLowRank(r, k)
	if err != nil {
		return err
	}
	seen, err := readLearnt(r, k, w.warming(iteration))
	if err != nil {
		return err
	}
	if err := plausible(w, steps); err != nil {
		return err
	}
	m, err := k.restored(entries, low)
	if err != nil {
		return err
	}
	restored := new(infer.Stream)
	if err := restored.UnmarshalBinary(stream); err != nil {
		return err
	}
	here := newPoint(len(u))
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
		k.moments, k.fisher = seen.moments, seen.fisher
	}
	return nil
}

// restored makes a metric of what was read.
func (k *kernel) restored(entries []float64, low *lowRank) (*metric, error) {
	m, err := newMetric(k.target.Dim(), entries, k.dense())
	if err != nil {
		return nil, fmt.Errorf("nuts: chain state is damaged: %w", err)
	}
	if low != nil {
		m.withLowRank(low.values, low.vectors)
	}
	return m, nil
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

// readLowRank reads the directions of a low-rank metric, nil for others.
func readLowRank(r *state.Reader, k *kernel) (*lowRank, error) {
	if !k.lowRank() || r.Err() != nil {
		return nil, r.Err()
	}
	dim, n := uint64(k.target.Dim()), r.Word()
	if n > dim || n*(dim+1) > uint64(r.Rest())/8 {
		return nil, fmt.Errorf("nuts: chain state is damaged: %d directions of the metric", n)
	}
	low := &lowRank{values: r.Finite(int(n), "values of the metric"), vectors: r.Finite(int(n*dim), "directions of the metric")}
	for _, v := range low.values {
		if !(v > 0) && r.Err() == nil {
			return nil, fmt.Errorf("nuts: chain state is damaged: a direction of the metric has the value %v", v)
		}
	}
	return low, r.Err()
}

// learnt is what a window of warm-up has seen: one of the two.
type learnt struct {
	moments *moments
	fisher  *fisher
}

// readLearnt reads the current window, if the chain is in warm-up, and demands
// that nothing follows.
func readLearnt(r *state.Reader, k *kernel, warming bool) (out *learnt, err error) {
	switch {
	case warming && k.lowRank():
		out = &learnt{fisher: newFisher(k.target.Dim())}
		if err = readMoments(r, out.fisher.draws); err == nil {
			err = readMoments(r, out.fisher.grads)
		}
		if err == nil {
			err = readRows(r, out.fisher)
		}
	case warming:
		out = &learnt{moments: newMoments(k.target.Dim(), k.dense())}
		out.moments.toward = k.toward()
		err = readMoments(r, out.moments)
	}
	switch {
	case err != nil:
		return nil, err
	case r.Err() != nil:
		return nil, r.Err()
	case r.Rest() > 0:
		return nil, fmt.Errorf("nuts: chain state is damaged: %d bytes too many", r.Rest())
	}
	return out, nil
}

// readMoments fills moments of a known size.
func readMoments(r *state.Reader, m *moments) error {
	m.count = r.Finite(1, "counts of the window")[0]
	m.mean = r.Finite(len(m.mean), "means of the window")
	m.scatter = r.Finite(len(m.scatter), "sums of the window")
	if r.Err() == nil && !(m.count >= 0) {
		return fmt.Errorf("nuts: chain state is damaged: %v positions in the window", m.count)
	}
	return r.Err()
}

// readRows fills the rows that a low-rank metric keeps.
func readRows(r *state.Reader, f *fisher) error {
	kept, stride := r.Word(), r.Word()
	dim := len(f.draws.mean)
	switch {
	case r.Err() != nil:
		return r.Err()
	case kept > uint64(f.limit) || stride < 1 || stride > 1<<40:
		return fmt.Errorf("nuts: chain state is damaged: %d rows kept, one of %d", kept, stride)
	}
	f.kept, f.stride = int(kept), int64(stride)
	f.u = r.Finite(f.kept*dim, "positions kept")
	f.g = r.Finite(f.kept*dim, "gradients kept")
	return r.Err()
}
