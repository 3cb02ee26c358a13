package pending

import (
	"context"
	"encoding/json"
	"log/slog"

	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// RecordOf returns the run that a mark is of, as its ledger is to keep it.
func RecordOf(m *spool.Mark) *report.Run {
	out := &report.Run{}
	if json.Unmarshal(m.Record, out) != nil || out.ID != m.Run { // an older program's
		out = &report.Run{ID: m.Run, Pipeline: m.Pipeline, Started: m.Started}
	}
	return out
}

// RecordLeft records the runs that have left their marks under root, and removes these: runs that were killed, or could
// not write to the ledger. An error is logged: the marks stay for the next run.
func RecordLeft(ctx context.Context, s *report.Session, root string, log *slog.Logger) {
	marks, err := spool.Marks(root)
	for i := range marks {
		m := &marks[i]
		if m.Alive {
			continue
		}
		left := RecordOf(m)
		if left.Finished.IsZero() {
			err = s.RunOnce(ctx, left)
		} else {
			err = s.Run(ctx, left)
		}
		if err == nil {
			err = m.Remove()
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		log.Error("a run that was killed is not recorded", "err", err.Error())
	}
}
