package predict

import (
	"context"
	"errors"
	"fmt"

	"glmbatch/infer"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/report"
	"glmbatch/transform"
)

// Rows are the observations that a stored fit was fitted to, at every draw of it.
type Rows struct {
	Places    []int     // of them in the data, from 1
	Y, Trials []float64 // responses; Trials is nil if they have none
	of        *predictive.Evaluator
	stream    func(row int) *infer.Stream
	opened    *opened
}

// Close gives up the data.
func (r *Rows) Close() { r.opened.table.Release() }

// RowsOf reads the data of a stored fit, once more, by the pipeline. It is a *CallError if they are not what they were,
// or if a row stands for several observations. The rows are to be closed.
func (c Config) RowsOf(ctx context.Context, ledger *report.Ledger, f report.Fitted) (*Rows, error) {
	if f.Design == nil {
		return nil, &CallError{errors.New("the fit is of no rows")}
	}
	o, err := newOpened(ledger, f)
	if err == nil && o.joined() {
		return nil, &CallError{errors.New("rows have several responses each")}
	}
	if err == nil {
		o, err = c.read(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	rows, err := c.rows(ctx, o)
	if err != nil {
		o.table.Release()
	}
	return rows, err
}

func (c *Config) rows(ctx context.Context, o *opened) (*Rows, error) {
	if o.classes() || o.family.Support().CountsClasses() {
		return nil, &CallError{errors.New("rows have several responses each")}
	}
	if o.record.FrequencyWeights != "" || o.table.Counts() != nil {
		return nil, &CallError{errors.New("rows stand for several observations each")}
	}
	if hash, err := plan.UsedHash(o.table, o.record); err != nil || !hash.Is(o.stored.DataHash) {
		return nil, &CallError{errors.New("the data have changed since the fit")}
	}
	rows, design, err := c.evaluate(ctx, o, true)
	if err != nil {
		return nil, err
	}
	out := &Rows{Y: design.Data.Y, Trials: design.Data.Trials, of: rows, opened: o}
	out.stream = c.stream(o.stored.Key, design.TableRows())
	for _, row := range design.TableRows() {
		out.Places = append(out.Places, row+1)
	}
	return out, nil
}

// Each gives the rows to use in blocks: row first+i of them at draw s, chain after chain, has its log likelihood and a
// random response at [s*rows+i]. Responses are those of Run with the same seed. use must keep neither.
func (r *Rows) Each(ctx context.Context, use func(first, rows int, logLik, responses []float64) error) error {
	return r.of.Observations(ctx, r.stream, use)
}

// evaluate codes the rows, with their responses or without, and returns what evaluates them.
func (c *Config) evaluate(ctx context.Context, o *opened, responses bool) (*predictive.Evaluator, *transform.Design,
	error) {
	design, err := c.code(o.among, o.table, responses)
	if err != nil {
		return nil, nil, err
	}
	fit := c.fit(ctx, o)
	c.newLevels(o, fit, design)
	rows, err := fit.On(design.Data, predictive.DesignsOf(design, o.record)...)
	if lacking, is := errors.AsType[*predictive.LackingError](err); is {
		err = words.Hint(fmt.Errorf("fit %s: %w", o.stored.Key, lacking),
			"write run: {keep: {groups: draws}} and run it again, or predict without them by --groups none")
	}
	return rows, design, err
}
