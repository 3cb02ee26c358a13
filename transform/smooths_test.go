package transform

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/internal/linalg"
)

// smoothGolden are the columns that mgcv and brms make of a smooth, see make_smooths.R.
type smoothGolden struct {
	Data, Term string
	New        map[string]json.RawMessage
	Smooths    []struct {
		Label     string
		Penalised int
		Fixed     [][]float64
		Products  [][]float64 // Z·Zᵀ of the new rows
	}
}

func smoothGoldens(t testing.TB) (all []smoothGolden) {
	t.Helper()
	src, err := os.ReadFile("../testdata/classic/smooths.json")
	if err != nil {
		t.Fatalf("golden: %v (run make_smooths.R)", err)
	}
	must(t, json.Unmarshal(src, &all))
	if len(all) < 25 {
		t.Fatalf("%d golden smooths, want 25 at least", len(all))
	}
	return all
}

// table is the data of a golden, and rows its new rows.
func (g *smoothGolden) table(t testing.TB) arrow.Table {
	if g.Data != "grid" {
		return classic(t, g.Data)
	}
	u := make([]float64, 2500)
	for i := range u {
		_, part := math.Modf(float64(i+1) * 0.618033988749895)
		u[i] = part * part
	}
	return makeTable(t, 0, col{name: "u", values: u})
}

func (g *smoothGolden) rows(t testing.TB) arrow.Table {
	var cols []col
	for name, values := range g.New {
		var numbers []float64
		if json.Unmarshal(values, &numbers) == nil {
			cols = append(cols, col{name: name, values: numbers})
			continue
		}
		var words []string
		must(t, json.Unmarshal(values, &words))
		cols = append(cols, col{name: name, values: words})
	}
	slices.SortFunc(cols, func(a, b col) int { return strings.Compare(a.name, b.name) })
	return makeTable(t, 0, cols...)
}

// build makes the design of a response that is not in the way.
func (g *smoothGolden) build(t testing.TB) *Design {
	t.Helper()
	table := g.table(t)
	y := make([]float64, table.NumRows())
	for i := range y {
		y[i] = float64(i % 7)
	}
	response := makeTable(t, 0, col{name: "zz", values: y})
	fields := append(slices.Clone(table.Schema().Fields()), response.Schema().Field(0))
	columns := []arrow.Column{}
	for i := range int(table.NumCols()) {
		columns = append(columns, *table.Column(i))
	}
	whole := array.NewTable(arrow.NewSchema(fields, nil), append(columns, *response.Column(0)), table.NumRows())
	return mustBuild(t, whole, "zz ~ "+g.Term, Spec{Missing: "drop", Standardize: "center_scale"})
}

// The columns of every smooth are mgcv's up to a rotation of the penalised ones, at rows of the data and at others,
// beyond the range too: the products Z·Zᵀ are equal, and so is the space of the unpenalised columns; if there is
// one of these, it is equal up to its sign.
//
// Tolerance: 1e-6 of the largest product. The eigenvalues of a penalty span eight orders of magnitude, and both
// programs divide by their roots; at k = 5 the difference is below 1e-12.
func TestSmoothsMatchMgcv(t *testing.T) {
	for _, g := range smoothGoldens(t) {
		record := throughJSON(t, g.build(t).Record)
		d, err := record.Code(g.rows(t), Coding{})
		if err != nil {
			t.Errorf("%s, %s: %v", g.Data, g.Term, err)
			continue
		}
		if len(d.Data.Smooths) != len(g.Smooths) {
			t.Errorf("%s, %s: %d smooths, want %d", g.Data, g.Term, len(d.Data.Smooths), len(g.Smooths))
			continue
		}
		worst := 0.0
		for i, want := range g.Smooths {
			got, fixed := d.Data.Smooths[i], record.Smooths[i].Fixed
			if got.Term != want.Label || got.Last-got.First != want.Penalised || got.First-fixed != len(want.Fixed) {
				t.Errorf("%s, %s: %+v with fixed columns from %d, want %s with %d and %d columns", g.Data, g.Term, got, fixed,
					want.Label, len(want.Fixed), want.Penalised)
				continue
			}
			off := math.Max(productsOff(d, got.First, got.Last, want.Products), fixedOff(d, fixed, want.Fixed))
			worst = math.Max(worst, off)
		}
		t.Logf("%-12s %-32s %.1e", g.Data, g.Term, worst)
		if !(worst < 1e-6) {
			t.Errorf("%s, %s: off by %.2g of the largest", g.Data, g.Term, worst)
		}
	}
}

// productsOff compares Z·Zᵀ, relative to its largest entry.
func productsOff(d *Design, first, last int, want [][]float64) float64 {
	largest, off := 0.0, 0.0
	for i := range want {
		for k := range want {
			sum := 0.0
			for j := first; j < last; j++ {
				sum += d.Data.X.Col(j)[i] * d.Data.X.Col(j)[k]
			}
			largest, off = math.Max(largest, math.Abs(want[i][k])), math.Max(off, math.Abs(sum-want[i][k]))
		}
	}
	return off / largest
}

// fixedOff compares the spaces of unpenalised columns, and a single column itself.
func fixedOff(d *Design, first int, want [][]float64) (off float64) {
	if len(want) == 1 {
		plus, minus, largest := 0.0, 0.0, 0.0
		for i, v := range want[0] {
			got := d.Data.X.Col(first)[i]
			plus, minus = math.Max(plus, math.Abs(got-v)), math.Max(minus, math.Abs(got+v))
			largest = math.Max(largest, math.Abs(v))
		}
		return math.Min(plus, minus) / largest
	}
	span := linalg.NewSpan(1e-10)
	for j := range want {
		span.Add(d.Data.X.Col(first + j))
	}
	for _, column := range want {
		_, share := span.Residual(column)
		off = math.Max(off, share)
	}
	if span.Rank() < len(want) {
		return math.Inf(1)
	}
	return off
}

// BenchmarkSmooth learns a smooth and makes its columns.
func BenchmarkSmooth(b *testing.B) {
	for _, n := range []int{2000, 1_000_000} {
		x := make([]float64, n)
		for i := range x {
			_, x[i] = math.Modf(float64(i+1) * 0.618033988749895)
		}
		for _, k := range []int{10, 40} {
			b.Run(fmt.Sprintf("basis=tp/n=%d/k=%d", n, k), func(b *testing.B) {
				for range b.N {
					basis, err := (&smoothCall{k: k, bs: "tp", m: [2]int{2, 2}}).learn(x, nil)
					must(b, err)
					basis.evaluate(x)
				}
			})
		}
	}
}

// The record without groupings keeps its smooths, whose variable may have another index then; effects include them.
func TestSmoothsWithoutGroupings(t *testing.T) {
	f, err := ParseFormula("y ~ (1 + w | g) + s(x, k = 4)")
	must(t, err)
	if name, _ := f.Unknown([]string{"x"}); name != "" {
		t.Errorf("the variable of a smooth is not known: %s", name)
	}
	r := Record{Variables: []Variable{{Label: "w"}, {Label: "s(x, k = 4)", Basis: &Basis{}}},
		Terms: []Term{{Label: "s(x, k = 4)", Variables: []int{1}}}, Groupings: []Grouping{{Name: "g"}},
		Effects: []Effect{{Terms: []Term{{Label: "w", Variables: []int{0}}}}}, Smooths: []Smooth{{Basis: 1}}}
	out := r.Among(func(string) bool { return false })
	if len(out.Variables) != 1 || out.Smooths[0].Basis != 0 || r.Smooths[0].Basis != 1 {
		t.Errorf("the smooth's variable is %d of %d", out.Smooths[0].Basis, len(out.Variables))
	}
}
