package glm

import (
	"fmt"
	"testing"
)

// BenchmarkAlong measures one pass over a column of 10,000 rows.
func BenchmarkAlong(b *testing.B) {
	const n = 10_000
	for _, f := range everyFamily() {
		p := NewPredictor(mustTarget(b, familyExample(1, f, n, 2)))
		theta := make([]float64, p.t.Dim())
		for j := range theta {
			theta[j] = 0.5 + float64(j)
		}
		p.SetTheta(theta)
		b.Run(fmt.Sprintf("family=%s/link=%s/n=%d", f.Name, f.Link, n), func(b *testing.B) {
			for b.Loop() {
				p.Along(1, 0.01)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
		})
	}
}
