package nuts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/infertest"
)

// fixed returns a case with a response that is a function of the row alone: no
// exponential decides it.
func fixed(t testing.TB, c infertest.Case) *glm.Target {
	t.Helper()
	data := c.Data
	data.Y = make([]float64, data.Rows())
	for i := range data.Y {
		switch y := float64(i * 7 % 5); c.Model.Family.Name {
		case "bernoulli":
			data.Y[i] = float64(i % 2)
		case "binomial":
			data.Y[i] = min(y, data.Trials[i])
		default:
			data.Y[i] = y
		}
	}
	target, err := glm.NewTarget(&data, c.Model)
	must(t, err)
	return target
}

// pinned are hashes of the draws, densities and trajectories below, per case.
// A change means another Version.
var pinned = map[string]string{
	"gaussian/sigma=half_cauchy/n=9": "dd5ece9db2ba641d",
	"gaussian/sigma=half_normal/n=6": "4e005d8e76751834",
	"bernoulli/n=12":                 "d9214f0555fcb3c4",
	"binomial/n=8":                   "0384a32152a2d111",
	"poisson/n=8":                    "e1ec6939446ce7a0",
}

// TestPinned pins the draws of every variant from its start through warm-up:
// they must be made again by a later build and on another processor.
func TestPinned(t *testing.T) {
	for _, c := range infertest.Cases() {
		h := sha256.New()
		target := fixed(t, c)
		theta := make([]float64, target.Dim())
		for i, o := range []Options{{}, {Metric: "dense"}, {Static: true}, {Static: true, Jitter: 0.5, Metric: "dense"}} {
			s, err := New(target, o)
			must(t, err)
			k, err := s.Kernel(infer.Chain{Index: i, Count: 4, Warmup: 50, Stream: infer.NewStream(uint64(i), c.Name)})
			must(t, err)
			for range 80 {
				info, err := k.Step()
				must(t, err)
				k.Position(theta)
				for _, v := range append(theta, info.LogLik, info.LogPrior, info.Energy, info.StepSize, info.Accept, float64(info.Leapfrogs)) {
					h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v)))
				}
			}
		}
		if got := hex.EncodeToString(h.Sum(nil)[:8]); got != pinned[c.Name] {
			t.Errorf("%q: %q, want %q", c.Name, got, pinned[c.Name])
		}
	}
}

// BenchmarkStep is the cost of an iteration of the frozen sampler.
func BenchmarkStep(b *testing.B) {
	for _, c := range infertest.Cases() {
		b.Run(c.Name, func(b *testing.B) {
			s, err := New(fixed(b, c), Options{})
			must(b, err)
			k, err := s.Kernel(infer.Chain{Count: 1, Warmup: 300, Stream: infer.NewStream(1, "bench")})
			must(b, err)
			step := func() infer.Info {
				info, err := k.Step()
				must(b, err)
				return info
			}
			for range 300 {
				step()
			}
			leaps := 0
			b.ReportAllocs()
			for b.Loop() {
				leaps += int(step().Leapfrogs)
			}
			b.ReportMetric(float64(leaps)/float64(b.N), "leapfrogs/op")
		})
	}
}
