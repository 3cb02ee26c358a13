package mrf

import (
	"encoding/binary"
	"fmt"

	"glmbatch/infer"
	"glmbatch/internal/state"
)

// stateVersion leads the serialised chain: version, number of variables,
// iteration, U of the current and of the best state, both states, stream.
const stateVersion = 1

// MarshalBinary returns the chain's state: two bytes per variable and 64 more.
func (k *kernel) MarshalBinary() ([]byte, error) {
	stream, err := k.rng.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 64+2*len(k.x)+len(stream))
	out = append(out, stateVersion)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(k.x)))
	out = binary.LittleEndian.AppendUint64(out, k.iteration)
	out = state.AppendFloats(out, []float64{k.u, k.bestU})
	out = append(out, k.x...)
	out = append(out, k.best...)
	return append(out, stream...), nil
}

// UnmarshalBinary restores a state that MarshalBinary of a kernel of an equal
// set-up wrote. It leaves the kernel alone when it returns an error.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("mrf", data)
	if v := r.Byte(); r.Err() == nil && v != stateVersion {
		return fmt.Errorf("mrf: chain state has version %d, this program reads %d", v, stateVersion)
	}
	if n := r.Word(); r.Err() == nil && n != uint64(len(k.x)) {
		return fmt.Errorf("mrf: chain state has %d variables, the model has %d", n, len(k.x))
	}
	iteration, u := r.Word(), r.Finite(2, "log densities")
	x, best, raw := r.Bytes(len(k.x)), r.Bytes(len(k.x)), r.Bytes(r.Rest())
	if err := r.Err(); err != nil {
		return err
	}
	for _, s := range [][]byte{x, best} {
		for i, a := range s {
			if int(a) >= k.model.States(i) {
				return fmt.Errorf("mrf: chain state has state %d of variable %d, which has %d", a, i, k.model.States(i))
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
	return nil
}
