package pipelines

import (
	"context"

	"glmbatch/report"
)

// Comparison is two samplers on one posterior: whether they agree, and what
// each took.
type Comparison = report.Comparison

// Cost is what one sampler took for one posterior.
type Cost = report.Cost

// Interval is a median with its 95 % interval.
type Interval = report.Interval

// Number is a float64 whose JSON is null where it is NaN or infinite.
type Number = report.Number

// Compare returns every pair of samplers on the posteriors of the ledger at
// database whose data set and model match these globs (empty: all). The error
// is a *UsageError where the path is wrong.
func Compare(ctx context.Context, database, dataset, model string) ([]Comparison, error) {
	ledger, err := report.Open(database, report.Options{Later: true})
	var out []Comparison
	if err == nil {
		out, err = ledger.Comparisons(ctx, dataset, model)
	}
	return out, lookError(err)
}
