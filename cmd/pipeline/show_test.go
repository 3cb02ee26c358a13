package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"glmbatch/infer/diag"
	"glmbatch/pipelines"
	"glmbatch/report/judge"
)

// looked is a ledger of two fits, one of which erred, and one that is skipped.
func looked(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	t.Setenv("COLUMNS", "")
	mustCall(t, "run", "quickstart", "--quiet")
	write(t, ".", "two.yaml", `pipeline: two
database: posteriors.duckdb
datasets: {pima: "example:pima.csv", gone: gone.csv}
models: {m: {formula: type ~ glu, family: bernoulli, standardize: center_scale}}
samplers: {s: {method: cggibbs}}
run: {warmup: 20, draws: 20}
`)
	if code, _, _ := call(t, "run", "two.yaml", "--quiet"); code != 1 {
		t.Fatalf("exit %d", code)
	}
}

// show prints the newest run, and fits by number and by name, and its output fits the screen.
func TestShow(t *testing.T) {
	looked(t)
	for _, c := range []struct {
		args []string
		says []string
	}{
		{nil, []string{"of pipeline two", "exit code 1 (a fit failed its gates, or erred)", "\nerror    ", "gone × m × s", "pima × m × s", "\n2 fits: 1 error, 1 fail\n", "look closer: pipeline show "}},
		{[]string{"1"}, []string{"PASS pima × diabetes × gibbs: every gate holds", "type ~ npreg + glu + bmi + ped + age", "worst diagnostics", "log_lik", "●", "bars: effect of one sd"}},
		{[]string{"pima/diabetes"}, []string{"PASS pima × diabetes × gibbs"}},
		{[]string{"pima × diabetes × gibbs"}, []string{"PASS pima × diabetes × gibbs"}},
		{[]string{"pima"}, []string{"\n2 fits: 1 fail, 1 pass\n"}},
		{[]string{"*/s"}, []string{"\n2 fits: 1 error, 1 fail\n"}},
		{[]string{"gone"}, []string{"ERROR gone × m × s: it could not be computed", "gone.csv"}},
		{[]string{"1", "--bars", "units"}, []string{"effect of one unit of the column"}},
		{[]string{"1", "--filter", "*e*", "--filter", "effect>2"}, []string{"(Intercept)", "ped ", "2 of 6 parameters by --filter"}},
		{[]string{"1", "--filter", "mean>1e9"}, []string{"no parameter is chosen"}},
		{[]string{"1", "--top", "2"}, []string{"2 of 6 parameters, the largest |mean|/sd first"}},
	} {
		out := mustCall(t, append([]string{"show"}, c.args...)...)
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("show %q lacks %q:\n%s", c.args, want, out)
			}
		}
		if n := widest(out); n > 80 {
			t.Errorf("show %q: %d columns\n%s", c.args, n, out)
		}
	}
	for _, c := range [][]string{{"show", "none"}, {"show", "99"}, {"show", "--run", "zzz"}, {"show", "--database", "no.duckdb"}, {"show", "--sort", "age"},
		{"show", "--filter", "age>old"}, {"show", "--top", "0"}, {"show", "1", "--run", "2"}, {"show", "--color", "pink"}, {"show", "--format", "xml"}, {"show", "--bars", "m"}} {
		if code, out, errs := call(t, c...); code != 2 || out != "" || errs == "" {
			t.Errorf("%q: exit %d, %q, %q", c, code, out, errs)
		}
	}
}

func TestShowForMachines(t *testing.T) {
	looked(t)
	rows, err := csv.NewReader(strings.NewReader(mustCall(t, "show", "1", "--format", "csv", "--sort", "name"))).ReadAll()
	if err != nil || len(rows) != 7 || rows[1][1] != "(Intercept)" || rows[2][1] != "age" || rows[0][3] != "mean" {
		t.Errorf("csv: %v %v", rows, err)
	}
	if rows, err = csv.NewReader(strings.NewReader(mustCall(t, "show", "--format", "csv"))).ReadAll(); err != nil || len(rows) != 3 || rows[1][6] != "error" {
		t.Errorf("csv of a run: %v %v", rows, err)
	}
	var one struct {
		Run  any
		Fits []struct {
			Verdict    string
			Parameters []struct {
				Name string
				Mean float64
			} `json:"parameter_summaries"`
			Statistics []struct{ Name string }
		}
	}
	must(t, json.Unmarshal([]byte(mustCall(t, "show", "1", "--format", "json")), &one))
	if one.Run != nil || len(one.Fits) != 1 || len(one.Fits[0].Parameters) != 6 || one.Fits[0].Parameters[2].Mean == 0 || len(one.Fits[0].Statistics) == 0 {
		t.Errorf("json: %+v", one)
	}
	want := mustCall(t, "sql", "--format", "csv", "SELECT mean FROM coefficients WHERE parameter = 'glu' AND model = 'diabetes'")
	if got := fmt.Sprintln(one.Fits[0].Parameters[2].Mean); !strings.HasSuffix(want, got) {
		t.Errorf("the mean is %s, sql has %s", got, want)
	}
}

// Among 20,000 coefficients those with the largest |mean|/sd are shown, and the worst diagnostics of all.
// A command that is wider than the terminal has two lines, which a shell reads as one.
func TestCommandsAreFolded(t *testing.T) {
	s, call := on(new(strings.Builder), 60), "look closer: pipeline show --database a-ledger-of-forty-characters.duckdb 12"
	if got := s.fold(call); widest(got) > 60 || strings.ReplaceAll(got, "\\\n    ", "") != call {
		t.Errorf("%q", got)
	}
	if got := on(new(strings.Builder), 80).fold(call); got != call {
		t.Errorf("%q", got)
	}
}

func TestShowWide(t *testing.T) {
	lines := make([]pipelines.Line, 20_000)
	for j := range lines {
		x := float64(j%977) / 100
		lines[j] = pipelines.Line{Name: fmt.Sprintf("AFFX-HUMGAPDH/M33197_%d_at", j), Kind: "coefficient", ColumnSD: 1,
			Summary: diag.Summary{Mean: x, SD: 1, Q025: x - 2, Q25: x - 0.7, Median: x, Q75: x + 0.7, Q975: x + 2, RHat: 1.001, ESSBulk: 900, ESSTail: 800}}
	}
	lines[12345].Summary.Mean, lines[777].Summary.RHat, lines[778].Summary.ESSBulk = 99, 1.7, math.NaN()
	var b strings.Builder
	f := new(pipelines.Look)
	f.ID, f.Dataset, f.Model, f.Sampler, f.Grade, f.Family, f.Link = 3, "allaml", "m", "auto", judge.Fail, "bernoulli", "logit"
	gates := judge.Defaults()
	f.Gates = &gates
	o := &lineOptions{top: 20, bars: "sd"}
	printLook(on(&b, 80), "", f, lines, o)
	for _, want := range []string{"_777_at", "_778_at", "2 of 20000 quantities", "20 of 20000 parameters", "_12345_at"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, b.String())
		}
	}
	if n := widest(b.String()); n > 80 {
		t.Errorf("%d columns\n%s", n, b.String())
	}
	if n := strings.Count(b.String(), "\n"); n > 40 {
		t.Errorf("%d lines of 20000 coefficients", n)
	}
	b.Reset()
	o.all = true
	printLook(on(&b, 80), "", f, lines, o)
	if n := strings.Count(b.String(), "\n"); n < 20_000 {
		t.Errorf("--all prints %d lines", n)
	}
}

// A run is listed as running while its process lives, as killed after SIGKILL, and as finished once another has
// resumed it.
func TestRuns(t *testing.T) {
	t.Chdir(t.TempDir())
	spec := write(t, ".", "long.yaml", fmt.Sprintf(strings.Replace(long, "draws: 10000", "draws: 20000", 1), "posteriors.duckdb"))
	cmd := exec.Command(os.Args[0], "run", spec)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	must(t, cmd.Start())
	for told := ""; !strings.Contains(told, "running"); _, told, _ = call(t, "runs") {
		if t.Context().Err() != nil { // the test's deadline
			t.Fatalf("the run is not told as running:\n%s", told)
		}
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // killed
	if out := mustCall(t, "runs"); !strings.Contains(out, "killed") || strings.Contains(out, "running") {
		t.Errorf("after the kill:\n%s", out)
	}
	mustCall(t, "run", "quickstart", "--quiet")
	out := mustCall(t, "runs")
	if lines := strings.Split(strings.TrimSpace(out), "\n"); len(lines) < 2 || !strings.Contains(lines[1], "quickstart") || !strings.Contains(lines[1], "  0 ") {
		t.Errorf("the newest run is not first, or has no exit code:\n%s", out)
	}
	if n := widest(out); n > 80 {
		t.Errorf("%d columns\n%s", n, out)
	}
	var nights []struct {
		Run, State string
		Exit       *int `json:"exit_code"`
		New        int
	}
	if err := json.Unmarshal([]byte(mustCall(t, "runs", "--format", "json", "--limit", "1")), &nights); err != nil || len(nights) != 1 || *nights[0].Exit != 0 || nights[0].New != 1 {
		t.Errorf("json: %+v %v", nights, err)
	}
	if out := mustCall(t, "show", "--run", nights[0].Run[:20]); !strings.Contains(out, "exit code 0") {
		t.Errorf("show --run:\n%s", out)
	}
	for _, since := range []string{"2999-01-01", "0s"} {
		if out := mustCall(t, "runs", "--since", since); !strings.Contains(out, "no run here") {
			t.Errorf("--since %s:\n%s", since, out)
		}
	}
	if code, _, errs := call(t, "runs", "--since", "yesterday"); code != 2 || !strings.Contains(errs, "7d") {
		t.Errorf("--since yesterday: exit %d, %s", code, errs)
	}
}

// Numbers of runs are aligned in their columns, whatever they are.
func TestPrintNights(t *testing.T) {
	var code = 1
	end := time.Date(2026, 11, 2, 5, 30, 0, 0, time.UTC)
	n := pipelines.RunInfo{State: pipelines.RunFinished, Took: 3*3600 + 125}
	n.ID, n.Pipeline, n.Started, n.Finished, n.ExitCode = "20261102T022500Z-abcdef01", strings.Repeat("claims_", 9), end.Add(-3*time.Hour), &end, &code
	n.Fits, n.New, n.Skipped, n.Failed, n.Erred, n.Uncommitted, n.SpecChanged = 2000, 900, 1000, 60, 30, 10, true
	killed := pipelines.RunInfo{State: pipelines.RunKilled, Took: pipelines.Number(math.NaN())}
	killed.ID, killed.Pipeline, killed.Started = "20261101T022500Z-abcdef02", "short", end
	var b strings.Builder
	printRuns(on(&b, 80), []pipelines.RunInfo{n, killed})
	if w := widest(b.String()); w > 80 {
		t.Errorf("%d columns\n%s", w, b.String())
	}
	for _, want := range []string{"3h02m", " 900 ", " 1000 ", " 60 ", " 30 ", "1 (10 open)", "abcdef01", "…", " *", "killed"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, b.String())
		}
	}
}

// head closes the pipe after its lines: that is no error.
func TestBrokenPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	mustCall(t, "run", "quickstart", "--quiet")
	cmd := exec.Command("sh", "-c", `{ "$0" sql --format csv "SELECT a.value FROM draws a, range(20)"; } 2>err.txt | head -1 >out.txt; cat err.txt`, os.Args[0])
	cmd.Env = append(os.Environ(), asProgram+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %q", err, out)
	}
}
