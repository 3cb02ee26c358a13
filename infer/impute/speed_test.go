package impute

import (
	"fmt"
	"math"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	"glmbatch/infer/design"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// tallProblem has d correlated gaussian columns of n rows with a tenth of their cells missing, each column's model on
// all columns before it, and a response of all; and the complete data.
func tallProblem(family glm.Family, n, d int) (*Problem, *glm.Data) {
	r := infer.NewStream(1, "tall")
	cols, y := tallRowsOf(r, family, n, d)
	law := func(d int) (out []prior.Prior) {
		for range d {
			out = append(out, prior.Prior{Kind: prior.Normal, Scale: 2.5})
		}
		return out
	}
	sigma := prior.Prior{Kind: prior.Exponential, Rate: 1}
	coders := &coder{columns: []int{-1}}
	x, names := tallMatrix(cols)
	complete := &glm.Data{X: x, Names: names, Y: y}
	p := &Problem{Rows: n, Response: "y", Row: func(i int) string { return fmt.Sprint(i) }}
	filled := make([][]float64, d)
	for j := range filled {
		c := Column{Name: names[j+1], Model: glm.Model{Family: gaussian, Coefficients: law(j + 1), Dispersion: sigma}}
		filled[j] = append([]float64(nil), cols[j]...)
		for i := range filled[j] {
			if r.Float64() < 0.1 {
				filled[j][i] = 0
				c.Missing = append(c.Missing, i)
			}
		}
		own, ownNames := tallMatrix(filled[:j])
		c.Coder = &coder{columns: append([]int(nil), coders.columns...)}
		coders.columns = append(coders.columns, j)
		c.Data = &glm.Data{X: own, Names: ownNames, Y: filled[j]}
		p.Columns = append(p.Columns, c)
	}
	main, _ := tallMatrix(filled)
	p.Data, p.Coder = &glm.Data{X: main, Names: names, Y: y}, coders
	p.Model = glm.Model{Family: family, Coefficients: law(d + 1), Dispersion: sigma}
	return p, complete
}

// tallRowsOf draws columns and a response.
func tallRowsOf(r *infer.Stream, family glm.Family, n, d int) (cols [][]float64, y []float64) {
	cols, y = make([][]float64, d), make([]float64, n)
	for j := range cols {
		cols[j] = make([]float64, n)
	}
	for i := range n {
		common, eta := variate.Normal(r), 0.2
		for j := range cols {
			cols[j][i] = 0.6*common + 0.8*variate.Normal(r)
			eta += 0.3 * float64(1-2*(j%2)) * cols[j][i]
		}
		switch family.Name {
		case "bernoulli":
			if r.Float64() < vec.Logistic(eta) {
				y[i] = 1
			}
		case "poisson":
			y[i] = variate.Poisson(r, vec.Exp(eta))
		default:
			y[i] = eta + variate.Normal(r)
		}
	}
	return cols, y
}

// tallMatrix is the design of an intercept and columns, as in coder.
func tallMatrix(cols [][]float64) (*design.Dense, []string) {
	n := 100_000
	if len(cols) > 0 {
		n = len(cols[0])
	}
	x := design.NewDense(n, len(cols)+1)
	names := []string{"(Intercept)"}
	for i := range n {
		x.Values[i] = 1
	}
	for j, c := range cols {
		for i, v := range c {
			x.Col(j + 1)[i] = v - 0.25*float64(j)
		}
		names = append(names, fmt.Sprint("x", j))
	}
	return x, names
}

// effectiveFrom is the number of iterations from which on BenchmarkStep reports effective draws.
const effectiveFrom = 400

// BenchmarkStep is an iteration on incomplete data, and that of cggibbs on the complete ones; run it with a multiple of
// 32 iterations, of which one has a sweep over the coefficients. Of effectiveFrom iterations and more it reports the
// effective draws in an iteration of that coefficient of the regression which has fewest.
func BenchmarkStep(b *testing.B) {
	const n, d = 100_000, 10
	for _, family := range []glm.Family{gaussian, bernoulli, poisson} {
		p, complete := tallProblem(family, n, d)
		step := func(b *testing.B, setup infer.Setup, err error) {
			must(b, err)
			k, err := setup.Kernel(infer.Chain{Count: 2, Stream: infer.NewStream(1, "bench")})
			must(b, err)
			for range 40 {
				if _, err := k.Step(); err != nil {
					b.Fatal(err)
				}
			}
			draws, theta := make([][]float64, d+1), make([]float64, len(setup.Parameters()))
			b.ResetTimer()
			for range b.N {
				if _, err := k.Step(); err != nil {
					b.Fatal(err)
				}
				if b.N < effectiveFrom {
					continue
				}
				k.Position(theta)
				for j := range draws {
					draws[j] = append(draws[j], theta[j])
				}
			}
			if b.N < effectiveFrom {
				return
			}
			least := math.Inf(1)
			for _, v := range draws {
				least = min(least, diag.ESSBulk([][]float64{v[:len(v)/2], v[len(v)/2:]}))
			}
			b.ReportMetric(least/float64(b.N), "ess/op")
		}
		for _, basis := range []string{"coordinate", "rotated"} {
			b.Run(fmt.Sprintf("family=%s/data=complete/basis=%s", family.Name, basis), func(b *testing.B) {
				target, err := glm.NewTarget(complete, p.Model)
				must(b, err)
				setup, err := cggibbs.New(target, cggibbs.Options{Basis: basis})
				step(b, setup, err)
			})
		}
		b.Run(fmt.Sprintf("family=%s/data=incomplete", family.Name), func(b *testing.B) {
			setup, err := New(p, nil)
			step(b, setup, err)
		})
	}
}
