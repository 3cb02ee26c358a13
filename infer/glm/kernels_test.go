package glm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
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
		p := NewPredictor(t)
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
		if f.Name == "gamma" || f.Name == "inverse_gaussian" { // math.Exp made them
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

// TestPinnedNumbers pins the bits of every family: those of the time before
// there were vector kernels.
func TestPinnedNumbers(t *testing.T) {
	h := sha256.New()
	for _, e := range kernelExamples() {
		for _, v := range numbersOf(mustTarget(t, e)) {
			if v != v {
				v = math.NaN()
			}
			fmt.Fprintf(h, "%016x", math.Float64bits(v))
		}
	}
	const want = "bea81b7fc946fdb9"
	if got := hex.EncodeToString(h.Sum(nil)[:8]); got != want {
		t.Errorf("the bits of the likelihoods have changed: hash %s, pinned %s", got, want)
	}
}
