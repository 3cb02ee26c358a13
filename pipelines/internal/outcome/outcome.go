package outcome

import (
	"context"
	"time"

	"glmbatch/pipelines/internal/exit"
	"glmbatch/report"
)

// Version is the version of the JSON form of an Outcome. Fields may be
// added under one version, and none is removed or changes its meaning.
const Version = 1

// Outcome is what a run leaves. Its JSON form is described by
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
	// Unrecorded is why the ledger could not be told how the run ended; empty
	// if it was.
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

// Deliver puts a copy of the ledger and a page about the run where the spec says,
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
	o.Version, o.Counts, o.ExitCode = Version, map[string]int{}, exitCode(o.Fits)
	if stopped {
		o.ExitCode = exit.Interrupted
	}
	if o.Fits == nil {
		o.Fits = []*Result{}
	}
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

// Unrecord notes that the ledger could not be told how the run ended, for err.
func (o *Outcome) Unrecord(err error) {
	o.Unrecorded = err.Error()
	o.undelivered(err)
}

// undelivered takes into the exit code that something did not come to the ledger, its copy
// or its page for err: 3, or 2 where the ledger is damaged, which no later commit mends.
func (o *Outcome) undelivered(err error) {
	switch {
	case o.ExitCode == exit.Interrupted:
	case report.IsUnusable(err):
		o.ExitCode = exit.Usage
	case o.ExitCode != exit.Usage:
		o.ExitCode = exit.Uncommitted
	}
}
