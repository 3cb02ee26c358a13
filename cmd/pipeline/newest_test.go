package main

import (
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// newestSpec is a spec whose fit is drawn in milliseconds. The mean of x identifies its result.
const newestSpec = `pipeline: %[1]s
database: t.duckdb
publish: %[1]s-copy.duckdb
seed: %[2]s
datasets:
  d: {path: %[1]s.csv}
  e: {path: fixed.csv}
models:
  m: {formula: y ~ x, family: gaussian, prior: {coefficients: "%[3]s"}, effects: [{effect: x, contrast: pairwise, at: {x: [0, 1]}}]}
samplers: {a: {method: auto}}
run: {chains: 2, warmup: 20, draws: 200}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`

// newestWorld is a folder with the specs north and south, which share a ledger and all names.
type newestWorld struct{ *testing.T }

// data gives a pipeline rows of a slope; an error has a word where a number must be.
func (w newestWorld) data(pipeline string, slope float64) {
	w.Helper()
	text := "x,y\n"
	for i := range 12 {
		x := float64(i%7) - 3
		text += fmt.Sprintf("%g,%g\n", x, slope*x+float64(i%5)/10)
	}
	if slope == 0 {
		text = "x,y\n1,abc\n2,3\n3,4\n"
	}
	write(w.T, ".", pipeline+".csv", text)
}

func (w newestWorld) spec(pipeline, seed, prior string) {
	w.Helper()
	write(w.T, ".", pipeline+".yaml", fmt.Sprintf(newestSpec, pipeline, seed, prior))
}

func (w newestWorld) run(exit int, args ...string) {
	w.Helper()
	if code, out, errs := call(w.T, args...); code != exit {
		w.Fatalf("pipeline %q: exit %d, want %d\n%s%s", args, code, exit, out, errs)
	}
}

// table is an answer in CSV, without its head.
func (w newestWorld) table(args ...string) [][]string {
	w.Helper()
	rows, err := csv.NewReader(strings.NewReader(mustCall(w.T, args...))).ReadAll()
	if err != nil || len(rows) < 2 {
		w.Fatalf("pipeline %q answers with %d lines: %v", args, len(rows), err)
	}
	return rows[1:]
}

// rows are the answer of a ledger's engine to a query, as text.
func (w newestWorld) rows(database, query string) (out [][]string) {
	w.Helper()
	db, err := sql.Open("duckdb", database+"?access_mode=read_only&threads=1")
	must(w, err)
	defer db.Close()
	answer, err := (&book{pin: &pin{t: w.T}, db: db}).try(query)
	must(w, err)
	for _, row := range answer.rows {
		text := make([]string, len(row))
		for i, v := range row {
			text[i] = fmt.Sprint(v)
		}
		out = append(out, text)
	}
	return out
}

// ask is the only number that a query has for an answer.
func (w newestWorld) ask(database, query string) float64 {
	w.Helper()
	rows := w.rows(database, query)
	if len(rows) != 1 {
		w.Fatalf("%s has %d rows: %v", query, len(rows), rows)
	}
	return w.number(rows[0][0])
}

func (w newestWorld) number(text string) float64 {
	w.Helper()
	v, err := strconv.ParseFloat(text, 64)
	must(w, err)
	return v
}

// slopes are the results of a pipeline by surface: each view and macro, and each command if verbs. first is whether
// it has no result before.
func (w newestWorld) slopes(pipeline string, first, verbs bool) map[string]float64 {
	w.Helper()
	spec, dir := pipeline+".yaml", w.TempDir()
	of := " WHERE pipeline = '" + pipeline + "' AND dataset = 'd'"
	out, all := map[string]float64{}, []string{}
	for name, query := range map[string]string{
		"coefficients":    "SELECT mean FROM coefficients" + of + " AND parameter = 'x'",
		"dbt":             "SELECT mean FROM (SELECT * EXCLUDE (state) FROM coefficients)" + of + " AND parameter = 'x' AND verdict IN ('pass', 'warn')",
		"latest":          "SELECT s.mean FROM latest JOIN summary s USING (fit_id)" + of + " AND s.name = 'x'",
		"newest":          "SELECT s.mean FROM newest JOIN (SELECT DISTINCT fit_id, pipeline, dataset FROM draws) USING (fit_id) JOIN summary s USING (fit_id)" + of + " AND s.name = 'x'",
		"draws":           "SELECT avg(value) FROM draws" + of + " AND parameter = 'x' AND state <> 'older'",
		"posterior":       "SELECT mean FROM posterior('x')" + of,
		"of_pipeline":     "SELECT mean FROM posterior('x', of_dataset := 'd', of_pipeline := '" + pipeline + "')",
		"effects (view)":  "SELECT mean FROM effects" + of,
		"coefficients_on": "SELECT mean FROM coefficients_on(current_date + 1)" + of + " AND parameter = 'x'",
		"nights":          "SELECT mean FROM coefficient_nights" + of + " AND parameter = 'x' AND night = 1",
	} {
		all = append(all, "SELECT '"+name+"' AS surface, ("+query+") AS slope")
	}
	for _, row := range w.rows("t.duckdb", strings.Join(all, " UNION ALL ")) {
		out[row[0]] = w.number(row[1])
	}
	out["published"] = w.ask(pipeline+"-copy.duckdb", "SELECT mean FROM coefficients"+of+" AND parameter = 'x'")
	if !first {
		out["drift (view)"] = w.ask("t.duckdb", "SELECT arg_max(mean, nth) FROM drift"+of+" AND parameter = 'x'")
	}
	if !verbs {
		return out
	}
	if !first {
		var drifts []struct {
			ID int64 `json:"fit_id"`
		}
		text := mustCall(w.T, "drift", spec, "--only", "dataset=d", "--output", "json")
		if err := json.Unmarshal([]byte(text), &drifts); err != nil || len(drifts) != 1 {
			w.Fatalf("drift: %v\n%s", err, text)
		}
		out["drift"] = w.ask("t.duckdb", fmt.Sprint("SELECT mean FROM summary WHERE name = 'x' AND fit_id = ", drifts[0].ID))
	}
	write(w.T, ".", "new.csv", "x\n0\n1\n")
	rows := w.table("predict", spec, "--only", "dataset=d", "--data", "new.csv", "--quantity", "mean", "--format", "csv")
	out["predict"] = w.number(rows[1][2]) - w.number(rows[0][2])
	out["effects"] = w.number(w.last(w.table("effects", spec, "x", "--at", "x=0,1", "--contrast", "pairwise", "--only",
		"dataset=d", "--data", "new.csv", "--format", "csv")))
	out["export"] = w.exported(mustCall(w.T, "export", spec, "--only", "dataset=d", "--layout", "csv", "--to", dir,
		"--output", "json"))
	out["show FIT"] = w.shown("--pipeline", pipeline, "d/m/a", "--database", "t.duckdb")
	mustCall(w.T, "report", spec, "--latest", "--only", "dataset=d", "--output", filepath.Join(dir, "page.html"))
	out["report"] = w.page(filepath.Join(dir, "page.html"))
	pruned := filepath.Join(dir, "pruned.duckdb")
	w.copy("t.duckdb", pruned)
	mustCall(w.T, "prune", "--database", pruned, "--keep", "1")
	out["prune --keep 1"] = w.ask(pruned, "SELECT mean FROM coefficients"+of+" AND parameter = 'x'")
	return out
}

// last is the mean of the first row of effects.
func (w newestWorld) last(rows [][]string) string {
	w.Helper()
	if len(rows) != 1 {
		w.Fatalf("effects has %d rows: %v", len(rows), rows)
	}
	for _, cell := range rows[0] {
		if v, err := strconv.ParseFloat(cell, 64); err == nil && strings.Contains(cell, ".") && v != 0 {
			return cell
		}
	}
	w.Fatalf("effects has no number: %v", rows)
	return ""
}

// exported is the mean of the column x of the only file that export wrote.
func (w newestWorld) exported(text string) float64 {
	w.Helper()
	var out []struct{ Files []string }
	if err := json.Unmarshal([]byte(text), &out); err != nil || len(out) != 1 || len(out[0].Files) != 1 {
		w.Fatalf("export: %v\n%s", err, text)
	}
	f, err := os.Open(out[0].Files[0])
	must(w, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	must(w, err)
	for i, name := range rows[0] {
		if name == "x" {
			sum := 0.0
			for _, row := range rows[1:] {
				sum += w.number(row[i])
			}
			return sum / float64(len(rows)-1)
		}
	}
	w.Fatalf("export has the columns %v", rows[0])
	return 0
}

// shown is the mean of x that show has of one fit, or of what the fit would have replaced.
func (w newestWorld) shown(args ...string) float64 {
	w.Helper()
	text := mustCall(w.T, append([]string{"show", "--format", "json"}, args...)...)
	var out struct {
		Fits []struct {
			Newest     int64 `json:"newest_fit_id"`
			Parameters []struct {
				Name string
				Mean float64
			} `json:"parameter_summaries"`
		}
	}
	if err := json.Unmarshal([]byte(text), &out); err != nil || len(out.Fits) != 1 {
		w.Fatalf("show: %v\n%s", err, text)
	}
	for _, p := range out.Fits[0].Parameters {
		if p.Name == "x" {
			return p.Mean
		}
	}
	return w.ask("t.duckdb", fmt.Sprint("SELECT mean FROM summary WHERE name = 'x' AND fit_id = ", out.Fits[0].Newest))
}

var pageFit = regexp.MustCompile(`(?s)id="data-fit-0"[^>]*>(.*?)</script>`)

// page is the mean of x on a page of one fit; of an error, which has none, that of the fit that its reason names.
func (w newestWorld) page(path string) float64 {
	w.Helper()
	text, err := os.ReadFile(path)
	must(w, err)
	var fit struct {
		Coefficients struct {
			Name []string
			Mean []float64
		}
	}
	if m := pageFit.FindSubmatch(text); m != nil {
		must(w, json.Unmarshal(m[1], &fit))
	}
	for i, name := range fit.Coefficients.Name {
		if name == "x" {
			return fit.Coefficients.Mean[i]
		}
	}
	m := regexp.MustCompile(`newest complete fit of this name is ([0-9]+)`).FindSubmatch(text)
	if m == nil {
		w.Fatalf("the page has neither coefficients nor the number of the last complete fit")
	}
	return w.ask("t.duckdb", "SELECT mean FROM summary WHERE name = 'x' AND fit_id = "+string(m[1]))
}

func (w newestWorld) copy(from, to string) {
	w.Helper()
	in, err := os.Open(from)
	must(w, err)
	defer in.Close()
	out, err := os.Create(to)
	must(w, err)
	if _, err := io.Copy(out, in); err != nil {
		w.Fatal(err)
	}
	must(w, out.Close())
}

// want demands that every surface has the numbers of one fit, with a state, and one fit that needs attention unless that
// is current.
func (w newestWorld) want(pipeline string, fit int64, first, verbs bool, state string) {
	w.Helper()
	want := w.ask("t.duckdb", fmt.Sprint("SELECT mean FROM summary WHERE name = 'x' AND fit_id = ", fit))
	for surface, got := range w.slopes(pipeline, first, verbs) {
		if math.Abs(got-want) > 1e-4*math.Abs(want) {
			w.Errorf("%s of %s has the slope %v, want %v of fit %d", surface, pipeline, got, want, fit)
		}
	}
	got := w.rows("t.duckdb", "SELECT state, (SELECT count(*) FROM needs_attention WHERE pipeline = '"+pipeline+"') FROM latest WHERE dataset = 'd' AND pipeline = '"+pipeline+"'")
	attention := "1"
	if state == "current" {
		attention = "0"
	}
	if len(got) != 1 || got[0][0] != state || got[0][1] != attention {
		w.Errorf("state and fits that need attention are %v, want %s and %s", got, state, attention)
	}
}

// fit is the number of the newest fit of the data set d that was drawn for a pipeline.
func (w newestWorld) fit(pipeline string) int64 {
	w.Helper()
	return int64(w.ask("t.duckdb", "SELECT max(fit_id) FROM fit WHERE status = 'complete' AND dataset = 'd' AND pipeline = '"+
		pipeline+"'"))
}

// After any history, every answer about the current result has the fit of the newest run of its pipeline
// that succeeded, also if that run found it unchanged. The histories follow each other in one ledger. Verbs read
// the views, so a few histories show that each verb reads the right one.
func TestNewestEverywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "")
	w := newestWorld{t}
	w.data("fixed", 3)
	w.data("north", 1)
	w.spec("north", "1", "normal(0, 1000)")
	w.run(0, "run", "north.yaml")
	first := w.fit("north")
	run := func(slope float64, args ...string) {
		t.Helper()
		w.data("north", slope)
		exit := 0
		if slope == 0 {
			exit = 1
		}
		w.run(exit, append(args, "north.yaml")...)
	}
	for _, c := range []struct {
		name, state string
		first       bool // the result is the first fit again, and not the last one that was drawn
		verbs       bool
		history     func()
	}{
		{"data changed and back", "current", true, true, func() {
			run(9, "run")
			run(1, "run")
		}},
		{"prune", "current", true, false, func() {
			run(5, "run")
			run(1, "run")
			run(1, "prune", "--keep", "2")
		}},
		{"--only", "current", true, false, func() {
			run(9, "run", "--only", "dataset=d")
			run(1, "run", "--only", "dataset=d")
			run(1, "run", "--only", "dataset=e")
		}},
		{"error after success, which data of before follow", "error", true, true, func() { run(0, "run") }},
		{"retry", "current", true, false, func() { run(1, "retry") }},
		{"a sharded run", "current", true, false, func() {
			run(4, "run")
			run(1, "plan", "--shards", "1", "--to", "plan")
			w.run(0, "run", "--plan", "plan", "--shard", "0")
			w.run(0, "gather", "plan")
		}},
		{"success after error", "current", false, false, func() {
			run(0, "run")
			run(7, "run")
		}},
		{"prior and seed changed, seed changed back, and --force", "current", false, false, func() {
			w.spec("north", "2", "normal(0, 0.1)")
			run(7, "run")
			w.spec("north", "1", "normal(0, 0.1)")
			run(7, "run", "--force")
		}},
	} {
		c.history()
		fit := first
		if !c.first {
			fit = w.fit("north")
		}
		if !t.Run(c.name, func(t *testing.T) { newestWorld{t}.want("north", fit, false, c.verbs, c.state) }) {
			break
		}
	}
}

// Two specs that share a ledger and all names have a result each, in every order of runs; a fit that both would draw
// is drawn once and belongs to both.
func TestNewestOfTwoPipelines(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "")
	w := newestWorld{t}
	w.data("fixed", 3)
	for pipeline, slope := range map[string]float64{"north": 9, "south": 2} {
		w.data(pipeline, slope)
		w.spec(pipeline, "1", "normal(0, 1000)")
	}
	w.run(0, "run", "north.yaml")
	w.run(0, "run", "south.yaml")
	north, south := w.fit("north"), w.fit("south")
	w.want("south", south, true, true, "current")
	w.run(0, "run", "north.yaml")
	w.run(0, "prune", "south.yaml", "--keep", "1")
	w.want("north", north, true, false, "current")
	if n := w.ask("t.duckdb", "SELECT count(*) FROM fit WHERE dataset = 'e'"); n != 1 {
		t.Errorf("the fit that both pipelines have is stored %v times", n)
	}
	if n := w.ask("t.duckdb", "SELECT count(*) FROM latest WHERE dataset = 'e'"); n != 2 {
		t.Errorf("the fit that both pipelines have is the newest of %v", n)
	}
	if got := w.ask("t.duckdb", "SELECT count(*) FROM comparison"); got != 0 {
		t.Errorf("%v pairs of samplers of different pipelines are compared", got)
	}
	code, _, errs := call(t, "predict", "--database", "t.duckdb", "--only", "dataset=d", "--data", "new.csv")
	for _, part := range []string{"d/m/a", "2 pipelines: north, south", "--pipeline north"} {
		if code != 2 || !strings.Contains(errs, part) {
			t.Errorf("predict without a spec: exit %d, and the error lacks %q:\n%s", code, part, errs)
		}
	}
	mustCall(t, "predict", "--database", "t.duckdb", "--pipeline", "south", "--only", "dataset=d", "--data", "new.csv")
	// --force in one pipeline replaces the shared fit in both
	w.run(0, "run", "south.yaml", "--force")
	if n := w.ask("t.duckdb", "SELECT count(*) FROM latest WHERE dataset = 'e' AND state = 'current'"); n != 2 {
		t.Errorf("after --force the shared fit is current in %v pipelines", n)
	}
	w.data("south", 0)
	w.run(1, "run", "south.yaml")
	w.want("north", north, true, false, "current")
}
