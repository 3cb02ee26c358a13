package transform

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"glmbatch/infer/design"
	"glmbatch/internal/words"
)

// bytesFor has memory for a design of most bytes, 8 an entry.
func bytesFor(most int64) Reserve {
	return func(rows, columns int, entries int64) error {
		if 8*entries <= most {
			return nil
		}
		return fmt.Errorf("the design of %d rows and %d columns takes %.3g MB, and %.3g MB are allowed", rows, columns,
			8*float64(entries)/1e6, float64(most)/1e6)
	}
}

// manyLevelled is a table of n rows, each with a level of its own and a number.
func manyLevelled(n int) []col {
	y, x, g := make([]float64, n), make([]float64, n), make([]string, n)
	for i := range n {
		y[i], x[i], g[i] = float64(i*i%7), float64(i%5), fmt.Sprintf("L%d", i)
	}
	return []col{{name: "y", values: y}, {name: "x", values: x}, {name: "g", values: g}}
}

// A design that the levels of a text column make too large is refused before its memory is taken, by the column's
// name and with the way out: sparse, where that would do.
func TestRoomOfLevels(t *testing.T) {
	const n = 2000
	table := makeTable(t, 0, manyLevelled(n)...)
	full := func(rows, columns int, entries int64) error {
		if entries <= 1e5 {
			return nil
		}
		return words.Hint(errors.New("no room"), "give it more")
	}
	for name, c := range map[string]struct {
		formula string
		spec    Spec
		want    []string // nil: there is room
	}{
		"a factor": {"y ~ g", Spec{}, []string{`dataset "d", column "g": its 2000 levels make 1999 of the 2000 columns of the ` +
			"design: no room", "hint: write sparse: true, ", "; or give it more"}},
		"crossed with a number": {"y ~ x:g", Spec{}, []string{`column "g": its 2000 levels make 2000 of the 2001 columns`, "sparse: true"}},
		"crossed with itself":   {"y ~ g + factor(x):g", Spec{}, []string{`column "g": its 2000 levels make `, "sparse: true"}},
		"sum coding stores all": {"y ~ g", Spec{Contrasts: map[string]string{"g": "sum"}}, []string{`column "g": `, "hint: give it more"}},
		"a spline":              {"y ~ poly(x, 3)", Spec{}, nil},
		"sparse":                {"y ~ g", Spec{Sparse: "true", InterceptAt: "zero"}, nil},
		"sparse by itself":      {"y ~ g", Spec{InterceptAt: "zero"}, nil},
		"dense by order":        {"y ~ g", Spec{Sparse: "false", InterceptAt: "zero"}, []string{`column "g"`, "sparse: true"}},
	} {
		c.spec.Dataset, c.spec.Formula, c.spec.Family, c.spec.Reserve = "d", mustParse(t, c.formula), familyNamed("gaussian"), full
		_, err := Build(table, c.spec)
		if c.want == nil {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", name, err, want)
			}
		}
	}
}

// The room is asked for before names are made of columns, for a dense design as for one whose entries are counted
// later; what is asked in the end is what the design stores.
func TestRoomIsAsked(t *testing.T) {
	const n = 400
	table := makeTable(t, 0, manyLevelled(n)...)
	for name, c := range map[string]struct {
		spec  Spec
		first int64 // entries that are asked for before anything is made
	}{
		"dense":  {Spec{}, n * (n + 1)},
		"sparse": {Spec{InterceptAt: "zero"}, 0},
	} {
		var asked [][3]int64
		c.spec.Formula, c.spec.Family = mustParse(t, "y ~ x + g"), familyNamed("gaussian")
		c.spec.Reserve = func(rows, columns int, entries int64) error {
			asked = append(asked, [3]int64{int64(rows), int64(columns), entries})
			return nil
		}
		p, err := Prepare(table, c.spec)
		must(t, err)
		if want := [3]int64{n, n + 1, c.first}; len(asked) != 1 || asked[0] != want {
			t.Errorf("%s: asked %v before columns are named, want %v", name, asked, want)
		}
		rows, columns, entries := p.Size()
		d, err := p.Build()
		must(t, err)
		stored := d.Data.X.Entries()
		if _, sparse := d.Data.X.(*design.Sparse); sparse != (name == "sparse") {
			t.Errorf("%s: %T", name, d.Data.X)
		}
		if last := asked[len(asked)-1]; last != [3]int64{n, n + 1, stored} {
			t.Errorf("%s: asked %v last, and %d entries are stored", name, last, stored)
		}
		if rows != n || columns != n+1 || entries < stored || entries > stored+n {
			t.Errorf("%s: foreseen %d × %d with %d entries, made %d", name, rows, columns, entries, stored)
		}
	}
}

// Group-level effects are asked for with the design: rows by level and levels of rows for each grouping, levels, and a
// column for each term that is not the intercept.
func TestRoomOfEffects(t *testing.T) {
	const n = 400
	table := makeTable(t, 0, manyLevelled(n)...)
	for formula, beside := range map[string]int64{
		"y ~ x + (1 | g)":            n + 8*n,
		"y ~ x + (x | g)":            2*n + 8*n,
		"y ~ x + (x || g)":           2*n + 8*n,
		"y ~ x + (poly(x, 3) | g/x)": 8*n + 2*8*n,
	} {
		var asked int64
		spec := Spec{Dataset: "d", Formula: mustParse(t, formula), Family: familyNamed("poisson"), Reserve: func(_, _ int, entries int64) error {
			asked = entries
			return nil
		}}
		p, err := Prepare(table, spec)
		must(t, err)
		if _, _, foreseen := p.Size(); asked != 2*n+beside || foreseen != asked {
			t.Errorf("%s: asked for %d entries and foreseen %d, want %d", formula, asked, foreseen, 2*n+beside)
		}
		spec.Reserve = bytesFor(8 * (asked - 1))
		if _, err := Prepare(table, spec); !says(err, `dataset "d", column "g": group-level effects of 400 levels of g: the design of 400 rows`) {
			t.Errorf("%s: error %v", formula, err)
		}
	}
}

// Triplets are foreseen by their runs, not as if they were full.
func TestSizeOfTriplets(t *testing.T) {
	table := makeTable(t, 0, mostlyZero(500, 40, 5, runsOf)...)
	p, err := Prepare(table, Spec{Formula: mustParse(t, "y ~ ."), Family: familyNamed("bernoulli"), Standardize: "max_abs"})
	must(t, err)
	rows, columns, foreseen := p.Size()
	d, err := p.Build()
	must(t, err)
	if n := d.Data.X.Entries(); rows != 500 || columns != 41 || foreseen < n || foreseen > 3*n+500 {
		t.Errorf("%d × %d with %d entries are foreseen, %d are stored", rows, columns, foreseen, n)
	}
}
