package infertest

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"glmbatch/infer"
)

// Bits returns a hash of the positions and statistics of the first 60 iterations of a chain. After 20 iterations the
// chain is saved and restored. After 40, a chain that has SetPosition is set to its own position. An error of the chain
// ends the test, and a chain that takes a state of another version, or a part of a state, fails it.
func Bits(t TB, setup infer.Setup) string {
	t.Helper()
	start := func(path string) infer.Kernel {
		k, err := setup.Kernel(infer.Chain{Count: 2, Warmup: 30, Stream: infer.NewStream(1, path)})
		if err != nil {
			t.Fatalf("kernel: %v", err)
		}
		return k
	}
	position, hash := make([]float64, len(setup.Parameters())), sha256.New()
	write := func(v any) { _ = binary.Write(hash, binary.LittleEndian, v) }
	k := start("bits")
	for i := range 60 {
		if s, ok := k.(interface{ SetPosition([]float64) error }); ok && i == 40 {
			if err := s.SetPosition(position); err != nil {
				t.Fatalf("position: %v", err)
			}
			k.Position(position)
			write(position)
		}
		if i == 20 {
			state, err := k.MarshalBinary()
			if err == nil {
				write(state)
				refused(t, start("elsewhere"), state)
				k = start("elsewhere")
				err = k.UnmarshalBinary(state)
			}
			if err != nil {
				t.Fatalf("state: %v", err)
			}
		}
		info, err := k.Step()
		if err != nil {
			t.Fatalf("iteration %d: %v", i, err)
		}
		k.Position(position)
		write(position)
		write(info)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// refused wants errors of states that are damaged.
func refused(t TB, k infer.Kernel, state []byte) {
	t.Helper()
	other := bytes.Clone(state)
	other[0]++
	for _, damaged := range [][]byte{other, nil, state[:len(state)/2], state[:len(state)-1]} {
		if k.UnmarshalBinary(damaged) == nil {
			t.Errorf("a damaged state of %d of %d bytes is taken", len(damaged), len(state))
		}
	}
}
