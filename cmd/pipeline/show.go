package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// showFlags are those of show.
type showFlags struct {
	common
	format, run   string
	plot, picture string
	attention     bool
	lines         lineOptions
}

func (a *app) showCommand() *cobra.Command {
	var f showFlags
	c := &cobra.Command{
		Use:   "show [SPEC|NAME] [FIT]",
		Short: "Show fits: verdict, worst diagnostics, intervals as bars",
		Long: `show prints one fit: its verdict, the worst diagnostics, and its coefficients with
bars for their intervals. Several fits get a line each, the worst first. FIT is the
number of a fit, or DATASET/MODEL/SAMPLER (DATASET/KEY/… for a file or group) for
the newest fits of these names. In a name * is any run of characters, and parts at
the end may be left out. Without FIT show prints the newest run. With a SPEC it shows
fits and runs of that pipeline, in its ledger. A SPEC without FIT is a file NAME.yaml.

--attention lists the fits that need a person, each with the reason and the remedy:
the newest run erred on them, did not commit them or broke a gate. It does not
matter whether they succeeded before.

Of many coefficients show prints the 20 with the largest |mean|/sd; --all prints
all. A bar is the 95 % interval, thick its middle half, ● the median, │ zero. Bars
of coefficients share an axis: effects of one standard deviation of the column if it
is known, so that they can be compared (--bars units: of one unit).`,
		Example: `  pipeline show
  pipeline show pima/diabetes/gibbs
  pipeline show 'claims/*' --database nightly.duckdb
  pipeline show pima --sort rhat --filter 'rhat>1.01'
  pipeline show nightly.yaml 'claims/*'
  pipeline show nightly.yaml --attention
  pipeline show 12 --plot groups.svg --picture groups
  pipeline show 12 --format csv > fit-12.csv`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return a.show(c.Context(), &f, args) },
	}
	f.asks(c)
	c.Flags().BoolVar(&f.attention, "attention", false,
		"the fits that need a person, with the reason and the remedy")
	c.Flags().StringVar(&f.run, "run", "",
		"a run by its name, or by the beginning or the end of it: list its fits")
	c.Flags().StringVar(&f.format, "format", "table", strings.Join(showFormats, ", "))
	f.lines.register(c)
	plotFlag(c, &f.plot, "see --picture")
	c.Flags().StringVar(&f.picture, "picture", pictures[0], "what --plot draws: coefficients, groups (effects of levels) "+
		"or checks (the response and replicated data)")
	return c
}

// show prints what a call asks for.
func (a *app) show(ctx context.Context, f *showFlags, args []string) error {
	o := pipelines.ShowOptions{Run: f.run}
	if n := len(args); n == 2 || n == 1 && !isSpec(args[0]) {
		o.Fit, args = args[n-1], args[:n-1]
	}
	var database string
	var err error
	if database, o.Pipeline, err = f.asked(args); err != nil {
		return err
	}
	if !slices.Contains(pictures, f.picture) {
		return fmt.Errorf("--picture %q: it is %s", f.picture, strings.Join(pictures, ", "))
	}
	if err := cmp.Or(checkFormat(f.format, showFormats), f.lines.check(), checkPlot(f.plot)); err != nil {
		return err
	}
	if f.attention {
		if o.Fit != "" || o.Run != "" {
			return errors.New("--attention lists fits of all runs: leave out FIT and --run")
		}
		return a.attention(ctx, database, o.Pipeline, f.format)
	}
	shown, err := pipelines.Show(ctx, database, o)
	if err != nil {
		return work(err)
	}
	if f.plot != "" {
		return a.plotFit(ctx, f, shown)
	}
	switch f.format {
	case "json":
		return jsonShown(a.stdout, shown, &f.lines)
	case "csv":
		return csvShown(a.machine(), shown, &f.lines)
	}
	printShown(a.screen(), shown, &f.lines)
	return nil
}

// isSpec reports whether an argument is called like a spec.
func isSpec(name string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(name)))
}

var showFormats = []string{"table", "csv", "json"}

// printShown prints a fit, or an overview of several fits.
func printShown(s *screen, shown *pipelines.Overview, o *lineOptions) {
	if n := shown.Run; n != nil {
		s.sentence("  ", nightWords(n))
		fmt.Fprintln(s)
	}
	if len(shown.Fits) == 1 && shown.Fits[0].ID != 0 {
		printLook(s, shown.Database, &shown.Fits[0], shown.Lines, o)
	} else {
		printLooks(s, shown.Database, shown.Fits)
	}
	if len(shown.Attention) > 0 {
		fmt.Fprintf(s, "\nfits of other runs that need attention:\n")
		printAttention(s, shown.Attention)
	}
}

// maxLooks is the number of fits that an overview lists one by one, unless more of them need attention.
const maxLooks = 50

// printLooks prints a line for each fit, the worst first, and counts them.
func printLooks(s *screen, database string, fits []pipelines.Look) {
	g := head("verdict", "fit", "name", "R-hat", "ESS", "why")
	g.flow, g.Below = true, true
	grades := g.gradesIn(0)
	g.colour = grades
	of := pipelineOf(fits, func(f *pipelines.Look) string { return f.Pipeline })
	counts := map[string]int{}
	passed := 0
	for i := range fits {
		f := &fits[i]
		verdict := string(f.Grade)
		if verdict == "" {
			verdict = f.Action
		}
		counts[verdict]++
		if verdict == "pass" {
			if passed++; len(g.Rows) > maxLooks {
				continue
			}
		}
		id := ""
		if f.ID != 0 {
			id = strconv.FormatInt(f.ID, 10)
		}
		g.Add(verdict, id, of(f.Pipeline)+lookName(f), fixed(float64(f.RHat), 3), fixed(float64(f.ESSBulk), 0), whyOf(f))
	}
	if len(fits) > 0 {
		g.shorten(2, s.width)
		g.print(s)
	}
	if left := len(fits) + 1 - len(g.Rows); left > 0 {
		fmt.Fprintf(s, "… and %d more that pass\n", left)
	}
	var parts []string
	for _, k := range []string{"error", "fail", "warn", "pass", "uncommitted", "skipped", "computed"} {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
		}
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	fmt.Fprintf(s, "\n%s: %s\n", plural(len(fits), "fit"), strings.Join(parts, ", "))
	if len(fits) > 0 && fits[0].ID != 0 {
		fmt.Fprintln(s, s.fold("look closer: "+showCall(database, fits[0].ID)))
	}
}

// whyOf is the first reason of a verdict, without its hint.
func whyOf(f *pipelines.Look) string {
	why := f.Error
	if len(f.Reasons) > 0 {
		why = f.Reasons[0]
	}
	why, _, _ = strings.Cut(why, "\n")
	if n := len(f.Reasons) - 1; n > 0 {
		why += fmt.Sprintf(" (and %s)", plural(n, "more reason"))
	}
	if f.Stale(f.ID) || f.Grade == "error" {
		why = strings.Trim(f.Words(f.ID)+"; "+why, "; ")
	}
	return words.Visible(why)
}

// lookName is a fit's name as people read it.
func lookName(f *pipelines.Look) string {
	name := nameOf(f.Dataset, f.Group, f.Model, f.Sampler)
	if f.Replicate > 1 {
		name += " #" + strconv.Itoa(f.Replicate)
	}
	return name
}

// shownFit is the JSON form of a fit: parameters where it is one alone.
type shownFit struct {
	pipelines.Look
	Parameters []map[string]any `json:"parameter_summaries,omitempty"`
	Statistics []map[string]any `json:"statistics,omitempty"`
}

func jsonShown(w io.Writer, shown *pipelines.Overview, o *lineOptions) error {
	fits := make([]shownFit, len(shown.Fits))
	for i := range shown.Fits {
		fits[i].Look = shown.Fits[i]
	}
	if len(fits) == 1 {
		for _, l := range o.choose(shown.Lines, -1) {
			fits[0].Parameters = append(fits[0].Parameters, lineObject(l))
		}
		for i := range shown.Lines {
			if pipelines.IsStatistic(&shown.Lines[i]) {
				fits[0].Statistics = append(fits[0].Statistics, lineObject(&shown.Lines[i]))
			}
		}
	}
	return indented(w, struct {
		Database  string                `json:"database"`
		Run       *pipelines.RunInfo    `json:"run"`
		Fits      []shownFit            `json:"fits"`
		Attention []pipelines.Attention `json:"attention,omitempty"`
	}{shown.Database, shown.Run, fits, shown.Attention})
}

// csvShown writes the parameters of a fit, or a row for each of several.
func csvShown(w io.Writer, shown *pipelines.Overview, o *lineOptions) error {
	rows := [][]string{{"fit_id", "dataset", "key", "model", "sampler", "replicate", "verdict", "action", "rhat_max",
		"ess_bulk_min", "ess_tail_min", "divergences", "reasons"}}
	if len(shown.Fits) == 1 && shown.Fits[0].ID != 0 {
		rows = [][]string{slices.Concat([]string{"fit_id", "parameter", "kind"}, lineColumns)}
		for _, l := range o.choose(shown.Lines, -1) {
			row := []string{strconv.FormatInt(shown.Fits[0].ID, 10), l.Name, string(l.Kind)}
			for _, v := range lineValues(l) {
				row = append(row, exact(v))
			}
			rows = append(rows, row)
		}
	} else {
		for i := range shown.Fits {
			f := &shown.Fits[i]
			rows = append(rows, []string{strconv.FormatInt(f.ID, 10), f.Dataset, f.Group, f.Model, f.Sampler,
				strconv.Itoa(f.Replicate), string(f.Grade), f.Action,
				exact(float64(f.RHat)), exact(float64(f.ESSBulk)), exact(float64(f.ESSTail)), strconv.Itoa(f.Divergences),
				strings.Join(f.Reasons, "; ")})
		}
	}
	return csv.NewWriter(w).WriteAll(rows)
}
