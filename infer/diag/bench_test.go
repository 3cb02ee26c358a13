package diag

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// autoregressive returns chains × draws of a stationary AR(1) with marginal N(0, 1).
func autoregressive(rng *rand.Rand, chains, draws int, rho float64) [][]float64 {
	x := make([][]float64, chains)
	for c := range x {
		v := rng.NormFloat64()
		for range draws {
			x[c] = append(x[c], v)
			v = rho*v + math.Sqrt(1-rho*rho)*rng.NormFloat64()
		}
	}
	return x
}

// BenchmarkSummarize reports nanoseconds per draw of a column; the target is 150 on one core. Each column is
// summarised in turn, out of enough of them that branches cannot be predicted.
func BenchmarkSummarize(b *testing.B) {
	for _, draws := range []int{250, 1000, 4000} {
		for _, rho := range []float64{0, 0.5, 0.9, 0.99} {
			b.Run(fmt.Sprintf("chains=4/draws=%d/rho=%g", draws, rho), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 2))
				columns := make([][][]float64, 32)
				for i := range columns {
					columns[i] = autoregressive(rng, 4, draws, rho)
				}
				w := NewWorkspace()
				w.Summarize(columns[0])
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					w.Summarize(columns[i%len(columns)])
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(4*draws), "ns/value")
			})
		}
	}
}
