package groups

import (
	"slices"
	"testing"

	"glmbatch/infer"
)

// A column whose entries change is not shifted against effects, though the first entries are constant within levels;
// the others are.
func TestRewrittenColumnsAreNotShifted(t *testing.T) {
	s := newStudy("bernoulli", "logit", 20, [2]int{5, 1})
	_, data := s.draw(infer.NewStream(3, "rewritten"))
	for _, c := range []struct{ rewritten, want []int }{{nil, []int{0, 2}}, {[]int{2}, []int{0}}, {[]int{0, 2}, nil}} {
		r, err := NewRewritten(data, s.model, nil, c.rewritten)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, shift := range r.blocks[0].shifts {
			got = append(got, shift.column)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("where columns %v change, columns %v are shifted, want %v", c.rewritten, got, c.want)
		}
	}
}
