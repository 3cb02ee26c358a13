package pipelines

import (
	"context"
	"errors"
	"io"
	"slices"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
)

// LockedError reports that another process holds the ledger: exit code 3.
type LockedError = report.LockedError

// IsUnusable reports whether err is that there is no ledger, or that it is damaged, another file, or of a newer
// program: exit code 2 of every verb.
func IsUnusable(err error) bool {
	var missing *report.MissingError
	return errors.As(err, &missing) || report.IsUnusable(err)
}

// QueryOptions says how the answer to a query is written.
type QueryOptions = report.QueryOptions

// Format is the form of an answer: table, csv, json or parquet.
type Format = report.Format

// Formats are the names of the formats.
func Formats() []string { return report.Formats }

// Query runs SQL on the ledger at database, read-only, and writes the answer.
// The error is a *UsageError where the SQL or the path is wrong.
func Query(ctx context.Context, w io.Writer, database, sql string, o QueryOptions) error {
	ledger, err := report.Open(database, report.Options{Later: true})
	if err == nil {
		err = ledger.Query(ctx, w, o, sql)
	}
	var wrong *report.QueryError
	if errors.As(err, &wrong) || IsUnusable(err) {
		return &UsageError{err}
	}
	return err
}

// Comparison is two samplers on one posterior: whether they agree, and what
// each took.
type Comparison = report.Comparison

// Cost is the cost of one sampler for one posterior.
type Cost = report.Cost

// Interval is a median with its 95 % interval.
type Interval = report.Interval

// Number is a float64 whose JSON is null where it is NaN or infinite.
type Number = report.Number

// CompareOptions narrows Compare. The zero value takes all.
type CompareOptions struct {
	Pipeline       string // empty: all of the ledger
	Dataset, Model string // globs; empty: all
}

// Compare returns every pair of samplers on the posteriors of the ledger at
// database that o selects. The error is a *UsageError if the path is wrong.
func Compare(ctx context.Context, database string, o CompareOptions) ([]Comparison, error) {
	ledger, err := report.Open(database, report.Options{Later: true})
	var out []Comparison
	if err == nil {
		out, err = ledger.Comparisons(ctx, o.Pipeline, o.Dataset, o.Model)
	}
	return out, lookError(err)
}

// Names are the completions that a shell offers.
type Names struct {
	Fits, Datasets, Models, Samplers []string
}

// NamesOf lists the names of the fits of the ledger at database, without waiting for
// another process that holds it.
func NamesOf(ctx context.Context, database string) (*Names, error) {
	ledger, err := report.Open(database, report.Options{LockWait: -1, Later: true})
	if err != nil {
		return nil, err
	}
	keys, err := ledger.Names(ctx, "")
	if err != nil {
		return nil, err
	}
	n := &Names{}
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, k := range keys {
		n.Fits = append(n.Fits, k.String())
		add(&n.Datasets, k.Dataset)
		if k.Group != "" {
			add(&n.Datasets, k.Dataset+"/"+k.Group)
		}
		add(&n.Models, k.Model)
		add(&n.Samplers, k.Sampler)
	}
	return n, nil
}

// Drift is one fit against the complete fit before it of the same pipeline, data
// set, key, model and sampler; what cannot be computed is nil.
type Drift = report.Drift

// DriftOptions narrows Drifts. The zero value takes the newest fit of each name
// of all pipelines.
type DriftOptions struct {
	Pipeline string   // empty: all of the ledger
	Only     []string // terms FIELD=PATTERN, see --only
	Nights   int      // newest fits of each name; 0 means 1
}

// Drifts returns the distances of fits of the ledger at database from their predecessors. The error is a
// *UsageError where a term or the path is wrong.
func Drifts(ctx context.Context, database string, o DriftOptions) ([]Drift, error) {
	only, err := plan.ParseSelector(o.Only)
	if err != nil {
		return nil, &UsageError{err}
	}
	ledger, err := report.Open(database, report.Options{Later: true})
	var all []Drift
	if err == nil {
		all, err = ledger.Drifts(ctx, o.Pipeline, max(1, o.Nights))
	}
	out := []Drift{}
	for _, d := range all {
		if only.Matches(d.Dataset, d.Group, d.Model, d.Sampler) {
			out = append(out, d)
		}
	}
	return out, lookError(err)
}

// Attention is a fit that a person has to look at, with the reason and what to do.
type Attention = report.Attention

// NeedsAttention lists the fits of a pipeline (empty: of all) in the ledger at database that a person has to look at:
// the newest run erred on them, did not commit them or broke a gate. The error is a *UsageError if the path is wrong.
func NeedsAttention(ctx context.Context, database, pipeline string) ([]Attention, error) {
	ledger, err := report.Open(database, report.Options{Later: true})
	if err != nil {
		return nil, lookError(err)
	}
	out, err := ledger.NeedsAttention(ctx, pipeline)
	return out, lookError(err)
}

// Weight is the share of a model in a mixture of the models of a data set.
type Weight = report.Weight

// Weights are those of the models of each data set in the ledger at database that leave-one-out, or k-fold where folds
// says so, compares. Pipeline (empty: all) and only, terms FIELD=PATTERN, narrow the fits. The error is as that of
// Drifts.
func Weights(ctx context.Context, database, pipeline string, folds bool, only []string) ([]Weight, error) {
	chosen, err := plan.ParseSelector(only)
	if err != nil {
		return nil, &UsageError{err}
	}
	ledger, err := report.Open(database, report.Options{Later: true})
	if err != nil {
		return nil, lookError(err)
	}
	out, err := ledger.Weights(ctx, pipeline, folds, chosen.Matches)
	return out, lookError(err)
}

// PipelineName is the name in the spec that target names. Its error is a
// *UsageError where the spec is wrong.
func PipelineName(target string, o Overrides) (string, error) {
	p, _, err := load(target, o)
	if err != nil {
		return "", err
	}
	return p.Name, nil
}

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

// Report writes a page about fits of the ledger at database: to the file to, which it replaces, or to w if to is
// "-". The error is a *UsageError where the choice or the path is wrong.
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
