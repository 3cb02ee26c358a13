package pipelines

import (
	"context"

	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
)

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

// Drifts tells how far fits of the ledger at database lie from their
// predecessors. The error is a *UsageError where a term or the path is wrong.
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

// PipelineName is the name in the spec that target names. Its error is a
// *UsageError where the spec is wrong.
func PipelineName(target string, o Overrides) (string, error) {
	p, _, err := load(target, o)
	if err != nil {
		return "", err
	}
	return p.Name, nil
}
