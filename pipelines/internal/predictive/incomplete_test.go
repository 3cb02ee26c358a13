package predictive

import (
	"iter"
	"math"
	"slices"
	"testing"

	"glmbatch/infer"
	laws "glmbatch/infer/family"
	"glmbatch/report/record"
)

// binsByHand counts at every draw the cells whose value lies in a class: from low on and below high, the last class
// of the observed values with its upper end.
func binsByHand(b *record.CellBin, seen []float64, cells [][]float64, whole bool) []float64 {
	top := slices.Max(seen)
	within := func(v float64) bool {
		above := math.IsNaN(b.Low) || v >= b.Low || v == top && b.High == top
		below := math.IsNaN(b.High) || v < b.High || v == top && b.High == top && !whole
		if !whole && b.Low == top && v == top { // it belongs to the class before
			return false
		}
		return above && below
	}
	out := make([]float64, len(cells[0]))
	for _, draws := range cells {
		for s, v := range draws {
			if within(v) {
				out[s]++
			}
		}
	}
	return out
}

// spread are draws of cells from low to high, at steps that no class has.
func spread(cells, draws int, low, high float64) [][]float64 {
	out := make([][]float64, cells)
	for i := range out {
		for s := range draws {
			u := math.Mod(0.137+float64(i)*0.618034+float64(s)*0.754877, 1)
			out[i] = append(out[i], low+u*(high-low))
		}
	}
	return out
}

// cellColumns are incomplete columns of numbers, of whole ones, of two levels and of three levels, the draws of
// their cells.
type cellColumns struct {
	columns []Incomplete
	cells   [][][]float64
	all     [][]float64 // what a fit has, something else before each column
}

func newCellColumns(t *testing.T, draws int) *cellColumns {
	poisson, err := laws.Parse("poisson", "")
	must(t, err)
	wide := spread(7, draws, -12, 23) // of 5 classes of width 2, and 3 on either side
	wide[3][5], wide[3][6], wide[3][7] = 12, -1e9, math.Inf(1)
	counts, two, three, states := spread(5, draws, 0, 8), make([][]float64, 4), make([][]float64, 9), spread(3, draws, 0, 3)
	for s := range draws {
		for i := range counts {
			counts[i][s] = math.Floor(counts[i][s])
		}
		for i := range two {
			two[i] = append(two[i], float64((i*s+i)%2))
		}
		for p := range three {
			three[p] = append(three[p], map[bool]float64{true: 1}[int(states[p/3][s]) == p%3])
		}
	}
	c := &cellColumns{cells: [][][]float64{wide, counts, two, three}, columns: []Incomplete{
		{Seen: []float64{2, 3, 3.5, 5, 8, 12}, Numbers: gaussian}, {Seen: []float64{2, 2, 5}, Numbers: poisson},
		{Seen: []float64{0, 1, 1}, Levels: []string{"no", "yes"}}, {Seen: []float64{2, 0, 2}, Levels: []string{"a", "b", "c"}}}}
	for k := range c.columns {
		c.all = append(c.all, make([]float64, draws))
		for _, cell := range c.cells[k] {
			c.columns[k].Params = append(c.columns[k].Params, len(c.all))
			c.all = append(c.all, cell)
		}
	}
	return c
}

// count counts, at each draw, the cells of a column that are in its class i, and the observed ones.
func (c *cellColumns) count(k, i int, b *record.CellBin) (drawn []float64, observed int) {
	own := &c.columns[k]
	for _, v := range own.Seen {
		if own.Levels != nil && int(v) == i || own.Levels == nil && binsByHand(b, own.Seen, [][]float64{{v}}, k == 1)[0] == 1 {
			observed++
		}
	}
	if own.Levels == nil {
		return binsByHand(b, own.Seen, c.cells[k], k == 1), observed
	}
	drawn = make([]float64, len(c.all[0]))
	for p, cell := range c.cells[k] {
		for s, v := range cell {
			if k == 2 && int(v) == i || k == 3 && p%3 == i && v == 1 {
				drawn[s]++
			}
		}
	}
	return drawn, observed
}

// Classes of missing cells and their quantiles are those of counting by hand at each draw: of numbers within the
// range of observed ones, near it and far beyond; of whole numbers; of two levels and of three levels.
func TestCellBins(t *testing.T) {
	const draws = 40
	c := newCellColumns(t, draws)
	e := &example{beta: c.all}
	f := &Fit{Chains: 4, Draws: draws / 4, Params: len(c.all),
		Open: func() iter.Seq2[*infer.Columns, error] { return e.blocks(3) }}
	got, err := f.CellBins(c.columns)
	must(t, err)
	if n, m := len(got[0]), len(got[1]); n != 13 || m != 8 || !math.IsNaN(got[0][0].Low) || !math.IsNaN(got[0][n-1].High) {
		t.Fatalf("%d classes of numbers and %d of whole ones: %+v", n, m, got)
	}
	for k, bins := range got {
		total := 0.0
		for i, b := range bins {
			want, observed := c.count(k, i, &b)
			s := Summarize(want)
			if b.Mean != s.Mean || b.Q025 != s.Q025 || b.Q25 != s.Q25 || b.Median != s.Median || b.Q75 != s.Q75 ||
				b.Q975 != s.Q975 || b.Observed != observed {
				t.Errorf("column %d, class %d is %+v, want %+v of %d", k, i, b, s, observed)
			}
			if levels := c.columns[k].Levels; levels != nil && b.Level != levels[i] {
				t.Errorf("column %d, class %d is of %q", k, i, b.Level)
			}
			total += b.Mean
		}
		if cells := []float64{7, 5, 4, 3}[k]; math.Abs(total-cells) > 1e-12 {
			t.Errorf("column %d has %v cells in all, want %v", k, total, cells)
		}
	}
}

// Of many cells, and of many draws, evenly spaced draws stand for all.
func TestCellBinsAreBounded(t *testing.T) {
	many := []Incomplete{{Params: make([]int, 60_000)}, {Params: make([]int, 40_000)}}
	for _, c := range []struct {
		draws   int
		columns []Incomplete
		want    int
	}{{2000, many, 1}, {2001, many, 2}, {10_000, many[:0], 1}, {10_001, many[:0], 2}, {80_000, many[:0], 8}} {
		f := &Fit{Chains: 1, Draws: c.draws}
		if got := f.binnedEvery(c.columns); got != c.want {
			t.Errorf("of %d draws every %d. is counted, want %d", c.draws, got, c.want)
		}
	}
	f := &Fit{Chains: 2, Draws: 10_000, Params: 1, Open: func() iter.Seq2[*infer.Columns, error] {
		draws := slices.Repeat([]float64{1, 5}, 10_000) // every second draw is 1
		return (&example{beta: [][]float64{draws}}).blocks(1)
	}}
	got, err := f.CellBins([]Incomplete{{Params: []int{0}, Seen: []float64{1, 5}, Numbers: gaussian}})
	if err != nil || got[0][0].Mean != 1 || got[0][len(got[0])-1].Mean != 0 {
		t.Errorf("of every second draw: %+v, %v", got, err)
	}
}
