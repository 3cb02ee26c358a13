package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// people has a response of text, a factor, a count, an exposure and a number.
func people(t testing.TB, groups []string, x []float64) arrow.Table {
	n := len(x)
	var y []string
	var k []int64
	var e []float64
	for i := range n {
		y = append(y, []string{"no", "yes"}[i%2])
		k = append(k, int64(i%3))
		e = append(e, float64(1+i*i))
	}
	return makeTable(t, 2, col{name: "y", values: y}, col{name: "g", values: groups}, col{name: "k", values: k}, col{name: "e", values: e}, col{name: "x", values: x})
}

const peopleFormula = "y ~ g * ns(x, 3) + factor(k) + scale(e) + offset(scale(log(e)))"

func peopleRecord(t testing.TB) *Record {
	table := people(t, []string{"a", "b", "c", "a", "b", "c", "a", "c"}, []float64{1, 2, 3, 4, 5, 6, 7, 9})
	return throughJSON(t, mustBuild(t, table, peopleFormula, Spec{Family: familyNamed("bernoulli"), Standardize: "center_scale"}).Record)
}

// One row of new data is coded as the same row was among others, offsets with
// their scale() included.
func TestCodeOneRow(t *testing.T) {
	table := people(t, []string{"a", "b", "c", "a", "b", "c", "a", "c"}, []float64{1, 2, 3, 4, 5, 6, 7, 9})
	whole := mustBuild(t, table, peopleFormula, Spec{Family: familyNamed("bernoulli"), Standardize: "center_scale"})
	record := peopleRecord(t)
	names := schemaNames(table.Schema())
	for row := range 8 {
		var columns []arrow.Column
		for j := range names {
			columns = append(columns, *arrow.NewColumn(table.Schema().Field(j), table.Column(j).Data()))
		}
		one := tableSlice(table, columns, row)
		d, err := record.Code(one, Coding{Response: true})
		must(t, err)
		for j := range d.Data.Names {
			if got, want := d.Data.X.Col(j)[0], whole.Data.X.Col(j)[row]; got != want {
				t.Errorf("row %d: %s is %v, was %v", row, d.Data.Names[j], got, want)
			}
		}
		if d.Data.Offset[0] != whole.Data.Offset[row] || d.Data.Y[0] != whole.Data.Y[row] || len(d.Notes) > 0 {
			t.Errorf("row %d: offset %v and response %v, were %v and %v; notes %q", row, d.Data.Offset, d.Data.Y, whole.Data.Offset[row], whole.Data.Y[row], d.Notes)
		}
	}
}

func TestCodeFaults(t *testing.T) {
	record := peopleRecord(t)
	fine := people(t, []string{"a", "c"}, []float64{0, 12})
	for _, c := range []struct {
		name   string
		table  arrow.Table
		coding Coding
		want   string
	}{
		{"unseen level", people(t, []string{"a", "b", "d"}, []float64{1, 2, 3}), Coding{Dataset: "new"},
			`dataset "new", column "g", row 3: "d" is not a level that the model was fitted with` + "\nhint: its levels are a, b, c"},
		{"unseen number", makeTable(t, 0, col{name: "g", values: []string{"a"}}, col{name: "k", values: []int64{7}}, col{name: "e", values: []float64{1}}, col{name: "x", values: []float64{1}}),
			Coding{}, `column "k", row 1: "7" is not a level`},
		{"column away", makeTable(t, 0, col{name: "g", values: []string{"a"}}, col{name: "E", values: []float64{1}}, col{name: "k", values: []int64{1}}, col{name: "x", values: []float64{1}}),
			Coding{}, `column "e": the model reads it, and these data do not have it` + "\nhint: did you mean \"E\"?"},
		{"response away", makeTable(t, 0, col{name: "g", values: []string{"a"}}), Coding{Response: true}, `column "y": the model reads it`},
		{"other type", makeTable(t, 0, col{name: "g", values: []bool{true}}, col{name: "k", values: []int64{1}}, col{name: "e", values: []float64{1}}, col{name: "x", values: []float64{1}}),
			Coding{}, `column "g": it is logical (bool), and it was text when the model was fitted`},
		{"text for a number", makeTable(t, 0, col{name: "g", values: []string{"a"}}, col{name: "k", values: []int64{1}}, col{name: "e", values: []float64{1}}, col{name: "x", values: []string{"p"}}),
			Coding{}, `column "x": its type is utf8, and the formula takes a number`},
		{"missing cell", makeTable(t, 0, col{name: "g", values: []string{"a", "b"}}, col{name: "k", values: []int64{1, 1}, missing: []int{1}}, col{name: "e", values: []float64{1, 2}}, col{name: "x", values: []float64{1, 2}}),
			Coding{}, `column "k", row 2: the value is missing`},
		{"no logarithm", makeTable(t, 0, col{name: "g", values: []string{"a"}}, col{name: "k", values: []int64{1}}, col{name: "e", values: []float64{-1}}, col{name: "x", values: []float64{1}}),
			Coding{}, `column "e", row 1: -1 has no logarithm`},
		{"no rows", people(t, nil, nil), Coding{}, "no rows"},
		{"memory", fine, Coding{Room: bytesFor(10)}, "are allowed"},
	} {
		_, err := record.Code(c.table, c.coding)
		var column *ColumnError
		var table *TableError
		if !says(err, c.want) || !errors.As(err, &column) && !errors.As(err, &table) {
			t.Errorf("%s: %T %v, want %q", c.name, err, err, c.want)
		}
	}
	// The response may be absent, and rows with missing cells may go.
	d, err := record.Code(makeTable(t, 0, col{name: "x", values: []float64{0, 5, 12}}, col{name: "e", values: []float64{1, 2, 3}}, col{name: "k", values: []int64{0, 1, 2}},
		col{name: "g", values: []string{"a", "b", "c"}, missing: []int{1}}), Coding{Missing: "drop"})
	must(t, err)
	if d.Rows != 2 || d.Dropped != 1 || !slices.Equal(d.Kept, []bool{true, false, true}) || d.Data.Y != nil ||
		len(d.Notes) != 1 || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "ns(x, 3): 2 of 2 rows lie beyond the boundary knots") {
		t.Errorf("%+v", d)
	}
	mustBeFinite(t, d.Data)
}

// Inputs are the columns that Code reads.
func TestInputs(t *testing.T) {
	record := peopleRecord(t)
	for response, want := range map[bool]string{false: "[e g x k]", true: "[y e g x k]"} {
		if got, err := record.Inputs(response); err != nil || fmt.Sprint(got) != want {
			t.Errorf("response %v: %v (%v), want %s", response, got, err, want)
		}
	}
	d := mustBuild(t, countTable(t), "cbind(y, n) ~ group + offset(log(x^2 + 1))", Spec{Family: familyNamed("binomial")})
	for response, want := range map[bool]string{false: "[x group]", true: "[y n x group]"} {
		if got, err := throughJSON(t, d.Record).Inputs(response); err != nil || fmt.Sprint(got) != want {
			t.Errorf("response %v: %v (%v), want %s", response, got, err, want)
		}
	}
}

// A record that was edited is refused, and does not bring Code down.
func TestCodeRefusesForeignRecords(t *testing.T) {
	table := people(t, []string{"a", "c"}, []float64{0, 12})
	for name, spoil := range map[string]func(r *Record){
		"an expression that does not parse": func(r *Record) { r.Variables[0].Expression = "g +" },
		"two expressions":                   func(r *Record) { r.Variables[0].Expression = "g g" },
		"a factor of a function":            func(r *Record) { r.Variables[0].Expression = "log(x)" },
		"a basis of another kind":           func(r *Record) { r.Variables[1].Expression = "bs(x, 3)" },
		"a basis without its knots":         func(r *Record) { r.Variables[1].Basis = nil },
		"a scale() too many":                func(r *Record) { r.Variables[3].Scales = nil },
		"an offset's scale() too few":       func(r *Record) { r.Offsets[0].Scales = r.Offsets[0].Scales[:0] },
		"no levels":                         func(r *Record) { r.Variables[0].Levels = []string{} },
		"a function that is not there":      func(r *Record) { r.Variables[3].Expression = "sin(e)" },
		"a knot outside":                    func(r *Record) { r.Variables[1].Basis.Knots[0] = -5 },
		"a huge degree":                     func(r *Record) { r.Variables[1].Basis.Degree = 1 << 40 },
	} {
		r := peopleRecord(t)
		spoil(r)
		if _, err := r.Code(table, Coding{}); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
