package infer

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/rand/v2"
)

// Version names the random streams: it is part of every fit's fingerprint.
const Version = "pcg-dxsm/1"

// Stream is one chain's source of randomness. Its state serialises, so that a
// resumed chain continues with the same bits. It is not safe for concurrent
// use: a chain owns its stream.
//
// The generator is PCG-DXSM with 128 bits of state (O'Neill 2014), as in
// math/rand/v2, whose seeded output is pinned by Go's compatibility promise.
type Stream struct{ pcg rand.PCG }

// NewStream returns the stream that seed and path name. Its output depends on
// these alone, never on worker count or scheduling. Path elements are
// length-prefixed before they are hashed: ("ab", "c") and ("a", "bc") differ.
func NewStream(seed uint64, path ...string) *Stream {
	h := sha256.New()
	var word [8]byte
	put := func(v uint64) {
		binary.LittleEndian.PutUint64(word[:], v)
		h.Write(word[:])
	}
	put(seed)
	for _, p := range path {
		put(uint64(len(p)))
		h.Write([]byte(p))
	}
	sum := h.Sum(nil)
	s := new(Stream)
	s.pcg.Seed(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:]))
	return s
}

// Uint64 returns 64 uniform bits.
func (s *Stream) Uint64() uint64 { return s.pcg.Uint64() }

// Float64 returns a uniform number in the open interval (0, 1): one of the
// 2^52 midpoints (k + ½)·2⁻⁵². Neither its logarithm nor that of 1 − u is
// infinite.
func (s *Stream) Float64() float64 {
	return (float64(s.pcg.Uint64()>>12) + 0.5) * 0x1p-52
}

// streamVersion marks the serialised form: one byte, then the PCG state.
const streamVersion = 1

// MarshalBinary returns the state of the stream.
func (s *Stream) MarshalBinary() ([]byte, error) {
	state, err := s.pcg.MarshalBinary()
	if err != nil {
		return nil, err
	}
	return append([]byte{streamVersion}, state...), nil
}

// UnmarshalBinary restores a state that MarshalBinary wrote.
func (s *Stream) UnmarshalBinary(data []byte) error {
	if len(data) == 0 || data[0] != streamVersion {
		return errors.New("infer: random stream state has an unknown version")
	}
	return s.pcg.UnmarshalBinary(data[1:])
}
