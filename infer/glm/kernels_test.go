package glm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"math/rand/v2"
	"testing"
)

// numbersOf returns what a target gives at some points: densities along columns,
// gradients, the rows' derivatives.
func numbersOf(t *Target) []float64 {
	r := rand.New(rand.NewPCG(11, 12))
	var out []float64
	rows, grad := make([]float64, t.Rows()), make([]float64, t.Dim())
	for _, scale := range []float64{0.1, 1, 30} {
		p := NewPoint(t)
		u := make([]float64, t.Dim())
		for j := range u {
			u[j] = 0.3 + float64(scale*math.Abs(float64(r.IntN(2000)-400)/1000))
			if j >= t.Cols() {
				u[j] = float64(r.IntN(2000)-1000) / 1000
			}
		}
		p.SetUnconstrained(u)
		for j := range t.Cols() {
			v := p.Along(j, 0.125)
			out = append(out, v.LogLik)
			p.Move(j, 0.125, v)
		}
		for i := range t.free {
			out = append(out, p.AlongDispersion(i, 0.25).LogLik)
		}
		p.Gradient(grad, rows)
		out = append(out, grad...)
		t.RowGradient(p.eta, p.disp.at[:], rows) // Gradient leaves no subnormal ones
		out = append(append(out, rows...), p.Eta()...)
		t.RowCurvature(p.eta, p.disp.at[:], rows)
		out = append(out, rows...)
		t.RowInformation(p.eta, p.disp.at[:], rows)
		out = append(out, rows...)
	}
	return out
}

// kernelExamples are every family and link, plain and with weights.
func kernelExamples() []example {
	var all []example
	for i, f := range everyFamily() {
		e := familyExample(uint64(i), f, 301, 6)
		switch f.Name {
		case "gamma", "inverse_gaussian", "weibull", "exponential", "loglogistic", "frechet": // math.Exp made them
			for i := range e.data.Y {
				e.data.Y[i] = 0.125 * float64(1+i*i%23)
			}
		}
		all = append(all, e)
		weighted, data := e, *e.data
		weighted.data, weighted.name = &data, e.name+" weighted"
		data.Frequency = make([]float64, data.Rows())
		for i := range data.Frequency {
			data.Frequency[i] = float64(1 + i%3)
		}
		if f.TakesPrecision() {
			data.Precision = make([]float64, data.Rows())
			for i := range data.Precision {
				data.Precision[i] = 0.5 + float64(i%5)
			}
		}
		all = append(all, weighted)
	}
	return all
}

// Every number of a vectorised target has the scalar one's bits.
func TestVectorised(t *testing.T) {
	for _, e := range kernelExamples() {
		scalar := mustTarget(t, e)
		want, got := numbersOf(scalar), numbersOf(scalar.Vectorised())
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) && (got[i] == got[i] || want[i] == want[i]) {
				t.Fatalf("%s: number %d of %d is %v, of the scalar target %v", e.name, i, len(want), got[i], want[i])
			}
		}
	}
}

// pinnedNumbers are hashes of the bits of each family and link, those of the time before there were vector kernels.
var pinnedNumbers = map[string]string{
	"bernoulli(cauchit)":       "8fbc8e37606f81e8",
	"bernoulli(cloglog)":       "4ffb8e44a3392851",
	"bernoulli(logit)":         "816c96deb036fe7b",
	"bernoulli(probit)":        "709184725de85abf",
	"beta(logit)":              "8b7858617c06d81c",
	"beta_binomial(cauchit)":   "46db8295d23a5ef9",
	"beta_binomial(cloglog)":   "82af5e6fc46132e8",
	"beta_binomial(logit)":     "ec34f9dd8adbd0c0",
	"beta_binomial(probit)":    "cb0d49bf1d86b7f1",
	"binomial(cauchit)":        "efaa4ca3c54275b5",
	"binomial(cloglog)":        "afa0239db461e3c4",
	"binomial(logit)":          "e642fd5bbda146d0",
	"binomial(probit)":         "f195a42b40d3ce44",
	"exgaussian(identity)":     "af54d766e39407d7",
	"exponential(log)":         "5d703042538bbbb5",
	"frechet(log)":             "f3a4cd91ea77ad48",
	"gamma(inverse)":           "e7acdb9d239eeff9",
	"gamma(log)":               "074686d526f2fb38",
	"gaussian(identity)":       "e4514584ab03e279",
	"gaussian(inverse)":        "1d88ac2420a9415c",
	"gaussian(log)":            "5b08e179ab9f8f6f",
	"inverse_gaussian(1/mu^2)": "4b0c3242c9e331c6",
	"inverse_gaussian(log)":    "f3b28eb9c2f54df2",
	"loglogistic(log)":         "467423cde76734f3",
	"lognormal(identity)":      "81dada532ae947a7",
	"negative_binomial(log)":   "f8839c760f03fdf8",
	"poisson(identity)":        "d118b9ad3312f684",
	"poisson(log)":             "67f5314b79e333f4",
	"poisson(sqrt)":            "acab5f7c8fcd5319",
	"skew_normal(identity)":    "42b02a7767a00b2f",
	"student_t(identity)":      "91c3b5abb7c586e4",
	"weibull(log)":             "76cb1a0afcb7ec5a",
}

func TestPinnedNumbers(t *testing.T) {
	hashes := map[string]hash.Hash{}
	for _, e := range kernelExamples() {
		f := e.model.Family.String()
		if hashes[f] == nil {
			hashes[f] = sha256.New()
		}
		for _, v := range numbersOf(mustTarget(t, e)) {
			if v != v {
				v = math.NaN()
			}
			fmt.Fprintf(hashes[f], "%016x", math.Float64bits(v))
		}
	}
	for f, h := range hashes {
		if got := hex.EncodeToString(h.Sum(nil)[:8]); got != pinnedNumbers[f] {
			t.Errorf("the bits of the likelihoods have changed: %q: %q, pinned %q", f, got, pinnedNumbers[f])
		}
	}
}

// RowCurves of one row after the other has the bits of all at once, and what bernoulli and binomial rows have agrees
// with package math, far out too.
func TestRowCurves(t *testing.T) {
	const n = 2500
	for _, e := range []example{familyExample(3, Family{Name: "bernoulli", Link: "logit"}, n, 2),
		familyExample(4, Family{Name: "binomial", Link: "logit"}, n, 2)} {
		target, err := NewTarget(e.data, e.model)
		must(t, err)
		all, one, eta := make([]float64, 3*n), make([]float64, 3), make([]float64, n)
		for i := range eta {
			eta[i] = float64((i*i)%161-80) / 2
		}
		target.RowCurves(0, eta, nil, all[:n], nil, all[n:2*n], all[2*n:])
		apart, odds := make([]float64, 3*n), make([]float64, n)
		target.RowCurves(0, eta, nil, apart[:n], odds, apart[n:2*n], apart[2*n:])
		for i, x := range eta {
			if want, got := all[i], apart[i]-math.Log(odds[i]); math.Abs(got-want) > 1e-14*max(1, math.Abs(want)) {
				t.Fatalf("%s: row %d has the value %v with odds %v, %v without", e.name, i, got, odds[i], want)
			}
			for k := range 2 {
				if got, want := apart[(k+1)*n+i], all[(k+1)*n+i]; math.Abs(got-want) > 1e-15*max(1, math.Abs(want)) {
					t.Fatalf("%s: derivative %d of row %d is %v with odds, %v without", e.name, k+1, i, got, want)
				}
			}
			target.RowCurves(i, eta[i:i+1], nil, one[:1], nil, one[1:2], one[2:])
			m, y := 1.0, e.data.Y[i]
			if e.data.Trials != nil {
				m = e.data.Trials[i]
			}
			tail := math.Exp(-math.Abs(x))
			want := []float64{y*x - m*(max(x, 0)+math.Log1p(tail)), y - m/(1+math.Exp(-x)), m * tail / (1 + tail) / (1 + tail)}
			for k, v := range one {
				if v != all[k*n+i] {
					t.Fatalf("%s: number %d of row %d is %v alone and %v among all", e.name, k, i, v, all[k*n+i])
				}
				if scale := max(math.Abs(want[k]), float64(1-k/2)*m*max(1, math.Abs(x))); math.Abs(v-want[k]) > 1e-14*scale {
					t.Fatalf("%s: number %d at %v is %v, want %v", e.name, k, x, v, want[k])
				}
			}
		}
	}
}
