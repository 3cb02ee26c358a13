package groups

import (
	"encoding/binary"
	"fmt"
	"math"

	"glmbatch/internal/state"
)

// stateVersion leads a serialised kernel.
//
// Layout, little-endian: version (1 byte), iteration (8), then of each grouping number of effects (8) and these (8
// each), number of terms and logs of sds, number of correlations and atanh of partial ones; then the state of the
// chain of coefficients and dispersions, with the stream.
const stateVersion = 1

// MarshalBinary returns the whole state of the chain; with the cached linear predictor but before a refresh.
func (k *kernel) MarshalBinary() ([]byte, error) {
	fixed, err := k.fixed.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := []byte{stateVersion}
	out = binary.LittleEndian.AppendUint64(out, uint64(k.iteration))
	for _, g := range k.groups {
		out = state.AppendFloats(out, g.r)
		out = state.AppendFloats(out, g.logSD)
		out = state.AppendFloats(out, g.partial)
	}
	return append(out, fixed...), nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh from an equal Setup. On an error the
// kernel is as it was.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("groups", data)
	if version := r.Byte(); r.Err() == nil && version != stateVersion {
		return fmt.Errorf("groups: chain state has version %d, this program reads %d", version, stateVersion)
	}
	iteration := int64(r.Word())
	groups, effects := make([]*group, len(k.groups)), make([][]float64, len(k.groups))
	for i, g := range k.groups {
		next := *g
		own := *g.scales
		next.scales = &own
		effects[i] = r.Finite(len(g.r), "effects")
		own.logSD, own.partial = r.Finite(len(g.logSD), "sds"), r.Finite(len(g.partial), "correlations")
		if r.Err() != nil {
			return r.Err()
		}
		for _, u := range own.logSD {
			if math.Abs(u) > logRange {
				return fmt.Errorf("groups: chain state is damaged: a log sd is %v", u)
			}
		}
		for _, y := range own.partial {
			if math.Abs(y) > partialRange {
				return fmt.Errorf("groups: chain state is damaged: the atanh of a partial correlation is %v", y)
			}
		}
		groups[i] = &next
	}
	if iteration < 0 {
		return fmt.Errorf("groups: chain state is damaged: iteration %d", iteration)
	}
	exchange := func() { // those of the point with those of effects
		for i, g := range groups {
			copy(g.to, g.r)
			k.point.Assign(g.effects, effects[i])
			copy(effects[i], g.to)
		}
	}
	exchange()
	if err := k.fixed.UnmarshalBinary(r.Bytes(r.Rest())); err != nil {
		exchange()
		return err
	}
	k.groups, k.iteration = groups, iteration
	for _, g := range groups {
		g.settle()
	}
	return nil
}
