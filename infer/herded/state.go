package herded

import (
	"encoding/binary"
	"fmt"

	"glmbatch/infer"
	"glmbatch/internal/state"
)

// stateVersion leads the serialised chain: version, number of variables,
// iteration, U of the current and of the best state, both states, weights,
// stream.
const stateVersion = 1

// MarshalBinary returns the chain's state: eight bytes per weight, two per
// variable and 72 more.
func (k *Chain) MarshalBinary() ([]byte, error) {
	stream, err := k.rng.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 72+2*len(k.x)+8*len(k.w)+len(stream))
	out = append(out, stateVersion)
	out = binary.LittleEndian.AppendUint64(out, uint64(len(k.x)))
	out = binary.LittleEndian.AppendUint64(out, k.iteration)
	out = state.AppendFloats(out, []float64{k.u, k.bestU})
	out = append(out, k.x...)
	out = append(out, k.best...)
	out = state.AppendFloats(out, k.w)
	return append(out, stream...), nil
}

// UnmarshalBinary restores a state that MarshalBinary of a chain of an equal
// set-up wrote. It leaves the chain alone when it returns an error.
func (k *Chain) UnmarshalBinary(data []byte) error {
	r := state.NewReader("herded", data)
	if v := r.Byte(); r.Err() == nil && v != stateVersion {
		return fmt.Errorf("herded: chain state has version %d, this program reads %d", v, stateVersion)
	}
	if n := r.Word(); r.Err() == nil && n != uint64(len(k.x)) {
		return fmt.Errorf("herded: chain state has %d variables, the model has %d", n, len(k.x))
	}
	iteration, u := r.Word(), r.Finite(2, "log densities")
	x, best := r.Bytes(len(k.x)), r.Bytes(len(k.x))
	if err := r.Err(); err != nil {
		return err
	}
	w, raw := r.Finite(len(k.w), "weights"), r.Bytes(r.Rest())
	if err := r.Err(); err != nil {
		return err
	}
	for _, s := range [][]byte{x, best} {
		for i, a := range s {
			if int(a) >= k.model.States(i) {
				return fmt.Errorf("herded: chain state has state %d of variable %d, which has %d", a, i, k.model.States(i))
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
	copy(k.w, w)
	return nil
}
