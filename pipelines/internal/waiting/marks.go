package waiting

import (
	"context"
	"encoding/json"
	"fmt"

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
// not write to the ledger.
func RecordLeft(ctx context.Context, s *report.Session, root string) error {
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
			return fmt.Errorf("run %s was killed and is not recorded: %w", m.Run, err)
		}
	}
	return err
}
