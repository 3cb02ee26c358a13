package collapsed

import (
	"encoding/binary"
	"fmt"

	"glmbatch/infer"
	"glmbatch/internal/state"
)

// stateVersion leads a serialised kernel.
//
// Layout, little-endian: version (1 byte), number of rows (8), a label each (1), number of weights (8) and their logs
// (8 each), number of parameters (8) and these (8 each), stream.
const stateVersion = 1

// MarshalBinary returns the whole state of the chain: a byte a row, besides parameters.
func (k *kernel) MarshalBinary() ([]byte, error) {
	stream, err := k.stream.MarshalBinary()
	if err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint64([]byte{stateVersion}, uint64(len(k.labels)))
	out = state.AppendFloats(append(out, k.labels...), k.logW)
	return append(state.AppendFloats(out, k.theta), stream...), nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote, on a kernel fresh from an equal Setup. On an error the
// kernel is as it was.
func (k *kernel) UnmarshalBinary(data []byte) error {
	r := state.NewReader("collapsed", data)
	if v := r.Byte(); r.Err() == nil && v != stateVersion {
		return fmt.Errorf("collapsed: chain state has version %d, this program reads %d", v, stateVersion)
	}
	if n := r.Word(); r.Err() == nil && n != uint64(len(k.labels)) {
		return fmt.Errorf("collapsed: chain state has %d rows, the data have %d", n, len(k.labels))
	}
	labels := r.Bytes(len(k.labels))
	logW, theta := r.Finite(len(k.logW), "log weights"), r.Finite(len(k.theta), "parameters")
	stream := r.Bytes(r.Rest())
	if err := r.Err(); err != nil {
		return err
	}
	for i, c := range labels {
		if int(c) >= k.Components {
			return fmt.Errorf("collapsed: chain state has label %d of row %d; there are %d components", c, i+1, k.Components)
		}
	}
	for i, v := range theta {
		switch p := k.Of[i%len(k.Of)]; {
		case p.Kind == infer.Dispersion && !(v > 0):
			return fmt.Errorf("collapsed: chain state is damaged: %s is %v", p.Name, v)
		case p.Kind == infer.Probability && !(v <= 0):
			return fmt.Errorf("collapsed: chain state is damaged: the log of probability %s is %v", p.Name, v)
		}
	}
	if err := k.stream.UnmarshalBinary(stream); err != nil {
		return err
	}
	copy(k.labels, labels)
	copy(k.logW, logW)
	copy(k.theta, theta)
	k.evaluate()
	return nil
}
