package pipelines_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// foldSpec is a mean with levels around it, all scales known.
const foldSpec = `
pipeline: folds
seed: 5
database: t.duckdb
datasets: {few: {path: few.csv}}
models:
  levels:
    formula: y ~ 1 + (1 | g)
    family: gaussian
    prior: {intercept: "normal(0, 3)", sigma: constant(1), sd: constant(2)}
  mean:
    formula: y ~ 1
    family: gaussian
    prior: {intercept: "normal(0, 3)", sigma: constant(1)}
samplers: {auto: {method: auto}}
fits: [{datasets: [few], models: [%s]}]
run: {chains: 4, warmup: 300, draws: 1500, kfold: %s}
gates: {ess_tail: 100}
`

var foldRows = []struct {
	g string
	y float64
}{{"a", 0.3}, {"a", 1.4}, {"a", 0.9}, {"b", -2.1}, {"b", -1.2}, {"c", 3.8}, {"c", 2.2}, {"c", 3.1}}

// leftOut is the log density of row i given the rows of other folds: normal, with the covariances of the prior.
func leftOut(i int, other func(j int) bool, levels bool) float64 {
	covariance := func(a, b int) float64 {
		v := 9.0
		if levels && foldRows[a].g == foldRows[b].g {
			v += 4
		}
		if a == b {
			v++
		}
		return v
	}
	var at []int
	for j := range foldRows {
		if other(j) {
			at = append(at, j)
		}
	}
	n := len(at)
	a := make([][]float64, n) // V, and the covariances with row i
	for r := range a {
		for _, c := range at {
			a[r] = append(a[r], covariance(at[r], c))
		}
		a[r] = append(a[r], covariance(at[r], i))
	}
	for p := range n { // Gauss and Jordan
		for r := range n {
			if f := a[r][p] / a[p][p]; r != p {
				for c := p; c <= n; c++ {
					a[r][c] -= f * a[p][c]
				}
			}
		}
	}
	mean, variance := 0.0, covariance(i, i)
	for r := range n {
		w := a[r][n] / a[r][r]
		mean += w * foldRows[at[r]].y
		variance -= w * covariance(at[r], i)
	}
	z := foldRows[i].y - mean
	return -(z*z/variance + math.Log(2*math.Pi*variance)) / 2
}

// foldsAreLeftOut holds the rows of a model against the closed form, each without the rows of its fold.
func (f folder) foldsAreLeftOut(model, what string) {
	f.t.Helper()
	rows := f.asked(fmt.Sprintf("SELECT fold, elpd_kfold FROM kfold_pointwise JOIN latest USING (fit_id) "+
		"WHERE model = '%s' ORDER BY observation", model))
	if len(rows) != len(foldRows) {
		f.t.Fatalf("%s, %s: %d rows, want %d", model, what, len(rows), len(foldRows))
	}
	for i := range foldRows {
		exact := leftOut(i, func(j int) bool { return rows[j][0] != rows[i][0] }, model == "levels")
		if got := number(f.t, rows[i][1]); math.Abs(got-exact) > 0.1 {
			f.t.Errorf("%s, %s: row %d has %.4f, exactly %.4f", model, what, i+1, got, exact)
		}
	}
}

// Rows that are left out have the density of the closed form: dealt at random, and by the levels of a grouping,
// whose effects are those of a level that was never seen. Folds are those of the data: models share them. A later
// request is met for the stored fit, once.
//
// False alarms: the log of a mean of 6000 densities, whose relative sd is below 1.5 here, is within 0.1 of it at five
// standard errors of independent draws; chains of these models have half as many.
func TestKFoldIsExact(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(foldSpec, "levels, mean", "4"))
	csv := "g,y\n"
	for _, r := range foldRows {
		csv += fmt.Sprintf("%s,%v\n", r.g, r.y)
	}
	f.write("few.csv", csv)
	f.run(pipelines.RunOptions{})
	f.foldsAreLeftOut("mean", "at random")
	f.foldsAreLeftOut("levels", "at random")
	if got := f.ask("t.duckdb", "SELECT count(DISTINCT fold) || ' ' || count(*) FROM (SELECT DISTINCT observation, fold FROM kfold_pointwise)"); got != "4 8" {
		t.Errorf("folds and rows in them: %s", got)
	}
	if got := f.ask("t.duckdb", "SELECT bool_and(rhat_max <> 1 AND rhat_max BETWEEN 0.9 AND 1.1) FROM kfold"); got != "true" {
		t.Errorf("R-hat over folds: %s", f.ask("t.duckdb", "SELECT rhat_max FROM kfold"))
	}
	if got := f.ask("t.duckdb", "SELECT model FROM kfold_compare WHERE elpd_diff = 0 AND se_diff = 0"); got != "levels" {
		t.Errorf("%s is best", got)
	}
	later := strings.Replace(fmt.Sprintf(foldSpec, "levels, mean", "{by: g}, loo: {moment_match: true}"), "  mean:", "    derive: {twice: \"2 * `(Intercept)`\"}\n  mean:", 1)
	f.write("spec.yaml", later)
	for _, fit := range f.run(pipelines.RunOptions{}).Fits {
		if fit.Action != pipelines.Skipped || len(fit.Warnings) > 0 {
			t.Errorf("%s, %q", fit.Action, fit.Warnings)
		}
	}
	f.foldsAreLeftOut("levels", "by level")
	f.foldsAreLeftOut("mean", "by level") // whose formula does not read the column
	for i := range foldRows {
		exact := leftOut(i, func(j int) bool { return j != i }, true)
		got := f.ask("t.duckdb", fmt.Sprintf("SELECT elpd_loo FROM pointwise JOIN latest USING (fit_id) WHERE model = 'levels' AND observation = %d", i+1))
		if math.Abs(number(t, got)-exact) > 0.1 {
			t.Errorf("leave-one-out of row %d is %s, exactly %.4f", i+1, got, exact)
		}
	}
	if got := f.ask("t.duckdb", "SELECT count(*) || ' ' || min(folds) FROM kfold_compare WHERE folds = 3"); got != "2 3" {
		t.Errorf("models and folds: %s", got)
	}
}

// Rows that cannot be left out by the folds cost the fit, before it is drawn, and are named.
func TestFoldsRefused(t *testing.T) {
	for by, want := range map[string]string{
		"h":    `column "h", row 3 (line 4 of few.csv): the value is missing, and kfold leaves rows out by it`,
		"same": "kfold is by same, which is the same in all rows",
		"gg":   `kfold is by gg, which is no grouping of the formula: the data have no column "gg"`,
	} {
		f := newFolder(t, fmt.Sprintf(foldSpec, "mean", "{by: "+by+"}"))
		f.write("few.csv", "g,h,same,y\na,u,1,0.3\na,v,1,1.4\nb,NA,1,0.9\nb,u,1,0.2\n")
		out, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{DryRun: true})
		must(t, err)
		if fit := out.Fits[0]; !strings.Contains(fmt.Sprint(fit.Err), want) {
			t.Errorf("by %s: %s, %v", by, fit.Action, fit.Err)
		}
	}
}

// foldsOf writes the data with a column h of these letters.
func (f folder) foldsOf(h string) {
	csv := "g,h,y\n"
	for i, r := range foldRows {
		csv += fmt.Sprintf("%s,%c,%v\n", r.g, h[i], r.y)
	}
	f.write("few.csv", csv)
}

// A stored fit whose draws were not kept is evaluated too, since k-fold makes its own; and it is again on a night when
// the column that says the folds, which no fingerprint knows, has changed, in one run and by shards.
func TestFoldsChangeOvernight(t *testing.T) {
	spec := strings.Replace(foldSpec, "kfold: %s", "keep: summary%s", 1)
	f := newFolder(t, fmt.Sprintf(spec, "mean", ""))
	run := func() {
		t.Helper()
		for _, fit := range f.run(pipelines.RunOptions{}).Fits {
			if fit.Action != pipelines.Skipped || len(fit.Reasons) > 0 {
				t.Errorf("%s, %q", fit.Action, fit.Reasons)
			}
		}
	}
	const folds = "SELECT string_agg(fold, '' ORDER BY observation) FROM kfold_pointwise"
	f.foldsOf("ppqqppqq")
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", fmt.Sprintf(spec, "mean", ", kfold: {by: h}"))
	run()
	if got := f.ask("t.duckdb", folds); got != "11221122" {
		t.Fatalf("folds are %q", got)
	}
	f.foldsAreLeftOut("mean", "asked for later")
	f.write("spec.yaml", fmt.Sprintf(spec, "mean", ", loo: true, kfold: {by: g}"))
	reasons := f.run(pipelines.RunOptions{}).Fits[0].Reasons
	if len(reasons) != 1 || !strings.Contains(reasons[0], "kept no draws") {
		t.Errorf("reasons are %q", reasons)
	}
	if got := f.ask("t.duckdb", folds); got != "11122333" {
		t.Fatalf("folds are %q beside what needs draws", got)
	}
	f.write("spec.yaml", fmt.Sprintf(spec, "mean", ", kfold: {by: h}"))
	run()
	asked := f.ask("t.duckdb", "SELECT asked FROM kfold")
	f.foldsOf("qqppqqpp") // the same rows together
	run()
	if got := f.ask("t.duckdb", "SELECT asked FROM kfold"); got != asked {
		t.Errorf("the folds of %q are called otherwise and taken for others: %q", asked, got)
	}
	copyFile(t, f.path("t.duckdb"), f.path("s.duckdb"))
	f.foldsOf("pqqqpqqr")
	run()
	if got := f.ask("t.duckdb", folds); got != "12221223" {
		t.Fatalf("folds are %q the next night", got)
	}
	f.foldsAreLeftOut("mean", "the next night")
	dir := f.plan(2, "s.duckdb")
	for i := range 2 {
		f.shard(dir, i)
	}
	f.gather(dir, pipelines.GatherOptions{})
	want, got := f.answers("t.duckdb"), f.answers("s.duckdb")
	for table := range want {
		if got[table] != want[table] {
			t.Errorf("%s: %q by shards, %q in one run", table, got[table], want[table])
		}
	}
}
