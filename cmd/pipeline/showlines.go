package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"glmbatch/pipelines"
)

// lineOptions choose parameters of a fit, and their order.
type lineOptions struct {
	all    bool
	top    int
	sort   string
	filter []string
	bars   string

	keep []func(*pipelines.Line) bool
}

func (o *lineOptions) register(c *cobra.Command) {
	c.Flags().BoolVar(&o.all, "all", false, "every parameter")
	c.Flags().IntVar(&o.top, "top", 20, "how many parameters are shown of more")
	c.Flags().StringVar(&o.sort, "sort", "",
		"position, name, effect (|mean|/sd), mean, sd, rhat or ess; the worst or largest first (default position, effect "+
			"where some are left out)")
	c.Flags().StringArrayVar(&o.filter, "filter", nil,
		"parameters: a glob of names, or a condition such as 'rhat>1.01', 'ess<400', 'mean<0'; may be repeated, all must "+
			"hold")
	c.Flags().StringVar(&o.bars, "bars", "sd",
		"what a coefficient's bar shows: sd for the effect of one sd of its column, units of one unit")
}

// sorts order lines; a line with a small key comes first.
var sorts = map[string]func(*pipelines.Line) float64{
	"position": func(*pipelines.Line) float64 { return 0 },
	"effect":   func(l *pipelines.Line) float64 { return -effect(l) },
	"mean":     func(l *pipelines.Line) float64 { return -l.Summary.Mean },
	"sd":       func(l *pipelines.Line) float64 { return -l.Summary.SD },
	"rhat":     func(l *pipelines.Line) float64 { return -l.Summary.RHat },
	"ess":      ess,
}

// measures are the numbers that --filter may bound.
var measures = map[string]func(*pipelines.Line) float64{
	"effect": effect, "ess": ess,
	"mean":   func(l *pipelines.Line) float64 { return l.Summary.Mean },
	"median": func(l *pipelines.Line) float64 { return l.Summary.Median },
	"sd":     func(l *pipelines.Line) float64 { return l.Summary.SD },
	"rhat":   func(l *pipelines.Line) float64 { return l.Summary.RHat },
	"q025":   func(l *pipelines.Line) float64 { return l.Summary.Q025 },
	"q975":   func(l *pipelines.Line) float64 { return l.Summary.Q975 },
}

// effect is |mean|/sd.
func effect(l *pipelines.Line) float64 { return math.Abs(l.Summary.Mean) / l.Summary.SD }

// ess is the smaller one of bulk and tail.
func ess(l *pipelines.Line) float64 { return math.Min(l.Summary.ESSBulk, l.Summary.ESSTail) }

// check reads the options.
func (o *lineOptions) check() error {
	if _, ok := sorts[o.sort]; !ok && o.sort != "" && o.sort != "name" {
		return fmt.Errorf("--sort %q: it is position, name, effect, mean, sd, rhat or ess", o.sort)
	}
	if o.top < 1 {
		return fmt.Errorf("--top %d: it is at least 1; --all shows every parameter", o.top)
	}
	if o.bars != "sd" && o.bars != "units" {
		return fmt.Errorf("--bars %q: it is sd or units", o.bars)
	}
	for _, term := range o.filter {
		keep, err := filterOf(term)
		if err != nil {
			return err
		}
		o.keep = append(o.keep, keep)
	}
	return nil
}

// filterOf reads one term: a bound on a number, or a glob of names. A line without the number passes every bound.
func filterOf(term string) (func(*pipelines.Line) bool, error) {
	at := strings.IndexAny(term, "<>")
	name := strings.TrimSpace(term[:max(at, 0)])
	value, known := measures[name]
	if at < 0 || !known && name != "" && strings.ContainsAny(name, "*?:[(") {
		return func(l *pipelines.Line) bool { return pipelines.Matches(term, l.Name) }, nil
	}
	limit, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimPrefix(term[at+1:], "=")), 64)
	if !known || err != nil {
		return nil, fmt.Errorf("--filter %q: write a glob of names, or NAME>NUMBER or NAME<NUMBER, NAME being effect, ess, "+
			"mean, median, q025, q975, rhat or sd", term)
	}
	if term[at] == '>' {
		return func(l *pipelines.Line) bool { return value(l) > limit }, nil
	}
	return func(l *pipelines.Line) bool { return value(l) < limit }, nil
}

// choose returns the parameters to show, in their order: top of them (−1: all), unless
// all are asked for. Local scales of priors, group-level effects and penalised
// coefficients are shown where they are asked for.
func (o *lineOptions) choose(lines []pipelines.Line, top int) []*pipelines.Line {
	var out []*pipelines.Line
	for i := range lines {
		l := &lines[i]
		many := pipelines.IsHidden(l) || pipelines.IsEffect(l)
		keep := !pipelines.IsStatistic(l) && (!many || o.all || len(o.keep) > 0)
		for _, f := range o.keep {
			keep = keep && f(l)
		}
		if keep {
			out = append(out, l)
		}
	}
	order := o.sort
	if order == "" {
		order = "position"
		if top >= 0 && len(out) > top && !o.all {
			order = "effect"
		}
	}
	slices.SortStableFunc(out, func(a, b *pipelines.Line) int {
		if order == "name" {
			return strings.Compare(a.Name, b.Name)
		}
		return compareKnown(sorts[order](a), sorts[order](b))
	})
	if top >= 0 && !o.all {
		out = out[:min(top, len(out))]
	}
	return out
}

// compareKnown puts what is not known last.
func compareKnown(a, b float64) int {
	switch {
	case math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a):
		return 1
	case math.IsNaN(b):
		return -1
	}
	return cmp.Compare(a, b)
}

// lineColumns are the numbers of a line for machines, lineValues these.
var lineColumns = []string{"mean", "sd", "mcse_mean", "mcse_sd", "q025", "q05", "q25", "median", "q75", "q95", "q975",
	"rhat", "ess_bulk", "ess_tail", "column_sd"}

func lineValues(l *pipelines.Line) []float64 {
	s := &l.Summary
	return []float64{s.Mean, s.SD, s.MCSEMean, s.MCSESD, s.Q025, s.Q05, s.Q25, s.Median, s.Q75, s.Q95, s.Q975, s.RHat,
		s.ESSBulk, s.ESSTail, float64(l.ColumnSD)}
}

func lineObject(l *pipelines.Line) map[string]any {
	out := map[string]any{"name": l.Name, "kind": l.Kind}
	for i, v := range lineValues(l) {
		out[lineColumns[i]] = pipelines.Number(v)
	}
	//name:ok a column
	for key, fact := range map[string]string{"prior": l.Prior, "grouping": l.Grouping, "level": l.Level, "term": l.Term,
		"beside": l.Term2, "reason": l.Summary.Reason} {
		if fact != "" {
			out[key] = fact
		}
	}
	return out
}

// manyWords says how many parameters of a kind there are of which a level, cell or column has its own, and where they
// are to be seen.
func manyWords(l *pipelines.Line, count, levels int) (what, where string) {
	switch {
	case pipelines.IsPenalised(l):
		call, _, _ := strings.Cut(l.Term, "(")
		return plural(count, "coefficient"), "--filter '" + call + "_*' shows them, and the view smooths has the curve"
	case pipelines.IsCell(l):
		if strings.HasPrefix(l.Name, "Xme_") {
			return plural(levels, "measured cell"), "--filter 'Xme_*' shows them, and the view imputed has them"
		}
		return plural(levels, "missing cell"), "--filter 'Ymi_*' shows them, and the view imputed has them"
	}
	return plural(count, "effect") + " of " + plural(levels, "level"),
		"--filter 'r_*' shows them, and the view group_effects has them"
}
