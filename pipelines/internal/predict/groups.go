package predict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/transform"
)

// NewLevels are the choices for levels that a fit has not seen, the default first.
var NewLevels = []string{"error", "sample", "zero"}

// sampleVersion names the streams of effects of new levels.
const sampleVersion = "level/1"

// among is the record of the groupings that the call names.
func (c *Config) among(record *transform.Record) (*transform.Record, error) {
	if c.NewLevels != "" && !slices.Contains(NewLevels, c.NewLevels) {
		return nil, &CallError{words.Hint(fmt.Errorf("--new-levels %s is none of the ways to treat new levels", c.NewLevels),
			"write one of "+strings.Join(NewLevels, ", "))}
	}
	if len(c.Groups) == 0 || slices.Equal(c.Groups, []string{"all"}) {
		return record, nil
	}
	none := slices.Equal(c.Groups, []string{"none"})
	var names []string
	for _, g := range record.Groupings {
		names = append(names, g.Name)
	}
	for _, name := range c.Groups {
		if !none && !slices.Contains(names, name) {
			hint := "the fit has no group-level effects"
			if len(names) > 0 {
				hint = "name " + words.List(names) + ", all or none"
			}
			return nil, &CallError{words.Hint(fmt.Errorf("--groups: the fit has no grouping %q", name), hint)}
		}
	}
	return record.Among(func(name string) bool { return !none && slices.Contains(c.Groups, name) }), nil
}

// code makes the design of the rows.
func (c *Config) code(record *transform.Record, table *ingest.Table, response bool) (*transform.Design, error) {
	coding := transform.Coding{Dataset: table.Name, Response: response, Locate: table.Locate, Room: c.Memory.Reserve(0)}
	coding.NewLevels = c.NewLevels == "sample" || c.NewLevels == "zero"
	design, err := record.Code(table.Data, coding)
	var cell *transform.ColumnError
	var level *transform.NewLevelError
	if errors.As(err, &cell) && errors.As(err, &level) {
		cell.Err = words.Hint(level, "--new-levels sample draws its effects from those of all levels, --new-levels zero "+
			"leaves them out, --groups none predicts without any level")
	}
	return design, err
}

// newLevels decides what the effects of levels are that the fit has not seen, and notes it.
func (c *Config) newLevels(o *opened, fit *predictive.Fit, d *transform.Design) {
	what, k := "has effects of 0", o.stored.Key
	if c.NewLevels == "sample" {
		what = "has effects drawn from the law of all levels, in each draw"
		fit.NewLevels = func(path ...string) *infer.Stream {
			own := []string{"predict", sampleVersion, k.Dataset, k.Group, k.Model, k.Sampler}
			return infer.NewStream(c.Seed, append(own, path...)...)
		}
	}
	told := map[string]bool{}
	for i, e := range d.Data.Effects {
		if fresh := e.Levels[d.FittedLevels[i]:]; len(fresh) > 0 && !told[e.Group] {
			told[e.Group] = true
			fmt.Fprintf(c.Notes, "note: each new level of %s (%s) %s\n", e.Group, words.List(fresh), what)
		}
	}
}
