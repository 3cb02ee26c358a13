package run

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/draw"
	"glmbatch/pipelines/internal/memlimit"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/report/judge"
	"glmbatch/report/record"
)

// Config holds the inputs of a run that do not come from the environment.
type Config struct {
	Pipeline *spec.Pipeline
	Source   []byte // the spec's text, for the ledger
	Database string
	Workers  int // at least 1
	Only     plan.Selector
	Select   States // narrows the fits by their states in the ledger
	// Sharded, unless nil, is the run that this one is a shard of: Database is a file of its own then.
	Sharded  *Sharded
	Force    bool
	DryRun   bool   // say what would be done, and do nothing
	Build    string // identity of this program, for the ledger
	LockWait time.Duration
	Example  func(name string) ([]byte, error) // built-in data
	// Effects, if not nil, computes and stores the effects that models ask for of these fits, which are in the ledger.
	// It calls found with the warnings about those of each fit, and stores the verdict that found returns for the run.
	Effects func(ctx context.Context, run string, fits []record.Key,
		found func(record.Key, []string) judge.Verdict) error
	Tracker *progress.Tracker
	Log     *slog.Logger
	Now     func() time.Time
	Disk    spool.Disk // where the spool is kept; tests give one that fails
	// Tamper, if not nil, takes the place of set-ups: tests plant faulty samplers.
	Tamper func(infer.Setup) infer.Setup
}

// Sharded is a run that several machines share, and the share of this one.
type Sharded struct {
	ID      string
	Started time.Time
	Place   int
	Share   plan.Share
}

// runner is a run whose ledger is open and read.
type runner struct {
	Config
	numbered
	choice    plan.Choice // what the spec and the call select
	world     *draw.Env
	memory    plan.Memory
	admission *admission
	ledger    *ledger
	mark      *spool.Mark // nil of a dry run
	known     *known
	base      plan.Base
	before    map[record.Key]report.Stored // of a dry run; nil of others
}

// numbered is a run in the ledger.
type numbered struct {
	id      string
	started time.Time
	place   int // among its runs
}

// Run carries out a pipeline. It returns an error only where nothing could be
// done at all (the ledger cannot be read, nothing is selected); what went wrong
// with single fits is in the outcome.
func Run(ctx context.Context, c Config) (*outcome.Outcome, error) {
	defer memlimit.Frugal()()
	r, err := open(ctx, c)
	if err != nil {
		return nil, err
	}
	if c.DryRun {
		defer os.Remove(r.world.Root) // fails if another run has its files there, as it should
	} else {
		r.setMark()
		defer r.mark.Clear()
		defer r.unclaim()
	}
	r.Log.Info("run started", "run", r.id, "pipeline", c.Pipeline.Name, "database", c.Database, "seed", c.Pipeline.Seed,
		"workers", c.Workers, "build", c.Build)
	results, err := r.all(ctx, look{Choice: r.choice})
	if err == nil {
		err = r.again(ctx, results)
	}
	if err == nil && len(results) == 0 && ctx.Err() == nil && r.Select.empty() && r.Sharded == nil {
		err = plan.ErrNothingSelected
	}
	if err != nil {
		r.ledger.stop()
		return nil, err
	}
	if !r.DryRun {
		r.recall(ctx, results)
	}
	return r.end(ctx, results), nil
}

// open opens the ledger and asks it what is known. Its goroutines end with ledger.stop.
func open(ctx context.Context, c Config) (*runner, error) {
	r := &runner{Config: c, numbered: numbered{started: c.Now()}, memory: plan.MemoryOf(c.Pipeline),
		known: &known{database: c.Database}}
	r.memory.Workers = c.Workers
	r.id, r.admission = RunID(r.started), newAdmission(r.memory)
	if n := c.Sharded; n != nil {
		r.id, r.started = n.ID, n.Started
	}
	r.world = &draw.Env{
		Workers: make(draw.Workers, c.Workers), Disk: c.Disk, Root: spool.Root(c.Database), Now: c.Now,
		Log: c.Log.With("run", r.id), Tamper: c.Tamper,
	}
	r.world.Claims = c.Disk.Claims(r.world.Root)
	file, err := report.Open(c.Database, report.Options{LockWait: c.LockWait, Threads: 1, MemoryLimit: r.memory.Engine(),
		Private: len(c.Pipeline.Vars) > 0, Restore: true, Later: true})
	if err != nil {
		return nil, err
	}
	if err = file.Whole(ctx); err == nil { // no stored verdict of a damaged ledger is believed
		err = file.Reading(ctx, func() error { return r.read(ctx, file) })
	}
	if err != nil && !r.mayDrawUnread(err) {
		return nil, err
	}
	r.ledger = openLedger(ctx, file, r)
	return r, nil
}

// mayDrawUnread reports whether a run draws although reading the ledger failed with err: where another process
// holds it from the beginning, fits wait in the spool. Stored fits may be drawn once more then, with the same bits.
// Not so where the ledger decides what is drawn.
func (r *runner) mayDrawUnread(err error) bool {
	var held *report.LockedError
	if !errors.As(err, &held) || r.DryRun || !r.Select.empty() || r.Pipeline.Run.Start == plan.StartPrevious {
		return false
	}
	r.base, r.choice = &base{runner: r}, r.chosen()
	r.Log.Error("ledger", "run", r.id, "err", err.Error())
	return true
}

// read asks the ledger for what a run wants to know of it.
func (r *runner) read(ctx context.Context, file *report.Ledger) (err error) {
	if err := r.known.read(ctx, file); err != nil {
		return err
	}
	if r.Sharded != nil {
		r.place = r.Sharded.Place
	} else if r.place, err = file.NextPlace(ctx); err != nil {
		return err
	}
	if r.base, err = newBase(ctx, file, r); err != nil {
		return err
	}
	if r.choice, err = r.choose(ctx, file); err != nil {
		return err
	}
	if r.DryRun {
		r.before, err = file.Predecessors(ctx, r.Pipeline.Name)
	}
	return err
}

// unclaim gives up all that the run has claimed.
func (r *runner) unclaim() {
	if err := r.world.Claims.Close(); err != nil {
		r.Log.Error("spool", "run", r.id, "err", err.Error())
	}
}

// all reads the data sets in order and fits their units side by side. Results are in the order of the spec,
// whenever they arrive.
func (r *runner) all(ctx context.Context, l look) ([]*outcome.Result, error) {
	var g errgroup.Group
	var results []*outcome.Result
	reader := &plan.Reader{Pipeline: r.Pipeline, Choice: l.Choice, Example: r.Example, Claim: r.admission.claim,
		Read: r.admission.read, Work: r.world.Root}
	err := reader.Units(ctx, func(u *plan.Unit) error {
		if u.Err == nil || u.Key == "" || l.Unit(u.Dataset.Name, u.Key) {
			results = r.launch(ctx, &g, u, l, results)
		}
		return ctx.Err()
	})
	failed := g.Wait() // always nil: errors live in the results
	if ctx.Err() != nil {
		err = nil // the results say so
	}
	return results, errors.Join(err, failed)
}

// launch starts the unit's selected fits. It waits until there is room for
// them, and returns early only when ctx ends.
func (r *runner) launch(ctx context.Context, g *errgroup.Group, u *plan.Unit, l look,
	results []*outcome.Result) []*outcome.Result {
	fits := l.fits(r.Pipeline, u)
	r.Tracker.Expect(len(fits))
	if len(fits) == 0 {
		u.Close()
		return results
	}
	u.Spend(fits)
	done, err := r.admission.unit(ctx, u, fits)
	if err != nil {
		return results
	}
	for _, f := range fits {
		slot := &outcome.Result{}
		results = append(results, slot)
		place := r.admission.fit(ctx)
		place.unit = sync.OnceFunc(done)
		g.Go(func() error {
			*slot = *r.fit(ctx, f, place, l)
			place.leave()
			place.unit()
			return nil
		})
	}
	return results
}

// end records the end of the run in the ledger, and delivers the files that the spec requests.
func (r *runner) end(ctx context.Context, results []*outcome.Result) *outcome.Outcome {
	out := &outcome.Outcome{
		RunID: r.id, Pipeline: r.Pipeline.Name, Database: r.Database, DryRun: r.DryRun,
		Started: r.started, Finished: r.Now(), Fits: results,
	}
	out.Complete(ctx.Err() != nil)
	defer func() {
		r.Log.Info("run ended", "run", r.id, "pipeline", out.Pipeline, "exit_code", out.ExitCode, "counts", out.Counts,
			"unrecorded", out.Unrecorded)
	}()
	if r.DryRun {
		r.ledger.stop()
		return out
	}
	if err := r.ledger.close(context.WithoutCancel(ctx), out); err != nil {
		out.Unrecord(err)
		r.leaveMark(out)
	}
	r.effects(ctx, out)
	out.Deliver(ctx, r.ledger.file, r.Pipeline.Publish, r.Pipeline.Report)
	return out
}

// effects has the effects of stored fits computed. An effect that cannot be is a warning of its fit.
func (r *runner) effects(ctx context.Context, out *outcome.Outcome) {
	if r.Effects == nil || ctx.Err() != nil {
		return
	}
	var keys []record.Key
	of := map[record.Key]*outcome.Result{}
	for _, res := range out.Fits {
		if res.ID != 0 && res.Replicate < 2 && r.asksEffects(res) {
			k := record.Key{Dataset: res.Dataset, Group: res.Key, Model: res.Model, Sampler: res.Sampler}
			keys, of[k] = append(keys, k), res
		}
	}
	found := func(k record.Key, warnings []string) judge.Verdict { return r.warnOfEffects(of[k], warnings) }
	if err := r.Effects(ctx, r.id, keys, found); err != nil {
		for _, k := range keys {
			found(k, []string{report.EffectWarning("", err)})
		}
	}
	out.Count()
}

// asksEffects reports whether the model of a fit asks for effects, or an earlier one asked for some that could not be
// computed.
func (r *runner) asksEffects(res *outcome.Result) bool {
	stored, _ := r.known.fit(res.Fingerprint)
	return slices.ContainsFunc(stored.Warnings, report.IsEffectWarning) ||
		slices.ContainsFunc(r.Pipeline.Models, func(m *spec.Model) bool { return m.Name == res.Model && len(m.Effects) > 0 })
}

// warnOfEffects replaces what the run reports of a fit's effects, and returns its verdict of the fit.
func (r *runner) warnOfEffects(res *outcome.Result, warnings []string) judge.Verdict {
	v := judge.Verdict{Grade: judge.Grade(res.Verdict), Reasons: res.Reasons}.Rewarn(report.IsEffectWarning, warnings)
	res.Verdict, res.Reasons = string(v.Grade), v.Reasons
	res.Warnings = append(slices.DeleteFunc(res.Warnings, report.IsEffectWarning), warnings...)
	for _, w := range warnings {
		r.Log.Warn("effect", "run", r.id, "fit", res.Name(), "err", w)
	}
	return v
}
