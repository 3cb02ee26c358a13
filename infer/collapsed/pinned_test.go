package collapsed

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"testing"

	"glmbatch/infer/mixture"
)

// TestBitsArePinned: the draws of Version are these, of every family and of several columns, by both samplers, on every
// processor. When they must change, change Version too.
func TestBitsArePinned(t *testing.T) {
	const version, want = "collapsed/2", "bbe10d94131edc10"
	hash := sha256.New()
	for _, e := range examples {
		for _, plain := range []bool{false, true} {
			s := e.setup(t, Options{Options: mixture.Options{Components: 3, Concentration: 1.5}, Plain: plain})
			k := s.chain(t, 1)
			position := make([]float64, len(s.Parameters()))
			for range 30 {
				info, err := k.Step()
				if err != nil {
					t.Fatal(err)
				}
				k.Position(position)
				for _, v := range append(position, info.LogLik, info.LogPrior) {
					_ = binary.Write(hash, binary.LittleEndian, v)
				}
			}
		}
	}
	if got := hex.EncodeToString(hash.Sum(nil)[:8]); got != want || Version != version {
		t.Errorf("%s draws bits with hash %s, pinned are %s with %s", Version, got, want, version)
	}
}
