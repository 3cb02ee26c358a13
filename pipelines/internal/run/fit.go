package run

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/draw"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/report"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// attempt is one fit while the run works on it.
type attempt struct {
	*runner
	fit   *plan.Fit
	place *admitted
	watch *plan.Stopwatch
	shown *progress.Fit
	res   *outcome.Result
	// unknown reports that no complete fit was known when the data had been read.
	unknown bool
}

// fit carries out one fit. Any fault in it, a panic included, is the result of this fit alone. Once ctx has ended
// or the fit has had its time, it is not waited for much longer.
func (r *runner) fit(ctx context.Context, f *plan.Fit, place *admitted, l look) *outcome.Result {
	watch := &plan.Stopwatch{Limit: f.Timeout}
	if f.Timeout > 0 {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		watch.Expire = func() { cancel(&draw.TimeoutError{Limit: f.Timeout, Kept: -1}) }
	}
	shown := r.Tracker.Start(f.Name())
	res, left := plan.Unless(ctx, plan.Patience, func() *outcome.Result {
		a := &attempt{runner: r, fit: f, place: place, watch: watch, shown: shown, res: outcome.Of(f)}
		a.try(ctx)
		return a.res
	})
	method := ""
	if left { // its result is not ours any more
		res, method = outcome.Of(f), plan.MethodName(f)
		res.Fail(context.Cause(ctx))
	} else {
		method = res.Method
	}
	res.Stages = shown.Stages()
	if res.LeftToOther() && l.first() {
		r.Tracker.Away(shown) // the second look comes to it
	} else {
		r.ended(f, method, shown, res)
	}
	return res
}

// try is fit without an end to its patience.
func (a *attempt) try(ctx context.Context) {
	defer func() {
		if v := recover(); v != nil {
			a.Log.Error("panic", "run", a.id, "fit", a.fit.Name(), "value", v, "stack", string(debug.Stack()))
			a.res.Fail(fmt.Errorf("this program has a fault: %v (the log has its place; please report it)", v))
		}
	}()
	if err := a.carryOut(ctx); err != nil {
		a.res.Fail(draw.Late(ctx, err, -1))
	}
}

// carryOut takes the fit through its stages, or finds it stored.
func (a *attempt) carryOut(ctx context.Context) error {
	id, err := a.identify(ctx)
	if err != nil {
		return err
	}
	stored, ok := a.known.fit(id.Fingerprint)
	a.unknown = !ok
	switch {
	case a.DryRun:
		return a.preview(ctx, id, stored, ok)
	case ok && !a.Force && !redraws(id.Model, stored):
		return a.skip(ctx, id, stored)
	}
	began := a.Now()
	if !id.Method().Chains {
		a.shown.Phase("solving")
		return a.solve(ctx, id, began)
	}
	a.shown.Phase("set-up")
	prepared, err := draw.Prepare(ctx, id, a.world, a.watch)
	if err != nil {
		return err
	}
	chains, err := draw.Open(prepared, a.world, a.watch, a.shown, a.Force)
	if err != nil {
		return err
	}
	defer chains.Close()
	if other, found := a.known.now(ctx, a.ledger.file, id.Fingerprint); found && !ok && !a.Force &&
		!redraws(id.Model, other) {
		_ = chains.Spool.Remove() // another run has stored the fit; its Sweep removes what is left
		return a.skip(ctx, id, other)
	}
	return chains.Late(ctx, a.draw(ctx, chains, began))
}

// identify codes the data and computes the fingerprint.
func (a *attempt) identify(ctx context.Context) (*plan.Identified, error) {
	if err := a.world.Workers.Acquire(ctx); err != nil {
		return nil, err
	}
	defer a.world.Workers.Release()
	if a.fit.Unit.Err == nil {
		a.res.Method = plan.MethodName(a.fit)
	}
	problem, err := plan.NewProblem(a.fit)
	if err != nil {
		return nil, err
	}
	facts := problem.Facts()
	a.res.Method, a.res.Rows, a.res.Columns, a.res.Warnings = problem.Method().Name, facts.Rows, facts.Columns,
		facts.Warnings
	id, err := plan.Identify(a.fit, problem, a.memory)
	if err != nil {
		return nil, err
	}
	if a.Pipeline.Run.Start == plan.StartPrevious {
		if err := id.StartFrom(ctx, a.base); err != nil {
			return nil, err
		}
	}
	if !a.Force {
		id.Fingerprint = a.known.alike(id, func(f record.Stored) bool { return !redraws(id.Model, f) })
	}
	a.res.Fingerprint = id.Fingerprint
	return id, nil
}

// draw grows the chains, judges them and commits the fit.
func (a *attempt) draw(ctx context.Context, chains *draw.Chains, began time.Time) error {
	drawn, err := chains.Grow(ctx)
	if err != nil {
		return err
	}
	var judged *assess.Judged
	err = a.world.Workers.Work(ctx, a.watch, func() (err error) {
		judged, err = assess.Judge(ctx, drawn, a.stamp(began))
		return err
	})
	if err != nil {
		return err
	}
	a.shown.Phase("committing")
	return a.commit(ctx, drawn, judged)
}

// solve carries out a method without chains.
func (a *attempt) solve(ctx context.Context, id *plan.Identified, began time.Time) error {
	answer, err := draw.Solve(ctx, id, a.world, a.watch)
	if err != nil {
		return err
	}
	judged, err := assess.Answer(id, answer, a.stamp(began))
	if err != nil {
		return err
	}
	a.res.Describe(judged)
	a.place.leave()
	a.res.ID, err = a.ledger.store(ctx, &request{fit: judged.Record, bytes: awaitingFit, serves: a.serves})
	if errors.Is(err, errStored) {
		return a.skipStored(ctx, id)
	}
	return a.stored(ctx, judged.Record, err)
}

func (a *attempt) stamp(began time.Time) assess.Stamp {
	return assess.Stamp{RunID: a.id, Place: a.runner.place, Now: a.Now, Began: began}
}

// ended closes a fit's accounts: the ledger's note of a failure, the log, the
// line that people see. method is the one that failed, if it did.
func (r *runner) ended(f *plan.Fit, method string, shown *progress.Fit, res *outcome.Result) {
	log := r.Log.With("run", r.id, "fit", res.Name(), "fingerprint", res.Fingerprint)
	if res.ID != 0 {
		log = log.With("fit_id", res.ID)
	}
	if res.Action == outcome.Errored {
		if !r.DryRun {
			r.erred(f, method, res)
		}
		log.Error("fit", "action", res.Action, "err", res.Err.Error())
	} else {
		log.Info("fit", "action", res.Action, "verdict", res.Verdict, "reasons", res.Reasons, "seconds", res.Seconds)
	}
	verdict := res.Verdict
	if res.Action != outcome.Computed && res.Action != outcome.Errored {
		verdict = res.Action
	}
	r.Tracker.End(shown, verdict, res.Line())
}

// erred notes a fit that could not be computed.
func (r *runner) erred(f *plan.Fit, method string, res *outcome.Result) {
	family := f.Model.Family
	fit := &record.Fit{
		Key: f.Key(), Replicate: f.Replicate, Fingerprint: res.Fingerprint, RunID: r.id, Pipeline: r.Pipeline.Name,
		Method: method,
		Family: family.Name, Link: family.Link, Formula: f.Model.Formula,
		Chains: f.Chains(), Status: record.Erred, Error: res.Err.Error(),
		Verdict: judge.Verdict{Grade: judge.ErrorGrade, Reasons: res.Reasons}, Gates: f.Gates, Created: r.Now(),
		Place: r.place,
	}
	r.ledger.later(func(ctx context.Context, s *report.Session) error {
		_, err := s.Fit(ctx, fit)
		return err
	})
}
