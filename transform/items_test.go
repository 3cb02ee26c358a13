package transform

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestParseItems(t *testing.T) {
	f, err := ParseItems("cbind(a, factor(b), `c d`, s | trials(n), (r | trials(12))) ~ 1")
	must(t, err)
	var got []string
	for _, i := range f.List {
		got = append(got, fmt.Sprintf("%s %v %s %v", i.Column, i.Factor, i.Trials, i.TrialsEach))
	}
	if want := "a false  0; b true  0; c d false  0; s false n 0; r false  12"; strings.Join(got, "; ") != want {
		t.Errorf("items %s, want %s", strings.Join(got, "; "), want)
	}
	for text, want := range map[string]string{
		"cbind(a) ~ 1":                "fewer than two items",
		"cbind(a, b)":                 "~ is expected",
		"cbind(a, b) ~":               "",
		"cbind(a, b) ~ x":             "character 15: several responses have no predictors",
		"cbind(a, b) ~ 1 + x":         "have no predictors",
		"mvbind(a, b) ~ 0":            "have no predictors",
		"cbind(a, a) ~ 1":             `character 10: the item "a" is listed twice`,
		"cbind(a, log(b)) ~ 1":        "an item is a column",
		"cbind(a, .) ~ 1":             "an item is a column",
		"cbind(a, s | se(n)) ~ 1":     "only trials(n)",
		"cbind(a, s | trials()) ~ 1":  "only trials(n)",
		"cbind(a, s | trials(0)) ~ 1": "takes one column, or a count",
		"y ~ 1":                       "several responses are written",
		"cbind(a, b":                  "",
		"":                            "",
	} {
		if _, err := ParseItems(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	for text, want := range map[string]bool{"cbind(a, b) ~ 1": true, " mvbind (a)": true, "cbinds(a) ~ 1": false, "y ~ cbind(a)": false} {
		if got := IsOfItems(text); got != want {
			t.Errorf("%q is of items: %v", text, got)
		}
	}
}

// itemTable has missing cells of text and numbers, a frequency of 0 and levels of numbers.
func itemTable(t *testing.T) Table {
	t.Helper()
	return makeTable(t, 2,
		col{"q", []string{"b", "", "a", "b", "a"}, []int{1}}, col{"x", []float64{1.5, 2.5, 0, 0.5, 9}, []int{2}},
		col{"k", []int64{2, 1, 3, 1, 2}, nil}, col{"s", []float64{1, 2, 0, 0, 1}, []int{2}},
		col{"n", []float64{3, 0, 4, 5, 6}, []int{1}}, col{"w", []int64{2, 1, 3, 1, 0}, nil})
}

func readItems(t *testing.T, formula string, s ItemsSpec) (*ItemRows, error) {
	t.Helper()
	f, err := ParseItems(formula)
	must(t, err)
	table := itemTable(t)
	t.Cleanup(table.Release)
	s.Dataset = "d"
	return f.Read(table, s)
}

func equalNaN(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}

// A missing cell of an item leaves its row in, unless rows are dropped; rows of frequency 0 are out; trials that are
// missing make their item missing.
func TestReadItems(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		s          ItemsSpec
		rows       []int
		q, x, k, n []float64
		categories string
	}{
		{ItemsSpec{Missing: SeenMissing}, []int{0, 1, 2, 3, 4}, []float64{1, nan, 0, 1, 0}, []float64{1.5, 2.5, nan, 0.5, 9},
			[]float64{1, 0, 2, 0, 1}, []float64{1, nan, nan, 0, 1}, "a b"},
		{ItemsSpec{Missing: SeenMissing, Frequency: "w", Levels: map[string][]string{"q": {"b", "a"}}}, []int{0, 1, 2, 3},
			[]float64{0, nan, 1, 0}, []float64{1.5, 2.5, nan, 0.5}, []float64{1, 0, 2, 0}, []float64{1, nan, nan, 0}, "b a"},
		{ItemsSpec{Missing: "drop"}, []int{0, 3, 4}, []float64{1, 1, 0}, []float64{1.5, 0.5, 9}, []float64{1, 0, 1},
			[]float64{1, 0, 1}, "a b"},
	} {
		got, err := readItems(t, "cbind(q, x, factor(k), s | trials(n)) ~ 1", c.s)
		must(t, err)
		i := got.Items
		if !slices.Equal(got.TableRows(), c.rows) || !equalNaN(i[0].Y, c.q) || !equalNaN(i[1].Y, c.x) || !equalNaN(i[2].Y, c.k) ||
			!equalNaN(i[3].Y, c.n) || strings.Join(i[0].Categories, " ") != c.categories || i[1].Categories != nil {
			t.Errorf("%+v: rows %v, items %v %v %v %v of %v", c.s, got.TableRows(), i[0].Y, i[1].Y, i[2].Y, i[3].Y, i[0].Categories)
		}
		if c.s.Frequency != "" && !slices.Equal(got.Frequency, []float64{2, 1, 3, 1}) {
			t.Errorf("frequencies %v", got.Frequency)
		}
	}
	got, err := readItems(t, "cbind(q, x) ~ 1", ItemsSpec{Missing: SeenMissing, Levels: map[string][]string{"q": {"c", "b", "a"}}})
	if err != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], `no row has the category "c"`) {
		t.Errorf("warnings %v, error %v", got.Warnings, err)
	}
	for want, s := range map[string]ItemsSpec{
		`column "q", row 2: the value is missing`:        {Missing: "error"},
		`column "x": levels are given for it, but it ho`: {Missing: SeenMissing, Levels: map[string][]string{"x": {"1"}}},
		`there is no column "ww"`:                        {Missing: SeenMissing, Frequency: "ww"},
	} {
		if _, err := readItems(t, "cbind(q, x) ~ 1", s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// New data have the codes that a record knows.
func TestCodeItems(t *testing.T) {
	r := &Record{Version: Version, Formula: "cbind(q, x) ~ 1", Items: []ItemRecord{
		{Column: "q", Text: true, Categories: []string{"c", "b", "a"}}, {Column: "x"}}}
	table := itemTable(t)
	defer table.Release()
	got, err := r.CodeItems(table, ItemsSpec{})
	if nan := math.NaN(); err != nil || !equalNaN(got.Items[0].Y, []float64{1, nan, 2, 1, 2}) {
		t.Fatalf("%v, error %v", got, err)
	}
	r.Items[0].Categories = []string{"a", "c"}
	if _, err := r.CodeItems(table, ItemsSpec{}); err == nil || !strings.Contains(err.Error(), `"b" is not a level`) {
		t.Errorf("an unknown category: %v", err)
	}
	if inputs, err := r.Inputs(true); err != nil || !slices.Equal(inputs, []string{"q", "x"}) {
		t.Errorf("inputs %v, error %v", inputs, err)
	}
}
