package pipelines

import (
	"context"
	"errors"
	"io"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
)

// ReportOptions chooses what a report shows. The zero value is the newest run of
// the ledger.
type ReportOptions struct {
	Run        string   // name of a run
	Pipeline   string   // of the newest run; empty: any
	Latest     bool     // the newest fit of each name of all runs
	Fits       []int64  // numbers of fits
	Only       []string // terms FIELD=PATTERN, see --only
	Parameters []string // globs of the parameters whose draws are shown
}

// Report writes a page about fits of the ledger at database: to the file to, in
// place of what is there, or to w where to is "-". The error is a *UsageError where
// the choice or the path is wrong.
func Report(ctx context.Context, database, to string, w io.Writer, o ReportOptions) error {
	only, err := plan.ParseSelector(o.Only)
	if err != nil {
		return &UsageError{err}
	}
	options := report.PageOptions{Run: o.Run, Pipeline: o.Pipeline, Latest: o.Latest, Fits: o.Fits,
		Parameters: o.Parameters}
	if len(o.Only) > 0 {
		options.Choose = func(k report.Key) bool { return only.Matches(k.Dataset, k.Group, k.Model, k.Sampler) }
	}
	ledger, err := report.Open(database, report.Options{Later: true})
	if err == nil {
		if to == "-" {
			err = ledger.WritePage(ctx, w, options)
		} else {
			err = ledger.SavePage(ctx, to, options)
		}
	}
	var none *report.NoFitsError
	if IsUnusable(err) || errors.As(err, &none) {
		return &UsageError{err}
	}
	return err
}
