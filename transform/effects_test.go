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

	"glmbatch/infer/design"
)

// goldenEffects are blocks of group-level effects as lme4 makes them; see make_effects.R.
type goldenEffects struct {
	Data, Formula string
	Blocks        []struct {
		Group  string
		Terms  []string
		Levels int
		First  []string // in byte order
		Sums   [][3]float64
	}
}

// Group-level effects equal lme4's Z: blocks, terms, levels, and per term the sums over the rows of its values, plain,
// by the row's number, and by that and the rank of the row's level, to 1e-12 of the sum of magnitudes.
func TestEffectsMatchLme4(t *testing.T) {
	src, err := os.ReadFile("../testdata/classic/effects.json")
	if err != nil {
		t.Fatalf("golden: %v (run make_effects.R)", err)
	}
	var all []goldenEffects
	if err := json.Unmarshal(src, &all); err != nil || len(all) < 22 {
		t.Fatalf("%d golden formulas, want 22 at least: %v", len(all), err)
	}
	for _, g := range all {
		d := mustBuild(t, classic(t, g.Data), g.Formula, Spec{Family: familyNamed(map[bool]string{true: "poisson", false: "gaussian"}[g.Data == "epil"]), Missing: "drop"})
		if len(d.Data.Effects) != len(g.Blocks) {
			t.Errorf("%s: %d blocks, want %d", g.Formula, len(d.Data.Effects), len(g.Blocks))
			continue
		}
		blocks := slices.Clone(d.Data.Effects) // lme4 has g/h finest first, and parts of || in their order
		if strings.Contains(g.Formula, "/") {
			slices.Reverse(blocks)
		}
		for k, want := range g.Blocks {
			e := blocks[k]
			levels := slices.Sorted(slices.Values(e.Levels))
			if e.Group != want.Group || !slices.Equal(e.Terms, want.Terms) || len(levels) != want.Levels || !slices.Equal(levels[:len(want.First)], want.First) {
				t.Errorf("%s: group %s, terms %q, %d levels %q; want %+v", g.Formula, e.Group, e.Terms, len(levels), levels[:3], want)
				continue
			}
			for c := range e.Terms {
				got, size := effectSums(e, c, levels)
				for i := range got {
					if !(math.Abs(got[i]-want.Sums[c][i]) <= 1e-12*size) {
						t.Errorf("%s: %s by %s sums to %v, want %v", g.Formula, e.Terms[c], e.Group, got, want.Sums[c])
						break
					}
				}
			}
		}
	}
}

// value is the value of a term in a row.
func value(e *design.Effects, term, row int) float64 {
	if e.Columns[term] == nil {
		return 1
	}
	return e.Columns[term][row]
}

func effectSums(e *design.Effects, term int, levels []string) (sums [3]float64, size float64) {
	rank := make(map[string]float64)
	for i, level := range levels {
		rank[level] = float64(i + 1)
	}
	for row, level := range e.Grouping.Of() {
		v, by := value(e, term, row), float64(row+1)
		for i, w := range []float64{1, by, by * rank[e.Levels[level]]} {
			sums[i] += w * v
		}
		size += by * rank[e.Levels[level]] * math.Abs(v)
	}
	return sums, size
}

// showEffects writes each block on a line: terms | group: levels, the level of each row, the columns that are not ones.
func showEffects(d *Design) string {
	var b strings.Builder
	for _, e := range d.Data.Effects {
		fmt.Fprintf(&b, "%s | %s: %s %v", strings.Join(e.Terms, " "), e.Group, strings.Join(e.Levels, " "), e.Grouping.Of())
		for _, c := range e.Columns {
			if c != nil {
				fmt.Fprintf(&b, " %v", c)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

func groupTable(t testing.TB) arrow.Table {
	return makeTable(t, 3,
		col{name: "y", values: []float64{1, 2, 4, 3, 5, 9, 7, 8}},
		col{name: "x", values: []float64{0, 1, 2, 3, 4, 5, 6, 7}},
		col{name: "f", values: []string{"u", "v", "w", "u", "v", "w", "u", "v"}},
		col{name: "g", values: []string{"b", "b", "a", "a", "b", "b", "a", "a"}},
		col{name: "h", values: []int64{100000, 9, 100000, 9, 9, 100000, -3, 9}},
		col{name: "l", values: []bool{true, false, true, true, false, true, true, false}},
		col{name: "w", values: []float64{1.5, 1.5, 2.5, 2.5, 1.5, 1.5, 2.5, 2.5}})
}

// Blocks, levels in their order, and columns as in the data, also if the design is scaled and rows are left out.
func TestEffects(t *testing.T) {
	for formula, want := range map[string]string{
		"y ~ x + (1 | g)":                              "Intercept | g: a b [1 1 0 0 1 1 0 0]\n",
		"y ~ 1 + (x | g)":                              "Intercept x | g: a b [1 1 0 0 1 1 0 0] [0 1 2 3 4 5 6 7]\n",
		"y ~ 1 + (x || g)":                             "Intercept | g: a b [1 1 0 0 1 1 0 0]\nx | g: a b [1 1 0 0 1 1 0 0] [0 1 2 3 4 5 6 7]\n",
		"y ~ 1 + (0 + x | g)":                          "x | g: a b [1 1 0 0 1 1 0 0] [0 1 2 3 4 5 6 7]\n",
		"y ~ 1 + (x - 1 | g)":                          "x | g: a b [1 1 0 0 1 1 0 0] [0 1 2 3 4 5 6 7]\n",
		"y ~ 1 + (1 | h)":                              "Intercept | h: -3 9 100000 [2 1 2 1 1 2 0 1]\n",
		"y ~ 1 + (1 | l)":                              "Intercept | l: FALSE TRUE [1 0 1 1 0 1 1 0]\n",
		"y ~ 1 + (1 | factor(w))":                      "Intercept | factor(w): 1.5 2.5 [0 0 1 1 0 0 1 1]\n",
		"y ~ 1 + (1 | cut(w, breaks = c(0, 1, 2, 3)))": "Intercept | cut(w, breaks = c(0, 1, 2, 3)): (1,2] (2,3] [0 0 1 1 0 0 1 1]\n",
		"y ~ 1 + (1 | g:h)":                            "Intercept | g:h: a_-3 a_9 a_100000 b_9 b_100000 [4 3 2 1 3 4 0 1]\n",
		"y ~ 1 + (1 | g/h)":                            "Intercept | g: a b [1 1 0 0 1 1 0 0]\nIntercept | g:h: a_-3 a_9 a_100000 b_9 b_100000 [4 3 2 1 3 4 0 1]\n",
		"y ~ 1 + (1 | h:g)":                            "Intercept | h:g: -3_a 9_a 9_b 100000_a 100000_b [4 2 3 1 2 4 0 1]\n",
		"y ~ 1 + (0 + f | g)":                          "fu fv fw | g: a b [1 1 0 0 1 1 0 0] [1 0 0 1 0 0 1 0] [0 1 0 0 1 0 0 1] [0 0 1 0 0 1 0 0]\n",
		"y ~ 1 + (l || g)":                             "Intercept | g: a b [1 1 0 0 1 1 0 0]\nlTRUE | g: a b [1 1 0 0 1 1 0 0] [1 0 1 1 0 1 1 0]\n",
		"y ~ 1 + (0 + l || g)":                         "lFALSE | g: a b [1 1 0 0 1 1 0 0] [0 1 0 0 1 0 0 1]\nlTRUE | g: a b [1 1 0 0 1 1 0 0] [1 0 1 1 0 1 1 0]\n",
		"y ~ 1 + (0 + x + l || g)":                     "x | g: a b [1 1 0 0 1 1 0 0] [0 1 2 3 4 5 6 7]\nlFALSE | g: a b [1 1 0 0 1 1 0 0] [0 1 0 0 1 0 0 1]\nlTRUE | g: a b [1 1 0 0 1 1 0 0] [1 0 1 1 0 1 1 0]\n",
		"y ~ . + (1 | g) - w - h":                      "Intercept | g: a b [1 1 0 0 1 1 0 0]\n",
	} {
		for _, spec := range []Spec{{Standardize: "center_scale"}, {Standardize: "max_abs"}, {Sparse: "true", InterceptAt: "zero"}} {
			spec.Family = familyNamed("gaussian")
			d := mustBuild(t, groupTable(t), formula, spec)
			if got := showEffects(d); got != want {
				t.Errorf("%s has the effects\n%swant\n%s", formula, got, want)
			}
			for i, e := range d.Data.Effects {
				if d.FittedLevels[i] != len(e.Levels) {
					t.Errorf("%s: %d of %d levels are fitted ones", formula, d.FittedLevels[i], len(e.Levels))
				}
			}
		}
	}
	d := mustBuild(t, groupTable(t), "y ~ . + (x || g) + (x | h)", Spec{Family: familyNamed("gaussian")})
	if e := d.Data.Effects; e[0].Grouping != e[1].Grouping || &e[1].Columns[0][0] != &e[2].Columns[1][0] {
		t.Error("a grouping, or a column of a term, is made twice")
	}
	if slices.Contains(d.Data.Names, "gb") || slices.Contains(d.Data.Names, "h") || !slices.Contains(d.Data.Names, "w") {
		t.Errorf(". takes %q", d.Data.Names)
	}
}

// Rows that are dropped, and those of frequency 0, take their levels with them.
func TestEffectsOfKeptRows(t *testing.T) {
	table := makeTable(t, 2, col{name: "y", values: []float64{1, 2, 4, 3, 5, 9}}, col{name: "n", values: []int64{1, 2, 1, 0, 1, 1}},
		col{name: "g", values: []string{"d", "c", "b", "a", "c", "b"}, missing: []int{0}})
	d, err := Build(table, Spec{Formula: mustParse(t, "y ~ 1 + (1 | g)").Weighted("n", ""), Family: familyNamed("gaussian"), Missing: "drop"})
	must(t, err)
	if got, want := showEffects(d), "Intercept | g: b c [1 0 1 0]\n"; got != want || d.Dropped != 1 {
		t.Errorf("the effects are %swant %s%d rows dropped", got, want, d.Dropped)
	}
	if _, err := Build(table, Spec{Formula: mustParse(t, "y ~ 1 + (1 | g)"), Family: familyNamed("gaussian")}); !says(err, `column "g", row 1: the value is missing`) {
		t.Errorf("a missing level: %v", err)
	}
}

// A grouping may be a column of any type that has levels: one that numbers make has their order, one of text that of bytes.
func TestGroupingTypes(t *testing.T) {
	rows := []string{"10", "9", "", "10", "-3", "9", "10", "-3"}
	y := col{name: "y", values: []float64{1, 2, 4, 3, 5, 9, 7, 8}}
	for want, types := range map[string][]arrow.DataType{
		"Intercept | g: -3 9 10 [2 1 2 0 1 2 0]\n": slices.DeleteFunc(slices.Clone(numericTypes), func(t arrow.DataType) bool { return strings.HasPrefix(t.String(), "uint") }),
		"Intercept | g: -3 10 9 [1 2 1 0 2 1 0]\n": {arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
			dictionaryOf(arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String), dictionaryOf(arrow.PrimitiveTypes.Uint16, arrow.BinaryTypes.String)},
	} {
		for _, typ := range types {
			for _, chunk := range []int{0, 3} {
				d := mustBuild(t, makeTable(t, chunk, y, col{name: "g", values: arrayOf(t, typ, rows...)}), "y ~ 1 + (1 | g)", Spec{Family: familyNamed("gaussian"), Missing: "drop"})
				if got := showEffects(d); got != want {
					t.Errorf("%s in chunks of %d: effects %swant %s", typ, chunk, got, want)
				}
			}
		}
	}
	runs := makeTable(t, 0, y, col{name: "g", values: encoded([]float64{7, 7, 7, 0, 0, 2, 2, 2})})
	if got, want := showEffects(mustBuild(t, runs, "y ~ 1 + (1 | g)", Spec{Family: familyNamed("gaussian"), InterceptAt: "zero"})), "Intercept | g: 0 2 7 [2 2 2 0 0 1 1 1]\n"; got != want {
		t.Errorf("runs: effects %swant %s", got, want)
	}
	dates := makeTable(t, 0, y, col{name: "g", values: arrayOf(t, arrow.FixedWidthTypes.Date32, "2020-01-01", "2020-01-01", "2020-01-01", "2020-01-02", "2020-01-02", "2020-01-02", "2020-01-02", "2020-01-02")})
	if got, want := showEffects(mustBuild(t, dates, "y ~ 1 + (1 | g)", Spec{Family: familyNamed("gaussian")})), "Intercept | g: 2020-01-01 2020-01-02 [0 0 0 1 1 1 1 1]\n"; got != want {
		t.Errorf("dates: effects %swant %s", got, want)
	}
}

// New data are coded alike, one row at a time, and levels that are not known follow those that are.
func TestCodeEffects(t *testing.T) {
	formula := "y ~ x + (x | g/h) + (0 + f || h) + (I(x^2) | cut(x, c(-1, 3, 9))) + (1 | factor(w)) + (1 | l)"
	table := groupTable(t)
	whole := mustBuild(t, table, formula, Spec{Family: familyNamed("gaussian")})
	record := throughJSON(t, whole.Record)
	inputs, err := record.Inputs(false)
	if want := []string{"g", "h", "x", "w", "l", "f"}; err != nil || !slices.Equal(inputs, want) {
		t.Errorf("inputs %q, want %q (%v)", inputs, want, err)
	}
	for row := range 8 {
		var columns []arrow.Column
		for j := range schemaNames(table.Schema()) {
			columns = append(columns, *arrow.NewColumn(table.Schema().Field(j), table.Column(j).Data()))
		}
		d, err := record.Code(tableSlice(table, columns, row), Coding{})
		must(t, err)
		for k, e := range d.Data.Effects {
			want := whole.Data.Effects[k]
			if e.Group != want.Group || !slices.Equal(e.Levels, want.Levels) || !slices.Equal(e.Terms, want.Terms) || e.Grouping.Of()[0] != want.Grouping.Of()[row] {
				t.Errorf("row %d: block %d is %+v, was %+v", row, k, e, want)
			}
			for c := range e.Terms {
				if value(e, c, 0) != value(want, c, row) {
					t.Errorf("row %d: %s is %v, was %v", row, e.Terms[c], value(e, c, 0), value(want, c, row))
				}
			}
		}
	}
}

// Levels that the model was not fitted with are an error that names them, or follow the others.
func TestCodeNewLevels(t *testing.T) {
	record := throughJSON(t, mustBuild(t, groupTable(t), "y ~ 1 + (1 | g/h)", Spec{Family: familyNamed("gaussian")}).Record)
	for _, c := range []struct {
		g      []string
		h      []int64
		fault  string
		effect string
	}{
		{[]string{"b", "a"}, []int64{9, -3}, "", "Intercept | g: a b [1 0]\nIntercept | g:h: a_-3 a_9 a_100000 b_9 b_100000 [3 0]\n"},
		{[]string{"b", "c"}, []int64{9, 9}, `column "g", row 2: "c" is not a level of the grouping g that the model was fitted with` + "\nhint: its levels are a, b;",
			"Intercept | g: a b c [1 2]\nIntercept | g:h: a_-3 a_9 a_100000 b_9 b_100000 c_9 [3 5]\n"},
		{[]string{"b", "b", "0"}, []int64{-3, 7, 9}, `row 3: "0" is not a level of the grouping g`,
			"Intercept | g: a b 0 [1 1 2]\nIntercept | g:h: a_-3 a_9 a_100000 b_9 b_100000 b_-3 b_7 0_9 [5 6 7]\n"},
		{[]string{"b", "b"}, []int64{9, -3}, `column "h", row 2: "b_-3" is not a level of the grouping g:h`, "Intercept | g: a b [1 1]\nIntercept | g:h: a_-3 a_9 a_100000 b_9 b_100000 b_-3 [3 5]\n"},
	} {
		table := makeTable(t, 0, col{name: "g", values: c.g}, col{name: "h", values: c.h})
		if _, err := record.Code(table, Coding{}); c.fault == "" && err != nil || c.fault != "" && !says(err, c.fault) {
			t.Errorf("%v %v: error %v, want %q", c.g, c.h, err, c.fault)
		}
		d, err := record.Code(table, Coding{NewLevels: true})
		must(t, err)
		if got := showEffects(d); got != c.effect || d.FittedLevels[0] != 2 || d.FittedLevels[1] != 5 {
			t.Errorf("%v %v: effects\n%swant\n%sfitted %v", c.g, c.h, got, c.effect, d.FittedLevels)
		}
	}
	table := makeTable(t, 0, col{name: "g", values: []int64{1}}, col{name: "h", values: []int64{9}})
	if _, err := record.Code(table, Coding{}); !says(err, `column "g": it is numeric (int64), and it was text`) {
		t.Errorf("another type: %v", err)
	}
}

// A record of some of the groupings codes rows as the whole one does, and asks for no column that others alone need.
func TestAmong(t *testing.T) {
	formula := "y ~ f + (w | g/h) + (0 + f + x | l)"
	whole := throughJSON(t, mustBuild(t, groupTable(t), formula, Spec{Family: familyNamed("gaussian")}).Record)
	for _, c := range []struct {
		keep   []string
		inputs string
	}{
		{[]string{"g", "g:h", "l"}, "[g h l f w x]"}, {[]string{"l"}, "[l f x]"}, {[]string{"g:h"}, "[g h f w]"}, {nil, "[f]"},
	} {
		some := throughJSON(t, whole.Among(func(name string) bool { return slices.Contains(c.keep, name) }))
		if inputs, err := some.Inputs(false); err != nil || fmt.Sprint(inputs) != c.inputs {
			t.Errorf("%v: reads %v, %v", c.keep, inputs, err)
		}
		d, err := some.Code(groupTable(t), Coding{})
		must(t, err)
		all, err := whole.Code(groupTable(t), Coding{})
		must(t, err)
		all.Data.Effects = slices.DeleteFunc(all.Data.Effects, func(e *design.Effects) bool { return !slices.Contains(c.keep, e.Group) })
		if got, want := showEffects(d), showEffects(all); got != want || fmt.Sprint(d.Data.X) != fmt.Sprint(all.Data.X) {
			t.Errorf("%v: effects\n%swant\n%s, design %v, want %v", c.keep, got, want, d.Data.X, all.Data.X)
		}
	}
	if inputs, err := whole.Inputs(false); err != nil || len(whole.Effects) != 3 || len(inputs) != 6 {
		t.Errorf("the whole record reads %v now, %v", inputs, err)
	}
}

// A record whose groups were edited is refused, and does not bring Code down.
func TestCodeRefusesForeignGroups(t *testing.T) {
	table := groupTable(t)
	for name, spoil := range map[string]func(r *Record){
		"an expression that does not parse": func(r *Record) { r.GroupedBy[0].Expression = "g +" },
		"two columns":                       func(r *Record) { r.GroupedBy[0].Expression = "g:h" },
		"a number of a function":            func(r *Record) { r.GroupedBy[0].Expression = "log(x)" },
		"a scale() too many":                func(r *Record) { r.GroupedBy[2].Scales = nil },
		"a column that is not there":        func(r *Record) { r.Groupings[0].Of[0] = 9 },
		"no column":                         func(r *Record) { r.Groupings[0].Of = nil },
		"a cell of no level":                func(r *Record) { r.Groupings[1].Cells[0][1] = 77 },
		"a cell of one level":               func(r *Record) { r.Groupings[1].Cells[0] = []int32{0} },
		"no cells":                          func(r *Record) { r.Groupings[1].Cells = nil },
		"cells of one column":               func(r *Record) { r.Groupings[0].Cells = [][]int32{{0}} },
		"no grouping":                       func(r *Record) { r.Effects[0].Grouping = 5 },
		"no columns":                        func(r *Record) { r.Effects[0].Columns = nil },
		"a term that is not there":          func(r *Record) { r.Effects[0].Columns[1].Term = 3 },
		"a part that is not there":          func(r *Record) { r.Effects[0].Columns[1].Parts[0] = 3 },
		"a variable that is not there":      func(r *Record) { r.Effects[0].Terms[0].Variables[0] = 30 },
		"an error of errors":                func(r *Record) { r.Response.Errors = "s +" },
	} {
		formula := "y ~ f + (x | g/h) + (0 + f | cut(scale(x), c(-9, 0, 9)))"
		r := throughJSON(t, mustBuild(t, table, formula, Spec{Family: familyNamed("gaussian")}).Record)
		if _, err := r.Code(table, Coding{}); err != nil {
			t.Fatal(err)
		}
		spoil(r)
		if _, err := r.Code(table, Coding{}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}

// Known standard errors are precisions 1/s².
func TestStandardErrors(t *testing.T) {
	table := makeTable(t, 2, col{name: "y", values: []float64{1, 2, 4}}, col{name: "s", values: []float64{0.5, 2, 4}}, col{name: "z", values: []float64{1, 0, 2}},
		col{name: "g", values: []string{"a", "b", "c"}})
	d := mustBuild(t, table, "y | se(s) ~ 1 + (1 | g)", Spec{Family: familyNamed("gaussian")})
	if want := []float64{4, 0.25, 0.0625}; !d.KnownErrors || !slices.Equal(d.Data.Precision, want) {
		t.Errorf("precisions %v, want %v; known errors: %v", d.Data.Precision, want, d.KnownErrors)
	}
	record := throughJSON(t, d.Record)
	for _, response := range []bool{true, false} {
		again, err := record.Code(table, Coding{Response: response})
		if err != nil || !again.KnownErrors || !slices.Equal(again.Data.Precision, d.Data.Precision) {
			t.Errorf("coded again: %v, %v", again, err)
		}
	}
	if d := mustBuild(t, table, "y | se(2 * s) ~ . - g", Spec{Family: familyNamed("gaussian")}); slices.Contains(d.Data.Names, "s") || d.Data.Precision[0] != 1 {
		t.Errorf("columns %q, precisions %v", d.Data.Names, d.Data.Precision)
	}
	for _, c := range []struct {
		formula, family, precision, want string
	}{
		{"y | se(z) ~ 1", "gaussian", "", `column "z", row 2: 0 is not allowed: a standard error is a number above 0`},
		{"y | se(s) ~ 1", "poisson", "", "se() belongs to family gaussian with the link identity, not to poisson"},
		{"y | se(s) ~ 1", "gaussian", "z", "se() and precision_weights both give"},
	} {
		_, err := Build(table, Spec{Formula: mustParse(t, c.formula).Weighted("", c.precision), Family: familyNamed(c.family)})
		if !says(err, c.want) {
			t.Errorf("%s: error %v, want %q", c.formula, err, c.want)
		}
	}
	logged := familyNamed("gaussian")
	logged.Link = "log"
	if _, err := Build(table, Spec{Formula: mustParse(t, "y | se(s) ~ 1"), Family: logged}); !says(err, "not to gaussian log") {
		t.Errorf("a log link: %v", err)
	}
}
