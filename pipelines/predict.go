package pipelines

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"runtime"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/memlimit"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predict"
	"glmbatch/report"
	"glmbatch/transform"
)

// PredictOptions configures Predict. The zero value predicts means and responses
// for the data of the fit, as a table of summaries, with seed 1.
type PredictOptions struct {
	Overrides
	// Pipeline is that whose fits are meant without a target; empty: any. A target names its own.
	Pipeline string
	Only     []string // terms FIELD=PATTERN that name one fit
	Data     string   // a file of new data; empty: those of the fit, which need a target
	Draws    bool     // every draw instead of summaries
	Of       []string // linear, mean, response; empty: mean and response
	Response string   // of a fit of several responses, the one that is meant
	// NewLevels says what the effects are of levels that the fit has not seen: error (or empty) refuses them, sample
	// draws them from those of all levels, zero leaves them out.
	NewLevels string
	Groups    []string // groupings whose effects count; empty or all: every one; none: none
	Workers   int      // 0: one per processor; changes no bit
	Output    QueryOptions
	Notes     io.Writer // remarks for people; nil: none
}

// Predict writes predictions from the kept draws of one fit. target is the spec or built-in pipeline that names the
// ledger and, without new data, the data; it may be empty if Overrides.Database names the ledger. The error is a
// *UsageError where the call, the fit or the data are not as they must be.
func Predict(ctx context.Context, w io.Writer, target string, o PredictOptions) error {
	c, err := o.config(target)
	if err == nil {
		err = predict.Run(ctx, w, c)
	}
	if isCallers(err) {
		return &UsageError{err}
	}
	return err
}

// config is the configuration of package predict for a call.
func (o *PredictOptions) config(target string) (predict.Config, error) {
	only, err := plan.ParseSelector(o.Only)
	if err != nil {
		return predict.Config{}, &UsageError{err}
	}
	c := predict.Config{Data: o.Data, AllDraws: o.Draws, Of: o.Of, Seed: 1, Options: o.Output, Notes: o.Notes}
	c.PipelineName, c.Response = o.Pipeline, o.Response
	c.Only, c.Workers, c.Example, c.NewLevels, c.Groups = only, o.Workers, example, o.NewLevels, o.Groups
	c.Memory.Limit = memlimit.Default()
	if o.Database != "" {
		if c.Database, err = filepath.Abs(o.Database); err != nil {
			return c, err
		}
	}
	if target != "" {
		if c.Pipeline, _, err = load(target, o.Overrides); err != nil {
			return c, err
		}
		c.Database, c.Seed, c.Memory = c.Pipeline.Database, c.Pipeline.Seed, plan.MemoryOf(c.Pipeline)
	}
	if o.Seed != nil {
		c.Seed = *o.Seed
	}
	if c.Workers == 0 {
		c.Workers = runtime.GOMAXPROCS(0)
	}
	if c.Notes == nil {
		c.Notes = io.Discard
	}
	return c, nil
}

// isCallers reports whether the call, the ledger's name or the data are at fault.
func isCallers(err error) bool {
	var call *predict.CallError
	var source *ingest.SourceError
	var cell *ingest.ColumnError
	var column *transform.ColumnError
	var table *transform.TableError
	var several *report.PipelinesError
	return errors.As(err, &call) || errors.As(err, &several) || IsUnusable(err) || errors.As(err, &source) ||
		errors.As(err, &cell) || errors.As(err, &column) || errors.As(err, &table)
}
