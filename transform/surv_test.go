package transform

import (
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/family"
)

// surv() gives a time, kinds of rows by events, and the names of breaks; what it cannot read is refused by name.
func TestSurv(t *testing.T) {
	for text, want := range map[string][]string{
		"surv(t, e, breaks = c(30, 90.5)) ~ x":            {"from30", "from90.5"},
		"surv(log(t), e == 2, breaks = 7) ~ 1":            {"from7"},
		"surv(t, e, breaks = 7) | trunc(lb = a) ~ x":      {"from7"},
		"surv(t, e) ~ x":                                  nil,
		"bf(surv(t, e, breaks = c(1, 2)) ~ x, from1 ~ x)": {"from1", "from2"},
		"t | cens(e) ~ x":                                 nil,
		"surv(t, e) | weights(w) ~ x":                     nil,
	} {
		f, err := ParseFormula(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := f.Breaks(); !slices.Equal(got, want) {
			t.Errorf("%s: breaks %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"surv(t) ~ x":                       "takes a time, an event",
		"surv(t, e, c(1, 2)) ~ x":           "takes a time, an event",
		"surv(t, event = e) ~ x":            "takes a time, an event",
		"surv(t, e, breaks = c(3, 2)) ~ x":  "2 is not a number above 3",
		"surv(t, e, breaks = c(-1, 2)) ~ x": "-1 is not a number above 0",
		"surv(t, e, breaks = b) ~ x":        "b is not a number",
		"surv(t, e, breaks = c()) ~ x":      "breaks has no number",
		"surv(t, e) | cens(e) ~ x":          "both describe censored rows",
		"y ~ surv(t, e)":                    "are on the left",
	} {
		if _, err := ParseFormula(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Rows are observed if their event is 1 or true. Other numbers are refused with their cell, and so are rows that a hazard
// in pieces does not take.
func TestSurvRows(t *testing.T) {
	table := makeTable(t, 0, col{name: "t", values: []float64{3, 5, 2}}, col{name: "e", values: []float64{1, 0, 1}},
		col{name: "b", values: []bool{false, true, true}}, col{name: "x", values: []float64{1, 2, 1}})
	of, _ := family.Named("piecewise_exponential").Family().WithLimits(family.Truncated)
	for text, want := range map[string]any{
		"surv(t, e) ~ 1":                    []float64{0, 1, 0},
		"surv(t, b) ~ x":                    []float64{1, 0, 0},
		"surv(t, x == 1) ~ 1":               []float64{0, 1, 0},
		"surv(t, e) | trunc(lb = x) ~ 1":    []float64{0, 1, 0},
		"surv(t, x) ~ 1":                    "row 2: the event x is 2, and not 0 or 1",
		"surv(t, e) | trunc(ub = 9) ~ 1":    "9 is not allowed: rows of piecewise_exponential are",
		"t | cens(0 - e) + trunc(lb=x) ~ 1": "-1 is not allowed: rows of piecewise_exponential are",
	} {
		f, err := ParseFormula(text)
		var d *Design
		if err == nil {
			d, err = Build(table, Spec{Formula: f, Family: of})
		}
		if kinds, is := want.([]float64); is {
			if err != nil || !slices.Equal(d.Data.Kind, kinds) {
				t.Errorf("%s: %v", text, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want.(string)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
