package mixture

import (
	"fmt"

	"glmbatch/internal/state"
)

// stateVersion leads a serialised kernel.
//
// Layout, little-endian: version (1 byte), number of weights (8) and their logs (8 each), number of parameters (8) and
// these (8 each), stream.
const stateVersion = 1

// MarshalBinary returns the whole state of the chain. Cost: O(K·d).
func (k *kernel) MarshalBinary() ([]byte, error) {
	stream, err := k.stream.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := state.AppendFloats([]byte{stateVersion}, k.logW)
	return append(state.AppendFloats(out, k.theta), stream...), nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh from an equal Setup. On an error the
// kernel is as it was.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("mixture", data)
	if v := r.Byte(); r.Err() == nil && v != stateVersion {
		return fmt.Errorf("mixture: chain state has version %d, this program reads %d", v, stateVersion)
	}
	logW, theta := r.Finite(len(k.logW), "log weights"), r.Finite(len(k.theta), "parameters")
	stream := r.Bytes(r.Rest())
	if err := r.Err(); err != nil {
		return err
	}
	for i := range k.Of[k.target.Cols():] {
		for c := k.target.Cols() + i; c < len(theta); c += len(k.Of) {
			if !(theta[c] > 0) {
				return fmt.Errorf("mixture: chain state is damaged: a dispersion is %v", theta[c])
			}
		}
	}
	if err := k.stream.UnmarshalBinary(stream); err != nil {
		return err
	}
	copy(k.logW, logW)
	copy(k.theta, theta)
	k.evaluate()
	return nil
}
