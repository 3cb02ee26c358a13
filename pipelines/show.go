package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/pending"
	"glmbatch/pipelines/internal/predict"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
	"glmbatch/report/judge"
)

// Look is a fit at a glance, Line one of its parameters, Limit one of its gates'.
type (
	Look  = report.Look
	Line  = report.Line
	Limit = judge.Limit
)

// IsStatistic reports whether a line is of a statistic of the draws, such as
// log_lik, and no parameter.
func IsStatistic(l *Line) bool { return l.Kind == "statistic" }

// IsHidden reports whether a line is of what no gate looks at: a local scale of a prior, of which there are as many as
// coefficients, or a parameter of a mixture's component as it was sampled.
func IsHidden(l *Line) bool { return l.Kind == infer.LocalScale || l.Kind == infer.Unsorted }

// IsLogPrior reports whether a line is of the log prior density, which is recorded and no gate looks at.
func IsLogPrior(l *Line) bool { return l.Name == "log_prior" && l.Kind == "statistic" }

// HasAtoms reports whether a line is of what may have one value in many draws, or in all: a missing cell, or whether a
// coefficient is in the model. Gates look at all of such a fit by their bulk where the tail has no effective size.
func HasAtoms(l *Line) bool { return l.Kind == infer.Imputed || l.Kind == infer.Inclusion }

// HasTrajectories reports whether the chains of a fit moved along trajectories, which may diverge.
func HasTrajectories(f *Look) bool { return spec.MethodNamed(f.Method).Hamiltonian }

// IsEffect reports whether a line is of a group-level effect, of which there are as many as levels, of a missing cell,
// or of a penalised coefficient of a smooth.
func IsEffect(l *Line) bool {
	return l.Kind == infer.GroupEffect || IsCell(l) || IsPenalised(l)
}

// IsCell reports whether a line is of a missing cell that was drawn.
func IsCell(l *Line) bool { return l.Kind == infer.Imputed }

// IsPenalised reports whether a line is of a penalised coefficient of a smooth.
func IsPenalised(l *Line) bool { return l.Kind == infer.SmoothEffect }

// RunInfo is a run and its state.
type RunInfo struct {
	report.RunInfo
	// State is finished, running, or killed: without an end, and without a process.
	State string `json:"state"`
	// Took is the seconds from start to end, until now if it is running; NaN if the end is not known.
	Took report.Number `json:"took_seconds"`
}

// The states of a run.
const (
	RunFinished = "finished"
	RunRunning  = "running"
	RunKilled   = "killed"
)

// Overview is the result of Show.
type Overview struct {
	Database string `json:"database"`
	// Run is the selected run, or the newest one by default; nil if fits were named.
	Run  *RunInfo `json:"night,omitempty"`
	Fits []Look   `json:"fits"`
	// Attention are fits of other runs that a person has to look at, where a run is shown.
	Attention []Attention `json:"attention,omitempty"`
	// Lines are the parameters and statistics of the fit, where it is one.
	Lines []Line `json:"-"`
}

// ShowOptions names what to show. The zero value is the newest run.
type ShowOptions struct {
	// Fit is the number of a fit, or a pattern of DATASET/MODEL/SAMPLER whose last
	// parts may be left out.
	Fit string
	// Run is the name of a run, its beginning or its end; it excludes Fit.
	Run string
	// Pipeline narrows fits and runs to those of one pipeline; empty: all.
	Pipeline string
}

// Show reads the fits that o names from the ledger at database, the worst first.
// The error is a *UsageError where there are none.
func Show(ctx context.Context, database string, o ShowOptions) (*Overview, error) {
	ledger, err := report.Open(database, report.Options{Later: true})
	if err != nil {
		return nil, lookError(err)
	}
	var out *Overview
	err = ledger.Reading(ctx, func() error {
		out, err = show(ctx, ledger, database, o)
		return err
	})
	return out, err
}

// show is Show of an open ledger.
func show(ctx context.Context, ledger *report.Ledger, database string, o ShowOptions) (out *Overview, err error) {
	out = &Overview{Database: ledger.Path()}
	switch id, notNumber := strconv.ParseInt(o.Fit, 10, 64); {
	case o.Fit != "" && o.Run != "":
		return nil, &UsageError{errors.New("name a fit or a run, not both")}
	case o.Fit == "":
		err = out.run(ctx, ledger, o)
	case notNumber == nil:
		out.Fits, err = ledger.Look(ctx, id)
	default:
		out.Fits, err = ledger.LookNewest(ctx, o.Pipeline,
			func(k report.Key) bool { return MatchFit(o.Fit, k.Dataset, k.Group, k.Model, k.Sampler) })
	}
	if err != nil {
		return nil, lookError(err)
	}
	if len(out.Fits) == 0 && o.Fit != "" {
		return nil, &UsageError{&predict.CallError{
			Err: words.Hint(fmt.Errorf("the ledger %s has no fit %q", database, o.Fit), nearFit(ctx, ledger, o)),
		}}
	}
	slices.SortStableFunc(out.Fits, func(a, b Look) int { return worse(&a, &b) })
	if len(out.Fits) == 1 && out.Fits[0].ID != 0 {
		out.Lines, err = ledger.Lines(ctx, out.Fits[0].ID)
	}
	return out, lookError(err)
}

// nearFit suggests fits for a name that no fit has, and explains how fits are named.
func nearFit(ctx context.Context, ledger *report.Ledger, o ShowOptions) string {
	name := o.Fit
	hint := "a fit is named by its number or as DATASET/MODEL/SAMPLER, with * for any run of characters; " +
		"pipeline show '*' lists them"
	keys, err := ledger.Names(ctx, o.Pipeline)
	if err != nil {
		return hint
	}
	parts := strings.Count(name, "/") + 1
	var names []string
	for _, k := range keys {
		known := strings.Split(k.String(), "/")
		names = append(names, strings.Join(known[:min(parts, len(known))], "/"))
	}
	if near := words.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return hint
}

// MatchFit reports whether a pattern names a fit: DATASET[/KEY]/MODEL/SAMPLER with *
// and ?, parts at the end left out or not; × is as good as a slash.
func MatchFit(pattern, dataset, key, model, sampler string) bool {
	pattern = strings.ReplaceAll(strings.ReplaceAll(pattern, " × ", "/"), "×", "/")
	names := []string{dataset + "/" + model + "/" + sampler}
	if key != "" {
		names = append(names, dataset+"/"+key+"/"+model+"/"+sampler)
	}
	return slices.ContainsFunc(names, func(name string) bool {
		return words.Match(pattern, name) || words.Match(strings.TrimSuffix(pattern, "/")+"/*", name)
	})
}

// run finds a run by the beginning or end of its name, or the newest one, and its fits.
func (s *Overview) run(ctx context.Context, ledger *report.Ledger, o ShowOptions) error {
	name := o.Run
	nights, err := nights(ctx, ledger, time.Time{}, 0)
	if err != nil {
		return err
	}
	nights = slices.DeleteFunc(nights,
		func(n RunInfo) bool {
			return o.Pipeline != "" && n.Pipeline != o.Pipeline ||
				!strings.HasPrefix(n.ID, name) && !strings.HasSuffix(n.ID, name)
		})
	switch {
	case len(nights) == 0 && name != "":
		return &UsageError{&predict.CallError{
			Err: words.Hint(fmt.Errorf("the ledger %s has no run %q", ledger.Path(), name), "pipeline runs lists them"),
		}}
	case len(nights) == 0:
		return &UsageError{&predict.CallError{
			Err: words.Hint(fmt.Errorf("the ledger %s has no run%s", ledger.Path(), ofPipeline(o.Pipeline)),
				"pipeline run makes one"),
		}}
	case name != "" && len(nights) > 1 && nights[0].ID != name:
		return &UsageError{fmt.Errorf("--run %s: %d runs are called like that; write more of the name", name, len(nights))}
	}
	s.Run = &nights[0]
	if s.Fits, err = ledger.LookRun(ctx, s.Run.ID); err != nil || name != "" {
		return err
	}
	s.Attention, err = ledger.NeedsAttention(ctx, o.Pipeline)
	s.Attention = slices.DeleteFunc(s.Attention, func(a Attention) bool { return a.RunID == s.Run.ID })
	return err
}

// ofPipeline names a pipeline in a message, if there is one.
func ofPipeline(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf(" of the pipeline %q", name)
}

// worse orders fits: errors, failures, what has no verdict, warnings, passes; and
// within these the larger R-hat first, fits without one before.
func worse(a, b *Look) int {
	order := map[judge.Grade]int{judge.ErrorGrade: 0, judge.Fail: 1, "": 2, judge.Warn: 3, judge.Pass: 4}
	nan := func(x report.Number) int {
		if x != x {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(order[a.Grade], order[b.Grade]), cmp.Compare(nan(a.RHat), nan(b.RHat)),
		cmp.Compare(b.RHat, a.RHat))
}

// RunsOptions narrows Runs. The zero value takes all.
type RunsOptions struct {
	Since    time.Time
	Limit    int    // newest runs; 0 for all
	Pipeline string // empty: all
}

// Runs lists the runs of the ledger at database, the newest first, including those that are running or were killed
// before the ledger recorded them. Without a ledger it returns a *UsageError, unless a first run is in progress.
func Runs(ctx context.Context, database string, o RunsOptions) ([]RunInfo, error) {
	ledger, err := report.Open(database, report.Options{Later: true})
	if err != nil {
		return nil, lookError(err)
	}
	limit := o.Limit
	if o.Pipeline != "" {
		limit = 0
	}
	all, err := nights(ctx, ledger, o.Since, limit)
	if err != nil {
		return nil, lookError(err)
	}
	all = slices.DeleteFunc(all, func(n RunInfo) bool { return o.Pipeline != "" && n.Pipeline != o.Pipeline })
	if o.Limit > 0 && len(all) > o.Limit {
		all = all[:o.Limit]
	}
	return all, nil
}

// nights are the runs of a ledger, after those that have only marks next to it: a run that ends after them removes
// these.
func nights(ctx context.Context, ledger *report.Ledger, since time.Time, limit int) ([]RunInfo, error) {
	marks, err := spool.Marks(spool.Root(ledger.Path()))
	if err != nil {
		return nil, err
	}
	told, err := ledger.Nights(ctx, since, limit)
	var missing *report.MissingError
	if err != nil && !(errors.As(err, &missing) && len(marks) > 0) {
		return nil, err
	}
	var out []RunInfo
	for _, m := range slices.Backward(marks) { // in the order of their names, which begin with the start
		left := markedRun(&m)
		known := slices.IndexFunc(told, func(n report.RunInfo) bool { return n.ID == m.Run })
		switch {
		case known < 0 && !m.Started.Before(since):
			out = append(out, RunInfo{RunInfo: left})
		case known >= 0 && told[known].Finished == nil:
			told[known].Finished, told[known].ExitCode = left.Finished, left.ExitCode
		}
	}
	for _, n := range told {
		out = append(out, RunInfo{RunInfo: n})
	}
	for i := range out {
		out[i].judge(marks, time.Now())
	}
	return out, nil
}

// markedRun is the run that a mark is of.
func markedRun(m *spool.Mark) report.RunInfo {
	r := pending.RecordOf(m)
	out := report.RunInfo{ID: r.ID, Pipeline: r.Pipeline, SpecHash: r.SpecHash, Started: r.Started.UTC(),
		Program: r.Program,
		Host:    r.Host["name"]}
	if r.SpecHash != "" { // else an older program's mark, which has a name and a start
		out.Seed = strconv.FormatUint(r.Seed, 10)
	}
	if !r.Finished.IsZero() {
		out.Finished, out.ExitCode = &r.Finished, &r.ExitCode
	}
	return out
}

// judge determines the state of a run.
func (n *RunInfo) judge(marks []spool.Mark, now time.Time) {
	alive := slices.ContainsFunc(marks, func(m spool.Mark) bool { return m.Run == n.ID && m.Alive })
	switch {
	case n.Finished != nil:
		n.State, n.Took = RunFinished, report.Number(n.Finished.Sub(n.Started).Seconds())
	case alive:
		n.State, n.Took = RunRunning, report.Number(now.Sub(n.Started).Seconds())
	default:
		n.State, n.Took = RunKilled, report.Number(math.NaN())
	}
}

// lookError marks errors of the call.
func lookError(err error) error {
	if IsUnusable(err) {
		return &UsageError{err}
	}
	return err
}

// Matches reports whether a name matches a pattern with * and ?, as in --only.
func Matches(pattern, name string) bool { return words.Match(pattern, name) }

// ScaleOf names the scale of the linear predictor of a fit.
func ScaleOf(f *Look) string {
	mean := "the mean"
	if (family.Family{Name: f.Family}).Support().Probability() {
		mean = "the probability"
	}
	l := family.LinkNamed(f.Link)
	if of := (family.Family{Name: f.Family, Link: f.Link}); of.Known() {
		l = of.Of()
	}
	switch {
	case f.Link == "":
		return "the linear predictor"
	case l != nil && l.Scale != "":
		return l.Scale
	case l != nil && l.Linear():
		return mean
	}
	return "the " + f.Link + " of " + mean
}
