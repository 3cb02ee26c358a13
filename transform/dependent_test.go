package transform

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
)

// dependentTable has rows whose columns depend on each other in several ways.
func dependentTable(t *testing.T) arrow.Table {
	t.Helper()
	const n = 240
	u := func(i, k int) float64 { // numbers between 0 and 1 without a pattern
		_, f := math.Modf(1e4 * math.Sin(float64(12.9898*float64(i+1)+78.233*float64(k))))
		return math.Abs(f)
	}
	number := func(f func(i int) float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	text := func(f func(i int) string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = f(i)
		}
		return out
	}
	return makeTable(t, 0,
		col{name: "y", values: number(func(i int) float64 { return u(i, 1) })},
		col{name: "bin", values: text(func(i int) string { return string("nm"[int(2*u(i, 9))]) })},
		col{name: "x1", values: number(func(i int) float64 { return u(i, 2) })},
		col{name: "x2", values: number(func(i int) float64 { return u(i, 3) })},
		col{name: "x3", values: number(func(i int) float64 { return u(i, 2) + u(i, 3) })},
		col{name: "minus", values: number(func(i int) float64 { return -u(i, 2) })},
		col{name: "milli", values: number(func(i int) float64 { return 1000 * u(i, 2) })},
		col{name: "affine", values: number(func(i int) float64 { return 2*u(i, 2) + 1 })},
		col{name: "near", values: number(func(i int) float64 { return u(i, 2) + 1e-6*u(i, 3) })},
		col{name: "late", values: number(func(i int) float64 { return u(i, 2) + float64(i/(n-1)) })}, // differs in the last row
		col{name: "once", values: number(func(i int) float64 { // differs from x1 in one row, which is not looked at first
			if i == 101 {
				return u(i, 2) + 1e-3
			}
			return u(i, 2)
		})},
		col{name: "p1", values: number(func(i int) float64 { return math.Floor(40 * u(i, 2)) })},
		col{name: "p2", values: number(func(i int) float64 { return math.Floor(40 * u(i, 3)) })},
		col{name: "p3", values: number(func(i int) float64 { return 100 - math.Floor(40*u(i, 2)) - math.Floor(40*u(i, 3)) })},
		col{name: "a", values: text(func(i int) string { return fmt.Sprint("a", i%6) })},
		col{name: "region", values: text(func(i int) string { return fmt.Sprint("r", i%6/2) })},
		col{name: "rare", values: number(func(i int) float64 { return float64((i + 3) / (n + 1)) })})
}

// Columns that depend on others are named with those that they depend on, under every prior, scale and family.
func TestDependentColumns(t *testing.T) {
	table := dependentTable(t)
	for _, c := range []struct{ formula, family, want string }{
		{"y ~ x1 + x2 + x3", "gaussian", "x3 of x1, x2"},
		{"y ~ x1 + x2 + x3 - 1", "gaussian", "x3 of x1, x2"},
		{"bin ~ x1 + x2 + x3", "bernoulli", "x3 of x1, x2"},
		{"y ~ x1 + x2 + x3 + (1 | a)", "gaussian", "x3 of x1, x2"},
		{"y ~ x1 + minus", "gaussian", "minus of x1"},
		{"y ~ x1 + milli", "gaussian", "milli of x1"},
		{"y ~ x1 + affine", "gaussian", "affine of x1"},
		{"y ~ x1 + affine - 1", "gaussian", ""},
		{"y ~ x1 + I(2*x1)", "gaussian", "I(2 * x1) of x1"},
		{"y ~ x1 + ns(x1, 3)", "gaussian", "ns(x1, 3)3 of x1, ns(x1, 3)1, ns(x1, 3)2"},
		{"y ~ a + I(a == 'a0')", "gaussian", `I(a == "a0")TRUE of aa1, aa2, aa3, aa4, aa5`},
		{"y ~ a + I(a == 'a5')", "gaussian", ""}, // a copy, which has a warning of its own
		{"y ~ p1 + p2 + p3", "gaussian", "p3 of p1, p2"},
		{"y ~ a + region", "gaussian", "regionr1 of aa2, aa3; regionr2 of aa4, aa5"},
		{"y ~ x1 + near", "gaussian", ""},
		{"y ~ x1 + late", "gaussian", ""},
		{"y ~ x1 + once", "gaussian", ""},
		{"y ~ x1 + rare", "gaussian", ""},
		{"y ~ x1 + x2", "gaussian", ""},
		{"y ~ x1 + s(x1)", "gaussian", ""}, // it has a warning of its own
		{"y ~ x1 + I(x1)", "gaussian", ""}, // a copy
	} {
		for _, scale := range []string{"none", "center_scale", "max_abs"} {
			formula, err := ParseFormula(c.formula)
			var d *Design
			if err == nil {
				d, err = Build(table, Spec{Formula: formula, Family: familyNamed(c.family), Standardize: scale})
			}
			if err != nil {
				t.Errorf("%s, %s: %v", c.formula, scale, err)
				continue
			}
			at := slices.IndexFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "linear combination") })
			switch {
			case c.want == "" && at >= 0:
				t.Errorf("%s, %s: warning %q", c.formula, scale, d.Warnings[at])
			case c.want != "" && (at < 0 || !strings.Contains(d.Warnings[at], "("+c.want+")")):
				t.Errorf("%s, %s: warnings %q, want one of %q", c.formula, scale, d.Warnings, c.want)
			}
		}
	}
}

// The same of rows that are read in pieces, of which the design holds a triangular factor.
func TestDependentColumnsInPieces(t *testing.T) {
	for formula, want := range map[string]string{
		"y ~ x1 + x2 + x3": "x3 of x1, x2", "y ~ x1 + affine": "affine of x1", "y ~ x1 + near": "", "y ~ x1 + late": "",
		"y ~ a + region": "regionr1 of aa2, aa3; regionr2 of aa4, aa5",
	} {
		_, d, err := pieced(dependentTable(t), 70, formula, "error")
		if err != nil {
			t.Errorf("%s: %v", formula, err)
			continue
		}
		text := strings.Join(d.Warnings, "\n")
		if want == "" && strings.Contains(text, "linear combination") || !strings.Contains(text, want) {
			t.Errorf("%s: warnings %q, want one of %q", formula, d.Warnings, want)
		}
	}
}
