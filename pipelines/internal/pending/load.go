package pending

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"fmt"
	"slices"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/report/record"
)

// Fits that are stored together: opening the ledger and its checkpoint cost as much as some twenty small fits, and
// more draw values than these are worth an opening of their own.
const (
	TogetherFits   = 500
	TogetherValues = 4_000_000
	togetherFiles  = 600 // that a batch has open
)

// load is a finished fit on its way to the ledger.
type load struct {
	res  *outcome.Result
	fit  *spool.Fit // nil if nothing can be loaded: res has the reason
	end  func() error
	text finished
	err  error // of storing it
}

// open opens the first of some folders, as many as are stored together, and at least one.
func open(dirs []string) (batch []*load) {
	files, values := 0, 0
	for _, dir := range dirs {
		l := &load{res: &outcome.Result{Dataset: dir}, end: func() error { return nil }}
		if err := l.open(dir); err != nil {
			l.res.Fail(err)
			l.close()
		} else {
			_, held := l.fit.Held()
			files, values = files+held+1, values+Values(&l.text.Fit)
		}
		batch = append(batch, l)
		if len(batch) == TogetherFits || files >= togetherFiles || values >= TogetherValues {
			break
		}
	}
	return batch
}

// Values is the number of draw values of a fit that are stored.
func Values(f *record.Fit) int {
	if f.DrawsOf == nil {
		return 0
	}
	return len(f.Parameters) * f.Chains * f.Draws
}

// open reads the record of a finished fit and opens its chains.
func (l *load) open(dir string) error {
	fit, manifest, text, err := spool.OpenFinished(dir)
	if err != nil {
		return err
	}
	l.fit = fit
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&l.text); err != nil {
		return words.Hint(fmt.Errorf("the record of %s: %w", manifest.Fit, err), "run the pipeline again")
	}
	rec, res := &l.text.Fit, l.res
	res.Dataset, res.Key, res.Model, res.Sampler = rec.Dataset, rec.Group, rec.Model, rec.Sampler
	res.Discrete = record.IsDiscrete(rec.Family)
	if rec.Replicate > 1 {
		res.Replicate = rec.Replicate
	}
	res.Method, res.Fingerprint = rec.Method, rec.Fingerprint
	w := plan.Window{From: rec.Warmup, To: rec.Iterations}
	for i, chain := range fit.Chains {
		if chain.Draws() < w.To {
			return words.Hint(fmt.Errorf("chain %d has %d of %d iterations: its file was damaged", i+1, chain.Draws(), w.To),
				"run the pipeline again, which draws the rest")
		}
	}
	rec.StatsOf = assess.Statistics(fit, w)
	if l.text.KeepDraws {
		rec.DrawsOf, l.end, err = assess.FinishedDraws(rec, l.text.Derived, fit, manifest)
	}
	return err
}

// close closes what is open of a fit; all of it is synced or removed.
func (l *load) close() {
	if l.fit == nil {
		return
	}
	if l.end != nil {
		_ = l.end()
	}
	_ = l.fit.Close()
	l.fit, l.end = nil, nil
}

// commit loads a batch into the ledger, which it opens once, and clears the spool of what is stored there. A fault
// in opening or storing a fit costs this fit only.
func commit(ctx context.Context, ledger *report.Ledger, batch []*load, c *Config) {
	some := slices.DeleteFunc(slices.Clone(batch), func(l *load) bool { return l.fit == nil })
	if len(some) == 0 {
		return
	}
	err := ledger.Write(ctx, func(s *report.Session) error {
		RecordLeft(ctx, s, spool.Root(c.Database), c.Log)
		runs, stored, fits := map[string]error{}, []*load{}, []*record.Fit{}
		for _, l := range some {
			run := &l.text.Run
			if _, seen := runs[run.ID]; !seen {
				runs[run.ID] = s.RunOnce(ctx, run)
			}
			if l.err = runs[run.ID]; l.err == nil {
				stored, fits = append(stored, l), append(fits, &l.text.Fit)
			}
		}
		ids, errs := s.Fits(ctx, fits)
		for i, l := range stored {
			l.res.ID, l.err = ids[i], errs[i]
		}
		return nil
	})
	for _, l := range some {
		l.settle(cmp.Or(l.err, err))
		l.close()
	}
}

// settle says what became of a fit, and clears its spool where it is stored.
func (l *load) settle(err error) {
	res, rec := l.res, &l.text.Fit
	if err != nil {
		res.ID = 0
		res.Fail(err)
		if res.Action == outcome.Errored {
			res.Action, res.Verdict = outcome.Uncommitted, ""
		}
		return
	}
	res.Action = outcome.Committed
	res.Verdict, res.Reasons = string(rec.Verdict.Grade), rec.Verdict.Reasons
	res.Chains, res.Draws = rec.Chains, rec.Draws
	if err := l.fit.Remove(); err != nil {
		res.Warnings = append(res.Warnings, "the spool is left: "+err.Error())
	}
}
