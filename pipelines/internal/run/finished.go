package run

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/plan"
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

// keep keeps the record of a fit whose commit failed, and returns the error
// of the commit, with its own if there is one. Without a record the draws are
// still there for the next run.
func (a *attempt) keep(d *assess.Drawn, rec *record.Fit, commit error) error {
	var b bytes.Buffer
	waiting := finished{Fit: *rec, Run: *a.record(nil), KeepDraws: rec.DrawsOf != nil}
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

// CommitConfig is what Commit needs besides the world.
type CommitConfig struct {
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

// Commit loads the fits that wait in the spool of a database, drawn and judged,
// without drawing, and without their data or spec. Fits that are not finished
// are left for the next run. It returns an error only where the ledger is none.
func Commit(ctx context.Context, c CommitConfig) (*Outcome, error) {
	out := &Outcome{Database: c.Database, Started: c.Now()}
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
	for _, dir := range dirs {
		if ctx.Err() != nil {
			break
		}
		res := commitOne(ctx, ledger, dir)
		c.Log.Info("commit", "fit", res.Name(), "fingerprint", res.Fingerprint, "action", res.Action, "reasons", res.Reasons)
		out.Fits = append(out.Fits, res)
	}
	out.Finished, out.ExitCode = c.Now(), exitCode(out.Fits)
	out.complete()
	if ctx.Err() != nil {
		out.ExitCode = exit.Interrupted
	}
	if len(out.Fits) > 0 {
		out.deliver(ctx, ledger, c.Publish, c.Report)
	}
	return out, nil
}

// commitOne loads one finished fit and clears its spool.
func commitOne(ctx context.Context, ledger *report.Ledger, dir string) *Result {
	res := &Result{Dataset: dir}
	fit, manifest, text, err := spool.OpenFinished(dir)
	if err != nil {
		res.fail(err)
		return res
	}
	defer fit.Close() // all of it is synced or removed
	var waiting finished
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&waiting); err != nil {
		res.fail(words.Hint(fmt.Errorf("the record of %s: %w", manifest.Fit, err), "run the pipeline again"))
		return res
	}
	rec := &waiting.Fit
	res.Dataset, res.Key, res.Model, res.Sampler = rec.Dataset, rec.Group, rec.Model, rec.Sampler
	res.Discrete = rec.Family == record.DiscreteFamily
	if rec.Replicate > 1 {
		res.Replicate = rec.Replicate
	}
	res.Method, res.Fingerprint = rec.Method, rec.Fingerprint
	w := plan.Window{From: rec.Warmup, To: rec.Iterations}
	for i, chain := range fit.Chains {
		if chain.Draws() < w.To {
			res.fail(words.Hint(fmt.Errorf("chain %d has %d of %d iterations: its file was damaged", i+1, chain.Draws(), w.To),
				"run the pipeline again, which draws the rest"))
			return res
		}
	}
	rec.StatsOf = assess.Statistics(fit, w)
	if waiting.KeepDraws {
		draws, end, err := assess.FinishedDraws(rec, waiting.Derived, fit, manifest)
		if err != nil {
			res.fail(err)
			return res
		}
		defer end()
		rec.DrawsOf = draws
	}
	err = ledger.Write(ctx, func(s *report.Session) (err error) {
		if err := s.RunOnce(ctx, &waiting.Run); err != nil {
			return err
		}
		res.ID, err = s.Fit(ctx, rec)
		return err
	})
	if err != nil {
		res.fail(err)
		if res.Action == Errored {
			res.Action, res.Verdict = Uncommitted, ""
		}
		return res
	}
	res.Action, res.Verdict, res.Reasons = Committed, string(rec.Verdict.Grade), rec.Verdict.Reasons
	res.Chains, res.Draws = rec.Chains, rec.Draws
	if err := fit.Remove(); err != nil {
		res.Warnings = append(res.Warnings, "the spool is left: "+err.Error())
	}
	return res
}
