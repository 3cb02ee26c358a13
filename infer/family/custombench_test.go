package family

import (
	"testing"

	"glmbatch/internal/simd"
)

func BenchmarkCustom(b *testing.B) {
	for name, text := range map[string]string{"bernoulli": "y * log(mu) + (1 - y) * log1m(mu)",
		"nb": "lgamma(y + 3) - lgamma(3) - lgamma(y + 1) + 3 * log(3 / (3 + mu)) + y * log(mu / (3 + mu))"} {
		link := "logit"
		if name == "nb" {
			link = "log"
		}
		c := &Custom{Predictors: []CustomPredictor{{"mu", link}}, LogDensity: text}
		f, _, err := c.Family()
		if err != nil {
			b.Fatal(err)
		}
		of := customOf(f.Custom)
		r := Rows{Y: make([]float64, 128), Kernels: simd.Vector(), Total: 128}
		eta := make([]float64, 128)
		for i := range eta {
			eta[i] = float64(i%9)/4 - 1
			r.Y[i] = float64(i % 2)
		}
		v := NewViews(1, 128)
		of.Prepare(&r)
		of.Given(0, &r, [][]float64{eta}, v[0])
		r.Given = v[0].Given
		l := customAlong{of, of.parts[0]}
		dst, grad, curv := make([]float64, 128), make([]float64, 128), make([]float64, 128)
		b.Run(name+"/terms", func(b *testing.B) {
			for range b.N {
				l.Terms(r, eta, dst)
			}
		})
		b.Run(name+"/slopes", func(b *testing.B) {
			for range b.N {
				l.Slopes(r, eta, grad, curv, dst)
			}
		})
	}
}
