package infertest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	"glmbatch/infer"
)

// Bits returns a hash of the positions and statistics of the first 60 iterations of a chain. After 20 iterations the
// chain is saved and restored. After 40, a chain that has SetPosition is set to its own position. An error of the chain
// ends the test.
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
		}
		if i == 20 {
			state, err := k.MarshalBinary()
			if err == nil {
				write(state)
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
