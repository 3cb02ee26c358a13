package predict

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/transform"
)

// classes writes the component of latent classes that each row belongs to, given its observed items. A row affects
// the draws of the components only if it did so in the fit.
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
	fit := c.fit(ctx, o)
	fit.Items = &predictive.Items{Rows: rows.Rows,
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
	writing := &writing{rows: rows.TableRows(), draws: fit.Draws}
	for k := range o.description.Weights {
		writing.names, writing.of = append(writing.names, "component"+strconv.Itoa(k+1)), append(writing.of, k)
	}
	members, err := fit.On(nil)
	if err != nil {
		return err
	}
	return c.write(ctx, w, writing, func(yield func(*predictive.Prediction) error) error {
		return members.Members(ctx, yield)
	})
}
