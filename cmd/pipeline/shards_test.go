package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// planned plans six groups in two shards, in a new folder that is the working directory then.
func planned(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	var b strings.Builder
	b.WriteString("region,age,y\n")
	for i := range 72 {
		fmt.Fprintf(&b, "g%d,%d,%d\n", i%6, 20+i%12*3, i*7%5)
	}
	write(t, dir, "claims.csv", b.String())
	write(t, dir, "s.yaml", `pipeline: sharded
database: s.duckdb
seed: 3
datasets:
  c: {path: claims.csv, by: [region]}
models:
  m: {formula: y ~ age, family: poisson, prior: {coefficients: "normal(0, 1)", intercept: "normal(0, 3)"}}
samplers:
  gibbs: {method: cggibbs}
run: {chains: 2, warmup: 20, draws: 50}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`)
	mustCall(t, "plan", "s.yaml", "--shards", "2", "--to", "plan")
}

// run --plan explains of each flag that a plan decides why it does not take it, and what to do.
func TestRunPlanExplainsFlags(t *testing.T) {
	planned(t)
	for args, want := range map[string]string{
		"--force":              "run --plan does not take --force: the plan decides which fits are drawn|plan with another --database",
		"--only dataset=c":     "run --plan does not take --only: the plan lists the fits of each shard|give it to pipeline plan",
		"--dry-run":            "run --plan does not take --dry-run: the plan lists the fits already|plan.json",
		"--select state:error": "run --plan does not take --select|run the shard again",
		"--seed 3":             "run --plan does not take --seed: the plan decides it|give it to pipeline plan",
		"--database t.duckdb":  "run --plan does not take --database: the plan decides it|give it to pipeline plan",
		"s.yaml":               "s.yaml: the plan names the spec|leave it out",
	} {
		code, _, errs := call(t, append(strings.Fields("run --plan plan --shard 0"), strings.Fields(args)...)...)
		for _, text := range strings.Split(want, "|") {
			if code != 2 || !strings.Contains(errs, text) {
				t.Errorf("%s: exit %d, %q, want %q", args, code, errs, text)
			}
		}
	}
	if code, _, errs := call(t, "run", "--shard", "0"); code != 2 || !strings.Contains(errs, "name its folder with --plan") {
		t.Errorf("--shard without --plan: exit %d, %q", code, errs)
	}
	if left, err := filepath.Glob("plan/fragments/*"); len(left) > 0 || err != nil {
		t.Errorf("a refused call left %q (%v)", left, err)
	}
}

// Shards and gather write logs, metrics, tests and traces for other programs. Series of shards have their own label, and
// spans of shards are below the run's, which gather writes.
func TestFilesOfShards(t *testing.T) {
	planned(t)
	files := func(name string) []string {
		return []string{"--log", name + ".log", "--metrics", name + ".prom", "--junit", name + ".xml", "--trace", "all.jsonl",
			"--memory", "500MB", "--quiet"}
	}
	for _, i := range []string{"0", "1"} {
		mustCall(t, append([]string{"run", "--plan", "plan", "--shard", i}, files(i)...)...)
	}
	if out := mustCall(t, append([]string{"gather", "plan"}, files("gather")...)...); out != "" {
		t.Errorf("with --quiet gather prints %q", out)
	}
	text := func(name string) string {
		data, err := os.ReadFile(name)
		must(t, err)
		return string(data)
	}
	series := map[string]bool{} // of all files: a collector reads them together
	for _, name := range []string{"0", "1", "gather"} {
		for line := range strings.Lines(text(name + ".prom")) {
			if strings.HasPrefix(line, "#") {
				continue
			}
			id := line[:strings.LastIndexByte(line, ' ')]
			if series[id] {
				t.Errorf("%s.prom has the series %s once more", name, id)
			}
			series[id] = true
			if label := `shard="` + name + `"`; strings.Contains(id, label) != (name != "gather") {
				t.Errorf("%s.prom: %s", name, id)
			}
		}
	}
	if want := `glmbatch_run_fits{pipeline="sharded",verdict="pass"}`; !series[want] {
		t.Errorf("there is no series %s", want)
	}
	if got := strings.Count(text("gather.xml"), "<testcase"); got != 7 || !strings.Contains(text("0.xml"), `name="shard" value="0"`) {
		t.Errorf("%d tests, want 6 fits and the run; %s", got, text("0.xml"))
	}
	for _, want := range []string{`"msg":"gather started"`, `"msg":"shard"`, `"shard":1,"action":"loaded"`, `"msg":"run ended"`} {
		if !strings.Contains(text("gather.log"), want) {
			t.Errorf("the log of gather lacks %s:\n%s", want, text("gather.log"))
		}
	}
	checkSpans(t, text("all.jsonl"))
	if code, _, errs := call(t, "gather", "plan", "--memory", "little"); code != 2 || !strings.Contains(errs, "--memory") {
		t.Errorf("--memory little: exit %d, %q", code, errs)
	}
}

// checkSpans checks that a trace has one run, below it the shards, and below these the fits.
func checkSpans(t *testing.T, lines string) {
	t.Helper()
	type span struct{ SpanID, ParentSpanID, Name string }
	var all []span
	for line := range strings.Lines(lines) {
		var m struct {
			ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
		}
		must(t, json.Unmarshal([]byte(line), &m))
		all = append(all, m.ResourceSpans[0].ScopeSpans[0].Spans...)
	}
	name, count := map[string]string{"": ""}, map[string]int{}
	for _, s := range all {
		if name[s.SpanID] != "" {
			t.Errorf("the span %s is there twice: %s and %s", s.SpanID, name[s.SpanID], s.Name)
		}
		name[s.SpanID] = s.Name
		count[s.Name]++
	}
	above := map[string]string{"run": "", "shard": "run", "fit": "shard", "sampling": "fit"}
	for _, s := range all {
		if want, ok := above[s.Name]; ok && name[s.ParentSpanID] != want {
			t.Errorf("a %s is below %q, want %q", s.Name, name[s.ParentSpanID], want)
		}
	}
	if count["run"] != 1 || count["shard"] != 2 || count["fit"] != 6 {
		t.Errorf("spans: %v", count)
	}
}

// progress shows what each shard is doing, and gather names what is missing and exits with 3, with --partial too.
func TestProgressAndMissing(t *testing.T) {
	planned(t)
	out := mustCall(t, "progress", "plan")
	if !strings.Contains(out, "2 shards: 2 waiting; 0 of 6 fits done") {
		t.Errorf("before any shard: %s", out)
	}
	mustCall(t, "run", "--plan", "plan", "--shard", "0", "--quiet")
	told, err := json.Marshal(map[string]any{"shard": 1, "fits": 3, "done": 1, "failed": 0, "seconds_left": 125, "updated": time.Now().Add(time.Hour),
		"running": []any{map[string]any{"fit": "c/g9 × m × gibbs", "phase": "sampling", "iterations": 25, "expected": 100}}})
	must(t, err)
	write(t, "plan/progress", "1.json", string(told))
	out = strings.Join(strings.Fields(mustCall(t, "progress", "plan")), " ")
	for _, want := range []string{"1 done, 1 running", "about 2m05s left", "sampling 25 %"} {
		if !strings.Contains(out, want) {
			t.Errorf("progress lacks %q: %s", want, out)
		}
	}
	var p struct{ Shards map[string]int }
	if err := json.Unmarshal([]byte(mustCall(t, "progress", "plan", "--output", "json")), &p); err != nil || p.Shards["running"] != 1 {
		t.Errorf("as JSON: %+v, %v", p, err)
	}
	if code, _, errs := call(t, "progress", "nowhere"); code != 2 || !strings.Contains(errs, "has no plan") {
		t.Errorf("without a plan: exit %d, %q", code, errs)
	}
	code, _, errs := call(t, "gather", "plan")
	if code != 3 || !strings.Contains(errs, "shard 1 has no fragment") {
		t.Errorf("gather: exit %d, %q", code, errs)
	}
	code, _, errs = call(t, "gather", "plan", "--partial")
	lines := strings.Split(strings.TrimSpace(errs), "\n")
	if want := []string{"missing: shard 1 has no fragment", "exit code 3: 1 missing"}; code != 3 || !slices.Equal(lines, want) {
		t.Errorf("gather --partial: exit %d, %q, want %q", code, lines, want)
	}
}
