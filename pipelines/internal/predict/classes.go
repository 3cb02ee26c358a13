package predict

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/assess"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/report"
	"glmbatch/transform"
)

// classes writes of which component of latent classes each row is, given its items that are there. No row has a part in
// what the draws know of the components, unless it had it in the fit.
func (c *Config) classes(ctx context.Context, w io.Writer, o *opened) error {
	if len(c.Of) > 0 {
		return &CallError{words.Hint(fmt.Errorf("fit %s is of latent classes, whose rows have several responses and a "+
			"component each", o.stored.Key), "leave --quantity out: probabilities of the components are predicted")}
	}
	rows, err := o.record.CodeItems(o.table.Data, transform.ItemsSpec{Dataset: o.table.Name, Locate: o.table.Locate,
		File: o.table.From()})
	if err != nil {
		return err
	}
	part, err := plan.ItemRows(rows, o.record)
	if err != nil {
		return err
	}
	fit := &predictive.Fit{Chains: o.stored.Chains, Draws: o.stored.Draws, Params: o.stored.Parameters, Workers: c.Workers,
		Open: func() predictive.Columns { return o.ledger.Columns(ctx, o.stored.Stored, assess.ColumnBytes) }}
	whole, err := part(0, rows.Rows)
	if err != nil {
		return err
	}
	if fit.Components, err = componentsOf(o.family, o.stored); err != nil {
		return err
	}
	if len(fit.Components) == 0 {
		return errors.New("the ledger has no components of the fit")
	}
	layout := whole.Layout(plan.Components(len(fit.Components)))
	for k := range fit.Components {
		fit.Components[k].First = layout.At(k)
	}
	fit.Items = &predictive.Items{Rows: rows.Rows, Params: len(layout.Of),
		Part: func(first, n int) func(theta, dst, scratch []float64) {
			of, err := part(first, n)
			if err != nil {
				panic("predict: some rows of items are none: " + err.Error())
			}
			return of.LogLik
		}}
	c.changed(o)
	for _, note := range append(o.table.Warnings, rows.Notes...) {
		fmt.Fprintf(c.Notes, "note: %s\n", note)
	}
	return c.writeMembers(ctx, w, fit, rows.TableRows())
}

// writeMembers writes summaries or draws.
func (c *Config) writeMembers(ctx context.Context, w io.Writer, fit *predictive.Fit, places []int) error {
	columns := []report.Column{{Name: "row", Type: "BIGINT"}}
	var names []string
	for k := range fit.Components {
		names = append(names, "component"+strconv.Itoa(k+1))
	}
	add := func(out func(...any) error, row int, of [][]float64) error {
		for k, draws := range of {
			s := predictive.Summarize(draws)
			var reason any
			if s.Reason != "" {
				reason = s.Reason
			}
			if err := out(int64(places[row]+1), names[k], s.Mean, s.SD, s.Q025, s.Q25, s.Median, s.Q75, s.Q975,
				reason); err != nil {
				return err
			}
		}
		return nil
	}
	if c.AllDraws {
		columns = append(columns, report.Column{Name: "chain", Type: "SMALLINT"},
			report.Column{Name: "iteration", Type: "INTEGER"})
		for _, name := range names {
			columns = append(columns, report.Column{Name: name, Type: "DOUBLE"})
		}
		add = func(out func(...any) error, row int, of [][]float64) error {
			for s := range fit.Size() {
				values := []any{int64(places[row] + 1), int16(s/fit.Draws + 1), int32(s%fit.Draws + 1)}
				for k := range of {
					values = append(values, of[k][s])
				}
				if err := out(values...); err != nil {
					return err
				}
			}
			return nil
		}
	} else {
		columns = append(columns, summaryColumns()...)
	}
	return report.WriteRows(ctx, w, c.Options, columns, func(out func(...any) error) error {
		return fit.Members(ctx, func(row int, of [][]float64) error { return add(out, row, of) })
	})
}

// summaryColumns are those of summaries behind the row.
func summaryColumns() []report.Column {
	out := []report.Column{{Name: "quantity", Type: "VARCHAR"}}
	for _, name := range []string{"mean", "sd", "q025", "q25", "median", "q75", "q975"} {
		out = append(out, report.Column{Name: name, Type: "DOUBLE"})
	}
	return append(out, report.Column{Name: "reason", Type: "VARCHAR"})
}
