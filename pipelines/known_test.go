package pipelines_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

// newKnown is a folder with files of testdata/known.
func newKnown(t *testing.T, spec string, files ...string) folder {
	t.Helper()
	f := newFolder(t, spec)
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join("..", "testdata", "known", name))
		must(t, err)
		f.write(name, string(data))
	}
	return f
}

// likeKnown compares the fits of a spec with the reference posterior of one model: each mean within 0.12 standard
// deviations, and each standard deviation within 12 %.
func likeKnown(t *testing.T, model, spec string, files ...string) {
	t.Helper()
	infertest.Study(t)
	rows, _, of := brmsMoments(t, "../testdata/known/known.json")
	f := newKnown(t, spec, files...)
	f.computes()
	f.far(model+": mean or standard deviation", fmt.Sprintf(`
		SELECT max(greatest(abs(s.mean - v.m) / s.sd, abs(ln(s.sd / v.s)))) + abs(count(*) - %d * count(DISTINCT fit_id))
		FROM summary s JOIN fit USING (fit_id) JOIN (VALUES %s) AS v(model, name, m, s) USING (model, name)`, of[model], rows), 0.12)
}

// A predictor with errors of measurement has the posterior of JAGS.
func TestMeasurementErrorsLikeJAGS(t *testing.T) {
	likeKnown(t, "exposure", `
pipeline: p
database: t.duckdb
seed: 3
datasets: {exposure: exposure.csv}
models:
  exposure: {formula: "response ~ me(dose, sd) + age", family: gaussian, standardize: none,
    prior: {coefficients: "normal(0, 5)", intercept: {prior: "normal(0, 20)", at: zero}, sigma: "exponential(1)"},
    imputation: {dose: {formula: dose ~ 1, prior: {intercept: "normal(0, 10)", sigma: "exponential(1)"}}}}
samplers: {auto: {method: auto}}
run: {chains: 4, warmup: 3000, draws: 6000}
`, "exposure.csv")
}

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
