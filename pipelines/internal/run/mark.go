package run

import (
	"context"
	"encoding/json"

	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// setMark records the run in the work folder, before its first fit and without an opening of the ledger. If that fails,
// the run is recorded with its first fits.
func (r *runner) setMark() {
	r.mark = &spool.Mark{Run: r.id, Pipeline: r.Pipeline.Name, Started: r.started, Private: len(r.Pipeline.Vars) > 0}
	var err error
	if r.mark.Record, err = json.Marshal(r.record(nil)); err == nil {
		err = r.mark.Set(r.world.Root)
	}
	if err != nil {
		r.Log.Info("the run is not recorded before its fits", "run", r.id, "err", err.Error())
	}
}

// leaveMark keeps how the run ended for the next one, where the ledger could not be written.
func (r *runner) leaveMark(out *outcome.Outcome) {
	text, err := json.Marshal(r.record(out))
	if err == nil {
		err = r.mark.Leave(text)
	}
	if err != nil {
		r.Log.Error("the end of the run is not recorded", "run", r.id, "err", err.Error())
	}
}

// RecordOf returns the run that a mark is of, as its ledger is to keep it.
func RecordOf(m *spool.Mark) *report.Run {
	out := &report.Run{}
	if json.Unmarshal(m.Record, out) != nil || out.ID != m.Run { // an older program's
		out = &report.Run{ID: m.Run, Pipeline: m.Pipeline, Started: m.Started}
	}
	return out
}

// recordLeft records the runs that have left their marks: they were killed, or could not write to the ledger.
func (r *runner) recordLeft(ctx context.Context, s *report.Session) {
	marks, err := spool.Marks(r.world.Root)
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
		r.Log.Error("a run that was killed is not recorded", "run", r.id, "err", err.Error())
	}
}
