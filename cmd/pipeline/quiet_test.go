package main

import (
	"os"
	"strings"
	"testing"
)

const quietSpec = `pipeline: s
database: l.duckdb
datasets: {pima: "example:pima.csv"}
models: {m: {formula: type ~ glu, family: bernoulli}}
samplers: {s: {}}
run: {chains: 2, warmup: 50, draws: 100}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`

// A quiet run prints a line for each fit that failed or erred, with all reasons, to standard error, and nothing of those
// that pass or warn; so does one that finds them unchanged.
func TestQuietPrintsFaults(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "s.yaml", `pipeline: s
database: l.duckdb
datasets: {pima: "example:pima.csv", gone: {path: gone.csv}}
models: {m: {formula: type ~ glu, family: bernoulli, effects: [glu, {effect: glu, at: {glu: high}}]}}
samplers: {good: {}, bad: {}, warned: {}}
run: {chains: 2, warmup: 50, draws: 100}
fits:
  - {datasets: pima, models: m, samplers: [warned], gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}}
  - {datasets: pima, models: m, samplers: [bad], gates: {ess_bulk: 90000, ess_tail: 80000}}
  - {datasets: gone, models: m, samplers: [good]}
`)
	for _, unchanged := range []string{"", " (unchanged)"} {
		code, out, errs := call(t, "run", "s.yaml", "--quiet")
		lines := strings.Split(strings.TrimSuffix(errs, "\n"), "\n")
		if code != 1 || out != "" || len(lines) != 2 {
			t.Fatalf("exit %d, %q, %q", code, out, errs)
		}
		for i, want := range [][]string{{"pima × m × bad: fail" + unchanged + ": bulk ESS ", "; tail ESS ", "is below 80000"},
			{`gone × m × good: error: dataset "gone", gone.csv: no such file`}} {
			for _, w := range want {
				if !strings.Contains(lines[i], w) {
					t.Errorf("line %d is %q, want %q", i+1, lines[i], w)
				}
			}
		}
	}
}

// A quiet run explains why it ends with 3: a copy or a page that cannot be written to its path. TestHeldLedger has
// one of a ledger that is held.
func TestQuietTellsWhatIsLeft(t *testing.T) {
	for name, c := range map[string]struct{ more, want string }{
		"publish onto a folder": {"publish: folder\n", "not published: "},
		"page onto a folder":    {"report: folder\n", "no report: "},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			must(t, os.Mkdir("folder", 0o755))
			write(t, dir, "s.yaml", quietSpec+c.more)
			tellsLeft(t, []string{c.want, "folder"}, "run", "s.yaml", "--quiet")
		})
	}
}

// tellsLeft makes a call that ends with 3 and says these words as errors alone.
func tellsLeft(t *testing.T, want []string, args ...string) {
	t.Helper()
	code, out, errs := call(t, args...)
	if code != 3 || out != "" {
		t.Errorf("exit %d, %q", code, out)
	}
	for _, w := range want {
		if !strings.Contains(errs, w) {
			t.Errorf("it says %q, want %q", errs, w)
		}
	}
}

// A log that loses lines is reported, also by a quiet run.
func TestBrokenLogIsTold(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "s.yaml", quietSpec)
	code, _, errs := call(t, "run", "s.yaml", "--quiet", "--log", "/dev/full")
	if code != 0 || !strings.Contains(errs, "the log is not whole: write /dev/full: no space left on device") {
		t.Errorf("exit %d, %q", code, errs)
	}
}
