package main

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// A ledger that is damaged, no ledger, empty, or of a newer program has exit code 2 in every
// verb that asks one, and is left as it is.
func TestDamagedLedgerHasOneCode(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "s.yaml", `pipeline: s
datasets: {d: {path: "example:pima.csv"}}
models: {m: {formula: type ~ glu, family: bernoulli, prior: {coefficients: "normal(0, 2.5)"}}}
samplers: {gibbs: {method: cggibbs}}
run: {warmup: 50, draws: 100}
gates: {rhat: 3, ess_bulk: 1, ess_tail: 1}
`)
	mustCall(t, "run", "s.yaml")
	mustCall(t, "export", "--layout", "csv", "--to", "draws")
	draws, err := filepath.Glob("draws/*/*/*.csv")
	if err != nil || len(draws) != 1 {
		t.Fatal(draws, err)
	}
	whole, err := os.ReadFile("posteriors.duckdb")
	must(t, err)
	write(t, ".", "new.csv", "glu\n100\n")
	flipped := func(first, step int) []byte {
		out := bytes.Clone(whole)
		for at := first; at < len(out) && at > 0; at += step {
			out[at] ^= 0x5a
		}
		return out
	}
	contents := map[string][]byte{
		"blocks": flipped(12288+777, 256<<10), "headers": flipped(4096+20, 4096), "magic": flipped(9, len(whole)),
		"cut": whole[:len(whole)/3], "text": []byte(strings.Repeat("hello ", 1000)), "empty": {}, "newer": newer(t, whole),
	}
	for name, content := range contents {
		for _, args := range []string{
			"run s.yaml", "run s.yaml --seed 5", "run s.yaml --dry-run", "run s.yaml --select state:fail", "retry s.yaml",
			"commit s.yaml", "check s.yaml --simulations 20", "show", "runs",
			"sql SELECT_avg(value)_FROM_draws", "compare", "drift",
			"report --output page.html", "export --to out", "predict s.yaml --data new.csv",
			"prune s.yaml --keep 1", "import DRAWS",
		} {
			must(t, os.WriteFile("posteriors.duckdb", content, 0o600))
			words := strings.Fields(args)
			for i := range words {
				words[i] = strings.NewReplacer("_", " ", "DRAWS", draws[0]).Replace(words[i])
			}
			code, out, errs := call(t, words...)
			if code != pipelines.ExitUsage || !strings.Contains(errs, "posteriors.duckdb") {
				t.Errorf("%s, %s: exit code %d, want 2 and the ledger's name\n%s%s", name, args, code, out, errs)
			}
			if after, err := os.ReadFile("posteriors.duckdb"); !bytes.Equal(after, content) {
				t.Errorf("%s, %s: the file was changed (%v)", name, args, err)
			}
		}
	}
}

// Where there is no ledger every verb that asks one has exit code 2, and makes none.
func TestNoLedgerHasOneCode(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{"show", "runs", "sql SELECT_1", "compare", "drift", "report --output page.html",
		"export --to out", "prune --keep 1", "verify"} {
		words := strings.Fields(args)
		for i := range words {
			words[i] = strings.ReplaceAll(words[i], "_", " ")
		}
		code, out, errs := call(t, append(words, "--database", "none.duckdb")...)
		if code != pipelines.ExitUsage || !strings.Contains(errs, "there is no ledger") {
			t.Errorf("%s: exit code %d, want 2 and that there is none\n%s%s", args, code, out, errs)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
}

// newer is a ledger whose schema has a version that this program does not know.
func newer(t *testing.T, whole []byte) []byte {
	t.Helper()
	write(t, ".", "newer.duckdb", string(whole))
	db, err := sql.Open("duckdb", "newer.duckdb")
	must(t, err)
	_, err = db.ExecContext(t.Context(), "INSERT INTO schema_version VALUES (99, 'later', now()::TIMESTAMP)")
	must(t, err)
	must(t, db.Close())
	content, err := os.ReadFile("newer.duckdb")
	must(t, err)
	return content
}
