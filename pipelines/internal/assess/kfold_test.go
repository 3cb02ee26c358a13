package assess

import (
	"slices"
	"testing"

	"glmbatch/infer"
)

// Rows are dealt to folds of nearly equal size, at random; more folds than rows are as many as rows.
func TestDeal(t *testing.T) {
	of, count := deal(10, 3, infer.NewStream(1))
	size := make([]int, 3)
	for _, k := range of {
		size[k]++
	}
	if slices.Sort(size); count != 3 || !slices.Equal(size, []int{3, 3, 4}) || slices.Equal(of, []int{0, 1, 2, 0, 1, 2, 0, 1, 2, 0}) {
		t.Errorf("%d folds, sizes %v: %v", count, size, of)
	}
	if of, count = deal(3, 5, infer.NewStream(1)); count != 3 {
		t.Errorf("3 rows have %d folds: %v", count, of)
	}
}
