package transform

import (
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/glm"
)

// toldTable has groupings of every kind: a and its twin b, n within a, one level, a level for each row (id), half as
// many (pair), and a number of whole steps (k) that is constant within a.
func toldTable(t *testing.T) arrow.Table {
	return makeTable(t, 5,
		col{name: "y", values: []int64{1, 0, 1, 1, 0, 1, 0, 0, 1, 1, 0, 1}},
		col{name: "m", values: []int64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		col{name: "s", values: []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2}},
		col{name: "x", values: []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		col{name: "k", values: []float64{1, 1, 1, 2, 2, 2, 5, 5, 5, 7, 7, 7}},
		col{name: "v", values: []float64{1, 2, 2, 2, 2, 2, 5, 5, 5, 7, 7, 7}},
		col{name: "a", values: []string{"p", "p", "p", "q", "q", "q", "r", "r", "r", "s", "s", "s"}},
		col{name: "b", values: []int64{4, 4, 4, 3, 3, 3, 2, 2, 2, 1, 1, 1}},
		col{name: "n", values: []string{"c", "c", "d", "e", "f", "f", "g", "h", "h", "i", "j", "j"}},
		col{name: "h", values: []string{"c", "c", "d", "c", "d", "d", "c", "d", "d", "c", "d", "d"}},
		col{name: "one", values: []string{"z", "z", "z", "z", "z", "z", "z", "z", "z", "z", "z", "z"}},
		col{name: "id", values: []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}},
		col{name: "pair", values: []int64{1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8}},
		col{name: "half", values: []float64{1.5, 1.5, 1.5, 2, 2, 2, 3, 3, 3, 4, 4, 4}},
		col{name: "huge", values: []float64{1e16, 1e16, 1e16, 2, 2, 2, 3, 3, 3, 4, 4, 4}},
		col{name: "u", values: []string{"a", "a", "a_b", "a_b", "a", "a", "c", "c", "c", "d", "d", "d"}},
		col{name: "w", values: []string{"b_c", "b_c", "c", "c", "e", "e", "e", "e", "e", "e", "e", "e"}})
}

// Effects that the data do not identify are reported, with names and the remedy.
func TestToldOfGroups(t *testing.T) {
	const same = "the sd of its effects and sigma cannot be distinguished"
	for _, c := range []struct {
		formula, family string
		fault           string // an error; else
		warning, note   string // the only one, if any
	}{
		{"y ~ x + (1 | a)", "gaussian", "", "", ""},
		{"y ~ x + (x | a) + (1 | h)", "gaussian", "", "", ""},
		{"y ~ x + (1 | one)", "gaussian", `column "one": the grouping one has the one level "z": effects of levels need two levels or more`, "", ""},
		{"y ~ x + (1 | id)", "gaussian", `column "id": every level of the grouping id has one observation: ` + same + "\nhint: write y | se(s)", "", ""},
		{"y ~ x + (x | id)", "gaussian", same, "", ""},
		{"y ~ x + (0 + a | id)", "gaussian", same, "", ""},
		{"y ~ x + (1 | n:s)", "gaussian", `column "n": every level of the grouping n:s has one observation`, "", ""},
		{"y ~ x + (0 + x | id)", "gaussian", "", same + ", but by how the spread changes with x", ""},
		{"y | se(s) ~ x + (1 | id)", "gaussian", "", "", "every level of id has one observation: its effects are the variation beyond that of a gaussian response"},
		{"y ~ x + (1 | id)", "bernoulli", "and the scale of the coefficients cannot be distinguished\nhint: leave out", "", ""},
		{"y ~ x + (0 + x | id)", "bernoulli", "and the scale of the coefficients", "", ""},
		{"y | trials(m) ~ x + (1 | id)", "binomial", "and the scale of the coefficients", "", ""},
		{"y | trials(9) ~ x + (1 | id)", "binomial", "", "", "every level of id has one observation"},
		{"y ~ x + (1 | id)", "poisson", "", "", "the variation beyond that of a poisson response"},
		{"y ~ x + (1 | id)", "negative_binomial", "", "only the prior distinguishes the sd of its effects from shape", ""},
		{"y ~ x + (1 | pair)", "gaussian", "", "the grouping pair has 8 levels in 12 observations: most effects have one observation", ""},
		{"y ~ x + (k | a)", "gaussian", "", "k does not vary within the levels of a: only the spread between levels determines the sd of its effects", ""},
		{"y ~ x + (v || a)", "gaussian", "", "v varies within 1 of the 4 levels of a: few levels determine the sd of its effects", ""},
		{"y ~ x + (1 | a) + (1 | b)", "gaussian", "", "the groupings a and b have the same levels by other names: the data determine only the sum of such effects", ""},
		{"y ~ x + (1 | a) + (0 + x | b)", "gaussian", "", "", ""},
		{"y ~ x + (1 | n) + (1 | a)", "gaussian", "", "the grouping n has 8 levels", "each level of n lies within one of a: it is nested, and needs no a:n"},
		{"y ~ x + (1 | b) + (1 | n)", "poisson", "", "the grouping n has 8 levels", "each level of n lies within one of b: it is nested, and needs no b:n"},
		{"y ~ x + (1 | a/h)", "gaussian", "", "the grouping a:h has 8 levels", ""},
		{"y ~ x + a + (1 | a)", "gaussian", "", "the levels of a have coefficients, in a, and effects: the data determine only their sum, the priors divide it", ""},
		{"y ~ x + factor(b) + (1 | b)", "gaussian", "", "the levels of b have coefficients, in factor(b)", ""},
		{"y ~ x + h:a + (1 | h) + (x | b)", "gaussian", "", "the levels of h have coefficients, in h:a", ""},
		{"y ~ x + a:s + a:b + (1 | a)", "gaussian", "", "", ""},
		{"y ~ x + a + (0 + x | a)", "gaussian", "", "", ""},
		{"y ~ x + a:x + (1 | a)", "gaussian", "", "", ""},
		{"y ~ x + cut(b, c(0, 2, 5)) + (1 | b)", "gaussian", "", "", ""},
		{"y ~ x + (1 | half)", "gaussian", `column "half", row 1: 1.5 is not a whole number, and a grouping has levels` + "\nhint: write factor(half) as the grouping if every value is a level, or cut(half, breaks = c(…))", "", ""},
		{"y ~ x + (1 | factor(half))", "gaussian", "", "", ""},
		{"y ~ x + (1 | huge)", "gaussian", `column "huge", row 1: beyond 2^53`, "", ""},
		{"y ~ x + (1 | u:w)", "poisson", `column "u": two levels of the grouping u:w have the name "a_b_c"`, "", ""},
		{"y ~ x + (0 + one | a)", "gaussian", "", "onez does not vary", ""},
		{"y ~ x + (one - 1 | a) + (1 | h)", "gaussian", "", "onez does not vary", ""},
		{"y ~ 0 + (1 | a)", "gaussian", "nothing to estimate: no intercept and no predictor", "", ""},
		{"y ~ x + (0 + zz* | a)", "gaussian", `no column matches "zz*"`, "", ""},
		{"y ~ x + (0 + a - a | a)", "gaussian", "(0 + a - a | a) has no terms", "", ""},
		{"y ~ x + (poly(x, 5):factor(id):h:n:factor(b) | a)", "gaussian", "has more than 1000 terms with", "", ""},
	} {
		formula, err := ParseFormula(c.formula)
		var d *Design
		if err == nil {
			d, err = Build(toldTable(t), Spec{Formula: formula, Family: familyNamed(c.family)})
		}
		if c.fault != "" || err != nil {
			if c.fault == "" || !says(err, c.fault) {
				t.Errorf("%s, %s: error %v, want %q", c.formula, c.family, err, c.fault)
			}
			continue
		}
		many := func(s string) bool {
			return strings.Contains(s, "is a factor with") || strings.Contains(s, "equal another one") ||
				strings.Contains(s, "are linear combinations of")
		}
		warnings := slices.DeleteFunc(d.Warnings, many)
		for what, said := range map[string]struct {
			got  []string
			want string
		}{"warnings": {warnings, c.warning}, "notes": {d.Notes, c.note}} {
			if said.want == "" && len(said.got) > 0 || said.want != "" && (len(said.got) != 1 || !strings.Contains(said.got[0], said.want)) {
				t.Errorf("%s, %s: %s %q, want %q", c.formula, c.family, what, said.got, said.want)
			}
		}
	}
}

// Rows that stand for several are several observations, and levels are asked for by no one where a column is a
// grouping alone.
func TestToldOfCountedGroups(t *testing.T) {
	table := makeTable(t, 0, col{name: "y", values: []float64{1, 3, 2}}, col{name: "g", values: []string{"a", "b", "c"}}, col{name: "n", values: []int64{1, 2, 5}})
	spec := Spec{Formula: mustParse(t, "y ~ 1 + (1 | g)").Weighted("n", ""), Family: glm.Family{Name: "gaussian"}}
	if d, err := Build(table, spec); err != nil || len(d.Warnings) > 0 {
		t.Errorf("8 observations of 3 levels: %v", err)
	}
	spec = Spec{Formula: mustParse(t, "y ~ 1 + (1 | g)"), Family: spec.Family, Counts: []float64{1, 2, 5}}
	if _, err := Build(table, spec); err != nil {
		t.Errorf("8 rows of the data of 3 levels: %v", err)
	}
	spec.Counts = nil
	if _, err := Build(table, spec); !says(err, "one observation") {
		t.Errorf("3 observations of 3 levels: %v", err)
	}
	for want, asked := range map[string]Spec{
		`column "g": levels are given for it, but it is a grouping alone, whose levels have no reference`: {Levels: map[string][]string{"g": {"b"}}},
		`column "g": contrasts are given for it, but no term`:                                             {Contrasts: map[string]string{"g": "sum"}},
	} {
		asked.Formula, asked.Family = spec.Formula, spec.Family
		if _, err := Build(table, asked); !says(err, want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
