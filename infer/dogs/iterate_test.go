package dogs

import (
	"errors"
	"slices"
	"testing"
)

// A repeated list is the optimised one repeated, after the variables that it leaves out, has the variation that is
// returned, and ends with the first update that is good enough. It needs more updates than Search.
func TestIterate(t *testing.T) {
	c := lattice(6, 6, 0.2)
	for _, d := range []Target{{Variables: []int32{0}}, {Variables: []int32{14, 3}, Weights: []float64{2, 0.5}}, All(36)} {
		o := Options{Below: 0.02 * float64(len(d.Variables)), Rounds: 20}
		cert, err := c.Iterate(d, 72, o)
		must(t, err)
		once, err := c.Optimise(c.Towards(d, 72), d, Options{Rounds: 20})
		must(t, err)
		left := slices.DeleteFunc(Systematic(36, 36), func(i int32) bool { return slices.Contains(once.Scan, i) })
		list := append(left, once.Scan...)
		for at, i := range cert.Scan {
			if i != list[at%len(list)] {
				t.Fatalf("update %d is of %d, of the list %d", at, i, list[at%len(list)])
			}
		}
		v, _ := c.Variation(cert.Scan, d)
		less, _ := c.Variation(cert.Scan[:len(cert.Scan)-1], d)
		if v != cert.Variation || !(v <= o.Below) || less <= o.Below {
			t.Errorf("variation %v, told %v, one update less %v, asked for %v", v, cert.Variation, less, o.Below)
		}
		best, err := c.Search(d, o)
		if err != nil || len(best.Scan) > len(cert.Scan) {
			t.Errorf("%d updates searched, %d repeated: %v", len(best.Scan), len(cert.Scan), err)
		}
	}
}

// An empty list, one that is not long enough, an invalid aim and influences that are too strong are errors.
func TestIterateRefuses(t *testing.T) {
	c := lattice(6, 6, 0.2)
	d := Target{Variables: []int32{0}}
	var reach *ReachError
	if _, err := c.Iterate(All(36), 36, Options{Below: 1e-6, MaxLength: 50}); !errors.As(err, &reach) || reach.Length != 50 {
		t.Errorf("at most 50 updates: %v", err)
	}
	for name, err := range map[string]error{
		"no updates": second(c.Iterate(d, 0, Options{Below: 0.1})), "no aim": second(c.Iterate(d, 36, Options{})),
		"no target":  second(c.Iterate(Target{}, 36, Options{Below: 0.1})),
		"too strong": second(lattice(6, 6, 0.6).Iterate(d, 36, Options{Below: 0.1})),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestEnding(t *testing.T) {
	if got := Ending(3, 5); !slices.Equal(got, []int32{1, 2, 0, 1, 2}) {
		t.Errorf("5 updates of 3 variables: %v", got)
	}
}
