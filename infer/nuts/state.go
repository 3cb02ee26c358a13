package nuts

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"glmbatch/infer"
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

// errShort is a state that ends too early.
var errShort = errors.New("nuts: chain state is cut short")

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
	out = appendFloats(out, k.here.u)
	out = append(out, byte(len(stream)))
	out = append(out, stream...)
	out = appendFloats(out, []float64{k.step, k.dual.count, k.dual.centre, k.dual.shortfall, k.dual.average})
	out = appendFloats(out, k.space.metric.m)
	if k.windows.warming(k.iteration) {
		out = appendFloats(out, []float64{k.moments.count})
		out = appendFloats(out, k.moments.mean)
		out = appendFloats(out, k.moments.scatter)
	}
	return out, nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh
// from an equal Setup and an equal planned warm-up. On an error the kernel is as
// it was.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := reader{rest: data}
	version, flags := r.byte(), r.byte()
	switch {
	case r.err == nil && version != stateVersion:
		return fmt.Errorf("nuts: chain state has version %d, this program reads %d", version, stateVersion)
	case r.err == nil && flags&^flagFresh != k.flags():
		return fmt.Errorf("nuts: chain state has flags %#x, this sampler has %#x: metric or method differ", flags, k.flags())
	}
	iteration, w := int64(r.word()), k.windows
	planned := int64(r.word())
	w.size, w.next = int64(r.word()), int64(r.word())
	dim := k.target.Dim()
	u := r.floats(dim, "coordinates")
	stream := r.bytes(int(r.byte()))
	steps := r.floats(5, "numbers of the step size")
	entries := r.floats(len(k.space.metric.m), "numbers of the metric")
	if r.err != nil {
		return r.err
	}
	if planned != w.planned {
		return fmt.Errorf("nuts: chain state was planned with %d iterations of warm-up, this fit has %d", planned, w.planned)
	}
	if iteration < 0 {
		return fmt.Errorf("nuts: chain state is damaged: iteration %d", iteration)
	}
	seen, err := r.moments(k, w.warming(iteration), len(entries))
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

// appendFloats writes a length and the numbers.
func appendFloats(out []byte, values []float64) []byte {
	out = binary.LittleEndian.AppendUint64(out, uint64(len(values)))
	for _, v := range values {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
	}
	return out
}

// reader takes a state apart; after an error it returns zeros.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) bytes(n int) []byte {
	if r.err == nil && len(r.rest) < n {
		r.err = errShort
	}
	if r.err != nil {
		return nil
	}
	out := r.rest[:n]
	r.rest = r.rest[n:]
	return out
}

func (r *reader) byte() byte {
	b := r.bytes(1)
	if b == nil {
		return 0
	}
	return b[0]
}

func (r *reader) word() uint64 {
	b := r.bytes(8)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// floats reads a length, which must be want, and as many finite numbers.
func (r *reader) floats(want int, what string) []float64 {
	n := r.word()
	if r.err == nil && n != uint64(want) {
		r.err = fmt.Errorf("nuts: chain state has %d %s, this fit has %d", n, what, want)
	}
	raw := r.bytes(8 * want)
	out := make([]float64, want)
	if r.err != nil {
		return out
	}
	for i := range out {
		out[i] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*i:]))
		if math.IsNaN(out[i]) || math.IsInf(out[i], 0) {
			r.err = fmt.Errorf("nuts: chain state is damaged: one of its %s is %v", what, out[i])
		}
	}
	return out
}

// moments reads the current window, if the chain is in warm-up, and demands
// that nothing follows.
func (r *reader) moments(k *kernel, warming bool, size int) (*moments, error) {
	var m *moments
	if warming {
		m = newMoments(k.target.Dim(), k.dense())
		m.count = r.floats(1, "counts of the window")[0]
		m.mean = r.floats(len(m.mean), "means of the window")
		m.scatter = r.floats(size, "sums of the window")
	}
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.rest) > 0:
		return nil, fmt.Errorf("nuts: chain state is damaged: %d bytes too many", len(r.rest))
	case m != nil && !(m.count >= 0):
		return nil, fmt.Errorf("nuts: chain state is damaged: %v positions in the window", m.count)
	}
	return m, nil
}
