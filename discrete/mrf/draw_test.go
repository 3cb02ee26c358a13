package mrf

import (
	"math"
	"testing"

	"glmbatch/infer"
)

// The log probability of a drawn state is its density by enumeration; and states come up as often as they should.
//
// False alarms: each |z| ≤ 6 over some 100 states of 5000 draws, 1e-6 with small counts left out. Power: a probability
// that is 6/√(np) of itself off.
func TestIndependent(t *testing.T) {
	for _, e := range examples(t) {
		d, err := NewIndependent(e.model)
		if err != nil {
			t.Fatal(err)
		}
		ex, err := Enumerate(e.model)
		if err != nil {
			t.Fatal(err)
		}
		const draws = 5000
		stream, x := infer.NewStream(1, e.name), make([]uint8, e.model.Variables())
		counts := make([]float64, len(ex.P))
		for range draws {
			logP := d.Draw(stream, x)
			at := Index(e.model, x)
			counts[at]++
			if want := math.Log(ex.P[at]); !(math.Abs(logP-want) < 1e-9) {
				t.Fatalf("%s: state %v has log probability %v, by enumeration %v", e.name, x, logP, want)
			}
		}
		for at, p := range ex.P {
			n := draws * p
			if z := (counts[at] - n) / math.Sqrt(n*(1-p)); n > 20 && !(math.Abs(z) <= 6) {
				t.Errorf("%s: state %d came up %v times, expected are %.1f", e.name, at, counts[at], n)
			}
		}
	}
}
