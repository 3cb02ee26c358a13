package glm_test

import (
	"fmt"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/simd"
)

// BenchmarkGradient is a gradient of a logistic posterior with its density, and the two passes over X alone: one
// for eta, one for Xᵀr.
func BenchmarkGradient(b *testing.B) {
	for _, size := range [][2]int{{62, 2001}, {2600, 501}, {20_000, 20}} {
		n, d := size[0], size[1]
		x, y := design.NewDense(n, d), make([]float64, n)
		model := glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}}
		for i := range x.Values {
			x.Values[i] = float64(i*7919%1000)/500 - 1
		}
		for i := range y {
			y[i] = float64(i % 2)
		}
		for range d {
			model.Coefficients = append(model.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 10})
		}
		target, err := glm.NewTarget(&glm.Data{X: x, Intercept: -1, Y: y}, model)
		must(b, err)
		p, u, grad, rows := glm.NewPoint(target.Vectorised()), make([]float64, d), make([]float64, d), make([]float64, n)
		b.Run(fmt.Sprintf("n=%d/p=%d/part=gradient", n, d), func(b *testing.B) {
			for i := range b.N {
				u[0] = float64(i%3) * 0.01
				p.SetUnconstrained(u)
				p.Gradient(grad, rows)
			}
		})
		b.Run(fmt.Sprintf("n=%d/p=%d/part=passes", n, d), func(b *testing.B) {
			k := simd.Vector()
			for range b.N {
				clear(rows)
				k.AxpyColumns(u, x.Values, rows)
				k.DotColumns(x.Values, rows, grad)
			}
		})
	}
}
