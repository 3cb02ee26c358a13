package run

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
)

// A run that comes to a fit which another run has stored since it began takes it
// as stored. The other run here is a whole one, carried out while the first fit of
// this one is being set up: after the ledger was read, before its spool is opened.
func TestStoredMeanwhile(t *testing.T) {
	two := strings.Replace(diskSpec, "datasets: {", "datasets: {e: {synthetic: {rows: 20, columns: 1}}, ", 1)
	for name, c := range map[string]struct {
		change  func(config, other *Config)
		actions string // of d and e
	}{
		"a part":   {func(_, o *Config) { o.Only, _ = plan.ParseSelector([]string{"dataset=e"}) }, "computed skipped"},
		"by force": {func(c, _ *Config) { c.Force = true }, "computed computed"},
	} {
		t.Run(name, func(t *testing.T) {
			database := filepath.Join(t.TempDir(), "l.duckdb")
			config, other := configOf(t, database, two), configOf(t, database, two)
			c.change(&config, &other)
			var set atomic.Int64
			config.Workers = 1
			config.Tamper = func(s infer.Setup) infer.Setup {
				if set.Add(1) == 1 {
					out, err := Run(t.Context(), other)
					if err != nil || out.ExitCode != exit.Pass {
						t.Errorf("the other run: %v, %+v", err, out)
					}
				}
				return s
			}
			out, err := Run(t.Context(), config)
			if err != nil || out.ExitCode != exit.Pass {
				t.Fatalf("%v, %+v", err, out)
			}
			got := map[string]string{}
			for _, f := range out.Fits {
				got[f.Dataset] = f.Action
			}
			if actions := got["d"] + " " + got["e"]; actions != c.actions {
				t.Errorf("d and e: %s, want %s", actions, c.actions)
			}
			ledger, err := report.Open(database, report.Options{})
			must(t, err)
			stored, err := ledger.Stored(t.Context(), nil)
			must(t, err)
			for _, f := range out.Fits {
				if s, ok := stored[f.Fingerprint]; !ok || s.ID != f.ID {
					t.Errorf("%s: the run says fit %d, the ledger has %+v", f.Name(), f.ID, s)
				}
			}
		})
	}
}

// A run that skips fits asks the ledger once which assessments they have: each question would start an engine.
func TestAssessedOnce(t *testing.T) {
	database := filepath.Join(t.TempDir(), "l.duckdb")
	config := configOf(t, database, strings.Replace(diskSpec, "run: {", "run: {loo: true, ", 1))
	if _, err := Run(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	ledger, err := report.Open(database, report.Options{})
	must(t, err)
	k := &known{database: database}
	must(t, k.read(t.Context(), ledger))
	for range 2 {
		for _, f := range k.fits {
			has, err := k.has(t.Context(), ledger, f.ID)
			if err != nil || has.LOO == "" || has.Checks {
				t.Errorf("%s has %+v, error %v", f.Key, has, err)
			}
		}
		must(t, os.Remove(database)) // a second question finds no ledger
		must(t, os.WriteFile(database, []byte("none"), 0o600))
	}
}
