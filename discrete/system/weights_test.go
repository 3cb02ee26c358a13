package system

import (
	"math"
	"testing"

	"glmbatch/discrete/herded"
	"glmbatch/discrete/mrf"
	"glmbatch/infer"
)

// The kept weights are those of the paper's equation: without neighbours a sweep adds the probability of state 1 less the
// state; of a weight that no visit has moved it is the start.
func TestKeptWeights(t *testing.T) {
	p := []float64{1.0 / 3, 0.8}
	m, err := mrf.NewBinary([]float64{math.Log(p[0]/(1-p[0])) / 2, math.Log(p[1]/(1-p[1])) / 2}, nil)
	must(t, err)
	f := &Field{Variables: &Variables{N: 2}, Model: m, States: 2, Labels: []string{"0", "1"}, Watched: []int{0, 1}}
	inner, err := herded.New(m, herded.Options{Start: herded.Mode})
	must(t, err)
	s, err := f.NewSetup(inner, NewPlan(0, []int{100}), nil)
	must(t, err)
	s.KeepWeights()
	k, err := s.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "weights")})
	must(t, err)
	names := s.Parameters()
	at, before := make([]float64, len(names)), make([]float64, len(names))
	k.Position(before)
	first := len(names) - 2
	for i := range p {
		if got := before[first+i]; math.Abs(got-(p[i]-0.5)) > 1e-12 || names[first+i].Kind != Weight {
			t.Errorf("%s starts at %v, want %v", names[first+i].Name, got, p[i]-0.5)
		}
	}
	for range 50 {
		_, err := k.Step()
		must(t, err)
		k.Position(at)
		for i := range p {
			if step := at[first+i] - before[first+i]; math.Abs(step-(p[i]-at[first-2+i])) > 1e-12 {
				t.Fatalf("%s moves by %v at state %v", names[first+i].Name, step, at[first-2+i])
			}
		}
		copy(before, at)
	}
}
