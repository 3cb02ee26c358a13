package run

import (
	"context"
	"errors"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/pipelines/internal/waiting"
	"glmbatch/report"
	"glmbatch/report/record"
)

// commit loads a judged fit into the ledger and clears its spool.
// Where the ledger is held by another process the fit stays in the spool.
func (a *attempt) commit(ctx context.Context, d *assess.Drawn, j *assess.Judged) error {
	a.res.Describe(j)
	a.res.DescribeChains(j)
	held, files := d.Draws.Spool.Held()
	waits := awaits(a.fit.Unit, held, files)
	done, err := a.place.toCommit(ctx, a.fit.Unit, waits)
	if err != nil {
		return err
	}
	defer done()
	a.res.ID, err = a.ledger.store(ctx, &request{fit: j.Record, bytes: waits, serves: a.serves})
	if errors.Is(err, errStored) {
		_ = d.Draws.Spool.Remove() // Sweep removes what is left
		return a.skipStored(ctx, d.Identified)
	}
	if err != nil {
		err = waiting.Keep(d, j.Record, a.record(nil), err) // pipeline commit loads it without data or spec
	}
	if err := a.stored(ctx, j.Record, err); err != nil || a.res.Action != outcome.Computed {
		return err
	}
	if err := d.Draws.Spool.Remove(); err != nil { // the next run's Sweep removes it
		a.res.Warnings = append(a.res.Warnings, "the spool is left: "+spool.Hint(err).Error())
	}
	return nil
}

// serves reports whether a complete fit that the attempt did not know of serves in place of what it drew.
func (a *attempt) serves(stored report.Stored) bool {
	return a.unknown && !a.Force && !redraws(a.fit.Model, stored)
}

// skipStored is skip of a fit that was drawn although the ledger has it.
func (a *attempt) skipStored(ctx context.Context, id *plan.Identified) error {
	stored, _ := a.known.fit(id.Fingerprint)
	return a.skip(ctx, id, stored)
}

// stored says what became of a fit that was to be stored, with the error of that.
func (a *attempt) stored(ctx context.Context, rec *record.Fit, err error) error {
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		a.res.Action, a.res.Verdict, a.res.Err = outcome.Uncommitted, "", spool.Hint(err)
		a.res.Reasons = []string{a.res.Err.Error()}
	default: // drift is judged in the ledger
		a.res.Action, a.res.Verdict, a.res.Reasons = outcome.Computed, string(rec.Verdict.Grade), rec.Verdict.Reasons
	}
	return nil
}
