package predict

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report"
	"glmbatch/transform"
)

// lacking is the error of new data without a column that the model predicts by. Code would find it too, and knows
// only of the columns that were read.
func lacking(dataset string, record *transform.Record, schema *ingest.Schema, separator rune) error {
	needed, err := record.Inputs(false)
	if err != nil {
		return err
	}
	var names []string
	for _, field := range schema.Fields() {
		names = append(names, field.Name)
	}
	for _, name := range needed {
		if !slices.Contains(names, name) {
			hint := transform.UnknownHint(name, "columns", names)
			if separator != 0 {
				hint += fmt.Sprintf("; fields are separated by %q, as in the data of the fit", separator)
			}
			return &transform.ColumnError{Dataset: dataset, Column: name,
				Err: words.Hint(errors.New("the model reads it, and these data do not have it"), hint)}
		}
	}
	return nil
}

// readingKeys are the keys of a data set that a transform.Reading holds.
var readingKeys = []string{"separator", "decimal", "null_values", "types"}

// reading is how the spec reads the data set of a fit. A note lists what differs from the reading that is stored with
// the fit. It is a *CallError if neither is known: a value that means missing would be taken for a number. Without
// both, a stored spec that has none of readingKeys is read by the defaults.
func (c *Config) reading(f report.Fitted, record *transform.Record) (*transform.Reading, error) {
	now, stored := (*transform.Reading)(nil), record.Reading
	if c.Pipeline != nil {
		for _, ds := range c.Pipeline.Datasets {
			if ds.Name == f.Dataset {
				now = plan.ReadingOf(ds)
			}
		}
	}
	has := func(key string) bool { return strings.Contains(f.Spec, key) }
	switch {
	case stored == nil && now == nil && (f.Spec == "" || slices.ContainsFunc(readingKeys, has)):
		return nil, &CallError{words.Hint(fmt.Errorf("an earlier program stored fit %s, without the %s of its data set: "+
			"new data might be read in another way", f.Key, strings.Join(readingKeys, ", ")),
			"name the spec of the fit, which has them, or draw it again with pipeline run SPEC --force")}
	case stored == nil && now == nil:
		return &transform.Reading{}, nil
	case stored != nil && now != nil && plan.ReadingWords(stored) != plan.ReadingWords(now):
		fmt.Fprintf(c.Notes, "note: data are read as when the fit was drawn (%s), and not as the spec now reads data set %q "+
			"(%s)\n", plan.ReadingWords(stored), f.Dataset, plan.ReadingWords(now))
	}
	return now, nil
}

// table reads the rows.
func (c *Config) table(ctx context.Context, o *opened) (*ingest.Table, error) {
	f, record := o.stored, o.among
	if c.Data != "" {
		src := ingest.Source{Name: c.Data, Path: c.Data}
		src.Columns = func(schema *ingest.Schema) ([]string, error) {
			inputs, err := record.Inputs(true) // those that exist; Code reports missing ones
			if err != nil {
				return nil, err
			}
			if err := lacking(c.Data, record, schema, src.Separator); err != nil {
				return nil, err
			}
			var out []string
			for _, field := range schema.Fields() {
				if slices.Contains(inputs, field.Name) || slices.Contains(c.by, field.Name) {
					out = append(out, field.Name)
				}
			}
			if out == nil && schema.NumFields() > 0 { // an intercept alone: the rows count
				out = []string{schema.Field(0).Name}
			}
			return out, nil
		}
		c.Memory.Bound(&src)
		reading, err := c.reading(f, record)
		if err != nil {
			return nil, err
		}
		plan.ReadLike(&src, record, reading)
		return ingest.Read(ctx, src)
	}
	if c.Pipeline == nil {
		return nil, &CallError{words.Hint(errors.New("there are no data to predict"),
			"name the spec of the fit for its own data, or new data with --data FILE")}
	}
	if err := c.oneTable(o); err != nil {
		return nil, err
	}
	if _, err := c.reading(f, record); err != nil { // for its note
		return nil, err
	}
	r := &plan.Reader{Pipeline: c.Pipeline, Choice: plan.Choice{Selector: c.Only}, Example: c.Example, Also: c.by,
		Like: record}
	table, err := r.Table(ctx, f.Dataset, f.Group)
	if err == nil && table == nil {
		return nil, &CallError{words.Hint(fmt.Errorf("the spec has no data of %s", plan.UnitName(f.Dataset, f.Group)),
			"name new data with --data FILE")}
	}
	return table, err
}
