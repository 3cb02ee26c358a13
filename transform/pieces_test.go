package transform

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// pieced makes the design of a table that comes in pieces of size rows.
func pieced(table arrow.Table, size int64, formula, missing string) (*Pieces, *Design, error) {
	f, err := ParseFormula(formula)
	if err != nil {
		return nil, nil, err
	}
	p := NewPieces(Spec{Dataset: "d", Formula: f.Weighted("", ""), Family: glm.Family{Name: "gaussian", Link: "identity"},
		Missing: missing, Standardize: "center_scale"})
	defer p.Release()
	each := func(visit func(arrow.Table, func(int64) string) (bool, error)) error {
		for first := int64(0); first < table.NumRows(); first += size {
			r := array.NewTableReader(table, table.NumRows())
			r.Next()
			rows := r.RecordBatch().NewSlice(first, min(first+size, table.NumRows()))
			some := array.NewTableFromRecords(table.Schema(), []arrow.RecordBatch{rows})
			more, err := visit(some, func(row int64) string { return fmt.Sprintf("row %d of all", first+row+1) })
			rows.Release()
			r.Release()
			some.Release()
			if err != nil || !more {
				return err
			}
		}
		return nil
	}
	if err := each(p.Learn); err != nil {
		return nil, nil, err
	}
	if err := p.Learned(); err != nil {
		return nil, nil, err
	}
	push := func(t arrow.Table, locate func(int64) string) (bool, error) { return true, p.Push(t, locate) }
	if err := each(push); err != nil {
		return nil, nil, err
	}
	d, err := p.Design()
	return p, d, err
}

// pieceTable has 500 rows whose levels, values and missing cells are not those of its first ones.
func pieceTable(t *testing.T) arrow.Table {
	n := 500
	y, x, z, g := make([]float64, n), make([]float64, n), make([]float64, n), make([]string, n)
	k, b := make([]int64, n), make([]bool, n)
	var missing []int
	for i := range n {
		x[i], z[i], g[i] = float64(i)/50, float64(i*i%37), fmt.Sprintf("g%d", 4-i/100)
		y[i], k[i], b[i] = x[i]-0.1*z[i]+float64(i%7), int64(10-i/60), i%3 == 0
		if i < 40 || i%17 == 3 {
			missing = append(missing, i)
		}
	}
	return makeTable(t, 0, col{"y", y, nil}, col{"x", x, nil}, col{"z", z, missing}, col{"g", g, nil}, col{"k", k, nil},
		col{"b", b, nil})
}

// For any pieces, even ones without a complete row, the bits are the same, and the learnt measures are those that
// Build learns from all rows.
func TestPiecesOfAnyLength(t *testing.T) {
	table := pieceTable(t)
	defer table.Release()
	for _, formula := range []string{"y ~ x + z", "y ~ g * x + b + factor(k) + z",
		"log(y + 20) ~ poly(x, 3) + scale(z) + cut(x, c(-1, 2, 5, 20)) + offset(scale(x, TRUE, FALSE)) + offset(scale(z, 5))",
		"y ~ bs(x, knots = c(2, 5)) + ns(z, knots = 9)", "y ~ 0 + g + z"} {
		f, err := ParseFormula(formula)
		must(t, err)
		all, err := Build(table, Spec{Dataset: "d", Formula: f, Family: glm.Family{Name: "gaussian", Link: "identity"},
			Missing: "drop", Standardize: "center_scale"})
		must(t, err)
		var numbers []float64
		for _, size := range []int64{500, 499, 100, 41, 7} {
			p, d, err := pieced(table, size, formula, "drop")
			if err != nil {
				t.Fatalf("%s, %d rows at a time: %v", formula, size, err)
			}
			_, got := p.HashInput()
			if numbers == nil {
				numbers = got
			} else if !slices.Equal(numbers, got) {
				t.Errorf("%s, %d rows at a time: other bits", formula, size)
			}
			if d.Counted != all.Rows || d.Dropped != all.Dropped || !slices.Equal(d.Data.Names, all.Data.Names) ||
				!slices.Equal(d.Warnings, all.Warnings) {
				t.Errorf("%s: %d rows, %d dropped, %q, %q\nwant %d, %d, %q, %q", formula, d.Counted, d.Dropped, d.Data.Names,
					d.Warnings, all.Rows, all.Dropped, all.Data.Names, all.Warnings)
			}
			sameRecord(t, formula, d.Record, all.Record)
		}
	}
}

// sameRecord compares what two designs learned.
func sameRecord(t *testing.T, formula string, got, want *Record) {
	t.Helper()
	near := func(what string, a, b []float64) {
		for i := range b {
			if len(a) != len(b) || !(max(a[i]-b[i], b[i]-a[i]) <= 1e-9*(1+max(b[i], -b[i]))) {
				t.Errorf("%s: %s %v, want %v", formula, what, a, b)
				return
			}
		}
	}
	scales := func(all []Scaling) (out []float64) {
		for _, s := range all {
			out = append(out, s.Centre, s.Scale)
		}
		return out
	}
	for i, v := range want.Variables {
		w := got.Variables[i]
		if !slices.Equal(w.Levels, v.Levels) || w.Kind != v.Kind || w.Expression != v.Expression {
			t.Errorf("%s: %+v, want %+v", formula, w, v)
		}
		near(v.Label, scales(w.Scales), scales(v.Scales))
		if v.Basis != nil {
			near(v.Label, slices.Concat(w.Basis.Alpha, w.Basis.Norm2, w.Basis.Knots, w.Basis.Boundary[:]),
				slices.Concat(v.Basis.Alpha, v.Basis.Norm2, v.Basis.Knots, v.Basis.Boundary[:]))
		}
	}
	for i, o := range want.Offsets {
		near(o.Expression, scales(got.Offsets[i].Scales), scales(o.Scales))
	}
	for j, c := range want.Columns {
		near(c.Name, []float64{got.Columns[j].Centre, got.Columns[j].Scale}, []float64{c.Centre, c.Scale})
	}
	if got.Response.Kind != want.Response.Kind || got.Response.Expression != want.Response.Expression ||
		got.InterceptAt != want.InterceptAt || got.Standardize != want.Standardize {
		t.Errorf("%s: %+v\nwant %+v", formula, got, want)
	}
}

// A measure that rows in pieces do not give is refused by name, with the way out; cells are named by their row
// among all.
func TestPiecesRefuse(t *testing.T) {
	table := pieceTable(t)
	defer table.Release()
	for _, c := range []struct{ formula, missing, want, hint string }{
		{"y ~ ns(x, 4)", "drop", "ns(x, 4) has its knots at quantiles", "knots = c(10, 20)"},
		{"y ~ bs(x, df = 6)", "drop", "bs(x, df = 6) has its knots at quantiles", "leave rows: factored out"},
		{"y ~ poly(scale(x), 2)", "drop", "learns from the data what is learned from them already", "scale(x, 50, 10)"},
		{"y ~ scale(log(scale(x) + 9))", "drop", "learns from the data", ""},
		{"y ~ cut(scale(x), c(-9, 0, 9))", "drop", "learns from the data", ""},
		{"y ~ x + z", "error", `column "z", row 1 of all: the value is missing`, ""},
		{"y ~ log(x - 5) + g", "drop", "has no logarithm", ""},
		{"y ~ poly(b, 2)", "drop", "too few distinct values", ""},
		{"k2 ~ x", "drop", `no column "k2"`, ""},
		{"I(0 * y) ~ x", "drop", "the response has no variance", ""},
		{"g ~ x", "drop", "the response is text", ""},
	} {
		_, _, err := pieced(table, 90, c.formula, c.missing)
		_, hint := words.Parts(err)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(hint, c.hint) {
			t.Errorf("%s: %v; hint %q", c.formula, err, hint)
		}
	}
	few := makeTable(t, 0, col{"y", []float64{1, 2, 4}, nil}, col{"x", []float64{1, 0, 2}, nil}, col{"z", []float64{1, 5, 2}, nil})
	defer few.Release()
	if _, _, err := pieced(few, 90, "y ~ x + z", "drop"); err == nil ||
		!strings.Contains(err.Error(), "3 observations are fewer than the 4 rows") {
		t.Error(err)
	}
	none := makeTable(t, 0, col{"y", []float64{1, 2}, []int{0}}, col{"x", []float64{1, 0}, []int{1}})
	defer none.Release()
	if _, _, err := pieced(none, 1, "y ~ x", "drop"); err == nil || !strings.Contains(err.Error(), "no row is complete") {
		t.Error(err)
	}
}

// A wide design is coded in parts of a piece, with the same bits and places.
func TestPiecesOfWideDesigns(t *testing.T) {
	const n = 9000
	y, g := make([]float64, n), make([]string, n)
	for i := range n {
		y[i], g[i] = float64(i*i%101), fmt.Sprintf("g%03d", i%400)
	}
	table := makeTable(t, 0, col{"y", y, nil}, col{"g", g, nil})
	defer table.Release()
	p, _, err := pieced(table, n, "y ~ g", "drop")
	must(t, err)
	if p.place.Rows*p.place.Cols > 1<<21 {
		t.Errorf("%d rows × %d columns at a time", p.place.Rows, p.place.Cols)
	}
	q, _, err := pieced(table, 1000, "y ~ g", "drop")
	must(t, err)
	_, a := p.HashInput()
	if _, b := q.HashInput(); !slices.Equal(a, b) {
		t.Error("other bits")
	}
	y[7000] = 1e150
	large := makeTable(t, 0, col{"y", y, nil}, col{"g", g, nil})
	defer large.Release()
	if _, _, err := pieced(large, n, "y ~ g", "error"); err == nil || !strings.Contains(err.Error(), "row 7001 of all") {
		t.Error(err)
	}
}
