package outcome

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/exit"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/progress"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/report"
)

// Version is the version of the JSON form of an Outcome. Fields may be
// added under one version, and none is removed or changes its meaning.
const Version = 1

// Outcome is the result of a run. Its JSON form is described by
// docs/outcome.schema.json.
type Outcome struct {
	Version  int       `json:"version"`
	RunID    string    `json:"run"`
	Pipeline string    `json:"pipeline"`
	Database string    `json:"database"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished"`
	ExitCode int       `json:"exit_code"`
	DryRun   bool      `json:"dry_run,omitempty"`
	// Counts are the numbers of fits by verdict, those without one under what
	// the run did about them.
	Counts map[string]int `json:"counts"`
	Fits   []*Result      `json:"fits"`
	// Shard is the shard that was run, from 0; nil for a run that is not divided.
	Shard *int `json:"shard,omitempty"`
	// Redone is why an earlier fragment of the shard was not taken.
	Redone string `json:"redone,omitempty"`
	// Missing names shards that were not gathered, and planned fits without data, each with its reason.
	Missing []string `json:"missing,omitempty"`
	// Unrecorded is the reason why the end of the run is not in the ledger; empty
	// if it is.
	Unrecorded string `json:"unrecorded,omitempty"`
	// Published is where a copy of the ledger was put; Unpublished is why it could
	// not be, where the spec asks for it.
	Published   string `json:"published,omitempty"`
	Unpublished string `json:"unpublished,omitempty"`
	// Reported is where a page about the run was put; Unreported is why it could not
	// be, where the spec asks for it.
	Reported   string `json:"reported,omitempty"`
	Unreported string `json:"unreported,omitempty"`
}

// Deliver puts a copy of the ledger and a page about the run at the paths of the spec,
// if all that was drawn is in the ledger: a run that was stopped, or left something
// uncommitted, delivers nothing, and one that had no fits writes no page.
func (o *Outcome) Deliver(ctx context.Context, ledger *report.Ledger, copyTo, pageTo string) {
	if o.ExitCode != exit.Pass && o.ExitCode != exit.Fail {
		return
	}
	told := func(to string, err error, done, not *string) {
		switch {
		case err == nil:
			*done = to
		case ctx.Err() != nil:
			*not, o.ExitCode = err.Error(), exit.Interrupted
		default:
			*not = err.Error()
			o.undelivered(err)
		}
	}
	if copyTo != "" {
		told(copyTo, ledger.Publish(ctx, copyTo), &o.Published, &o.Unpublished)
	}
	if pageTo != "" && len(o.Fits) > 0 {
		told(pageTo, ledger.SavePage(ctx, pageTo, report.PageOptions{Run: o.RunID}), &o.Reported, &o.Unreported)
	}
}

// Complete fills what follows from the fits, and the version. The exit code of a run that was stopped says so
// whatever became of its fits.
func (o *Outcome) Complete(stopped bool) {
	o.Version, o.ExitCode = Version, exitCode(o.Fits)
	if stopped {
		o.ExitCode = exit.Interrupted
	}
	if o.Fits == nil {
		o.Fits = []*Result{}
	}
	o.Count()
}

// Count counts the fits by verdict.
func (o *Outcome) Count() {
	o.Counts = map[string]int{}
	for _, f := range o.Fits {
		state := f.Verdict
		if state == "" {
			state = f.Action
		}
		o.Counts[state]++
	}
}

// exitCode sums the results up: an interruption outweighs a damaged ledger, that what is
// uncommitted, and that a failure.
func exitCode(fits []*Result) int {
	code, unusable := exit.Pass, false
	for _, f := range fits {
		switch {
		case f.Action == Interrupted:
			return exit.Interrupted
		case report.IsUnusable(f.Err):
			unusable = true
		case f.Action == Uncommitted:
			code = max(code, exit.Uncommitted)
		case f.Action == Planned:
			// it has no verdict yet
		case f.Verdict == "fail" || f.Verdict == "error":
			code = max(code, exit.Fail)
		}
	}
	if unusable {
		return exit.Usage
	}
	return code
}

// Lack adds the planned fits without data to Missing. If anything is missing, the exit code is at least 3.
func (o *Outcome) Lack() {
	for _, f := range o.Fits {
		if f.LacksData {
			why, _, _ := strings.Cut(strings.Join(f.Reasons, "; "), "\n")
			o.Missing = append(o.Missing, f.Name()+": "+why)
		}
	}
	if len(o.Missing) > 0 && (o.ExitCode == exit.Pass || o.ExitCode == exit.Fail) {
		o.ExitCode = exit.Uncommitted
	}
}

// Erred reports whether a fit erred.
func (o *Outcome) Erred() bool {
	return slices.ContainsFunc(o.Fits, func(f *Result) bool { return f.Action == Errored })
}

// Unrecord notes that the end of the run is not in the ledger, for err.
func (o *Outcome) Unrecord(err error) {
	o.Unrecorded = err.Error()
	o.undelivered(err)
}

// undelivered takes into the exit code that something did not come to the ledger, its copy
// or its page for err: 3, or 2 if the ledger is damaged, which no later commit repairs.
func (o *Outcome) undelivered(err error) {
	switch {
	case o.ExitCode == exit.Interrupted:
	case report.IsUnusable(err):
		o.ExitCode = exit.Usage
	case o.ExitCode != exit.Usage:
		o.ExitCode = exit.Uncommitted
	}
}

// The ways in which a run can leave a fit.
const (
	Computed    = "computed"    // drawn now, or drawn on from a spool, and committed
	Skipped     = "skipped"     // complete already; its stored verdict counts
	Errored     = "error"       // could not be read, set up or drawn
	Uncommitted = "uncommitted" // drawn, but the ledger could not be written
	Interrupted = "interrupted" // the run was stopped; what was drawn is kept
	Committed   = "committed"   // drawn by an earlier run, loaded now
	Planned     = "planned"     // a dry run: it would be drawn, for the reasons given
)

// Result is the result of one fit of a run.
type Result struct {
	ID          int64         `json:"fit_id,omitempty"` // in the ledger
	Dataset     string        `json:"dataset"`
	Key         string        `json:"key,omitempty"`
	Model       string        `json:"model"`
	Sampler     string        `json:"sampler"`
	Replicate   int           `json:"replicate,omitempty"` // 2, 3, … of a repetition
	Method      string        `json:"method,omitempty"`
	Fingerprint string        `json:"fingerprint,omitempty"`
	Action      string        `json:"action"`
	Verdict     string        `json:"verdict,omitempty"` // pass, warn, fail or error
	Reasons     []string      `json:"reasons,omitempty"`
	Warnings    []string      `json:"warnings,omitempty"`
	Rows        int           `json:"rows,omitempty"`
	Columns     int           `json:"columns,omitempty"`
	Chains      int           `json:"chains,omitempty"`
	Warmup      int           `json:"warmup,omitempty"`  // iterations per chain
	Draws       int           `json:"draws,omitempty"`   // kept draws per chain
	Seconds     float64       `json:"seconds,omitempty"` // processor time: set-up, warm-up and sampling
	Times       Times         `json:"times,omitzero"`
	RHatMax     report.Number `json:"rhat_max,omitzero"`     // of the gated quantities of a fit that was drawn now
	ESSBulkMin  report.Number `json:"ess_bulk_min,omitzero"` // of its gated parameters
	Divergences int           `json:"divergences,omitempty"`
	// LacksData reports that planned data of the fit are missing.
	LacksData bool `json:"lacks_data,omitempty"`

	Discrete   bool               `json:"-"` // of a model of kind mrf: rows are variables, columns edges
	Size       string             `json:"-"` // how much a dry run would draw, as text
	Parameters []ParameterSummary `json:"-"` // but group-level effects and penalised coefficients of smooths
	Effects    int                `json:"-"` // group-level ones
	Penalised  int                `json:"-"`
	Stages     []progress.Stage   `json:"-"` // what was done when; none of fits that an earlier run drew
	Err        error              `json:"-"`
}

// Times are seconds of a fit that was drawn now: the first three processor time
// summed over chains, Wall by a clock on the wall.
type Times struct {
	Setup    float64 `json:"setup_seconds"`
	Warmup   float64 `json:"warmup_seconds"`
	Sampling float64 `json:"sampling_seconds"`
	Wall     float64 `json:"wall_seconds"`
}

// ParameterSummary is one row of a table of coefficients.
type ParameterSummary struct {
	Name string
	diag.Summary
}

// Name is the fit's name as people read it.
func (r *Result) Name() string {
	return plan.FitName(r.Dataset, r.Key, r.Model, r.Sampler, r.Replicate)
}

// Of is the empty result of a fit.
func Of(f *plan.Fit) *Result {
	res := &Result{Dataset: f.Unit.Dataset.Name, Key: f.Unit.Key, Model: f.Model.Name, Sampler: f.Sampler.Name,
		Discrete: f.Model.Discrete()}
	if f.Replicate > 1 {
		res.Replicate = f.Replicate
	}
	return res
}

// Describe fills a result from a judged fit.
func (r *Result) Describe(j *assess.Judged) {
	rec := j.Record
	r.Verdict, r.Reasons, r.Warnings = string(rec.Verdict.Grade), rec.Verdict.Reasons, rec.Warnings
	t := rec.Times
	r.Seconds = t.Setup + t.Warmup + t.Sampling
	r.Times = Times{t.Setup, t.Warmup, t.Sampling, t.Wall}
	r.Summarize(j.Parameters)
}

// Summarize adds the summaries of parameters; group-level effects and penalised coefficients are counted,
// missing cells left out.
func (r *Result) Summarize(parameters []report.ParameterSummary) {
	for _, p := range parameters {
		switch p.Kind {
		case infer.GroupEffect:
			r.Effects++
		case infer.SmoothEffect:
			r.Penalised++
		case infer.Imputed: // they are in the view imputed
		default:
			r.Parameters = append(r.Parameters, ParameterSummary{p.Name, p.Summary})
		}
	}
}

// DescribeChains adds what a fit with chains has.
func (r *Result) DescribeChains(j *assess.Judged) {
	rec := j.Record
	r.Chains, r.Warmup, r.Draws = rec.Chains, rec.Warmup, rec.Draws
	r.RHatMax, r.ESSBulkMin, r.Divergences = report.Number(j.RHatMax), report.Number(j.ESSBulkMin), j.Divergences
}

// Fail records an error and what it means for the fit.
func (r *Result) Fail(err error) {
	err = spool.Hint(err)
	r.Err, r.Reasons = err, []string{err.Error()}
	var busy *spool.BusyError
	var lack *plan.LackError
	r.LacksData = errors.As(err, &lack)
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		r.Action, r.Verdict, r.Reasons = Interrupted, "", nil
	case errors.As(err, &busy):
		r.Action, r.Verdict = Uncommitted, ""
	default:
		r.Action, r.Verdict = Errored, "error"
	}
}

// LeftToOther reports whether another run worked on the fit.
func (r *Result) LeftToOther() bool {
	var busy *spool.BusyError
	return r.Action == Uncommitted && errors.As(r.Err, &busy)
}

// Took writes the seconds of a fit with two decimals, those below a tenth with two digits: small fits take
// milliseconds.
func (r *Result) Took() string {
	decimals := 2
	if r.Seconds > 0 && r.Seconds < 0.095 {
		decimals = 1 - int(math.Floor(math.Log10(r.Seconds)))
	}
	return strconv.FormatFloat(r.Seconds, 'f', decimals, 64)
}

// Line is the line of a log or a terminal at the end of the fit.
func (r *Result) Line() string {
	switch r.Action {
	case Skipped:
		return fmt.Sprintf("%s: unchanged, skipped (%s)", r.Name(), r.Verdict)
	case Planned:
		return fmt.Sprintf("%s: would run: %s", r.Name(), strings.Join(r.Reasons, "; "))
	case Computed:
		if r.Chains == 0 {
			return fmt.Sprintf("%s: %s, %s in %s s", r.Name(), r.Verdict, r.Method, r.Took())
		}
		return fmt.Sprintf("%s: %s, %d × %d draws in %s s", r.Name(), r.Verdict, r.Chains, r.Draws, r.Took())
	case Interrupted:
		return fmt.Sprintf("%s: interrupted, what was drawn is kept", r.Name())
	}
	why := ""
	if len(r.Reasons) > 0 {
		why, _, _ = strings.Cut(r.Reasons[0], "\n")
	}
	return fmt.Sprintf("%s: %s: %s", r.Name(), r.Action, why)
}
