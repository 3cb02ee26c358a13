package system

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/discrete/influence"
	"glmbatch/discrete/mrf"
	"glmbatch/infer/dogs"
)

// A certified list has the variation of its certificate, below the aim, and is no longer than the systematic one. Its
// chains count the variables that it is for, and no others. Where influences are too strong there is a reason, and no list.
func TestScanForSomeVariables(t *testing.T) {
	f := ising(t, 0.25)
	aim := Aim{IDs: []string{"1,1", "3,2"}, Within: 0.05}
	order, focus, cert, err := f.Scan(aim)
	if err != nil || len(focus) != 2 || focus[0] != 0 || focus[1] != 13 {
		t.Fatal(focus, err)
	}
	v, err := influence.Bounds(f.Model).Variation(order, dogs.Target{Variables: []int32{0, 13}})
	if err != nil || v != cert.Bound || !(v <= 0.05) || cert.Updates != int64(len(order)) {
		t.Errorf("the list has a variation of %v, told %v of %d updates, %v", v, cert.Bound, cert.Updates, err)
	}
	aim.Order = orderSystematic
	plain, _, whole, err := f.Scan(aim)
	if err != nil || len(plain) < len(order) || !(whole.Bound <= 0.05) {
		t.Errorf("%d updates in turn, bound %v, against %d: %v", len(plain), whole.Bound, len(order), err)
	}
	if v, _ := influence.Bounds(f.Model).Variation(plain[:len(plain)-1], dogs.Target{Variables: []int32{0, 13}}); v <= 0.05 {
		t.Errorf("a systematic scan one step shorter has a variation of %v", v)
	}
	strong := ising(t, 0.6)
	if order, _, cert, err := strong.Scan(Aim{IDs: []string{"1,1"}, Within: 0.05}); err != nil || order != nil || !math.IsNaN(cert.Bound) || !strings.Contains(cert.Reason, "influences are too strong") {
		t.Errorf("%d updates, bound %v, %q, %v", len(order), cert.Bound, cert.Reason, err)
	}
	if _, _, _, err := f.Scan(Aim{IDs: []string{"7,1"}, Within: 0.05}); err == nil || !strings.Contains(err.Error(), "'1,1' to '6,6'") {
		t.Errorf("an unknown variable: %v", err)
	}
	countsItsVariables(t, f, order, focus)
}

func ising(t *testing.T, coupling float64) *Field {
	return grid(t, 6, 6, 2, coupling)
}

// countsItsVariables compares chains of a list with plain ones: it is for variables 0 and
// 13.
func countsItsVariables(t *testing.T, f *Field, order []int32, focus []int) {
	t.Helper()
	inner, err := mrf.NewGibbs(f.Model, mrf.Options{Order: order})
	must(t, err)
	s, err := f.NewSetup(inner, Plan{Segments: []int{0}, Batch: 2}, focus)
	must(t, err)
	wrapped, alone := kernels(t, s, 2), kernels(t, inner, 2)
	ones := make([]float64, f.N)
	for c := range wrapped {
		for range 40 {
			before := bytes.Clone(alone[c].(mrf.Sampler).State())
			info, _ := wrapped[c].Step()
			_, _ = alone[c].Step()
			x, changed := alone[c].(mrf.Sampler).State(), 0.0
			for _, i := range focus {
				if x[i] != before[i] {
					changed++
				}
			}
			if info.Accept != changed/2 {
				t.Fatalf("%v changed, told %v", changed/2, info.Accept)
			}
			for i, a := range x {
				ones[i] += float64(a) / 80
			}
			row := []float64{math.NaN()}
			if wrapped[c].Position(row); row[0] != float64(x[0]+x[13])/2 {
				t.Fatalf("row %v of %v", row, x)
			}
		}
	}
	got := s.Collect(wrapped, 0, 40, true, true)
	for i := range f.N {
		p, drawn := got.Marginals.At(i)[1], i == 0 || i == 13
		if drawn && math.Abs(p-ones[i]) > 1e-15 || !drawn && !math.IsNaN(p) {
			t.Errorf("variable %d: %v, counted %v", i, p, ones[i])
		}
	}
}

// A budget is the best list of its length, in turn or chosen, with the variation of its certificate, and weights if they
// are given; a repeated list is some list over and over, and longer than what a search finds.
func TestScanOfABudget(t *testing.T) {
	f := ising(t, 0.2)
	c := influence.Bounds(f.Model)
	target := dogs.Target{Variables: []int32{0, 13}, Weights: []float64{3, 0.5}}
	variation := func(order []int32) float64 {
		v, err := c.Variation(order, target)
		must(t, err)
		return v
	}
	scan := func(a Aim) ([]int32, Certificate) {
		a.IDs, a.Weights = []string{"1,1", "3,2"}, target.Weights
		order, _, cert, err := f.Scan(a)
		if err != nil || order == nil || cert.Bound != variation(order) || !strings.Contains(cert.Of, "weight") {
			t.Fatalf("%+v: bound %v of %d updates, %q, %v", a, cert.Bound, len(order), cert.Of, err)
		}
		return order, cert
	}
	chosen, best := scan(Aim{Updates: 40})
	once, first := scan(Aim{Updates: 40, Rounds: 1})
	turn, plain := scan(Aim{Updates: 40, Order: orderSystematic})
	if len(chosen) > 40 || len(once) > 40 || len(turn) != 40 || turn[39] != 35 {
		t.Errorf("%d, %d and %d updates of 40, the last of %d", len(chosen), len(once), len(turn), turn[39])
	}
	if !(best.Bound < first.Bound && first.Bound < plain.Bound) {
		t.Errorf("20 rounds certify %v, one %v, in turn %v", best.Bound, first.Bound, plain.Bound)
	}
	short, _ := scan(Aim{Within: 0.05})
	long, cert := scan(Aim{Within: 0.05, Iterate: 72})
	if len(long) < len(short) || !(cert.Bound <= 0.05) {
		t.Errorf("%d updates repeated, %d searched, bound %v", len(long), len(short), cert.Bound)
	}
}

// A list that was chosen by inflated bounds is the best of these, and its certificate is by the bounds as they are.
func TestScanByLooserBounds(t *testing.T) {
	f := ising(t, 0.2)
	c := influence.Bounds(f.Model)
	target := dogs.Target{Variables: []int32{0}}
	aim := Aim{IDs: []string{"1,1"}, Updates: 40, Inflate: 1.25}
	order, _, cert, err := f.Scan(aim)
	must(t, err)
	loose := c.Scaled(1.25)
	want, err := loose.Optimise(loose.Towards(target, 40), target, dogs.Options{Rounds: 20})
	must(t, err)
	variation, err := c.Variation(order, target)
	if err != nil || !slices.Equal(order, want.Scan) || cert.Bound != variation || !(cert.Bound < want.Variation) {
		t.Errorf("%d updates, %d wanted; bound %v, judged %v, by the looser bounds %v: %v", len(order), len(want.Scan),
			cert.Bound, variation, want.Variation, err)
	}
	if told := fmt.Sprintf("times 1.25, which certify %.3g", want.Variation); !strings.HasSuffix(cert.Reason, told) {
		t.Errorf("the note %q does not end with %q", cert.Reason, told)
	}
	aim.Inflate = 99
	if order, _, cert, err = f.Scan(aim); order != nil || err != nil || !math.IsNaN(cert.Bound) || cert.Reason == "" {
		t.Errorf("by hopeless bounds %d updates, bound %v, %q: %v", len(order), cert.Bound, cert.Reason, err)
	}
}

// A list that is given has the certificate of its updates, and a random scan that of definition 7; the list is kept as
// it is. An update of no variable is an error that names it. Seen red: the target instead of the list.
func TestScanAsGiven(t *testing.T) {
	f := ising(t, 0.25)
	c, target := influence.Bounds(f.Model), dogs.Target{Variables: []int32{0}}
	order, focus, cert, err := f.Scan(Aim{IDs: []string{"1,1"}, List: []string{"1,2", "2,1", "1,1", "1,1"}})
	v, _ := c.Variation([]int32{1, 6, 0, 0}, target)
	if err != nil || !slices.Equal(order, []int32{1, 6, 0, 0}) || len(focus) != 1 || cert.Bound != v || cert.Updates != 4 {
		t.Errorf("%v for %v: %v after %d, want %v; %v", order, focus, cert.Bound, cert.Updates, v, err)
	}
	trace := cert.Trace
	if one, _ := c.Variation([]int32{1}, target); !slices.Equal(trace.Order, order) || len(trace.Bounds) != 4 ||
		trace.Bounds[0] != one || trace.Bounds[3] != v || trace.Influences.Influences() != c.Influences() {
		t.Errorf("the trace %+v", trace)
	}
	_, _, _, err = f.Scan(Aim{IDs: []string{"1,1"}, List: []string{"1,2", "1,7"}})
	if err == nil || !strings.Contains(err.Error(), `update 2 of the scan is of "1,7"`) {
		t.Error(err)
	}
	order, focus, cert, err = f.Scan(Aim{IDs: []string{"1,1"}, Order: orderRandom, Updates: 90})
	v, _ = c.RandomVariation(nil, 90, target)
	if err != nil || order != nil || len(focus) != 1 || cert.Bound != v || cert.Updates != 90 {
		t.Errorf("random: %v for %v: %v after %d, want %v; %v", order, focus, cert.Bound, cert.Updates, v, err)
	}
	if trace = cert.Trace; trace.Order != nil || len(trace.Bounds) != 90 || trace.Bounds[89] != v {
		t.Errorf("the trace of a random scan %+v", trace)
	}
	_, _, cert, _ = f.Scan(Aim{IDs: []string{"1,1"}, Order: orderRandom, Updates: 1 << 25})
	if !math.IsNaN(cert.Bound) || !strings.Contains(cert.Reason, "not computed") {
		t.Errorf("a long random scan: %v, %q", cert.Bound, cert.Reason)
	}
}
