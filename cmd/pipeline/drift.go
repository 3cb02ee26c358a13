package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

func (a *app) driftCommand() *cobra.Command {
	var f common
	var o pipelines.DriftOptions
	var output string
	c := &cobra.Command{
		Use:   "drift [SPEC|NAME]",
		Short: "Compare each fit with the one before it",
		Long: `drift compares the newest result of each fit of a pipeline with the result before it,
in the order of the runs. It prints the largest shift of a posterior mean in posterior
standard deviations, the largest ratio of posterior sds, and how the data changed.
Fits without a predecessor are left out.

The limits of gates: {drift: …} in a spec decide about verdicts; drift never changes
one.`,
		Example: `  pipeline drift nightly.yaml
  pipeline drift --database nightly.duckdb --nights 7 --only 'dataset=claims/*'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkOutput(output); err != nil {
				return err
			}
			if o.Nights < 1 {
				return errors.New("--nights N: give the number of fits of each name to show, at least 1")
			}
			database, pipeline, err := f.asked(args)
			if err != nil {
				return err
			}
			o.Pipeline = pipeline
			rows, err := pipelines.Drifts(c.Context(), database, o)
			if err != nil {
				return work(err)
			}
			if output == "json" {
				return indented(a.stdout, rows)
			}
			printDrift(a.screen(), rows)
			return nil
		},
	}
	f.asks(c)
	onlyFlag(c, &o.Only, "narrows the fits")
	c.Flags().IntVar(&o.Nights, "nights", 1, "newest fits of each name, each against the one before it")
	outputFlag(c, &output)
	return c
}

// printDrift prints a line per fit.
func printDrift(w *screen, rows []pipelines.Drift) {
	if len(rows) == 0 {
		w.sentence("  ", "no fit has a predecessor here: change the data or the spec, and run again")
		return
	}
	of := pipelineOf(rows, func(d *pipelines.Drift) string { return d.Pipeline })
	g := head("fit", "verdict", "shift, sds", "of", "ratio of sds", "of", "rows", "columns", "left out", "response",
		"column moved, sds", "of", "changed")
	for i := range rows {
		d := &rows[i]
		g.Add(
			of(d.Pipeline)+nameOf(d.Dataset, d.Group, d.Model, d.Sampler), string(d.Verdict),
			optional(d.Shift), cleaned(d.ShiftParameter), optional(d.SDRatio), cleaned(d.SDRatioParameter),
			change(whole(d.RowsBefore), whole(d.RowsNow)), change(whole(d.ColumnsBefore), whole(d.ColumnsNow)),
			change(percent(d.MissingBefore), percent(d.MissingNow)), change(optional(d.ResponseBefore), optional(d.ResponseNow)),
			optional(d.CentreShift), cleaned(d.CentreShiftColumn), changed(d),
		)
	}
	g.print(w)
	for i := range rows {
		d := &rows[i]
		for _, l := range d.Levels {
			var parts []string
			for _, p := range []struct {
				n     int
				names []string
				what  string
			}{{l.New, l.NewNames, "new"}, {l.Gone, l.GoneNames, "gone"}} {
				if p.n > 0 {
					names := strings.Join(p.names, ", ")
					if p.n > len(p.names) {
						names += ", …"
					}
					parts = append(parts, fmt.Sprintf("%s %s (%s)", plural(p.n, "level"), p.what, words.Visible(names)))
				}
			}
			w.sentence("  ", fmt.Sprintf("%s: %s: %s; shifts are those of the others",
				of(d.Pipeline)+nameOf(d.Dataset, d.Group, d.Model, d.Sampler), words.Visible(l.Grouping),
				strings.Join(parts, ", ")))
		}
	}
}

// changed names what is not as it was.
func changed(d *pipelines.Drift) string {
	switch {
	case d.DataChanged && d.ModelChanged:
		return "data, model"
	case d.DataChanged:
		return "data"
	case d.ModelChanged:
		return "model"
	}
	return "settings"
}

// change is one value where it stayed, and both where it did not.
func change(before, now string) string {
	if before == now {
		return now
	}
	return before + " → " + now
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

// optional is a number that may be unknown.
func optional(v *float64) string {
	if v == nil {
		return number(math.NaN())
	}
	return number(*v)
}

func percent(v *float64) string {
	if v == nil {
		return "—"
	}
	return strconv.FormatFloat(100**v, 'f', 1, 64) + "%"
}

func cleaned(s *string) string {
	if s == nil {
		return ""
	}
	return words.Visible(*s)
}
