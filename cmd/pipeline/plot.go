package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/internal/outfile"
	"glmbatch/internal/plot"
	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// plotFlag registers --plot of a verb whose answer can be a picture.
func plotFlag(c *cobra.Command, file *string, what string) {
	c.Flags().StringVar(file, "plot", "", "write a picture, NAME.svg or NAME.png, instead of the table: "+what)
}

// checkPlot refuses names that are not those of pictures.
func checkPlot(file string) error {
	if file == "" {
		return nil
	}
	return plot.Check(file)
}

// writePlot writes a picture, and prints where it is.
func (a *app) writePlot(file string, p *plot.Plot) error {
	err := outfile.Write(file, 0o644, func(f *os.File) error { return p.Write(f, filepath.Ext(file)) })
	if err == nil {
		fmt.Fprintf(a.stdout, "picture: %s\n", words.Visible(file))
	}
	return work(err)
}

// maxRows is the number of rows of a panel with names.
const maxRows = 60

// forest is a panel of intervals by name, in their order.
func forest(title string, x plot.Axis, lines []*pipelines.Line, name func(*pipelines.Line) string,
	scale func(*pipelines.Line) float64) plot.Panel {
	p := plot.Panel{Title: title, X: x, Y: plot.Axis{Names: []string{}}}
	s := plot.Series{Kind: plot.Points}
	for i, l := range lines {
		m, by := &l.Summary, scale(l)
		p.Y.Names = append(p.Y.Names, words.Visible(name(l)))
		s.X, s.Y = append(s.X, by*m.Median), append(s.Y, float64(i))
		s.Low, s.High = append(s.Low, by*m.Q025), append(s.High, by*m.Q975)
		s.Inner[0], s.Inner[1] = append(s.Inner[0], by*m.Q25), append(s.Inner[1], by*m.Q75)
	}
	p.Series = []plot.Series{s}
	return p
}

// pictures are the values of show --picture, the default first.
var pictures = []string{"coefficients", "groups", "checks"}

// plotFit draws one fit.
func (a *app) plotFit(ctx context.Context, f *showFlags, shown *pipelines.Overview) error {
	if len(shown.Fits) != 1 || shown.Fits[0].ID == 0 {
		return words.Hint(fmt.Errorf("--plot draws one fit, and these are %d", len(shown.Fits)),
			"name it: pipeline show FIT --plot "+shellQuote(f.plot))
	}
	fit := &shown.Fits[0]
	p := &plot.Plot{Title: lookName(fit)}
	var err error
	switch f.picture {
	case "groups": //name:ok a picture
		p.Panels = groupPanels(fit, shown.Lines)
	case "checks":
		p.Panels, err = checkPanels(ctx, shown.Database, fit.ID)
	default:
		p.Panels = coefficientPanels(fit, f.lines.choose(shown.Lines, f.lines.top), f.lines.bars)
	}
	if err == nil && len(p.Panels) == 0 {
		err = words.Hint(fmt.Errorf("fit %d has no %s", fit.ID, f.picture), map[string]string{
			//name:ok a picture
			"coefficients": "--all or --filter names parameters", "groups": "its model has no group-level effects",
			"checks": "run: {ppc: true} in the spec stores predictive checks"}[f.picture])
	}
	if err != nil {
		return err
	}
	return a.writePlot(f.plot, p)
}

// coefficientPanels have coefficients on one axis, and other parameters on axes of their own units.
func coefficientPanels(f *pipelines.Look, lines []*pipelines.Line, bars string) (out []plot.Panel) {
	zero := 0.0
	name := func(l *pipelines.Line) string { return l.Name }
	scaled, plain := []*pipelines.Line{}, []*pipelines.Line{}
	for _, l := range lines[:min(len(lines), maxRows)] {
		if sd := float64(l.ColumnSD); bars == "sd" && sd > 0 {
			scaled = append(scaled, l)
		} else {
			plain = append(plain, l)
		}
	}
	if len(scaled) > 0 {
		x := plot.Axis{Label: "difference in " + pipelines.ScaleOf(f), Mark: &zero}
		out = append(out, forest("effects of one standard deviation of the column", x, scaled, name,
			func(l *pipelines.Line) float64 { return float64(l.ColumnSD) }))
	}
	for _, l := range plain {
		out = append(out, forest("", plot.Axis{}, []*pipelines.Line{l}, name, func(*pipelines.Line) float64 { return 1 }))
	}
	return out
}

// groupPanels have a panel for each term of each grouping: its levels from the smallest median to the largest, of many
// levels those at both ends.
func groupPanels(f *pipelines.Look, lines []pipelines.Line) (out []plot.Panel) {
	zero := 0.0
	var titles []string
	terms := map[string][]*pipelines.Line{}
	for i := range lines {
		l := &lines[i]
		if !pipelines.IsEffect(l) || l.Level == "" {
			continue
		}
		title := fmt.Sprintf("%s by %s", l.Term, l.Grouping)
		if terms[title] == nil {
			titles = append(titles, title)
		}
		terms[title] = append(terms[title], l)
	}
	for _, title := range titles {
		of := terms[title]
		slices.SortStableFunc(of, func(a, b *pipelines.Line) int { return compareKnown(a.Summary.Median, b.Summary.Median) })
		if n := len(of); n > maxRows {
			title += fmt.Sprintf(" (%d levels at each end of %d)", maxRows/2, n)
			of = slices.Concat(of[:maxRows/2], of[n-maxRows/2:])
		}
		x := plot.Axis{Label: "difference from the population, in " + pipelines.ScaleOf(f), Mark: &zero}
		out = append(out, forest(words.Visible(title), x, of, func(l *pipelines.Line) string { return l.Level },
			func(*pipelines.Line) float64 { return 1 }))
	}
	return out
}

// printed is a table that the program printed as CSV, by column.
type printed struct {
	names   []string
	columns map[string][]string
}

func readTable(text []byte) (*printed, error) {
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	t := &printed{rows[0], map[string][]string{}}
	for j, name := range t.names {
		for _, r := range rows[1:] {
			t.columns[name] = append(t.columns[name], r[j])
		}
	}
	return t, nil
}

// numbers are a column's; ok reports whether each of its cells is one.
func (t *printed) numbers(name string) (out []float64, ok bool) {
	ok = true
	for _, cell := range t.columns[name] {
		v, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			v, ok = math.NaN(), false
		}
		out = append(out, v)
	}
	return out, ok
}

// checkPanels compare the histogram of the response with those of replicated data.
func checkPanels(ctx context.Context, database string, fit int64) ([]plot.Panel, error) {
	var text bytes.Buffer
	query := fmt.Sprintf("SELECT low, high, observed, q025, q25, median, q75, q975 FROM ppc_bin WHERE fit_id = %d "+
		"ORDER BY bin", fit)
	//sql:ok the query has a number alone
	err := pipelines.Query(ctx, &text, database, query, pipelines.QueryOptions{Format: "csv"})
	if err != nil {
		return nil, err
	}
	t, err := readTable(text.Bytes())
	if err != nil || t == nil || len(t.columns["low"]) == 0 {
		return nil, err
	}
	get := func(name string) []float64 { v, _ := t.numbers(name); return v }
	low, high := get("low"), get("high")
	middle := make([]float64, len(low))
	for i := range low {
		middle[i] = (low[i] + high[i]) / 2
	}
	data := plot.Series{Name: "data", Kind: plot.Bars, X: append(low, high[len(high)-1]), Y: get("observed")}
	replicates := plot.Series{Name: "replicated data: median, 50 % and 95 %", Kind: plot.Points, X: middle,
		Y: get("median"), Low: get("q025"), High: get("q975"), Inner: [2][]float64{get("q25"), get("q75")}}
	return []plot.Panel{{X: plot.Axis{Label: "response"}, Y: plot.Axis{Label: "rows of the data in each class"},
		Series: []plot.Series{data, replicates}}}, nil
}

// effectPlot draws the rows of effects: the first variable along X, a series for each value of the others.
func effectPlot(text []byte, o *pipelines.EffectsOptions) (*plot.Plot, error) {
	t, err := readTable(text)
	if err != nil || t == nil {
		return nil, err
	}
	at := slices.Index(t.names, "mean")
	variables := t.names[:max(at, 0)]
	median, _ := t.numbers("median")
	low, _ := t.numbers("q025")
	high, _ := t.numbers("q975")
	p := plot.Panel{Y: effectAxis(o)}
	if len(variables) == 0 {
		variables = []string{""}
		t.columns[""] = []string{"all rows"}
	}
	first := t.columns[variables[0]]
	values, numeric := t.numbers(variables[0])
	p.X.Label = variables[0]
	if !numeric {
		for _, v := range first {
			if !slices.Contains(p.X.Names, v) {
				p.X.Names = append(p.X.Names, v)
			}
		}
	}
	for k := range first {
		name := t.at(variables[1:], k)
		i := slices.IndexFunc(p.Series, func(s plot.Series) bool { return s.Name == name })
		if i < 0 {
			i = len(p.Series)
			p.Series = append(p.Series, plot.Series{Name: name})
		}
		s, x := &p.Series[i], values[k]
		if !numeric {
			s.Kind, x = plot.Points, float64(slices.Index(p.X.Names, first[k]))
		}
		s.X, s.Y = append(s.X, x), append(s.Y, median[k])
		s.Low, s.High = append(s.Low, low[k]), append(s.High, high[k])
	}
	if len(p.Series) > plot.MostSeries {
		return nil, words.Hint(fmt.Errorf("a picture has at most %d curves, and these are %d", plot.MostSeries,
			len(p.Series)), "choose values with --at")
	}
	return &plot.Plot{Title: o.Effect, Panels: []plot.Panel{p}}, nil
}

// effectAxis returns the label of the values of an effect, with a mark where there is no difference.
func effectAxis(o *pipelines.EffectsOptions) plot.Axis {
	label := "mean of the response"
	var mark *float64
	switch as := cmp.Or(o.As, "difference"); {
	case o.Contrast != "":
		label = strings.ReplaceAll(as, "_", " ") + " of means"
		none := 1.0
		if as == "difference" {
			none = 0
		}
		mark = &none
	case o.Scale == "link":
		label = "linear predictor"
	case o.Scale != "" && o.Scale != "response":
		label = o.Scale
	}
	return plot.Axis{Label: label + ", with 95 % intervals", Mark: mark}
}

// at describes row k by some columns: age = 30, sex = f.
func (t *printed) at(columns []string, k int) string {
	var parts []string
	for _, v := range columns {
		cell := t.columns[v][k]
		if of, numeric := t.numbers(v); numeric {
			cell = strconv.FormatFloat(of[k], 'g', 4, 64)
		}
		parts = append(parts, v+" = "+cell)
	}
	return strings.Join(parts, ", ")
}

// plotEffect computes an effect and draws it.
func (a *app) plotEffect(ctx context.Context, file, target string, o pipelines.EffectsOptions) error {
	var text bytes.Buffer
	o.Output.Format = "csv"
	if err := pipelines.Effects(ctx, &text, target, o); err != nil {
		return work(err)
	}
	p, err := effectPlot(text.Bytes(), &o)
	if err != nil {
		return err
	}
	return a.writePlot(file, p)
}

// comparePlot has the ratio of times for each pair of samplers.
func comparePlot(pairs []pipelines.Comparison) *plot.Plot {
	one := 1.0
	posterior := posteriors(pairs)
	p := plot.Panel{Title: "times as fast to an effective sample size of 100, median over parameters",
		X: plot.Axis{Label: "ratio of times; right of 1 the first sampler is faster", Log: true, Mark: &one},
		Y: plot.Axis{Names: []string{}}}
	s := plot.Series{Kind: plot.Points}
	for i := range pairs {
		c := &pairs[i]
		r := c.RatioMedian
		p.Y.Names = append(p.Y.Names, words.Visible(fmt.Sprintf("%s: %s, %s", posterior(c), c.A.Sampler, c.B.Sampler)))
		s.X, s.Y = append(s.X, float64(r.Value)), append(s.Y, float64(i))
		s.Low, s.High = append(s.Low, float64(r.Low)), append(s.High, float64(r.High))
	}
	p.Series = []plot.Series{s}
	return &plot.Plot{Panels: []plot.Panel{p}}
}
