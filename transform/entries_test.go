package transform

import (
	"math"
	"testing"

	"glmbatch/infer/glm"
)

// A cell moves the entries that Build makes of a table with another value there, and no other.
func TestEntriesAreThoseOfBuild(t *testing.T) {
	const rows = 40
	value := func(row int, shift float64) float64 { return 3 + math.Sin(float64(7*row)) + shift }
	two := []string{"no", "yes"}
	formulas := []string{
		"y ~ x + z", "y ~ log(x) + z", "y ~ poly(x, 3)", "y ~ ns(x, 3) + z", "y ~ x*z + x:g", "y ~ I(x^2) + scale(x) + exp(x - 3)",
		"y ~ b + x", "y ~ b*x + b:g", "y ~ poly(x, 2, raw = TRUE):b", "y ~ log2(x + z^2)", "y ~ I((x - z)/x)",
	}
	make := func(at int, shift float64, flip bool) func(column, row int) any {
		return func(column, row int) any {
			x, state := value(row, 0), row/3%2
			if row == at {
				x += shift
				if flip {
					state = 1 - state
				}
			}
			return []any{float64(row % 5), x, math.Cos(float64(row)), []string{"u", "v", "w"}[row%3], two[state]}[column]
		}
	}
	names := []string{"y", "x", "z", "g", "b"}
	table := TableOf(names, rows, make(-1, 0, false))
	for _, text := range formulas {
		for _, logged := range []bool{false, true} {
			for _, standardize := range []string{"none", "center_scale"} {
				formula, err := ParseFormula(text)
				must(t, err)
				d, err := Build(table, Spec{Formula: formula, Family: glm.Family{Name: "gaussian", Link: "identity"},
					Standardize: standardize})
				if err != nil {
					t.Fatal(text, err)
				}
				gaps := []Gap{{Column: "x", Log: logged}, {Column: "b", Binary: true, Levels: two}}
				e, err := d.Record.NewEntries(gaps, table)
				if err != nil {
					if logged || text != "y ~ log(x) + z" && text != "y ~ log2(x + z^2)" && text != "y ~ I((x - z)/x)" {
						t.Error(text, err)
					}
					continue
				}
				const row, shift = 17, 0.4
				next := TableOf(names, rows, make(row, shift, true))
				want, err := d.Record.Code(next, Coding{})
				must(t, err)
				states := []float64{value(row, shift), float64(1 - row/3%2)}
				if logged {
					states[0] = naturalLog(states[0])
				}
				compareEntries(t, text, e, d, want, row, states)
			}
		}
	}
}

// A cell of a column of levels moves the columns of its factor together, also in products; one of two numbers next to
// each other has the lower one as state 0.
func TestEntriesOfLevels(t *testing.T) {
	const rows, row = 30, 11
	levels := []string{"w", "u", "v"} // states in another order than levels
	numbers := func(at, shift int) func(column, i int) any {
		return func(column, i int) any {
			state, two := i%3, i/2%2
			if i == at {
				state, two = (state+shift)%3, 1-two
			}
			return []any{float64(i % 7), math.Cos(float64(i)), levels[state], float64(4 + two)}[column]
		}
	}
	names := []string{"y", "x", "g", "k"}
	table := TableOf(names, rows, numbers(-1, 0))
	tabled := map[string]bool{"y ~ g + x": true, "y ~ g + k - 1": true}
	for _, text := range []string{"y ~ g + x", "y ~ g + k - 1", "y ~ g*x", "y ~ g:k", "y ~ k + k:x + g:x"} {
		for _, contrasts := range []string{"treatment", "sum", "helmert"} {
			for shift := range 3 {
				formula, err := ParseFormula(text)
				must(t, err)
				d, err := Build(table, Spec{Formula: formula, Family: glm.Family{Name: "gaussian", Link: "identity"},
					Standardize: "center_scale", Contrasts: map[string]string{"g": contrasts}})
				if err != nil {
					t.Fatal(text, err)
				}
				gaps := []Gap{{Column: "g", Levels: levels}, {Column: "k", Binary: true, Low: 4}}
				e, err := d.Record.NewEntries(gaps, table)
				if err != nil {
					t.Fatal(text, err)
				}
				want, err := d.Record.Code(TableOf(names, rows, numbers(row, shift)), Coding{})
				must(t, err)
				if _, ok := e.Table(0); ok != tabled[text] {
					t.Errorf("%s: entries stand in a table: %v", text, ok)
				}
				compareEntries(t, text, e, d, want, row, []float64{float64((row + shift) % 3), float64(1 - row/2%2)})
			}
		}
	}
}

// compareEntries compares the entries of a row.
func compareEntries(t *testing.T, text string, e *Entries, d, want *Design, row int, states []float64) {
	t.Helper()
	got := make([]float64, d.Data.Cols())
	for j := range got {
		got[j] = d.Data.X.Col(j)[row]
	}
	for k := range states {
		columns := e.Moved(k)
		to := make([]float64, len(columns))
		e.Code(row, states, columns, to)
		slope, origin, affine := e.Affine(k)
		table, tabled := e.Table(k)
		for i, j := range columns {
			got[j] = to[i]
			if tabled && table[i][int(states[k])] != to[i] {
				t.Errorf("%s: entry %v has %v in the table", text, to[i], table[i][int(states[k])])
			}
			if affine && math.Abs(slope[i]*states[k]+origin[i]-to[i]) > 1e-12 {
				t.Errorf("%s: entry %v is affine to %v", text, to[i], slope[i]*states[k]+origin[i])
			}
		}
	}
	for j, x := range got {
		if w := want.Data.X.Col(j)[row]; math.Abs(x-w) > 1e-9*(1+math.Abs(w)) {
			t.Errorf("%s: entry %s of row %d is %v, Code makes %v", text, d.Record.Columns[j].Name, row+1, x, w)
		}
	}
}
