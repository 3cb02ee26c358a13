package pipelines_test

import (
	"fmt"
	"testing"

	"glmbatch/pipelines"
)

// anewSpec has fits that an earlier posterior cannot start, and one that it can.
const anewSpec = `
pipeline: nights
seed: %d
database: t.duckdb
datasets: {few: few.csv, sets: {path: "imp*.csv", each: imputation}}
models:
  plain: {formula: y ~ z, family: gaussian, missing: drop}
  cells: {formula: y ~ x + z, family: gaussian, missing: impute}
  mixed: {formula: y ~ 1, family: gaussian, missing: drop, mixture: {components: 2}}
  classes: {formula: "cbind(x, q) ~ 1", mixture: {components: 2}}
samplers: {auto: {}, nuts: {method: nuts}}
fits:
  - {datasets: few, models: plain, samplers: nuts}
  - {datasets: few, models: [cells, mixed, classes], samplers: auto}
  - {datasets: sets, models: plain, samplers: nuts}
run: {chains: 2, warmup: 100, draws: 100, start: %s}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`

// A run that starts from the previous one begins as usual if that is no start, with the draws of a first run, and
// the ledger has the reason.
func TestFitsThatBeginAsUsual(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(anewSpec, 1, "previous"))
	rows := "2.1,1,0.5,a\n-1.2,0,-1,b\n0.4,%[1]s,1.5,a\n1.9,1,-0.5,a\n-0.6,0,1,b\n2.8,%[1]s,0,a\n-2.2,0,-1.5,b\n3.3,1,1,a\n"
	f.write("few.csv", "y,x,z,q\n"+fmt.Sprintf(rows, "NA"))
	f.write("imp1.csv", "y,x,z,q\n"+fmt.Sprintf(rows, "0"))
	f.write("imp2.csv", "y,x,z,q\n"+fmt.Sprintf(rows, "1"))
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", fmt.Sprintf(anewSpec, 2, "previous")) // another seed, and so other draws
	f.run(pipelines.RunOptions{})
	const notes = "SELECT model || ' of ' || dataset AS of, coalesce(from_fit_id, 0) > 0 AS started, regexp_replace(note, 'fit \\d+', 'a fit') FROM latest JOIN start USING (fit_id) ORDER BY of"
	if got, want := f.ask("t.duckdb", notes), "cells of few,false,as usual: missing cells are drawn by turns with the coefficients\n"+
		"classes of few,false,as usual: components may have other numbers than the night before\n"+
		"mixed of few,false,as usual: components may have other numbers than the night before\n"+
		`plain of few,true,"from the posterior of a fit, which knows 2 of 2 parameters; the spec gives warmup: 100, which is not shortened"`+"\n"+
		"plain of sets,false,as usual: each imputation has a posterior of its own"; got != want {
		t.Errorf("starts\n%s\nwant\n%s", got, want)
	}
	f.write("spec.yaml", fmt.Sprintf(anewSpec, 2, "anew"))
	for _, fit := range f.run(pipelines.RunOptions{}).Fits {
		if drawn := fit.Action == pipelines.Computed; drawn != (fit.Dataset == "few" && fit.Model == "plain") {
			t.Errorf("%s of %s is %s with start: anew", fit.Model, fit.Dataset, fit.Action)
		}
	}
}
