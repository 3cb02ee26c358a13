package pipelines_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"glmbatch/pipelines"
	"glmbatch/report"
)

// claims is a small table with groups; south has a response that no poisson
// model allows.
const claims = `region,n,age,y
north,1,20,3
north,2,31,4
north,3,44,9
north,4,52,8
north,5,61,12
south,1,22,2
south,2,30,-3
south,3,41,5
west,1,25,1
west,2,33,4
west,3,47,5
west,4,58,11
`

// spec is a quick pipeline over files of dir.
const quick = `
pipeline: test
database: t.duckdb
seed: 7
datasets:
  %s
models:
  m:
    formula: y ~ age
    family: poisson
    standardize: center_scale
    prior: {coefficients: "normal(0, 2.5)", intercept: "normal(0, 10)"}
samplers:
  gibbs: {method: cggibbs}
run: {chains: 3, warmup: 20, draws: 60}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`

// folder holds a spec and its data.
type folder struct {
	t   *testing.T
	dir string
}

func newFolder(t *testing.T, spec string) folder {
	f := folder{t, t.TempDir()}
	f.write("spec.yaml", spec)
	f.write("claims.csv", claims)
	return f
}

func (f folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f folder) write(name, text string) {
	f.t.Helper()
	must(f.t, os.WriteFile(f.path(name), []byte(text), 0o644))
}

// run runs the folder's spec.
func (f folder) run(o pipelines.RunOptions) *pipelines.Outcome {
	f.t.Helper()
	out, err := pipelines.Run(f.t.Context(), f.path("spec.yaml"), o)
	must(f.t, err)
	return out
}

// ledgersAsked are the ledgers that tests asked, by path: the views of each are looked at once.
var ledgersAsked sync.Map

// ask returns the answer to a query on a ledger of the folder, without header.
func (f folder) ask(database, sql string) string {
	f.t.Helper()
	var b strings.Builder
	ledger, known := ledgersAsked.Load(f.path(database))
	if !known {
		opened, err := report.Open(f.path(database), report.Options{Later: true})
		must(f.t, err)
		ledger, _ = ledgersAsked.LoadOrStore(f.path(database), opened)
	}
	err := ledger.(*report.Ledger).Query(f.t.Context(), &b, report.QueryOptions{Format: "csv"}, sql)
	must(f.t, err)
	_, rows, _ := strings.Cut(b.String(), "\n")
	return strings.TrimSpace(rows)
}

// bits is a digest of every draw and every chain statistic of a ledger.
const bits = `
	WITH draws AS (
		SELECT md5(string_agg(concat_ws(',', f.dataset, f.key, d.parameter_id, d.chain, d.iteration, d.value), ';'
		           ORDER BY f.dataset, f.key, f.model, f.sampler, f.replicate, d.parameter_id, d.chain, d.iteration)), count(*)
		FROM draw d JOIN fit f USING (fit_id)),
	statistics AS (
		SELECT md5(string_agg(concat_ws(',', f.dataset, f.key, c.chain, c.iteration, c.log_lik, c.log_prior, c.evaluations), ';'
		           ORDER BY f.dataset, f.key, f.model, f.sampler, f.replicate, c.chain, c.iteration)), count(*)
		FROM chain c JOIN fit f USING (fit_id))
	SELECT * FROM draws, statistics`

// actions lists dataset/key, action and verdict of a run's fits, in order.
func actions(out *pipelines.Outcome) string {
	var b strings.Builder
	for _, f := range out.Fits {
		fmt.Fprintf(&b, "%s/%s %s %s\n", f.Dataset, f.Key, f.Action, f.Verdict)
	}
	return strings.TrimSpace(b.String())
}

func TestWorkersChangeNoBit(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, `c: {path: claims.csv, by: [region]}
  d: {path: claims.csv, by: [n]}`))
	want := ""
	for _, workers := range []int{1, 2, 16} {
		db := fmt.Sprintf("w%d.duckdb", workers)
		f.run(pipelines.RunOptions{Workers: workers, Overrides: pipelines.Overrides{Database: f.path(db)}})
		got := f.ask(db, bits)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers: %s, want %s", workers, got, want)
		}
	}
	if other := f.bitsWithSeed(8); other == want {
		t.Error("another seed gives the same bits: the digest sees nothing")
	}
}

func (f folder) bitsWithSeed(seed uint64) string {
	db := fmt.Sprintf("s%d.duckdb", seed)
	f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path(db), Seed: &seed}})
	return f.ask(db, bits)
}

// One group has a response outside the domain: it fails alone, by name.
func TestGroupsFailAlone(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"))
	out := f.run(pipelines.RunOptions{})
	want := "claims/north computed pass\nclaims/south error error\nclaims/west computed pass"
	if got := actions(out); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	if out.ExitCode != pipelines.ExitFail {
		t.Errorf("exit code %d, want %d", out.ExitCode, pipelines.ExitFail)
	}
	for _, word := range []string{`"claims/south"`, `"y"`, "line 8", "-3"} {
		if msg := out.Fits[1].Err.Error(); !strings.Contains(msg, word) {
			t.Errorf("the error does not name %s: %s", word, msg)
		}
	}
	if got := f.ask("t.duckdb", "SELECT key, status FROM fit ORDER BY key"); got != "north,complete\nsouth,error\nwest,complete" {
		t.Errorf("the ledger holds\n%s", got)
	}
	if _, err := os.Stat(f.path("t.duckdb.work")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the work folder is left: %v", err)
	}
}

func TestEachFileAndOnly(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, `night: {path: "day-*.csv", each: file}`))
	f.write("day-1.csv", "y,age\n1,20\n4,30\n6,40\n3,22\n")
	f.write("day-20.csv", "y,age\n1,20\n4,abc\n6,40\n3,22\n")
	f.write("day-30.csv", "y,age\n2,20\n4,30\n7,40\n2,22\n")
	if got, want := actions(f.run(pipelines.RunOptions{Only: []string{"dataset=night/day-?0"}})),
		"night/day-20 error error\nnight/day-30 computed pass"; got != want {
		t.Fatalf("--only: got\n%s\nwant\n%s", got, want)
	}
	if got, want := actions(f.run(pipelines.RunOptions{})),
		"night/day-1 computed pass\nnight/day-20 error error\nnight/day-30 skipped pass"; got != want {
		t.Fatalf("all: got\n%s\nwant\n%s", got, want)
	}
}

func TestUnchangedFitsAreSkipped(t *testing.T) {
	spec := fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}")
	f := newFolder(t, spec)
	f.run(pipelines.RunOptions{})
	count := func() string { return f.ask("t.duckdb", "SELECT count(*) FROM fit WHERE status = 'complete'") }
	step := func(what, want string, o pipelines.RunOptions) {
		t.Helper()
		if got := actions(f.run(o)); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", what, got, want)
		}
	}
	skipped := "claims/north skipped pass\nclaims/south error error\nclaims/west skipped pass"
	computed := "claims/north computed pass\nclaims/south error error\nclaims/west computed pass"
	step("again", skipped, pipelines.RunOptions{})
	step("--force", computed, pipelines.RunOptions{Force: true})
	if got := count(); got != "2" {
		t.Errorf("--force left %s complete fits, want 2", got)
	}
	f.write("claims.csv", strings.Replace(claims, "west,1,25,1", "west,1,25,2", 1))
	step("a changed cell", "claims/north skipped pass\nclaims/south error error\nclaims/west computed pass", pipelines.RunOptions{})
	f.write("claims.csv", strings.ReplaceAll(claims, "west,1,25,1", "west,1,25.0,1"))
	step("the same values written otherwise", skipped, pipelines.RunOptions{})
	f.write("spec.yaml", strings.Replace(spec, "2.5", "2.4", 1))
	step("a changed prior", computed, pipelines.RunOptions{})
	f.write("spec.yaml", strings.Replace(spec, "seed: 7", "seed: 8", 1))
	step("a changed seed", computed, pipelines.RunOptions{})
	f.write("spec.yaml", strings.Replace(spec, "rhat: 1.5", "rhat: 1.0001", 1))
	failed := "claims/north skipped fail\nclaims/south error error\nclaims/west skipped fail"
	step("a changed gate", failed, pipelines.RunOptions{})
	step("what failed by its gates", failed, pipelines.RunOptions{})
	if out := f.run(pipelines.RunOptions{Only: []string{"dataset=claims/west"}}); out.ExitCode != pipelines.ExitFail || len(out.Fits[0].Reasons) == 0 {
		t.Errorf("a skipped fit that failed: exit code %d, reasons %q", out.ExitCode, out.Fits[0].Reasons)
	}
	for _, fit := range f.run(pipelines.RunOptions{}).Fits { // few enough that a person reads their tables
		if shown := len(fit.Parameters) > 1 && fit.Parameters[0].SD > 0; shown != (fit.Action == pipelines.Skipped) {
			t.Errorf("%s %s: its table is %v", fit.Name(), fit.Action, fit.Parameters)
		}
	}
	if got := f.ask("t.duckdb", "SELECT DISTINCT verdict FROM latest WHERE key = 'west'"); got == "" {
		t.Error("no latest fit of west")
	}
}

// A run that is stopped at any time and started again leaves the same bits.
func TestStoppedRunGoesOn(t *testing.T) {
	f := newFolder(t, strings.Replace(fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"), "draws: 60", "draws: 3000", 1))
	f.run(pipelines.RunOptions{Overrides: pipelines.Overrides{Database: f.path("whole.duckdb")}})
	want := f.ask("whole.duckdb", bits)
	stopped := f.stopAndGoOn(400)
	if got := f.ask("t.duckdb", bits); got != want {
		t.Errorf("after %d stops: %s, want %s", stopped, got, want)
	}
}

func TestWrongCallsAreUsageErrors(t *testing.T) {
	f := newFolder(t, "pipelin: x\n")
	for _, target := range []string{f.path("spec.yaml"), f.path("none.yaml"), "no-such-pipeline", f.dir} {
		_, err := pipelines.Run(t.Context(), target, pipelines.RunOptions{})
		var usage *pipelines.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s: error %v, want a UsageError", target, err)
		}
	}
	f.write("spec.yaml", fmt.Sprintf(quick, "claims: {path: claims.csv, by: [region]}"))
	for _, only := range []string{"dataset=clams", "dataset=claims/east", "model=x"} {
		_, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{Only: []string{only}})
		var usage *pipelines.UsageError
		if !errors.As(err, &usage) {
			t.Errorf("--only %s: error %v, want a UsageError", only, err)
		}
	}
	if _, err := os.Stat(f.path("t.duckdb")); !errors.Is(err, os.ErrNotExist) {
		t.Error("a wrong call made a ledger")
	}
}
