package groups

import (
	"slices"
	"testing"

	"glmbatch/infer/design"
)

// Many rows are sampled in the order of the levels of the largest grouping, each with all that belongs to it.
func TestRowsInOrderOfLevels(t *testing.T) {
	s := crossed("gaussian", "identity", 1<<14, 20, 300)
	if few := crossed("gaussian", "identity", 1000, 20, 300); byLevel(&few.data) != &few.data {
		t.Error("few rows are copied")
	}
	x := s.data.X.(*design.Dense)
	n := x.Rows
	column := func(k int) []float64 { // distinguishes the rows
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(k*n + i)
		}
		return out
	}
	copy(x.Col(1), column(1))
	s.data.Y, s.data.Trials, s.data.Offset, s.data.Frequency, s.data.Precision = column(2), column(3), column(4), column(5), column(6)
	with(s.data.Effects[0], "slope", column(7))
	out := byLevel(&s.data)
	last, seen := int32(0), make([]bool, n)
	for i, y := range out.Y {
		row := int(y) - 2*n
		seen[row] = true
		got := []float64{out.X.(*design.Dense).Col(1)[i], out.Trials[i], out.Offset[i], out.Frequency[i], out.Precision[i],
			out.Effects[0].Columns[1][i]}
		for j, k := range []int{1, 3, 4, 5, 6, 7} {
			if got[j] != float64(k*n+row) {
				t.Fatalf("row %d has column %d of row %v", row, k, got[j]-float64(k*n))
			}
		}
		for e := range out.Effects {
			if out.Effects[e].Grouping.Of()[i] != s.data.Effects[e].Grouping.Of()[row] {
				t.Fatalf("row %d has another level of %s", row, out.Effects[e].Group)
			}
		}
		if l := out.Effects[1].Grouping.Of()[i]; l < last {
			t.Fatalf("level %d follows %d", l, last)
		} else {
			last = l
		}
	}
	if slices.Contains(seen, false) || s.data.Y[1] != float64(2*n+1) || len(out.Effects[0].Columns[0]) != 0 {
		t.Error("rows are lost, or those of the caller have moved")
	}
	if again := byLevel(out); again != out {
		t.Error("rows in order are copied")
	}
}
