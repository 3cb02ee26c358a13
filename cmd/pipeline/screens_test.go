package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// screensSpec has names that are longer than a table has room for, of columns, levels, groupings and smooths.
const screensSpec = `pipeline: screens
seed: 1
datasets: {pupils_of_the_north: {path: pupils.csv}, broken: {path: there_is_no_file_of_this_name.csv}}
models:
  points_by_hours_and_school:
    formula: "points ~ hours_of_work_a_week + kind_of_school + s(age_of_the_pupil, k = 5) + (1 | school_of_the_district)"
    family: gaussian
    effects: [kind_of_school]
  line: {formula: points ~ hours_of_work_a_week + kind_of_school, family: gaussian}
samplers: {auto: {method: auto}, nuts_with_a_dense_metric: {method: nuts, metric: dense}}
run: {chains: 2, warmup: 60, draws: 60, loo: true}
gates: {rhat: {warn: 1.05, fail: 3}, ess_bulk: 1, ess_tail: 1}
fits:
  - {datasets: "*", models: line, samplers: "*"}
  - {datasets: pupils_of_the_north, models: points_by_hours_and_school, samplers: auto}
`

// screensData are pupils whose points no formula makes exactly.
func screensData(rows int) string {
	var b strings.Builder
	b.WriteString("points,hours_of_work_a_week,kind_of_school,age_of_the_pupil,school_of_the_district\n")
	kinds := []string{"run by the state alone", "run by a foundation of the church"}
	for i := range rows {
		x := float64(i)
		fmt.Fprintf(&b, "%.2f,%d,%s,%.1f,school of street %d\n", 10+3*math.Sin(7*x)+float64(i%9)/2, i*7%11, kinds[i*5%7%2],
			6+float64(i*13%40)/10, i%9)
	}
	return b.String()
}

// The table that every command prints, on 80 columns: its words, and the lines of names that are too long. Numbers
// and the clock are left out. -update rewrites it; read the diff.
func TestScreens(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "screens"))
	must(t, err)
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "80")
	t.Setenv("LC_ALL", "C.UTF-8")
	write(t, ".", "pupils.csv", screensData(80))
	write(t, ".", "s.yaml", screensSpec)
	const smooth = " --only model=points*"
	for _, c := range []struct{ name, args string }{
		{"validate", "validate s.yaml"}, {"dry-run", "run s.yaml --dry-run"}, {"run", "run s.yaml"},
		{"run-again", "run s.yaml" + smooth}, {"run-one", "run s.yaml --force" + smooth}, {"show", "show"}, {"show-all", "show *"},
		{"show-fit", "show */points*"}, {"show-parameters", "show */points* --all --top 3 --filter r_*"}, {"runs", "runs"},
		{"compare", "compare"}, {"explain", "explain s.yaml" + smooth}, {"effects", "effects s.yaml kind_of_school" + smooth},
		{"check", "check s.yaml --only dataset=pupils* --only model=line --only sampler=auto --simulations 20"}, {"predict", "predict s.yaml --only dataset=pupils* --only model=line --only sampler=auto"},
		{"init", "init pupils.csv --response points --output new.yaml"},
		{"verify", "verify --database posteriors.duckdb"},
	} {
		_, out, errs := call(t, strings.Fields(c.args)...)
		for line := range strings.Lines(out) {
			if n := widest(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s: a line of %d columns: %s", c.args, n, line)
			}
		}
		if out == "" {
			t.Errorf("%s prints nothing: %s", c.args, errs)
		}
		holdScreen(t, filepath.Join(golden, c.name+".txt"), "$ pipeline "+c.args+"\n"+screenWords(out))
	}
	write(t, ".", "pupils.csv", screensData(90))
	call(t, "run", "s.yaml")
	holdScreen(t, filepath.Join(golden, "drift.txt"), screenWords(mustCall(t, "drift")))
}

// holdScreen compares a screen with its golden file.
func holdScreen(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("golden: %v (run with -update, then read the file)", err)
	}
	if got != string(want) {
		t.Errorf("%s: printed is\n%s\nwant\n%s", filepath.Base(path), got, want)
	}
}

var (
	runNames  = regexp.MustCompile(`20\d{6}T\d{6}Z-[0-9a-f]{8}`)
	moments   = regexp.MustCompile(`20\d\d-\d\d-\d\d( \d\d:\d\d(:\d\d)?)?`)
	numerals  = regexp.MustCompile(`(^|[\s\[(,~])[-+]?\d+(\.\d+)?(e[-+]?\d+)?`)
	runShort  = regexp.MustCompile(`(?m)  [0-9a-f]{8}$`)
	gaps      = regexp.MustCompile(` {2,}`)
	timed     = regexp.MustCompile(`(?m)^(run|fit) .*\n(  .*\n)*`)
	anySpaces = regexp.MustCompile(`\s+`)
	barSigns  = regexp.MustCompile(`[─━●│┼◂▸][─━●│┼◂▸ ]*`)
)

// screenWords are the words of a screen: numbers become #, gaps two spaces, bars a sign, and text about the clock
// is on one line, since its words break where the clock has them.
func screenWords(out string) string {
	out = timed.ReplaceAllStringFunc(out, func(s string) string {
		return strings.TrimSpace(anySpaces.ReplaceAllString(s, " ")) + "\n"
	})
	out = runShort.ReplaceAllString(out, "  RUN")
	out = moments.ReplaceAllString(runNames.ReplaceAllString(out, "RUN"), "MOMENT")
	out = barSigns.ReplaceAllString(numerals.ReplaceAllString(out, "${1}#"), "●")
	var b strings.Builder
	for line := range strings.Lines(out) {
		front := line[:min(6, len(line)-len(strings.TrimLeft(line, " ")))] // numbers below a name, at the right
		b.WriteString(front + gaps.ReplaceAllString(strings.TrimLeft(line, " "), "  "))
	}
	return b.String()
}
