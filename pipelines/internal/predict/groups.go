package predict

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/prior"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report"
	"glmbatch/transform"
)

// NewLevels are what may be asked of levels that a fit has not seen, the default first.
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
	coding := transform.Coding{Dataset: table.Name, Response: response, Locate: table.Locate, Room: c.Memory.Room(0)}
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

// effects finds the effects of levels among the draws, and what draws those of new levels.
func (c *Config) effects(f report.Fitted, d *transform.Design) ([]predictive.Effects, error) {
	out, err := predictive.EffectsOf(d.Data, d.FittedLevels, f.Names)
	if err != nil {
		return nil, words.Hint(fmt.Errorf("fit %s: %w", f.Key, err),
			"write run: {keep: {groups: draws}} and run it again, or predict without them by --groups none")
	}
	told := map[string]bool{}
	for k, e := range d.Data.Effects {
		fresh := e.Levels[out[k].Fitted:]
		if len(fresh) == 0 {
			continue
		}
		what := "has effects of 0"
		if c.NewLevels == "sample" {
			what = "has effects drawn from the law of all levels, in each draw"
			out[k].New, err = predictive.NewLevelsOf(e, f.Names,
				func(term string) (float64, error) { return fixedSD(f, spec.SDName(e.Group, term)) },
				func(path ...string) *infer.Stream {
					own := []string{"predict", sampleVersion, f.Key.Dataset, f.Key.Group, f.Key.Model, f.Key.Sampler}
					return infer.NewStream(c.Seed, append(own, path...)...)
				})
			if err != nil {
				return nil, fmt.Errorf("fit %s: %w", f.Key, err)
			}
		}
		if told[e.Group] {
			continue
		}
		told[e.Group] = true
		fmt.Fprintf(c.Notes, "note: each new level of %s (%s) %s\n", e.Group, words.List(fresh), what)
	}
	return out, nil
}

// fixedSD is the value of a standard deviation that the model fixed.
func fixedSD(f report.Fitted, name string) (float64, error) {
	var model struct {
		SD     string
		ByName []string
	}
	err := json.Unmarshal(f.Identity["model"], &model)
	priors := spec.Priors{}
	for i := 0; err == nil && i+1 < len(model.ByName); i += 2 {
		named := &spec.NamedPrior{Pattern: model.ByName[i]}
		if law, err := prior.Parse(model.ByName[i+1]); err == nil { // else of correlations
			named.Prior.Prior = law
			priors.ByName = append(priors.ByName, named)
		}
	}
	if law, err := prior.Parse(model.SD); err == nil {
		priors.SD.Prior = law
	}
	law := priors.ForSD(name)
	if err != nil || law.Kind != prior.Constant {
		return 0, words.Hint(fmt.Errorf("the ledger does not have the value of %s", name), "run the pipeline again")
	}
	return law.Location, nil
}
