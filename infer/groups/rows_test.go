package groups

import (
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
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
	column := func(k int) []float64 { // tells the rows apart
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

// Where effects move twice, the sums that the second move starts from are those at the point.
func TestSumsLeftToTheSecondMove(t *testing.T) {
	k := started(t, newStudy("bernoulli", "logit", 600, [2]int{200, 1}), Options{})
	g := k.groups[0]
	for g.twice = false; ; {
		k.matchLevels(g, false)
		if slices.Contains(g.taken, false) && slices.Contains(g.taken, true) {
			break
		}
	}
	g.takeSums()
	want := newSums(g.block)
	k.sumsAt(g, &want, nil, false)
	for l := range g.levels {
		for i, x := range []float64{g.here.value[l] - want.value[l], g.here.slope[l] - want.slope[l], g.here.curve[l] - want.curve[l]} {
			if math.Abs(x) > 1e-12 {
				t.Errorf("sum %d of level %d is %g from that at the point", i, l, x)
			}
		}
	}
}

// Rows that are read are counted: of a closed gaussian each grouping takes two passes, coefficients two over X, the log
// likelihood one; of others a grouping takes one pass at the point, one at the place and one to
// go there.
func TestRowsReadAreCounted(t *testing.T) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		for groupings := 1; groupings <= 3; groupings++ {
			if n > 100_000 && testing.Short() {
				continue
			}
			levels := []int{n / 10, n / 20, int(math.Sqrt(float64(n)))}[:groupings]
			for _, family := range []string{"gaussian", "bernoulli"} {
				readIsCounted(t, crossed(family, map[string]string{"gaussian": "identity", "bernoulli": "logit"}[family], n, levels...))
			}
		}
	}
	const n = 600
	k := started(t, newStudy("gaussian", "identity", n, [2]int{50, 2}, [2]int{8, 1}), Options{})
	k.Iteration = sliceFirst
	if err := sweeps(2)(k); err != nil { // the second one refreshes nothing
		t.Fatal(err)
	}
	info, err := k.Step()
	if err != nil {
		t.Fatal(err)
	}
	want := int64(n * (2*3 + 2*2 + 1))
	for _, p := range k.pairs {
		for _, l := range p.lines {
			want += 2 * int64(len(l.column.Rows))
		}
	}
	if info.Touched != want {
		t.Errorf("a sweep reads %d entries, want %d", info.Touched, want)
	}
	for _, levels := range []int{3, 8, 50, 200} {
		k := started(t, newStudy("bernoulli", "logit", n, [2]int{levels, 1}), Options{})
		k.Touched, _ = 0, k.point.RowsRead()
		k.matchLevels(k.groups[0], false)
		read, want := k.Touched+k.point.RowsRead(), int64(n*k.groups[0].passes())
		if read != want {
			t.Errorf("%d levels: a move of them reads %d rows, want %d", levels, read, want)
		}
	}
}

// readIsCounted holds what moves of the effects of crossed groupings read to c·K·n and one pass for the log likelihood,
// c being 2 where they are drawn, 3 where they are proposed and 5 where that is done twice.
func readIsCounted(t *testing.T, s study) {
	t.Helper()
	setup, err := New(&s.data, s.model, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	made, err := setup.Kernel(infer.Chain{Count: 1, Stream: infer.NewStream(1, "read")})
	if err != nil {
		t.Fatal(err)
	}
	k := made.(*kernel)
	k.Iteration = sliceFirst // no iteration of slices
	n, passes := len(s.data.Y), 1
	for _, g := range k.groups {
		passes += g.passes()
	}
	for i := range k.groups {
		k.moveLevels(i)
	}
	k.revalue()
	if read, want := k.Touched+k.point.RowsRead(), int64(n*passes); read != want || len(k.pairs) > 0 {
		t.Errorf("%s, %d rows, %d groupings: a sweep over their levels reads %d entries, want %d", s.model.Family, n, len(k.groups),
			read, want)
	}
}

// passes is the number of entries of each row that a move of all effects reads.
func (g *group) passes() int {
	switch {
	case g.gram != nil:
		return 2
	case g.twice:
		return 5
	}
	return 3
}
