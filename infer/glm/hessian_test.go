package glm

import (
	"math"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/prior"
)

// With a gaussian likelihood of fixed sigma and normal priors the Hessian is
// XᵀX/σ² and the prior's precisions, wherever it is taken.
func TestHessianOfGaussian(t *testing.T) {
	x := design.NewDense(5, 2)
	copy(x.Values, []float64{1, 1, 1, 1, 1, 0.5, -2, 3, 100, 7})
	target, err := NewTarget(&Data{X: x, Intercept: 0, Y: []float64{1, 2, 0, 4, 2}}, Model{
		Family:       Family{Name: "gaussian", Link: "identity"},
		Coefficients: []prior.Prior{{Kind: prior.Normal, Scale: 3}, {Kind: prior.Normal, Scale: 0.1}},
		Dispersion:   prior.Prior{Kind: prior.HalfNormal, Scale: 1},
	})
	must(t, err)
	const logSigma = 0.7
	got := target.Hessian([]float64{0.3, -0.2, logSigma})
	precision := math.Exp(-2 * logSigma)
	for j := range 2 {
		for l := range 2 {
			want := 0.0
			for i := range 5 {
				want += x.Col(j)[i] * x.Col(l)[i] * precision
			}
			if j == l {
				want += []float64{1. / 9, 100}[j]
			}
			if math.Abs(got[j*2+l]-want) > 1e-6*math.Abs(want) {
				t.Errorf("(%d, %d) is %v, want %v", j, l, got[j*2+l], want)
			}
		}
	}
}

// curved are targets with more columns than rows and the other way round, of
// canonical and other links, normal and other priors.
func curved(t *testing.T, rows, cols int, family Family, last prior.Prior) *Target {
	t.Helper()
	x := design.NewDense(rows, cols)
	y := make([]float64, rows)
	for j := range cols {
		for i := range rows {
			if (i+2*j)%4 != 1 {
				x.Col(j)[i] = math.Sin(float64(3*i+7*j+i*j)) + 0.2*float64(j%3)
			}
		}
	}
	for i := range y {
		y[i] = float64(i * i % 2)
	}
	m := Model{Family: family, Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1}}
	for range cols - 1 {
		m.Coefficients = append(m.Coefficients, prior.Prior{Kind: prior.Normal, Scale: 2, Location: 0.1})
	}
	m.Coefficients = append(m.Coefficients, last)
	if family.Name != "gaussian" {
		m.Dispersion = prior.Prior{}
	}
	target, err := NewTarget(&Data{X: x, Intercept: -1, Y: y}, m)
	must(t, err)
	return target
}

// The curvature has the products, the diagonal and the solutions of the Hessian
// that differences of gradients give, wide or tall.
func TestCurvatureIsTheHessian(t *testing.T) {
	normal := prior.Prior{Kind: prior.Normal, Scale: 3}
	for name, target := range map[string]*Target{
		"tall":    curved(t, 12, 4, Family{Name: "bernoulli", Link: "logit"}, normal),
		"sparse":  curved(t, 5, 9, Family{Name: "bernoulli", Link: "logit"}, normal),
		"wide":    curved(t, 5, 9, Family{Name: "bernoulli", Link: "logit"}, normal),
		"poisson": curved(t, 6, 8, Family{Name: "poisson", Link: "log"}, normal),
		"probit":  curved(t, 6, 8, Family{Name: "bernoulli", Link: "probit"}, normal),
		"flat":    curved(t, 9, 4, Family{Name: "gaussian", Link: "identity"}, prior.Prior{Kind: prior.Flat}),
		"student": curved(t, 6, 8, Family{Name: "poisson", Link: "log"}, prior.Prior{Kind: prior.StudentT, DF: 4, Scale: 2}),
	} {
		u := target.Penalised()
		h := target.Hessian(u)
		if name == "sparse" {
			sparse := design.NewSparse(target.Rows(), target.Cols(), 0)
			for j := range target.Cols() {
				sparse.AppendDense(target.data.X.Col(j))
			}
			target.data.X = sparse
		}
		c, err := target.CurvatureAt(u)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d := target.Cols()
		v, mul, back, diagonal := make([]float64, d), make([]float64, d), make([]float64, d), c.Diagonal()
		for j := range v {
			v[j] = math.Cos(float64(j))
		}
		c.Mul(v, mul)
		c.Solve(mul, back)
		for j := range d {
			want := 0.0
			for l := range d {
				want += h[j*d+l] * v[l]
			}
			if math.Abs(mul[j]-want) > 1e-5*(1+math.Abs(want)) || math.Abs(diagonal[j]-h[j*d+j]) > 1e-5*h[j*d+j] || math.Abs(back[j]-v[j]) > 1e-9 {
				t.Errorf("%s, coefficient %d: product %v, want %v; diagonal %v, want %v; solution %v, want %v",
					name, j, mul[j], want, diagonal[j], h[j*d+j], back[j], v[j])
			}
		}
	}
}

// A target without curvature is refused with the reason.
func TestCurvatureRefuses(t *testing.T) {
	for name, last := range map[string]prior.Prior{
		"not positive definite": {Kind: prior.Laplace, Scale: 1},
		"horseshoe":             {Kind: prior.Horseshoe, Scale: 1},
	} {
		target := curved(t, 3, 9, Family{Name: "bernoulli", Link: "logit"}, last)
		if name != "horseshoe" {
			for j := range target.model.Coefficients {
				target.model.Coefficients[j] = last
			}
		}
		if _, err := target.CurvatureAt(target.Penalised()); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
