package run

import (
	"encoding/json"

	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spool"
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
