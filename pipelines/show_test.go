package pipelines

import "testing"

func TestMatchFit(t *testing.T) {
	for _, c := range []struct {
		pattern, dataset, key, model, sampler string
		want                                  bool
	}{
		{"pima", "pima", "", "m", "s", true},
		{"pim", "pima", "", "m", "s", false},
		{"pima/m", "pima", "", "m", "s", true},
		{"pima/m/s", "pima", "", "m", "s", true},
		{"pima/s", "pima", "", "m", "s", false},
		{"pima × m × s", "pima", "", "m", "s", true},
		{"*/s", "pima", "", "m", "s", true},
		{"claims/north", "claims", "north", "m", "s", true},
		{"claims/north/m/s", "claims", "north", "m", "s", true},
		{"claims/m", "claims", "north", "m", "s", true},
		{"claims/south", "claims", "north", "m", "s", false},
		{"*", "claims", "north", "m", "s", true},
	} {
		if got := MatchFit(c.pattern, c.dataset, c.key, c.model, c.sampler); got != c.want {
			t.Errorf("MatchFit(%q, %q, %q, %q, %q) = %t", c.pattern, c.dataset, c.key, c.model, c.sampler, got)
		}
	}
}
