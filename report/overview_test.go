package report

import (
	"context"
	"errors"
	"testing"
	"time"

	"glmbatch/report/judge"
)

// The overview that users look at: an erred fit with the complete one before it, the worst diagnostics with the
// quantities that have them, and runs with their counts.
func TestLooks(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	db, c, err := l.connect(ctx, false, reach{})
	must(t, err)
	must(t, errors.Join(migrate(ctx, c, l.path, migrations),
		execute(ctx, c, `INSERT INTO fit (fit_id, fingerprint, run_id, dataset, key, model, sampler, status, verdict, reasons, gates, setup_seconds,
					warmup_seconds, sampling_seconds, error, created, judged, replicate, place)
					VALUES (1, 'f', 'a', 'd', 'k', 'm', 's', 'complete', 'pass', [], '{"rhat": 1.01}', 1, 2, 3, NULL, '2026-01-01', '2026-01-01', 1, 1),
					       (2, 'g', 'b', 'd', 'k', 'm', 's', 'error', 'error', ['no file'], '{}', NULL, NULL, NULL, 'no file', '2026-01-02', '2026-01-02', 1, 2)`),
		execute(ctx, c, `INSERT INTO summary (fit_id, parameter_id, name, kind, mean, rhat, ess_bulk, ess_tail) VALUES
					(1, 1, 'x', 'coefficient', 5, 1.02, 300, 200), (1, 2, 'lambda', 'local_scale', 5, 9, 1, 1), (1, NULL, 'log_lik', 'statistic', 5, 1.01, 100, 400)`),
		execute(ctx, c, `INSERT INTO chain_piece SELECT 1, 1, first, 1, [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [true]
					FROM unnest([0, 1]) t(first)`),
		execute(ctx, c, `INSERT INTO run (run_id, pipeline, spec_hash, started, finished, exit_code, place) VALUES
					('a', 'p', 'h', '2026-01-01', '2026-01-01 01:00:00', 0, 1), ('b', 'p', 'i', '2026-01-02', NULL, NULL, 2)`),
		execute(ctx, c, `INSERT INTO run_fit (run_id, fit_id, dataset, key, model, sampler, action, verdict, reasons, noted) VALUES
					('a', 1, 'd', 'k', 'm', 's', 'computed', 'pass', [], '2026-01-01'), ('b', 2, 'd', 'k', 'm', 's', 'error', 'error', ['no file'], '2026-01-02'),
					('b', NULL, 'e', '', 'm', 's', 'uncommitted', '', NULL, '2026-01-02')`),
		execute(ctx, c, "CHECKPOINT"), c.Close(), db.Close()))
	checkLooks(t, l)
	nights, err := l.Nights(ctx, time.Time{}, 0)
	must(t, err)
	if len(nights) != 2 || nights[0].ID != "b" || nights[0].Finished != nil || !nights[0].SpecChanged ||
		nights[0].Erred != 1 || nights[0].Uncommitted != 1 ||
		nights[1].New != 1 || nights[1].Passed != 1 || *nights[1].ExitCode != 0 || nights[1].SpecChanged ||
		nights[1].Seconds != 6 {
		t.Errorf("nights: %s", mustJSON(t, nights))
	}
	if nights, err = l.Nights(ctx, time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), 1); err != nil || len(nights) != 1 ||
		nights[0].ID != "b" || !nights[0].SpecChanged {
		t.Errorf("the newest night: %s, %v", mustJSON(t, nights), err)
	}
}

func checkLooks(t *testing.T, l *Ledger) {
	t.Helper()
	ctx := context.Background()
	newest, err := l.LookNewest(ctx, "", func(k Key) bool { return k.Group == "k" })
	must(t, err)
	if len(newest) != 1 || newest[0].ID != 2 || newest[0].Grade != judge.ErrorGrade || newest[0].Newest != 1 || newest[0].Stale(2) ||
		newest[0].Error != "no file" {
		t.Errorf("newest: %s", mustJSON(t, newest))
	}
	one, err := l.Look(ctx, 1)
	must(t, err)
	if len(one) != 1 || one[0].RHatOf != "x" || one[0].RHat != 1.02 || one[0].ESSBulkOf != "log_lik" ||
		one[0].ESSBulk != 100 || one[0].ESSTailOf != "x" ||
		one[0].Divergences != 1 || one[0].Seconds != 6 || one[0].Gates.RHat.Fail != judge.At(1.01) || one[0].State != "error" || !one[0].Stale(1) ||
		one[0].Replicate != 1 {
		t.Errorf("fit 1: %s", mustJSON(t, one))
	}
	if none, err := l.Look(ctx, 99); err != nil || len(none) != 0 {
		t.Errorf("fit 99: %v, %v", none, err)
	}
	ownShare, err := l.LookRun(ctx, "b")
	must(t, err)
	if len(ownShare) != 2 || ownShare[0].ID != 2 || ownShare[0].Action != "error" || ownShare[1].ID != 0 ||
		ownShare[1].Action != "uncommitted" || ownShare[1].Dataset != "e" {
		t.Errorf("run b: %s", mustJSON(t, ownShare))
	}
	lines, err := l.Lines(ctx, 1)
	must(t, err)
	if len(lines) != 3 || lines[0].Name != "x" || lines[2].Name != "log_lik" || lines[0].Summary.Mean != 5 ||
		lines[0].Summary.RHat != 1.02 || lines[0].ColumnSD == lines[0].ColumnSD {
		t.Errorf("lines: %+v", lines)
	}
}
