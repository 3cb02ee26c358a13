package plan

import "testing"

func TestSelector(t *testing.T) {
	for _, c := range []struct {
		terms        []string
		dataset, key string
		model        string
		want         bool
	}{
		{nil, "claims", "", "m", true},
		{[]string{"dataset=claims"}, "claims", "", "m", true},
		{[]string{"dataset=claims"}, "claims", "north", "m", true},
		{[]string{"dataset=claims/north"}, "claims", "north", "m", true},
		{[]string{"dataset=claims/n*"}, "claims", "south", "m", false},
		{[]string{"dataset=claims/n*", "dataset=claims/s*"}, "claims", "south", "m", true},
		{[]string{"dataset=claims/[x]"}, "claims", "[x]", "m", true},
		{[]string{"dataset=cl*th"}, "claims", "north", "m", true},
		{[]string{"dataset=*th"}, "claims", "north", "m", true},
		{[]string{"dataset=claims?north"}, "claims", "north", "m", true},
		{[]string{"dataset=claims/[a-z]*"}, "claims", "north", "m", false},
		{[]string{"dataset=cla"}, "claims", "north", "m", false},
		{[]string{"dataset=other"}, "claims", "", "m", false},
		{[]string{"dataset=claims", "model=a*"}, "claims", "", "m", false},
		{[]string{"dataset=claims", "model=a*"}, "claims", "", "abc", true},
	} {
		s, err := ParseSelector(c.terms)
		must(t, err)
		got := s.unit(c.dataset, c.key) && s.fit(c.model, "gibbs")
		if got != c.want {
			t.Errorf("%q selects %s/%s × %s: %v, want %v", c.terms, c.dataset, c.key, c.model, got, c.want)
		}
		if c.want && !s.dataset(c.dataset, c.key != "") {
			t.Errorf("%q would not read %s", c.terms, c.dataset)
		}
	}
	s, err := ParseSelector([]string{"dataset=other/*"})
	if err != nil || s.dataset("claims", true) || !s.dataset("other", true) || s.dataset("other", false) {
		t.Errorf("other/* reads the wrong data sets (%v)", err)
	}
	for _, bad := range []string{"claims", "table=x", ""} {
		if _, err := ParseSelector([]string{bad}); err == nil {
			t.Errorf("%q was taken as a selector", bad)
		}
	}
}
