package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verify finds a changed byte in every second block of a ledger (TestEveryBlockIsVerified takes the others), and
// neither run nor commit takes a verdict from it: run said "pass (skipped)" with exit code 0 of most of these, and
// published them. Blocks that hold nothing do no harm.
func TestRunOverADamagedLedger(t *testing.T) {
	dir := t.TempDir()
	ledger, copied := filepath.Join(dir, "q.duckdb"), filepath.Join(dir, "copy.duckdb")
	spec := write(t, dir, "night.yaml", `pipeline: night
database: q.duckdb
publish: copy.duckdb
datasets: {d: {synthetic: {rows: 40, columns: 3}}}
models: {m: {formula: y ~ ., family: bernoulli}}
samplers: {gibbs: {method: cggibbs}}
run: {warmup: 50, draws: 100, chains: 2}
gates: {rhat: 1.5, ess_bulk: 10, ess_tail: 10}
`)
	if code, out, err := call(t, "run", spec); code != 0 {
		t.Fatalf("the first run: %d\n%s%s", code, out, err)
	}
	whole, err := os.ReadFile(ledger)
	must(t, err)
	good, err := os.ReadFile(copied)
	must(t, err)
	if code, out, err := call(t, "verify", spec); code != 0 || !strings.Contains(out, "are what was written") {
		t.Errorf("verify of a whole ledger: %d\n%s%s", code, out, err)
	}
	harm := 0
	for at := 3*4096 + 9; at < len(whole); at += 1 << 19 {
		whole[at] ^= 1
		must(t, os.WriteFile(ledger, whole, 0o600))
		whole[at] ^= 1
		code, out, stderr := call(t, "verify", spec)
		if code == 0 && strings.Contains(out, "holds nothing") {
			continue
		}
		if harm++; code != 2 || !strings.Contains(stderr, "damaged") || !strings.Contains(stderr, "hint: restore a copy") {
			t.Errorf("byte %d: verify: %d\n%s%s", at, code, out, stderr)
		}
		for _, verb := range []string{"run", "commit"} {
			code, out, stderr := call(t, verb, spec)
			if code == 0 || code == 3 || strings.Contains(out, "pass") || !strings.Contains(stderr, "damaged") {
				t.Errorf("byte %d: %s: %d\n%s%s", at, verb, code, out, stderr)
			}
		}
		if now, err := os.ReadFile(copied); err != nil || string(now) != string(good) {
			t.Fatalf("byte %d: the published copy has changed: %v", at, err)
		}
	}
	if harm < 2 {
		t.Errorf("%d blocks did harm", harm)
	}
}
