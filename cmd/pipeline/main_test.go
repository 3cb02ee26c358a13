package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// asProgram makes the test's binary the program itself, for tests that kill it.
const asProgram = "PIPELINE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// call runs the program in this process.
func call(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func mustCall(t *testing.T, args ...string) string {
	t.Helper()
	code, out, errs := call(t, args...)
	if code != 0 {
		t.Fatalf("pipeline %q: exit %d\n%s%s", args, code, out, errs)
	}
	return out
}

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func TestExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "two.yaml", `pipeline: two
run: {chians: 4}
datasets: {d: {path: d.csv}}
models: {m: {formula: y ~ x, family: poison}}
samplers: {s: {method: cggibbs}}
`)
	write(t, ".", "d.csv", "y,x\n1,2\n2,oops\n3,4\n")
	write(t, ".", "bad-data.yaml", `pipeline: bad
datasets: {d: {path: d.csv}}
models: {m: {formula: y ~ x, family: poisson, prior: {coefficients: "normal(0, 1)"}}}
samplers: {s: {method: cggibbs}}
`)
	for _, c := range []struct {
		args []string
		code int
		says []string
	}{
		{[]string{"run", "two.yaml"}, 2, []string{"two.yaml:2:7", "chains", "two.yaml:4", "poisson"}},
		{[]string{"validate", "two.yaml"}, 2, []string{"two.yaml:2:7"}},
		{[]string{"run", "none.yaml"}, 2, []string{"none.yaml", "quickstart"}},
		{[]string{"run"}, 2, []string{"SPEC|NAME… is missing"}},
		{[]string{"run", "quickstart", "--only", "table=x"}, 2, []string{"dataset, model, sampler"}},
		{[]string{"run", "quickstart", "--seed", "-1"}, 2, []string{"whole number"}},
		{[]string{"rum"}, 2, []string{"run"}},
		{[]string{"sql", "SELECT 1"}, 2, []string{"no ledger"}},
		{[]string{"sql", "--format", "xml", "SELECT 1"}, 2, []string{"parquet"}},
		{[]string{"run", "bad-data.yaml", "--dry-run"}, 1, nil},
		{[]string{"run", "bad-data.yaml"}, 1, nil},
		{[]string{"retry", "bad-data.yaml"}, 1, nil},
		{[]string{"run", "bad-data.yaml", "--select", "state:fail"}, 0, nil},
		{[]string{"run", "bad-data.yaml", "--select", "error"}, 2, []string{"state:error"}},
		{[]string{"commit"}, 2, []string{"--database"}},
		{[]string{"commit", "bad-data.yaml"}, 0, nil},
		{[]string{"prune", "bad-data.yaml"}, 2, []string{"--keep"}},
		{[]string{"prune", "--database", "none.duckdb", "--keep", "1"}, 2, []string{"no ledger"}},
	} {
		code, out, errs := call(t, c.args...)
		if code != c.code {
			t.Errorf("pipeline %q: exit %d, want %d\n%s%s", c.args, code, c.code, out, errs)
		}
		for _, want := range c.says {
			if !strings.Contains(errs, want) {
				t.Errorf("pipeline %q does not say %q:\n%s", c.args, want, errs)
			}
		}
	}
}

// long is a pipeline of a second, to be killed in.
const long = `pipeline: long
database: %s
seed: 3
datasets: {pima: {path: "example:pima.csv"}}
models:
  m: {formula: "type ~ npreg + glu + bmi + ped + age", family: bernoulli, standardize: center_scale}
samplers: {a: {method: cggibbs}, b: {method: cggibbs, scan: random}}
run: {chains: 4, warmup: 500, draws: 10000}
gates: {ess_bulk: off, ess_tail: off}
`

// The last line sends its reader to a ledger that exists, and to its content.
func TestWhereToLook(t *testing.T) {
	out := pipelines.Outcome{Database: filepath.Join(t.TempDir(), "x.duckdb"), Unrecorded: "its folder must be writable"}
	tail := func() string {
		var b bytes.Buffer
		printTail(&screen{Writer: &b, width: 80}, &out)
		return b.String()
	}
	if got := tail(); !strings.Contains(got, out.Unrecorded) || strings.Contains(got, "look further") {
		t.Errorf("without a ledger:\n%s", got)
	}
	write(t, filepath.Dir(out.Database), "x.duckdb", "")
	if got := tail(); !strings.Contains(got, `"SELECT * FROM coefficients"`) {
		t.Errorf("with one that is held:\n%s", got)
	}
	out.Fits = []*pipelines.Result{{Method: "meanfield", Discrete: true}}
	if got := tail(); !strings.Contains(got, `"SELECT * FROM marginals"`) {
		t.Errorf("with discrete fits alone, which have no coefficients:\n%s", got)
	}
}
