package pipelines_test

import (
	"strings"
	"testing"
)

// Measurements that are missing, exact or text, and models of the column that are not gaussian, are refused.
func TestMeasurementErrorsRefused(t *testing.T) {
	for _, c := range []struct{ model, row, want string }{
		{`formula: "y ~ me(x, s)"`, "3,,1,a", `column "x", row 4 (line 5 of d.csv): the value is missing, and me() needs`},
		{`formula: "y ~ me(x, s)"`, "3,2,,a", `column "s", row 4 (line 5 of d.csv): the value is missing, and me() needs`},
		{`formula: "y ~ me(x, s)"`, "3,2,0,a", `column "s", row 4 (line 5 of d.csv): a measurement of 2 has the standard deviation 0`},
		{`formula: "y ~ me(t, s)"`, "3,2,1,a", "and me() takes numbers"},
		{`formula: "y ~ me(x, s)", imputation: {x: {formula: "log(x) ~ 1"}}`, "3,2,1,a", "its measurements are normal around its values"},
		{`formula: "y ~ me(x, s)", imputation: {x: {formula: "x ~ 1", family: gamma}}`, "3,2,1,a", "its measurements are normal around"},
		{`formula: "y ~ me(x, s)", missing: drop`, "3,2,1,a", "mi() or me() in the formula has cells drawn, and missing is drop"},
		{`formula: "y ~ s(me(x, s))"`, "3,2,1,a", "missing: impute does not go with smooths"},
		{`formula: "bf(y ~ 1, sigma ~ me(x, s))"`, "3,2,1,a", "mi() and me() are not in this version in the formula of sigma"},
	} {
		f := newFolder(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {d: d.csv}\nmodels: {m: {"+c.model+
			", family: gaussian}}\nsamplers: {s: {method: auto}}\n")
		f.write("d.csv", "y,x,s,t\n1,1,1,a\n2,2,1,b\n4,5,1,a\n"+c.row+"\n2,1,1,a\n5,3,2,b\n3,4,1,b\n")
		if text := f.errors(); !strings.Contains(text, c.want) {
			t.Errorf("%s: %q, want %q", c.model, text, c.want)
		}
	}
}
