package run

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// Config is what a run needs besides the world.
type Config struct {
	Pipeline *spec.Pipeline
	Source   []byte // the spec's text, for the ledger
	Database string
	Workers  int   // at least 1
	Memory   int64 // bytes that the run may take; 0 for no limit
	Only     Selector
	Select   States // narrows the fits by what the ledger says of them
	Force    bool
	DryRun   bool   // say what would be done, and do nothing
	Build    string // identity of this program, for the ledger
	LockWait time.Duration
	Example  func(name string) ([]byte, error) // data that the program carries
	Tracker  *progress.Tracker
	Log      *slog.Logger
	Now      func() time.Time
	Disk     spool.Disk // where the spool is kept; tests give one that fails
	// Tamper, if not nil, takes the place of set-ups: tests plant faulty samplers.
	Tamper func(infer.Setup) infer.Setup
}

type runner struct {
	Config
	schedule schedule
	workers  workers
	flight   *semaphore.Weighted // bytes of the units in flight
	memory   memory
	air      *semaphore.Weighted // fits that are read, set up, drawn or judged
	ground   *semaphore.Weighted // files of fits that wait for their commit
	airborne atomic.Int64        // fits that have not come to their commit
	recalled atomic.Int64        // skipped fits whose summaries were read
	choice   choice
	known    *known                       // complete fits of the ledger
	before   map[report.Key]report.Stored // of a dry run
	earlier  earlierFits                  // of a run that starts from them
	ledger   *ledger
	started  time.Time
	id       string
	place    int // among the runs of the ledger
}

// workers is a counting semaphore over everything that computes.
type workers chan struct{}

func (w workers) acquire(ctx context.Context) error {
	select {
	case w <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w workers) release() { <-w }

// ErrNothingSelected says that no fit of the spec matches the selector.
var ErrNothingSelected = errors.New("no fit is selected")

// Run carries out a pipeline. It returns an error only where nothing could be
// done at all (the ledger cannot be read, nothing is selected); what went wrong
// with single fits is in the outcome.
func Run(ctx context.Context, c Config) (*Outcome, error) {
	defer frugal()()
	r := &runner{Config: c, schedule: scheduleOf(c.Pipeline.Run), workers: make(workers, c.Workers), started: c.Now(),
		memory: memory{c.Memory, c.Workers}, air: semaphore.NewWeighted(int64(inFlight * c.Workers)), ground: semaphore.NewWeighted(groundFiles)}
	r.flight = semaphore.NewWeighted(r.memory.flight())
	r.id, r.known = RunID(r.started), &known{database: c.Database}
	var err error
	if r.ledger, err = openLedger(ctx, r); err != nil {
		return nil, err
	}
	if !c.DryRun {
		mark := r.mark()
		defer mark.Clear()
	}
	r.Log.Info("run started", "run", r.id, "pipeline", c.Pipeline.Name, "database", c.Database, "seed", c.Pipeline.Seed, "workers", c.Workers, "build", c.Build)
	results, err := r.work(ctx)
	if err != nil {
		r.ledger.stop()
		return nil, err
	}
	out := &Outcome{
		RunID: r.id, Pipeline: c.Pipeline.Name, Database: c.Database, DryRun: c.DryRun,
		Started: r.started, Finished: c.Now(), Fits: results,
	}
	out.ExitCode = exitCode(results)
	out.complete()
	defer func() {
		r.Log.Info("run ended", "run", r.id, "pipeline", out.Pipeline, "exit_code", out.ExitCode, "counts", out.Counts, "unrecorded", out.Unrecorded)
	}()
	if ctx.Err() != nil {
		out.ExitCode = ExitInterrupted
	}
	if c.DryRun {
		r.ledger.stop()
		return out, nil
	}
	if err := r.ledger.close(context.WithoutCancel(ctx), out); err != nil {
		out.Unrecorded = err.Error()
		out.ExitCode = max(out.ExitCode, ExitUncommitted)
	}
	out.deliver(ctx, r.ledger.file, c.Pipeline.Publish, c.Pipeline.Report)
	return out, nil
}

// mark lets others see that the run goes on, before the ledger has a row of it,
// and that it was killed. Where it cannot be set they see the ledger's row alone.
func (r *runner) mark() *spool.Mark {
	m := &spool.Mark{Run: r.id, Pipeline: r.Pipeline.Name, Started: r.started}
	if err := m.Set(spool.Root(r.Database)); err != nil {
		r.Log.Info("the run cannot be marked as going on", "run", r.id, "err", err.Error())
	}
	return m
}

// work asks the ledger what is known and carries out the fits that are chosen.
// A choice by state may be empty: then there is nothing to do, and no error.
func (r *runner) work(ctx context.Context) (results []*Result, err error) {
	if err := r.known.read(ctx, r.ledger.file); err != nil {
		return nil, err
	}
	if r.place, err = r.ledger.file.NextPlace(ctx); err != nil {
		return nil, err
	}
	if r.Pipeline.Run.Start == startPrevious {
		if r.earlier, err = r.earlierFits(ctx); err != nil {
			return nil, err
		}
	}
	if r.choice, err = r.choose(ctx); err != nil {
		return nil, err
	}
	if r.DryRun {
		if r.before, err = r.ledger.file.Predecessors(ctx); err != nil {
			return nil, err
		}
	}
	results, err = r.all(ctx)
	if err == nil && len(results) == 0 && ctx.Err() == nil && r.Select.empty() {
		err = ErrNothingSelected
	}
	return results, err
}

func scheduleOf(r spec.Run) schedule {
	if r.Fixed() {
		return schedule{fixedWarmup: r.Warmup, fixedDraws: r.Draws}
	}
	return schedule{first: r.First, max: r.MaxDraws}
}

// all reads the data sets in order and fits their units side by side. Results
// stand in the order of the spec, whenever they arrive.
func (r *runner) all(ctx context.Context) ([]*Result, error) {
	var g errgroup.Group
	var results []*Result
	for _, ds := range r.Pipeline.Datasets {
		if !r.choice.dataset(ds.Name, ds.Each != "" || len(ds.By) > 0) {
			continue
		}
		if len(r.models(ds.Name)) == 0 {
			continue
		}
		err := r.read(ctx, ds, func(u *unit) error {
			if u.err == nil || u.key == "" || r.choice.unit(ds.Name, u.key) {
				results = r.launch(ctx, &g, u, results)
			}
			return ctx.Err()
		})
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, errors.Join(err, g.Wait())
		}
	}
	_ = g.Wait() // always nil: errors live in the results
	return results, nil
}

// inFlight is the number of fits per worker that may be under way before they
// wait for their commit, and flightBytes bounds the tables and designs that they
// hold, where there is no limit of memory; a larger one flies alone. groundFiles bounds the open files of fits that
// wait, whose units have at most smallUnit bytes: the more of them are stored
// together, the less each costs.
const (
	inFlight    = 4
	flightBytes = 4 << 30
	groundFiles = 400
	smallUnit   = 2 << 20
)

// launch starts the unit's selected fits. It waits until there is room for
// them, and returns early only when ctx ends.
func (r *runner) launch(ctx context.Context, g *errgroup.Group, u *unit, results []*Result) []*Result {
	var jobs []*job
	for _, ref := range r.Pipeline.Fits() {
		if ref.Dataset == u.dataset && r.choice.fit(u.dataset.Name, u.key, ref.Model.Name, ref.Sampler.Name) {
			for k := range r.Pipeline.Run.Replicates {
				jobs = append(jobs, &job{unit: u, model: ref.Model, sampler: ref.Sampler, gates: ref.Gates, timeout: ref.Timeout, replicate: k + 1})
			}
		}
	}
	r.Tracker.Expect(len(jobs))
	weight := r.weight(u, len(jobs))
	if len(jobs) == 0 || r.flight.Acquire(ctx, weight) != nil {
		return results
	}
	var left atomic.Int64
	left.Store(int64(len(jobs)))
	for _, j := range jobs {
		slot := &Result{}
		results = append(results, slot)
		r.depart(ctx, j)
		g.Go(func() error {
			*slot = *r.fit(ctx, j)
			j.leave()
			if left.Add(-1) == 0 {
				r.flight.Release(weight)
			}
			return nil
		})
	}
	return results
}

// weight is the memory of a unit and of its fits.
func (r *runner) weight(u *unit, fits int) int64 {
	if u.data != nil {
		return min(r.memory.flight(), u.bytes()*int64(1+fits))
	}
	if u.table == nil {
		return 0
	}
	return r.memory.unit(u.table.Bytes(), u.table.Data.NumRows(), u.table.Data.NumCols(), fits, r.Pipeline.Run.Chains)
}

// depart waits for room in the air. Those that are there come down when ctx ends.
func (r *runner) depart(ctx context.Context, j *job) {
	_ = r.air.Acquire(context.WithoutCancel(ctx), 1)
	r.airborne.Add(1)
	j.descend = sync.OnceFunc(func() {
		if r.airborne.Add(-1) == 0 {
			select {
			case r.ledger.down <- struct{}{}:
			default: // it is told already
			}
		}
	})
	j.leave = sync.OnceFunc(func() {
		j.descend()
		r.air.Release(1)
	})
}

// models lists the selected models of a data set.
func (r *runner) models(dataset string) []*spec.Model {
	var out []*spec.Model
	for _, ref := range r.Pipeline.Fits() {
		if ref.Dataset.Name == dataset && r.choice.model(dataset, ref.Model.Name, ref.Sampler.Name) {
			out = append(out, ref.Model)
		}
	}
	return out
}

// ended closes a fit's accounts: the ledger's note of a failure, the log, the
// line that people see.
func (r *runner) ended(f *fitting, p *progress.Fit, res *Result) {
	log := r.Log.With("run", r.id, "fit", res.Name(), "fingerprint", res.Fingerprint)
	if res.ID != 0 {
		log = log.With("fit_id", res.ID)
	}
	if res.Action == Errored {
		if !r.DryRun {
			r.erred(f, res)
		}
		log.Error("fit", "action", res.Action, "err", res.Err.Error())
	} else {
		log.Info("fit", "action", res.Action, "verdict", res.Verdict, "reasons", res.Reasons, "seconds", res.Seconds)
	}
	outcome := res.Verdict
	if res.Action != Computed && res.Action != Errored {
		outcome = res.Action
	}
	r.Tracker.End(p, outcome, res.line())
}
