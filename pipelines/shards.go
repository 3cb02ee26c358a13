package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"strings"
	"time"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/memlimit"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/run"
	"glmbatch/pipelines/internal/shard"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
)

// AgainError is work that did not come to its end, and may when it is tried again: exit code 3.
type AgainError struct{ Err error }

func (e *AgainError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *AgainError) Unwrap() error { return e.Err }

// again marks an error unless the call is wrong.
func again(err error) error {
	if _, usage := errors.AsType[*UsageError](err); err == nil || usage {
		return err
	}
	return &AgainError{err}
}

// PlanOptions configures PlanNight.
type PlanOptions struct {
	Overrides
	Only     []string
	Shards   int      // besides those of Alone
	Alone    []string // selectors, each of fits that have a shard of their own
	To       string   // the folder of the plan, which all machines see
	LockWait time.Duration
}

// NightPlan says what was planned.
type NightPlan struct {
	Run    string `json:"run"`
	Dir    string `json:"dir"`
	Fits   int    `json:"fits"`
	Shards []int  `json:"shards"` // fits of each
	// Advice is a better plan; empty if there is none.
	Advice string `json:"advice,omitempty"`
}

// PlanNight freezes what a run of target would draw, for machines that share it. A call that is repeated finds its
// plan.
func PlanNight(ctx context.Context, target string, o PlanOptions) (*NightPlan, error) {
	if o.Shards < 1 || o.To == "" {
		return nil, &UsageError{errors.New("a plan needs --shards, at least 1, and the folder --to")}
	}
	only, err := plan.ParseSelector(o.Only)
	if err != nil {
		return nil, &UsageError{err}
	}
	night, p, err := freeze(target, o)
	if err != nil {
		return nil, err
	}
	if there, err := night.Planned(o.To); err != nil {
		return nil, &UsageError{err}
	} else if there != nil {
		return planned(there, o.To), nil
	}
	if err := count(ctx, night, p, only); err != nil {
		return nil, err
	}
	for i, term := range o.Alone {
		if night.Fits[o.Shards+i] == 0 {
			return nil, &UsageError{fmt.Errorf("--alone %q: no fit of the plan is called so, or an earlier one has it", term)}
		}
	}
	if night.Total() == 0 {
		return nil, &UsageError{only.NothingSelected(p, plan.ErrNothingSelected)}
	}
	ledger, err := report.Open(p.Database, report.Options{LockWait: o.LockWait})
	if err == nil {
		err = ledger.Empty()
	}
	if err == nil {
		err = ledger.Whole(ctx)
	}
	if err == nil {
		err = shard.Folders(o.To)
	}
	if err == nil {
		err = night.SaveBase(ctx, o.To, ledger, p)
	}
	if err == nil {
		err = night.Save(o.To)
	}
	if err != nil {
		return nil, err
	}
	return planned(night, o.To), nil
}

// freeze reads a spec and notes all that it was read from.
func freeze(target string, o PlanOptions) (*shard.Plan, *spec.Pipeline, error) {
	now, env := time.Now(), map[string]string{}
	lookup := o.Trust.lookup()
	p, src, err := loadWith(target, o.Overrides, spec.Options{Today: now, Profile: o.Profile, Vars: o.Vars,
		Env: func(name string) (string, bool) {
			value, ok := lookup(name)
			if ok {
				env[name] = value
			}
			return value, ok
		}})
	if err != nil {
		return nil, nil, err
	}
	night := &shard.Plan{Build: Version().String(), Target: target, Spec: string(src), Profile: o.Profile,
		Vars: maps.Clone(o.Vars), Env: env, Seed: o.Seed, Today: now, Only: o.Only, Alone: o.Alone, Within: p.Within,
		DatabaseGiven: o.Database != "", Run: run.RunID(now), Started: now.UTC(), Fits: make([]int, o.Shards+len(o.Alone))}
	night.Dir, err = filepath.Abs(p.Dir)
	if err == nil {
		night.Database, err = filepath.Abs(p.Database)
	}
	return night, p, err
}

// count lists the units of which fits are planned, and counts the fits of each shard. Data that cannot be read are a
// *UsageError that names all of them.
func count(ctx context.Context, night *shard.Plan, p *spec.Pipeline, only plan.Selector) error {
	division, err := night.Division()
	if err != nil {
		return &UsageError{err}
	}
	var faults []error
	reader := &plan.Reader{Pipeline: p, Choice: plan.Choice{Selector: only}, Example: example, NamesOnly: true}
	err = reader.Units(ctx, func(u *plan.Unit) error {
		defer u.Close()
		fits := plan.Fits(p, reader.Choice, u)
		if len(fits) == 0 {
			return ctx.Err()
		}
		entry, err := u.Entry()
		if err != nil {
			faults = append(faults, err)
			return ctx.Err()
		}
		night.Entries = append(night.Entries, entry)
		for _, f := range fits {
			night.Fits[division.Of(entry.Dataset, entry.Key, f.Model.Name)]++
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return unreadable(faults)
}

// unreadable is the error of a plan whose data cannot be read; nil if they can.
func unreadable(faults []error) error {
	if len(faults) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("nothing was planned: these data cannot be read")
	for _, err := range faults[:min(len(faults), maxRefusals)] {
		fmt.Fprintf(&b, "\n  %s", words.Indent(err.Error()))
	}
	if more := len(faults) - maxRefusals; more > 0 {
		fmt.Fprintf(&b, "\n  … and %d more like these", more)
	}
	return &UsageError{words.Hint(errors.New(b.String()), "fix these data, or plan the others with --only dataset=NAME")}
}

func planned(night *shard.Plan, dir string) *NightPlan {
	out := &NightPlan{Run: night.Run, Dir: dir, Fits: night.Total(), Shards: night.Fits}
	if n := out.Fits / shard.FewFits; night.Shards()-len(night.Alone) > max(n, 1) {
		out.Advice = fmt.Sprintf("a shard costs as much as some %d small fits: with %d fits a plan wants no more shards "+
			"than %d, unless fits take minutes", shard.FewFits, out.Fits, max(n, 1))
	}
	return out
}

// thaw reads the plan of a folder and its spec as it was when that was made.
func thaw(dir string) (*shard.Plan, *spec.Pipeline, plan.Selector, error) {
	none := plan.Selector{}
	night, err := shard.Load(dir)
	if err != nil {
		return nil, nil, none, &UsageError{err}
	}
	if build := Version().String(); night.Build != build {
		return nil, nil, none, &UsageError{words.Hint(fmt.Errorf("%s was planned by %s, and this is %s", dir, night.Build,
			build), "all machines of a run need the same program")}
	}
	only, err := plan.ParseSelector(night.Only)
	if err != nil {
		return nil, nil, none, &UsageError{err}
	}
	p, err := spec.Parse(night.Target, []byte(night.Spec), spec.Options{Dir: night.Dir, Today: night.Today,
		Profile: night.Profile, Vars: night.Vars,
		Env: func(name string) (string, bool) {
			value, ok := night.Env[name]
			return value, ok
		}})
	if err == nil && night.Within != nil {
		err = (&Trust{Folders: night.Within}).fence(p, night.Target, night.DatabaseGiven)
	}
	if err != nil {
		return nil, nil, none, &UsageError{err}
	}
	if night.Seed != nil {
		p.Seed = *night.Seed
	}
	p.Run.Memory = cmp.Or(p.Run.Memory, spec.Bytes(memlimit.Default()))
	p.Database = night.Database
	if night.DatabaseGiven {
		p.Publish, p.Report = "", ""
	}
	return night, p, only, nil
}

// progressEvery is the time between two tellings of how far a shard is.
const progressEvery = 3 * time.Second

// RunShard runs a shard of the plan in dir, in a folder below scratch, or in the temporary folder if scratch is empty.
// It does not run a shard whose fragment is sound and has no error. The exit code is 3 if planned data are missing.
// Errors other than *UsageError are *AgainError.
func RunShard(ctx context.Context, dir string, i int, scratch string, o RunOptions) (*Outcome, error) {
	night, p, only, err := thaw(dir)
	if err != nil {
		return nil, err
	}
	if i < 0 || i >= night.Shards() {
		return nil, &UsageError{fmt.Errorf("shard %d: the plan has the shards 0 to %d", i, night.Shards()-1)}
	}
	manifest, err := night.Manifest(p, only)
	if err != nil {
		return nil, &UsageError{err}
	}
	division, err := night.Division()
	if err != nil {
		return nil, &UsageError{err}
	}
	earlier, err := manifest.Earlier(ctx, dir, i)
	if earlier.Done != nil || err != nil {
		return earlier.Done, again(err)
	}
	work, err := night.Begin(scratch, i)
	if err != nil {
		return nil, again(err)
	}
	err = night.Furnish(ctx, dir, i, work, earlier)
	if report.IsUnusable(err) { // what a killed machine has left; where it is the base, it is so again
		if err = work.Empty(); err == nil {
			err = night.Furnish(ctx, dir, i, work, earlier)
		}
	}
	if err != nil {
		return nil, again(errors.Join(err, work.Close()))
	}
	if o.Log != nil && earlier.Redone != "" {
		o.Log.Warn("shard", "run", night.Run, "shard", i, "action", "redone", "err", earlier.Redone)
	}
	p.Database, p.Publish, p.Report = work.Database(), "", ""
	o.sharded = &run.Sharded{ID: night.Run, Started: night.Started, Place: night.Place,
		Share: plan.Share{Index: i, Of: division, Planned: plan.NewManifest(night.Entries)}}
	o.watch = func(t *progress.Tracker) func() { return night.WriteProgress(dir, i, work, t, progressEvery) }
	out, err := o.fit(ctx, p, []byte(night.Spec), only, run.States{})
	if err == nil && out.ExitCode == ExitUsage { // its own ledger is damaged: begin again without
		out.ExitCode, err = ExitUncommitted, work.Empty()
	}
	if err != nil || out.ExitCode != ExitPass && out.ExitCode != ExitFail {
		return out, again(errors.Join(err, work.Close()))
	}
	out.Shard, out.Redone = &i, earlier.Redone
	out.Lack()
	return out, again(night.Finish(ctx, dir, i, work, out))
}

// GatherOptions configures Gather.
type GatherOptions struct {
	Database string // instead of the plan's; nothing is published then
	Partial  bool   // gather the shards that are present
	// Draws is where draws go: DrawsLedger, or DrawsParquet. Empty means DrawsLedger.
	Draws    string
	Memory   string // as in "2GB"; empty: the spec's, or a share of the machine's
	LockWait time.Duration
	Log      *slog.Logger // nil: none
}

// Where Gather puts draws.
const (
	DrawsLedger  = "ledger"
	DrawsParquet = "parquet" // files next to the ledger, one a shard
)

// Gather loads what the shards of the plan in dir left into the ledger, and publishes it as Run does.
func Gather(ctx context.Context, dir string, o GatherOptions) (*Outcome, error) {
	if o.Draws != "" && o.Draws != DrawsLedger && o.Draws != DrawsParquet {
		return nil, &UsageError{fmt.Errorf("draws go to %s or %s, and not to %q", DrawsLedger, DrawsParquet, o.Draws)}
	}
	night, p, only, err := thaw(dir)
	if err != nil {
		return nil, err
	}
	manifest, err := night.Manifest(p, only)
	if err != nil {
		return nil, &UsageError{err}
	}
	if err := boundMemory(p, o.Memory); err != nil {
		return nil, err
	}
	defer bound(int64(p.Run.Memory))()
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Database != "" {
		p.Publish, p.Report = "", ""
		if p.Database, err = filepath.Abs(o.Database); err != nil {
			return nil, err
		}
	}
	ledger, err := report.Open(p.Database, report.Options{LockWait: o.LockWait, Private: len(p.Vars) > 0, Restore: true,
		Later: true, DrawsOutside: o.Draws == DrawsParquet, MemoryLimit: plan.MemoryOf(p).Engine()})
	if err == nil {
		err = ledger.Empty()
	}
	if err == nil {
		err = ledger.Whole(ctx)
	}
	if err != nil {
		return nil, err
	}
	o.Log.Info("gather started", "run", night.Run, "pipeline", p.Name, "database", p.Database, "shards", night.Shards(),
		"build", night.Build)
	out, err := night.Gather(ctx, dir, shard.Gathering{Spec: p, Manifest: manifest, Ledger: ledger, Partial: o.Partial,
		Log: o.Log,
		Run: run.Record(p, []byte(night.Spec), night.Build, run.Sharded{ID: night.Run, Started: night.Started,
			Place: night.Place})})
	if _, missing := errors.AsType[*shard.MissingError](err); missing {
		err = &AgainError{err}
	}
	if err != nil {
		o.Log.Error("gather", "run", night.Run, "err", err.Error())
		return nil, err
	}
	o.Log.Info("run ended", "run", night.Run, "pipeline", out.Pipeline, "exit_code", out.ExitCode, "counts", out.Counts,
		"missing", out.Missing, "unrecorded", out.Unrecorded)
	return out, nil
}

// ShardOf is the shard that the environment of a cluster's job names, for calls without --shard.
func ShardOf(getenv func(string) string) (text string) {
	for _, name := range []string{"SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX", "AWS_BATCH_JOB_ARRAY_INDEX"} {
		if text = getenv(name); text != "" {
			return text
		}
	}
	return ""
}
