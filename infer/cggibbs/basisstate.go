package cggibbs

import (
	"encoding/binary"
	"fmt"
	"math"

	"glmbatch/infer/glm"
	"glmbatch/internal/state"
)

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
	point := glm.NewPredictor(k.frame.Like)
	point.SetUnconstrained(u)
	if err := setCache(point, cache); err != nil {
		return err
	}
	if err := k.stream.UnmarshalBinary(stream); err != nil {
		return err
	}
	k.iteration, k.key, k.settled = iteration, key, flags&flagSettled != 0
	k.point = glm.NewCurved(point)
	k.arrive()
	return nil
}
