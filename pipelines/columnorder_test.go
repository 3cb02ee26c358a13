package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// swapColumns writes the columns of a CSV text in the reverse order.
func swapColumns(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		cells := strings.Split(line, ",")
		for a, b := 0, len(cells)-1; a < b; a, b = a+1, b-1 {
			cells[a], cells[b] = cells[b], cells[a]
		}
		lines[i] = strings.Join(cells, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}

// The order of the columns in a file does not matter, for each way to read rows and each kind of model that names
// its columns. Where . or a glob takes columns, it is the order of the coefficients, and so another design.
func TestColumnOrder(t *testing.T) {
	const sound = "a: {path: claims.csv}\n  g: {path: claims.csv, rows: grouped}\n  b: {path: claims.csv, by: [region]}\n" +
		"  f: {path: claims.csv, rows: factored}"
	text := strings.Replace(fmt.Sprintf(quick, sound), "samplers:", `  weighted: {formula: "y ~ age + n + (1 | region)", family: poisson, frequency_weights: n}
  mixed: {formula: "y ~ age", family: gaussian, mixture: {components: 2}}
  normal: {formula: "y ~ n + age", family: gaussian}
  classes: {formula: "cbind(region, n) ~ 1", mixture: {components: 2, items: {region: categorical, n: poisson}}}
  gaps: {formula: "y ~ age + n", family: gaussian, missing: impute}
  all: {formula: "y ~ . - region", family: gaussian}
  globbed: {formula: "y ~ a* + n*", family: gaussian}
samplers:`, 1) + `fits:
  - {datasets: a, models: [m, weighted, mixed, normal, classes, gaps, all, globbed], samplers: gibbs}
  - {datasets: g, models: [m, mixed, classes], samplers: gibbs}
  - {datasets: b, models: m, samplers: gibbs}
  - {datasets: f, models: normal, samplers: gibbs}
`
	f := newFolder(t, text)
	table := strings.Replace(claims, "-3", "3", 1)
	f.write("claims.csv", table)
	open := map[string]bool{"all": true, "globbed": true}
	for _, r := range f.run(pipelines.RunOptions{}).Fits {
		if r.Action != pipelines.Computed {
			t.Fatalf("%s: %s, %v", r.Name(), r.Action, r.Reasons)
		}
	}
	f.write("claims.csv", swapColumns(table))
	for _, r := range f.run(pipelines.RunOptions{}).Fits {
		if want := map[bool]string{true: pipelines.Computed, false: pipelines.Skipped}[open[r.Model]]; r.Action != want {
			t.Errorf("%s: %s (%v), want %s", r.Name(), r.Action, r.Reasons, want)
		}
	}
	const named = `SELECT md5(string_agg(concat_ws(',', f.dataset, f.key, f.model, d.parameter_id, d.chain, d.iteration,
		d.value), ';' ORDER BY f.dataset, f.key, f.model, d.parameter_id, d.chain, d.iteration)), count(*)
		FROM draw d JOIN fit f USING (fit_id) WHERE model NOT IN ('all', 'globbed')`
	f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path("again.duckdb")}})
	if got, want := f.ask("again.duckdb", named), f.ask("t.duckdb", named); got != want {
		t.Errorf("draws of the swapped columns are %s, and were %s", got, want)
	}
	_, notes, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"dataset=a", "model=m"}})
	if err != nil || strings.Contains(notes, "changed") {
		t.Errorf("predict: notes %q, %v", notes, err)
	}
	f.write("claims.csv", swapColumns(strings.Replace(table, "44", "45", 1)))
	for _, r := range f.run(pipelines.RunOptions{DryRun: true, Only: []string{"dataset=a", "model=m"}}).Fits {
		if !strings.Contains(fmt.Sprint(r.Reasons), "changed data") {
			t.Errorf("%s with another value: %v", r.Name(), r.Reasons)
		}
	}
}

// A column of an offset that . takes is a term, a note names it, and the fit is not one of a program that left it out.
func TestDotTakesOffset(t *testing.T) {
	f := newFolder(t, strings.Replace(strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv}"), "y ~ age",
		"y ~ . - region + offset(log(n + 1))", 1), "samplers:", `  o: {formula: "y ~ . - region - n + offset(log(n + 1))", family: poisson}
samplers:`, 1))
	f.write("claims.csv", strings.Replace(claims, "-3", "3", 1))
	f.run(pipelines.RunOptions{})
	got := f.ask("t.duckdb", `SELECT f.model, string_agg(p.name, ' ' ORDER BY parameter_id), any_value(algorithm_versions
		->> 'dot') FROM parameter p JOIN fit f USING (fit_id) GROUP BY ALL ORDER BY ALL`)
	if want := "m,(Intercept) n age,2\no,(Intercept) age,"; got != want {
		t.Errorf("terms are\n%s\nwant\n%s", got, want)
	}
	notes := f.ask("t.duckdb", "SELECT model FROM event JOIN fit USING (fit_id) WHERE message LIKE '%add - n to the formula%'")
	if notes != "m" {
		t.Errorf("the note is of %q", notes)
	}
}
