package design_test

import (
	"slices"
	"testing"

	"glmbatch/infer/design"
)

// TestGrouping: every row appears once, with its level, in increasing order, and levels without rows have none.
func TestGrouping(t *testing.T) {
	of := []int32{2, 0, 2, 3, 0, 2}
	g := design.NewGrouping(of, 5)
	want := [][]int32{{1, 4}, {}, {0, 2, 5}, {3}, {}}
	if g.Levels() != len(want) || !slices.Equal(g.Of(), of) {
		t.Fatalf("%d levels of %v, want %d of %v", g.Levels(), g.Of(), len(want), of)
	}
	for l, rows := range want {
		if !slices.Equal(g.Rows(l), rows) {
			t.Errorf("level %d has rows %v, want %v", l, g.Rows(l), rows)
		}
	}
	e := design.Effects{Grouping: g, Terms: []string{"Intercept", "x"}}
	if e.Count() != 10 {
		t.Errorf("%d effects of 2 terms and 5 levels", e.Count())
	}
	defer func() {
		if recover() == nil {
			t.Error("a row of level 5 among 5 levels is taken")
		}
	}()
	design.NewGrouping([]int32{0, 5}, 5)
}
