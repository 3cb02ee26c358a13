package glm

import (
	"math/rand/v2"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// Newton's step in two readings of the design has the bits of the gradient, the
// solver's step and its product, one after the other.
func TestAscendIsStep(t *testing.T) {
	for _, size := range [][2]int{{3, 5}, {20, 301}, {40, 41}, {130, 400}} {
		n, d := size[0], size[1]
		r := rand.New(rand.NewPCG(uint64(n), 1))
		data := &Data{X: design.NewDense(n, d), Y: make([]float64, n), Intercept: -1}
		model := Model{Family: Family{Name: "bernoulli", Link: "logit"}}
		for i := range data.Y {
			data.Y[i] = float64(r.IntN(2))
		}
		for j := range d {
			for i := range n {
				data.X.(*design.Dense).Col(j)[i] = r.NormFloat64()
			}
			model.Coefficients = append(model.Coefficients, prior.Prior{Kind: prior.Normal, Location: r.NormFloat64(), Scale: 1 + r.Float64()})
		}
		target, err := NewTarget(data, model)
		must(t, err)
		p := target.pilot
		rows, g, want, wantMove := make([]float64, n), make([]float64, d), make([]float64, d), make([]float64, n)
		step, move := make([]float64, d), make([]float64, n)
		for j := range p.beta {
			p.beta[j] += r.NormFloat64()
		}
		p.product()
		target.RowGradient(p.eta, p.disp.at[:], rows)
		design.Transposed(data.X, rows, g)
		p.slopes(0, g)
		p.solver.step(g, want)
		design.Multiplied(data.X, want, wantMove)
		p.solver.(*dual).ascend(p, rows, step, move)
		for j, v := range want {
			if step[j] != v {
				t.Fatalf("%d × %d: entry %d of the step is %v, want %v", n, d, j, step[j], v)
			}
		}
		for i, v := range wantMove {
			if move[i] != v {
				t.Fatalf("%d × %d: row %d moves by %v, want %v", n, d, i, move[i], v)
			}
		}
	}
}
