package cggibbs

import (
	"encoding/binary"
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/state"
)

// stateVersion leads a serialised kernel.
//
// Layout, little-endian: version (1 byte), flags (1), iteration (8), number of
// coordinates (8), beta and the logs of dispersions and scales (8 each), stream length (1), stream;
// then, with flagCache, number of cached numbers (8) and these (8 each).
const stateVersion = 1

const flagCache = 1 // the cache follows: a refresh would not give its bits

// MarshalBinary returns the whole state of the chain. Just before an iteration
// that begins with a refresh the state is small, O(d); at other times it holds
// the cached linear predictor too, O(d + n).
func (k *kernel) MarshalBinary() ([]byte, error) {
	stream, err := k.stream.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if len(stream) > math.MaxUint8 {
		return nil, fmt.Errorf("cggibbs: stream state of %d bytes", len(stream))
	}
	cached := !k.refreshDue()
	flags := byte(0)
	if cached {
		flags = flagCache
	}
	out := []byte{stateVersion, flags}
	u := make([]float64, len(k.widths))
	k.point.Centred(u)
	out = binary.LittleEndian.AppendUint64(out, uint64(k.iteration))
	out = state.AppendFloats(out, u)
	out = append(out, byte(len(stream)))
	out = append(out, stream...)
	if cached {
		out = state.AppendFloats(out, k.point.Cache())
	}
	return out, nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh
// from an equal Setup. On an error the kernel is as it was.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("cggibbs", data)
	version, flags := r.Byte(), r.Byte()
	if r.Err() == nil && version != stateVersion {
		return fmt.Errorf("cggibbs: chain state has version %d, this program reads %d", version, stateVersion)
	}
	iteration := int64(r.Word())
	u := r.Floats(len(k.widths), "coordinates")
	stream := r.Bytes(int(r.Byte()))
	var cache []float64
	if flags&flagCache != 0 {
		cache = r.Floats(len(k.point.Cache()), "cached numbers")
	}
	switch {
	case r.Err() != nil:
		return r.Err()
	case r.Rest() > 0 || flags&^flagCache != 0:
		return fmt.Errorf("cggibbs: chain state is damaged: %d bytes too many, flags %#x", r.Rest(), flags)
	case iteration < 0:
		return fmt.Errorf("cggibbs: chain state is damaged: iteration %d", iteration)
	}
	for _, v := range u {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("cggibbs: chain state is damaged: a coordinate is %v", v)
		}
	}
	point := k.point.Anew()
	point.SetCentred(u)
	if err := setCache(point, cache); err != nil {
		return err
	}
	if err := k.stream.UnmarshalBinary(stream); err != nil {
		return err
	}
	k.iteration = iteration
	k.point.Restore(point)
	return nil
}

// setCache gives a point at its coordinates the cache that was saved with them,
// nil where a refresh is due.
func setCache(point *glm.Point, cache []float64) error {
	if cache == nil {
		return nil
	}
	if err := plausible(cache, point.Cache()); err != nil {
		return err
	}
	point.SetCache(cache)
	return nil
}

// plausible demands that a saved cache is what its coordinates give, but for
// rounding: 1e-3 of the largest number is far more than that.
func plausible(cache, fresh []float64) error {
	size := 1.0
	for _, v := range fresh {
		size = max(size, math.Abs(v))
	}
	for i, v := range cache {
		if !(math.Abs(v-fresh[i]) <= 1e-3*size) && v != fresh[i] {
			return fmt.Errorf("cggibbs: chain state is damaged: cached number %d is %v, its coordinates give %v", i, v, fresh[i])
		}
	}
	return nil
}

// basisStateVersion leads a serialised kernel of a basis.
//
// Layout, little-endian: version (1 byte), flags (1), iteration (8), key (8),
// number of parameters (8), number of coordinates (8), u and the logs of dispersions (8 each), stream length
// (1), stream; then, with flagCache, number of cached numbers (8) and these (8 each).
const basisStateVersion = 2

const flagSettled = 2 // sweeps are of blocks

// MarshalBinary returns the whole state of the chain, see kernel.MarshalBinary:
// O(k), and O(k + n) but before a refresh.
func (k *basisKernel) MarshalBinary() ([]byte, error) {
	stream, err := k.stream.MarshalBinary()
	if err != nil {
		return nil, err
	}
	if len(stream) > math.MaxUint8 {
		return nil, fmt.Errorf("cggibbs: stream state of %d bytes", len(stream))
	}
	flags := byte(0)
	if !k.refreshDue() {
		flags = flagCache
	}
	if k.settled {
		flags |= flagSettled
	}
	out := []byte{basisStateVersion, flags}
	out = binary.LittleEndian.AppendUint64(out, uint64(k.iteration))
	out = binary.LittleEndian.AppendUint64(out, k.key)
	out = binary.LittleEndian.AppendUint64(out, uint64(k.target.Dim()))
	out = state.AppendFloats(out, k.u)
	out = append(out, byte(len(stream)))
	out = append(out, stream...)
	if flags&flagCache != 0 {
		out = state.AppendFloats(out, k.point.Cache())
	}
	return out, nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh
// from an equal Setup. On an error the kernel is as it was.
func (k *basisKernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("cggibbs", data)
	version, flags := r.Byte(), r.Byte()
	if r.Err() == nil && version != basisStateVersion {
		return fmt.Errorf("cggibbs: chain state has version %d, this basis reads %d", version, basisStateVersion)
	}
	iteration, key, parameters := int64(r.Word()), r.Word(), r.Word()
	u := r.Finite(len(k.u), "coordinates")
	stream := r.Bytes(int(r.Byte()))
	var cache []float64
	if flags&flagCache != 0 {
		cache = r.Floats(len(k.point.Cache()), "cached numbers")
	}
	switch {
	case r.Err() != nil:
		return r.Err()
	case r.Rest() > 0 || flags&^(flagCache|flagSettled) != 0 || flags&flagSettled != 0 && k.blocks == nil:
		return fmt.Errorf("cggibbs: chain state is damaged: %d bytes too many, flags %#x", r.Rest(), flags)
	case parameters != uint64(k.target.Dim()):
		return fmt.Errorf("cggibbs: chain state has %d parameters, this fit has %d", parameters, k.target.Dim())
	case iteration < 0:
		return fmt.Errorf("cggibbs: chain state is damaged: iteration %d", iteration)
	}
	point := k.point.Anew()
	point.SetUnconstrained(u)
	if err := setCache(point, cache); err != nil {
		return err
	}
	if err := k.stream.UnmarshalBinary(stream); err != nil {
		return err
	}
	k.iteration, k.key, k.settled = iteration, key, flags&flagSettled != 0
	k.point.Restore(point)
	k.arrive()
	return nil
}
