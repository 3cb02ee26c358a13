package pending

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/report/record"
)

// finished is a fit that is drawn and judged, as it waits in the spool for a
// ledger that was held: all but its draws and statistics, which are in the
// chains' files. It is stored as gob, which keeps NaN and leaves functions out.
type finished struct {
	Fit       record.Fit
	Run       report.Run
	KeepDraws bool
	Derived   []float64 // draws of derived quantities, where draws are kept
}

// Keep keeps the record of a fit that a run could not commit, and returns the error
// of that, with its own if there is one. Without a record the draws are
// still there for the next run.
func Keep(d *assess.Drawn, rec *record.Fit, run *report.Run, commit error) error {
	var b bytes.Buffer
	waiting := finished{Fit: *rec, Run: *run, KeepDraws: rec.DrawsOf != nil}
	var err error
	if waiting.KeepDraws {
		waiting.Derived, err = d.DerivedDraws()
	}
	if err == nil && waiting.KeepDraws {
		err = d.WriteExpanded()
	}
	if err == nil {
		err = gob.NewEncoder(&b).Encode(waiting)
	}
	if err == nil {
		err = d.Draws.Spool.Finish(b.Bytes())
	}
	if err != nil {
		err = fmt.Errorf("keep the fit for pipeline commit: %w", err)
	}
	return errors.Join(commit, err)
}

// Config holds the inputs of Commit that do not come from the environment.
type Config struct {
	Database string
	Publish  string // where a copy of the ledger goes when all is loaded; empty for nowhere
	Report   string // where a page about the newest run goes then; empty for nowhere
	LockWait time.Duration
	Log      *slog.Logger
	Now      func() time.Time
}

// whole returns an error if the ledger is damaged. One that another process holds is looked at by the next call.
func whole(ctx context.Context, file *report.Ledger) error {
	err := file.Whole(ctx)
	if _, held := errors.AsType[*report.LockedError](err); held {
		return nil
	}
	return err
}

// Commit loads the fits that wait in the spool of a database, drawn and judged, without drawing, and without their
// data or spec. Fits that are not finished are left for the next run. It returns an error only if the file is not a
// ledger.
func Commit(ctx context.Context, c Config) (*outcome.Outcome, error) {
	out := &outcome.Outcome{Database: c.Database, Started: c.Now()}
	ledger, err := report.Open(c.Database, report.Options{LockWait: c.LockWait, Threads: 1, Private: true, Restore: true})
	if err == nil {
		err = ledger.Empty()
	}
	if err == nil {
		err = whole(ctx, ledger)
	}
	if err != nil {
		return nil, err
	}
	dirs, err := spool.Finished(spool.Root(c.Database))
	if err != nil {
		return nil, err
	}
	for len(dirs) > 0 && ctx.Err() == nil {
		batch := open(dirs)
		dirs = dirs[len(batch):]
		commit(ctx, ledger, batch, &c)
		for _, l := range batch {
			res := l.res
			c.Log.Info("commit", "fit", res.Name(), "fingerprint", res.Fingerprint, "action", res.Action, "reasons", res.Reasons)
			out.Fits = append(out.Fits, res)
		}
	}
	out.Finished = c.Now()
	out.Complete(ctx.Err() != nil)
	if len(out.Fits) > 0 {
		out.Deliver(ctx, ledger, c.Publish, c.Report)
	}
	return out, nil
}
