package nuts

import (
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// BenchmarkWide is an iteration of warm-up on a design of the panel's shape,
// 62 × 2001, whose trajectories have hundreds of points.
func BenchmarkWide(b *testing.B) {
	n, d := 62, 2001
	x, y := design.NewDense(n, d), make([]float64, n)
	model := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}, Coefficients: make([]prior.Prior, d)}
	rng := infer.NewStream(3)
	for i := range x.Values {
		x.Values[i] = 2 * (rng.Float64() + rng.Float64() + rng.Float64() - 1.5)
	}
	for i := range y {
		y[i] = float64(i % 2)
	}
	for j := range d {
		model.Coefficients[j] = prior.Prior{Kind: prior.Normal, Scale: 10}
	}
	target, err := glm.NewTarget(&glm.Data{X: x, Intercept: -1, Y: y}, model)
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(target.Vectorised(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	k, err := s.Kernel(infer.Chain{Count: 1, Warmup: 40, Stream: infer.NewStream(1, "bench")})
	if err != nil {
		b.Fatal(err)
	}
	leaps := 0
	for b.Loop() {
		info, err := k.Step()
		if err != nil {
			b.Fatal(err)
		}
		leaps += int(info.Leapfrogs)
	}
	b.ReportMetric(float64(leaps)/float64(b.N), "leapfrogs/op")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(leaps), "ns/leapfrog")
}
