package glm

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkAlong measures one pass over a column of 10,000 rows; best-ns/row is the
// least of all, which other processes disturb least.
func BenchmarkAlong(b *testing.B) {
	const n = 10_000
	for _, f := range everyFamily() {
		scalar := mustTarget(b, familyExample(1, f, n, 2))
		for i, t := range []*Target{scalar, scalar.Vectorised()} {
			p := NewPoint(t)
			theta := make([]float64, p.t.Dim())
			for j := range theta {
				theta[j] = 0.5 + float64(j)
			}
			p.SetTheta(theta)
			b.Run(fmt.Sprintf("family=%s/link=%s/n=%d/kernels=%s", f.Name, f.Link, n, []string{"scalar", "vector"}[i]), func(b *testing.B) {
				best := time.Duration(1 << 62)
				for b.Loop() {
					start := time.Now()
					p.Along(1, 0.01)
					best = min(best, time.Since(start))
				}
				b.ReportMetric(float64(best.Nanoseconds())/n, "best-ns/row")
			})
		}
	}
}
