package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// pooledDigest is how many rows the ledger has of imputations and of what is pooled over them, and their digests.
const pooledDigest = `
	WITH p AS (SELECT concat_ws(',', parameter, mean, sd, sd_rubin, within, between, riv, df, fmi, rhat, rhat_across, ess_bulk, ess_tail,
		imputations) AS line FROM pooled),
	i AS (SELECT concat_ws(',', parameter, imputation, source, mean, sd, q025, median, q975, rhat, ess_bulk, ess_tail) AS line FROM imputations)
	SELECT (SELECT count(*) FROM p), (SELECT md5(string_agg(line, ';' ORDER BY line)) FROM p),
		(SELECT count(*) FROM i), (SELECT md5(string_agg(line, ';' ORDER BY line)) FROM i)`

// A run of several imputations that is killed resumes where it stopped: its draws, the pooled estimates and those
// of each imputation have the bits of an undisturbed run.
func TestPooledKilled(t *testing.T) {
	f := folder{t, memory(t)}
	text := strings.Replace(fmt.Sprintf(pooledSpec, "path: imp*.csv", "", ""), "method: auto", "method: cggibbs", 1)
	f.write("spec.yaml", strings.Replace(text, "until: gates", "until: {ess: 12000, over: all}, first: 500, max_iterations: 16000", 1))
	f.nhanes()
	f.killedAmid()
	want, got := f.ask("whole.duckdb", pooledDigest), f.ask("t.duckdb", pooledDigest)
	if got != want || !strings.HasPrefix(got, "4,") || strings.Count(got, ",20,") != 1 {
		t.Errorf("after kills pooled and imputations have %s, undisturbed %s", got, want)
	}
}

// killedAmid kills runs of the folder's spec amid drawing, of which each resumes the one before, and lets the last
// one end. Its ledger, t.duckdb, has the fits of an undisturbed run then, which whole.duckdb has.
func (f folder) killedAmid() {
	f.t.Helper()
	u, rng := f.undisturbed(true), moments(f.t)
	w, c := f.watch(u), call{Spec: f.path("spec.yaml"), Workers: 2, Spool: true}
	for tries, amid := 0, 0; amid < kills()/2; tries++ {
		c.killAt(0.1+0.8*rng.Float64(), tries%2 == 1, u.looks, u.operations)
		code, out := c.run(f.t)
		switch {
		case code == -1:
			w.look("kill: " + out)
			if w.amid() {
				amid++
			}
		case code == 0:
			w = f.anew(u)
		}
		if code > 0 || f.t.Failed() || tries > 20*kills() {
			f.t.Fatalf("after %d kills amid drawing: exit code %d in %s", amid, code, out)
		}
	}
	c.KillAt, c.KillOn = 0, 0
	if code, out := c.run(f.t); code != 0 {
		f.t.Fatalf("the last run: exit code %d\n%s", code, out)
	}
	w.whole()
}

// amid reports whether the spool has some draws, and not yet all, of some chain.
func (w *watch) amid() bool {
	for name, n := range w.drawn {
		if n > 0 && n < len(w.logLik[name]) {
			return true
		}
	}
	return false
}

// The parts of a fit of several imputations are removed with it when it is pruned, and the newest keeps its own.
func TestPooledPruned(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(pooledSpec, "path: long.csv", ", by: .imp", ""))
	f.nhanes()
	for seed := range uint64(3) {
		o := pipelines.RunOptions{}
		o.Seed = &seed
		f.run(o)
	}
	const rows = "SELECT (SELECT count(*) FROM pooling), (SELECT count(*) FROM imputation), (SELECT count(DISTINCT fit_id) FROM pooling), " +
		"(SELECT count(DISTINCT fit_id) FROM imputation)"
	before, all := f.ask("t.duckdb", pooledDigest), f.ask("t.duckdb", rows)
	if _, err := pipelines.Prune(t.Context(), f.path("t.duckdb"), "", 1, 0); err != nil {
		t.Fatal(err)
	}
	if got := f.ask("t.duckdb", rows); all != "12,60,3,3" || got != "4,20,1,1" {
		t.Errorf("pooling and imputation have %s, pruned %s", all, got)
	}
	if got := f.ask("t.duckdb", pooledDigest); got != before {
		t.Errorf("pooled and imputations have %s, before %s", got, before)
	}
}
