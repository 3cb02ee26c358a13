package glm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// example is a random data set and model of a family.
type example struct {
	name  string
	data  *Data
	model Model
}

// newExample makes n rows and d columns, the first one constant, with offsets;
// a binomial has up to 5 trials, none included.
func newExample(seed uint64, name string, n, d int, priors ...prior.Prior) example {
	r := rand.New(rand.NewPCG(seed, 77))
	f, err := family.Parse(name, "")
	if err != nil {
		panic(err)
	}
	x := design.NewDense(n, d)
	data := &Data{X: x, Intercept: 0, Y: make([]float64, n), Offset: make([]float64, n)}
	for j := range d {
		data.Names = append(data.Names, fmt.Sprintf("x%d", j))
		for i := range n {
			x.Col(j)[i] = r.NormFloat64()
			if j == 0 {
				x.Col(j)[i] = 1
			}
		}
	}
	if f.Support().Trials {
		data.Trials = make([]float64, n)
	}
	for i := range n {
		data.Offset[i] = 0.3 * r.NormFloat64()
		switch s := f.Support(); {
		case s.Trials:
			m := r.IntN(6)
			data.Trials[i], data.Y[i] = float64(m), float64(r.IntN(m+1))
		case s.Probability():
			data.Y[i] = float64(r.IntN(2))
		case s.Counts():
			data.Y[i] = float64(r.IntN(4))
		case s.Positive():
			data.Y[i] = vec.Exp(r.NormFloat64())
		case s.Share():
			data.Y[i] = r.Float64()
		default:
			data.Y[i] = 2 * r.NormFloat64()
		}
	}
	if len(priors) == 0 {
		priors = []prior.Prior{{Kind: prior.Normal, Location: 0.5, Scale: 2}}
	}
	m := Model{Family: f, Dispersion: prior.Prior{Kind: prior.HalfCauchy, Scale: 1.5}, Nu: prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 0.1}}
	for k, of := range f.Dispersions() {
		if k == 1 && of.Real {
			m.Nu = prior.Prior{Kind: prior.Normal, Scale: 4}
		}
	}
	for j := range d {
		m.Coefficients = append(m.Coefficients, priors[j%len(priors)])
	}
	return example{fmt.Sprintf("%s/n=%d/d=%d", name, n, d), data, m}
}

var familyNames = []string{"gaussian", "bernoulli", "binomial", "poisson"}

func mustTarget(t testing.TB, e example) *Target {
	t.Helper()
	target, err := NewTarget(e.data, e.model)
	if err != nil {
		t.Fatalf("%s: %v", e.name, err)
	}
	return target
}

// direct returns the log likelihood by package math, row by row.
func direct(t *Target, eta []float64, sigma float64) float64 {
	lgamma := func(x float64) float64 { v, _ := math.Lgamma(x + 1); return v }
	sum := 0.0
	for i, e := range eta {
		y, m := t.data.Y[i], 1.0
		if t.data.Trials != nil {
			m = t.data.Trials[i]
		}
		switch t.form {
		case family.Squares:
			z := (y - e) / sigma
			sum += -z*z/2 - math.Log(sigma) - math.Log(2*math.Pi)/2
		case family.Exponential:
			sum += y*e - math.Exp(e) - lgamma(y)
		default:
			softplus := max(e, 0) + math.Log1p(math.Exp(-math.Abs(e)))
			sum += y*e - m*softplus + lgamma(m) - lgamma(y) - lgamma(m-y)
		}
	}
	return sum
}

// exactEta returns offset + X·beta, row by row.
func exactEta(d *Data, beta []float64) []float64 {
	eta := make([]float64, d.Rows())
	for i := range eta {
		if d.Offset != nil {
			eta[i] = d.Offset[i]
		}
		for j, b := range beta {
			eta[i] += d.X.Col(j)[i] * b
		}
	}
	return eta
}

// near reports whether two numbers agree to a relative or absolute tolerance.
func near(a, b, tol float64) bool {
	return a == b || math.Abs(a-b) <= tol*(1+math.Abs(a)+math.Abs(b))
}
