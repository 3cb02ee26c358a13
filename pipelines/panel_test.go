package pipelines_test

import (
	"os"
	"testing"

	"glmbatch/internal/references"
	"glmbatch/pipelines"
)

// colon runs the paper's panel on its first data set.
func colon(t *testing.T, o pipelines.Overrides) folder {
	t.Helper()
	t.Setenv("PANEL_DIR", references.Folder(t, "panel"))
	f := folder{t, t.TempDir()}
	o.Database = f.path("panel.duckdb")
	out, err := pipelines.Run(t.Context(), "panel", pipelines.RunOptions{Overrides: o, Only: []string{"dataset=colon", "sampler=reference"}})
	must(t, err)
	if len(out.Fits) != 1 || out.Fits[0].Err != nil {
		t.Fatalf("fits: %s, %v", actions(out), out.Fits[0].Err)
	}
	return f
}

// The panel's preprocessing and priors reach the sampler: 62 rows, 2000 scaled
// columns and the literal intercept, N(0, 10²) on every one.
func TestPanelOnColon(t *testing.T) {
	f := colon(t, pipelines.Overrides{Profile: "smoke"})
	if got := f.ask("panel.duckdb", "SELECT n_rows, n_columns, method, family, link FROM fit"); got != "62,2001,cggibbs,bernoulli,logit" {
		t.Errorf("the fit is %s", got)
	}
	if got := f.ask("panel.duckdb", "SELECT DISTINCT prior FROM parameter"); got != `"normal(0, 10)"` {
		t.Errorf("the priors are %s", got)
	}
	// Literal intercept on a scaled design: centres and scales are those of the
	// columns, the first row's x1 is 1.370746117 (the panel's README).
	if got := f.ask("panel.duckdb", "SELECT round((2 - center) / scale, 6), record->>'intercept_at' FROM parameter JOIN design USING (fit_id) WHERE name = 'x1'"); got != "1.370746,zero" {
		t.Errorf("x1 = 2 is scaled to %s, want 1.370746 and the intercept at zero", got)
	}
}

// In full: colon reaches a median effective sample size of 100, its gate holds, and the ledger has the time that it
// took.
func TestPanelOnColonInFull(t *testing.T) {
	if os.Getenv("GLMBATCH_STAT") == "" {
		t.Skip("half a minute; GLMBATCH_STAT=1 runs it")
	}
	f := colon(t, pipelines.Overrides{})
	got := f.ask("panel.duckdb", `SELECT verdict IN ('pass', 'warn'), to_ess100_median > 0, to_ess100_median <= setup_seconds + warmup_seconds + sampling_seconds,
		(SELECT value >= 100 FROM diagnostic WHERE name = 'ess_bulk_median') FROM fit`)
	if got != "true,true,true,true" {
		t.Errorf("verdict, time, its bound, ESS: %s", got)
	}
}
