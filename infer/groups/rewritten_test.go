package groups

import (
	"slices"
	"strings"
	"testing"

	"glmbatch/infer"
)

// A column whose entries change is not shifted against effects, though the first entries are constant within levels;
// the others are.
func TestRewrittenColumnsAreNotShifted(t *testing.T) {
	s := newStudy("bernoulli", "logit", 20, [2]int{5, 1})
	_, data := s.draw(infer.NewStream(3, "rewritten"))
	for _, c := range []struct{ rewritten, want []int }{{nil, []int{0, 2}}, {[]int{2}, []int{0}}, {[]int{0, 2}, nil}} {
		r, err := newSetup(data, s.model, nil, Options{rewritten: &rewriting{c.rewritten}})
		must(t, err)
		var got []int
		for _, shift := range r.blocks[0].shifts {
			got = append(got, shift.column)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("where columns %v change, columns %v are shifted, want %v", c.rewritten, got, c.want)
		}
	}
}

// Coefficients of a gaussian model are drawn at once from the products of its design, unless its entries change: these
// products would be those of the first entries.
func TestRewrittenDesignsKeepNoProducts(t *testing.T) {
	s := newStudy("gaussian", "identity", 20, [2]int{5, 1})
	_, data := s.draw(infer.NewStream(3, "rewritten"))
	plain, err := New(data, s.model, nil, Options{})
	must(t, err)
	rewritten, err := NewRewritten(data, s.model, nil, []int{2})
	must(t, err)
	const atOnce = "all coefficients drawn at once"
	if a, b := plain.(infer.Explainer).Explain(), rewritten.Explain; !strings.Contains(a, atOnce) || strings.Contains(b, atOnce) {
		t.Errorf("a design that stays: %s\none that changes: %s", a, b)
	}
}
