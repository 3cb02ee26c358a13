package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/memlimit"
	"glmbatch/pipelines/internal/outcome"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predict"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/run"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// The result of a run, and its exit codes.
type (
	Outcome  = outcome.Outcome
	Result   = outcome.Result
	Problems = spec.Problems
)

// The exit codes of a run.
const (
	ExitPass        = exit.Pass
	ExitFail        = exit.Fail
	ExitUsage       = exit.Usage
	ExitUncommitted = exit.Uncommitted
	ExitInterrupted = exit.Interrupted
)

// The action of a run for a fit.
const (
	Computed    = outcome.Computed
	Skipped     = outcome.Skipped
	Uncommitted = outcome.Uncommitted
	Interrupted = outcome.Interrupted
	Committed   = outcome.Committed
	Planned     = outcome.Planned
)

// UsageError is a call that cannot be carried out as it was written: exit code 2.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *UsageError) Unwrap() error { return e.Err }

// Overrides are the changes that a call makes to a spec.
type Overrides struct {
	Database string            // empty: the spec's; relative to the working directory
	Profile  string            // empty: none
	Vars     map[string]string // by name
	Seed     *uint64           // nil: the spec's
	// Trust bounds what the spec may reach. Nil: everything.
	Trust *Trust
}

// RunOptions configures Run. The zero value runs quietly on all processors.
type RunOptions struct {
	Overrides
	Workers  int      // 0: the spec's, or one per processor
	Memory   string   // as in "2GB"; empty: the spec's, or a share of the machine's
	Only     []string // terms FIELD=PATTERN, see --only
	Select   []string // terms "state:error", see --select
	Retry    bool     // what failed or erred in the pipeline's last run; excludes Select
	Force    bool     // compute complete fits again
	DryRun   bool     // say what would be drawn and why: nothing is drawn or stored
	LockWait time.Duration
	// Progress receives a line per ended fit, and, if Live, a picture that is
	// redrawn, Width columns wide. Nil means no progress.
	Progress io.Writer
	Live     bool
	Width    func() int
	Log      *slog.Logger // nil: none

	disk    spool.Disk                     // tests keep draws on it from the first block on
	sharded *run.Sharded                   // of a shard; nil of others
	watch   func(*progress.Tracker) func() // of a shard: follows it until it is called
}

// Run carries out the pipeline that target names: a file, or a shipped
// pipeline. The error is a *UsageError where the spec or the call is wrong, and
// any other where nothing could be done; what went wrong with single fits is in
// the outcome.
func Run(ctx context.Context, target string, o RunOptions) (*Outcome, error) {
	only, err := plan.ParseSelector(o.Only)
	if err != nil {
		return nil, &UsageError{err}
	}
	states, err := run.ParseStates(o.Select)
	if err != nil {
		return nil, &UsageError{err}
	}
	if o.Retry {
		states = run.FailedLast()
	}
	p, src, err := load(target, o.Overrides)
	if err != nil {
		return nil, err
	}
	return o.fit(ctx, p, src, only, states)
}

// fit carries out a pipeline that is read and checked.
func (o RunOptions) fit(ctx context.Context, p *spec.Pipeline, src []byte, only plan.Selector,
	states run.States) (out *Outcome, err error) {
	if o.Workers < 0 {
		return nil, &UsageError{fmt.Errorf("--workers %d: there must be at least 1", o.Workers)}
	}
	p.Run.Workers = cmp.Or(o.Workers, p.Run.Workers, runtime.GOMAXPROCS(0))
	if err := boundMemory(p, o.Memory); err != nil {
		return nil, err
	}
	defer bound(int64(p.Run.Memory))()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	tracker := progress.New(time.Now)
	if o.watch != nil {
		defer o.watch(tracker)()
	}
	if o.Progress != nil {
		tick, stopTicker := progress.Ticker()
		defer stopTicker()
		stop := progress.Display(o.Progress, tracker, o.Live, o.Width, tick)
		defer stop()
	}
	out, err = run.Run(ctx, run.Config{
		Pipeline: p, Source: src, Database: p.Database, Workers: p.Run.Workers, Only: only, Select: states,
		Force: o.Force, DryRun: o.DryRun, Sharded: o.sharded,
		Build: Version().String(), LockWait: o.LockWait, Example: example,
		Tracker: tracker, Log: o.Log, Now: time.Now, Disk: o.disk,
		Effects: func(ctx context.Context, id string, fits []report.Key,
			found func(report.Key, []string) report.Verdict) error {
			return predict.Store(ctx, predict.Config{Pipeline: p, Database: p.Database, Workers: p.Run.Workers,
				Memory: plan.MemoryOf(p), LockWait: o.LockWait, Example: example, Notes: io.Discard}, fits,
				predict.Storing{RunID: id, Found: found})
		},
	})
	if errors.Is(err, plan.ErrNothingSelected) {
		return nil, nothingSelected(p, only, o.Only)
	}
	return out, err
}

// boundMemory sets the memory that a call names; the spec's if that is empty.
func boundMemory(p *spec.Pipeline, text string) (err error) {
	if text == "" {
		return nil
	}
	if p.Run.Memory, err = spec.ParseBytes(text); err != nil {
		return &UsageError{fmt.Errorf("--memory: %w", err)}
	}
	return nil
}

// nothingSelected is the error of a call without fits; terms are those of --only.
func nothingSelected(p *spec.Pipeline, only plan.Selector, terms []string) error {
	if len(terms) == 0 {
		return &UsageError{words.Hint(errors.New("there is no fit: no data set of the spec has rows"),
			"see whether the files that it names are those that you mean")}
	}
	err := fmt.Errorf("--only %s: %w", strings.Join(terms, " --only "), plan.ErrNothingSelected)
	return &UsageError{only.NothingSelected(p, err)}
}

// bound has the collector of garbage keep to a limit, until restore. A quarter is
// the engine's.
func bound(memory int64) (restore func()) {
	old := debug.SetMemoryLimit(-1)
	if memory == 0 || memory-memory/4 > old { // GOMEMLIMIT
		return func() {}
	}
	debug.SetMemoryLimit(memory - memory/4)
	return func() { debug.SetMemoryLimit(old) }
}

// load reads and checks the spec that target names.
func load(target string, o Overrides) (*spec.Pipeline, []byte, error) {
	return loadWith(target, o, spec.Options{Env: o.Trust.lookup(), Today: time.Now(), Profile: o.Profile, Vars: o.Vars})
}

func loadWith(target string, o Overrides, options spec.Options) (*spec.Pipeline, []byte, error) {
	src, err := os.ReadFile(target)
	var p *spec.Pipeline
	switch {
	case err == nil && slices.Contains(dataSuffixes, strings.ToLower(filepath.Ext(target))):
		err = words.Hint(fmt.Errorf("%s is data, and a spec is wanted", target),
			"pipeline init "+target+" writes a spec for it")
	case err == nil:
		p, err = spec.Load(target, options)
	case errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR): // a folder of that name is no spec
		if src, err = Source(target); err != nil {
			return nil, nil, &UsageError{unknown(target)}
		}
		if options.Dir, err = os.Getwd(); err != nil {
			return nil, nil, err
		}
		p, err = spec.Parse(target+".yaml", src, options)
	}
	if err == nil {
		err = o.Trust.fence(p, target, o.Database != "")
	}
	if err != nil {
		return nil, nil, &UsageError{err}
	}
	if o.Seed != nil {
		p.Seed = *o.Seed
	}
	p.Run.Memory = cmp.Or(p.Run.Memory, spec.Bytes(memlimit.Default()))
	if o.Database != "" {
		p.Database, err = filepath.Abs(o.Database)
		p.Publish, p.Report = "", "" // the spec is for its own ledger
	}
	return p, src, err
}

// dataSuffixes are how files of data are called.
var dataSuffixes = []string{".csv", ".tsv", ".parquet"}

func unknown(target string) error {
	for _, suffix := range []string{".yaml", ".yml"} {
		if info, err := os.Stat(target + suffix); err == nil && info.Mode().IsRegular() {
			return words.Hint(fmt.Errorf("there is no file %q, and no shipped pipeline of that name", target),
				fmt.Sprintf("did you mean %q?", target+suffix))
		}
	}
	return words.Hint(fmt.Errorf("there is no file %q, and no shipped pipeline of that name", target), NearShipped(target))
}
