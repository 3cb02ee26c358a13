package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"glmbatch/internal/trouble"
	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// printLook prints one fit: verdict, worst diagnostics, parameters.
func printLook(s *screen, database string, f *pipelines.Look, lines []pipelines.Line, o *lineOptions) {
	if f.Stale(f.ID) {
		s.sentence("  ", s.paint(gradeColour("warn"), "OLD")+" "+f.Words(f.ID))
	}
	s.sentence("  ", s.paint(gradeColour(string(f.Grade)), strings.ToUpper(string(f.Grade)))+" "+lookName(f)+": "+
		verdictWords(f))
	for _, r := range f.Reasons {
		s.sentence("    ", "  "+clean(r))
	}
	if f.Error != "" && len(f.Reasons) == 0 {
		s.sentence("    ", "  "+clean(f.Error))
	}
	for _, w := range f.Warnings {
		if !slices.Contains(f.Reasons, w) {
			s.sentence("    ", "  note: "+clean(w))
		}
	}
	for _, anchor := range trouble.Anchors(slices.Concat(f.Reasons, f.Warnings)) {
		fmt.Fprintf(s, "  what to do: pipeline help %s\n", anchor)
	}
	if f.Newest != 0 && f.Newest != f.ID {
		fmt.Fprintf(s, "  %s:\n    %s\n", f.Words(f.ID), showCall(database, f.Newest))
	}
	fmt.Fprintln(s)
	printFacts(s, f)
	if f.Imputations != "" {
		s.sentence("  ", clean(f.Imputations))
	}
	if len(lines) == 0 {
		return
	}
	fmt.Fprintln(s)
	if !f.Discrete() || !math.IsNaN(float64(f.RHat)) {
		printWorst(s, f, lines)
		fmt.Fprintln(s)
	}
	printLines(s, f, lines, o)
}

// showCall is the call that shows a fit.
func showCall(database string, id int64) string {
	return fmt.Sprintf("%s show%s %d", shellQuote(calledAs), ledgerFlag(database), id)
}

// ledgerFlag names a ledger in a call, with a blank before it; nothing for the one that is taken when none is named.
func ledgerFlag(database string) string {
	if name := relative(database); name != defaultLedger {
		return " --database " + shellQuote(name)
	}
	return ""
}

// verdictWords explains a verdict as text.
func verdictWords(f *pipelines.Look) string {
	switch f.Grade {
	case "pass":
		return "every gate holds, the draws can be used"
	case "warn":
		return "no gate is broken, but there is something to know"
	case "fail":
		return "a gate is broken, do not rest anything on these draws"
	case "error":
		return "it could not be computed"
	}
	return "there is no verdict"
}

// printFacts says what the fit is.
func printFacts(s *screen, f *pipelines.Look) {
	var facts []string
	add := func(ok bool, format string, a ...any) {
		if ok {
			facts = append(facts, fmt.Sprintf(format, a...))
		}
	}
	add(true, "fit %d of run %s", f.ID, f.RunID)
	add(f.Formula != "" && f.Link != "", "%s, %s(%s)", words.Visible(f.Formula), f.Family, f.Link)
	add(f.Formula != "" && f.Link == "", "%s, %s", words.Visible(f.Formula), f.Family)
	add(f.Rows > 0 && !f.Discrete(), "%s, %s", plural(int(f.Rows), "row"), plural(int(f.Columns), "column"))
	add(f.Draws == 0 && f.Discrete(), "%s", f.Method)
	add(f.Draws > 0, "%s: %d chains of %d draws", f.Method, f.Chains, f.Draws)
	seconds := float64(f.Seconds)
	add(!math.IsNaN(seconds) && seconds > 0, "%.3g s of one core", seconds)
	s.sentence("  ", strings.Join(facts, "; "))
}

// barLeast is the width from which a bar is drawn, barMost the widest one.
const (
	barLeast = 12
	barMost  = 60
	nameMost = 28
)

// printLines prints the chosen parameters with their bars.
func printLines(s *screen, f *pipelines.Look, lines []pipelines.Line, o *lineOptions) {
	chosen := o.choose(lines, o.top)
	if len(chosen) == 0 {
		fmt.Fprintln(s, "no parameter is chosen: --filter leaves none")
		return
	}
	spans := make([]span, len(chosen))
	for i, l := range chosen {
		spans[i] = spanOf(l, o.bars)
	}
	g := head("parameter", "mean", "sd", "2.5%", "97.5%", "R-hat", "ESS")
	for _, l := range chosen {
		sum := &l.Summary
		g.Add(words.Visible(l.Name), short(sum.Mean), short(sum.SD), short(sum.Q025), short(sum.Q975), fixed(sum.RHat, 3),
			fixed(ess(l), 0))
	}
	axis := fitBars(g, s.width, spans)
	colour := func(row, col int) string {
		switch {
		case row == 0 || row > len(chosen):
			return ""
		case col == 5:
			return breachColour(ratioTo(chosen[row-1].Summary.RHat, f.Gates.RHat.Fail))
		case col == 6:
			return breachColour(math.Max(ratioFrom(chosen[row-1].Summary.ESSBulk, f.Gates.ESSBulk.Fail),
				ratioFrom(chosen[row-1].Summary.ESSTail, f.Gates.ESSTail.Fail)))
		case col == 7 && spans[row-1].low*spans[row-1].high > 0:
			return cyan
		}
		return ""
	}
	g.colour = colour
	g.print(s)
	printLegend(s, f, lines, chosen, spans, axis, o)
	printGroups(s, lines, chosen)
}

// printGroups says how the group-level effects, missing cells and penalised coefficients mixed that are not among the
// lines that were shown.
func printGroups(s *screen, lines []pipelines.Line, shown []*pipelines.Line) {
	type group struct {
		levels, effects int
		least, largest  *pipelines.Line // of bulk ESS, of R-hat
	}
	var names []string
	groups, seen := map[string]*group{}, map[[2]string]bool{}
	for i := range lines {
		l := &lines[i]
		if !pipelines.IsEffect(l) || slices.Contains(shown, l) {
			continue
		}
		name := l.Grouping
		if pipelines.IsPenalised(l) {
			name = l.Term
		}
		g := groups[name]
		if g == nil {
			g = &group{least: l, largest: l}
			groups[name], names = g, append(names, name)
		}
		if level := [2]string{name, l.Level}; !seen[level] {
			seen[level] = true
			g.levels++
		}
		g.effects++
		if still(g.least) || !still(l) && worse(g.least.Summary.ESSBulk, l.Summary.ESSBulk) {
			g.least = l
		}
		if still(g.largest) || !still(l) && worse(-g.largest.Summary.RHat, -l.Summary.RHat) {
			g.largest = l
		}
	}
	for _, name := range names {
		g := groups[name]
		what, where := manyWords(g.least, g.effects, g.levels)
		s.sentence("  ", fmt.Sprintf("%s of %s: least bulk ESS %s (%s), largest R-hat %s (%s); %s", what, words.Visible(name),
			fixed(g.least.Summary.ESSBulk, 0), words.Visible(g.least.Name), fixed(g.largest.Summary.RHat, 3),
			words.Visible(g.largest.Name), where))
	}
}

// still reports whether a quantity that may have a single value has one: then it does not show how chains mixed.
func still(l *pipelines.Line) bool { return pipelines.HasAtoms(l) && l.Summary.SD == 0 }

// worse reports whether b is less than a, or the first that is not known.
func worse(a, b float64) bool { return !math.IsNaN(a) && !(b >= a) }

// fitBars narrows the column of names and adds bars as the width allows; nil if it does not.
func fitBars(g *grid, width int, spans []span) *bars {
	numbers := 0
	for c := 1; c < len(g.Rows[0]); c++ {
		widest := 0
		for _, row := range g.Rows {
			widest = max(widest, utf8.RuneCountInString(row[c]))
		}
		numbers += widest + 2
	}
	name := 0
	for _, row := range g.Rows {
		name = max(name, utf8.RuneCountInString(row[0]))
	}
	room := max(width-numbers-barLeast-2, 12)
	name = min(name, max(room, min(nameMost, width-numbers)))
	if name < g.Widths()[0] {
		g.atMost(0, name, width)
	}
	left := min(barMost, width-numbers-name-2)
	if left < barLeast {
		return nil
	}
	axis := newBars(spans, left)
	if axis.low >= axis.high {
		return nil
	}
	g.Rows[0] = append(g.Rows[0], axis.axis())
	for i := range spans {
		g.Rows[i+1] = append(g.Rows[i+1], strings.TrimRight(axis.draw(spans[i]), " "))
	}
	return axis
}

// spanOf returns the interval of a line's bar: the effect of one sd of its column, or of one unit; nothing for
// intercepts, dispersions and scales, whose units differ.
func spanOf(l *pipelines.Line, unit string) span {
	s := &l.Summary
	out := span{s.Q025, s.Q25, s.Median, s.Q75, s.Q975}
	if l.Kind != "coefficient" {
		return span{low: math.NaN()}
	}
	if unit == "sd" && float64(l.ColumnSD) > 0 {
		return out.times(float64(l.ColumnSD))
	}
	return out
}

// printLegend says what was left out, and what bars show.
func printLegend(s *screen, f *pipelines.Look, lines []pipelines.Line, chosen []*pipelines.Line, spans []span,
	axis *bars, o *lineOptions) {
	total := len((&lineOptions{all: len(o.keep) > 0}).choose(lines, -1))
	left := fmt.Sprintf("%d of %s", len(chosen), plural(total, "parameter"))
	switch {
	case len(o.choose(lines, -1)) > len(chosen):
		s.sentence("  ", left+", "+cmp.Or(o.sort, "the largest |mean|/sd")+
			" first; --all shows all, --format csv every digit")
	case len(o.keep) > 0:
		s.sentence("  ", left+" by --filter")
	}
	if axis == nil {
		return
	}
	what := "one unit of the column"
	if o.bars == "sd" && slices.ContainsFunc(chosen, func(l *pipelines.Line) bool { return l.ColumnSD > 0 }) {
		what = "one sd of the column"
	}
	words := fmt.Sprintf("bars: effect of %s on %s, 95 %% (─) and 50 %% (━) intervals, median (●)", what,
		pipelines.ScaleOf(f))
	clipped := 0
	for _, sp := range spans {
		if sp.finite() && (sp.low < axis.low || sp.high > axis.high) {
			clipped++
		}
	}
	if clipped > 0 {
		words += fmt.Sprintf("; %s beyond the axis", plural(clipped, "interval"))
	}
	s.sentence("  ", words)
}

// short prints three significant digits in few columns.
func short(v float64) string {
	a := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "—"
	case v == 0:
		return "0"
	case a >= 99999.5 || a < 0.000995:
		return strings.Replace(strings.Replace(strconv.FormatFloat(v, 'e', 1, 64), "e-0", "e-", 1), "e+0", "e", 1)
	}
	return strconv.FormatFloat(v, 'f', max(0, 2-int(math.Floor(math.Log10(a)))), 64)
}

// bars draws intervals as bars on one axis, on which zero has a place.
type bars struct {
	low, high float64
	width     int
}

// span is an interval to draw: 95 %, the middle half of it, and the median.
type span struct{ low, quarter, median, threequarter, high float64 }

// times is the span in another unit.
func (s span) times(by float64) span {
	return span{s.low * by, s.quarter * by, s.median * by, s.threequarter * by, s.high * by}
}

func (s span) finite() bool {
	for _, v := range []float64{s.low, s.quarter, s.median, s.threequarter, s.high} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// clipAt is how many times the reach of nineteen bars of twenty the axis may be: the
// rest, which would make dots of the others, end in arrows.
const clipAt = 2

// newBars makes an axis of width columns for spans and zero.
func newBars(spans []span, width int) *bars {
	var reach []float64
	b := &bars{width: width}
	for _, s := range spans {
		if s.finite() {
			reach = append(reach, math.Max(math.Abs(s.low), math.Abs(s.high)))
			b.low, b.high = math.Min(b.low, s.low), math.Max(b.high, s.high)
		}
	}
	if len(reach) == 0 {
		return b
	}
	slices.Sort(reach)
	limit := clipAt * reach[int(math.Ceil(0.95*float64(len(reach))))-1]
	b.low, b.high = math.Max(b.low, -limit), math.Min(b.high, limit)
	return b
}

// at is the column of a value, −1 and width for what lies outside.
func (b *bars) at(x float64) int {
	switch {
	case x < b.low:
		return -1
	case x > b.high:
		return b.width
	}
	return int(math.Round((x - b.low) / (b.high - b.low) * float64(b.width-1)))
}

// draw draws one span: ─ for its 95 %, ━ for the middle half, ● for the median, │
// for zero, ┼ in a bar, arrows for what lies outside of the axis.
func (b *bars) draw(s span) string {
	if !s.finite() || b.low >= b.high {
		return ""
	}
	cells := slices.Repeat([]rune{' '}, b.width)
	put := func(from, to float64, sign rune) {
		for i := max(0, b.at(from)); i <= min(b.width-1, b.at(to)); i++ {
			cells[i] = sign
		}
	}
	put(s.low, s.high, '─')
	put(s.quarter, s.threequarter, '━')
	if zero := b.at(0); cells[zero] == ' ' {
		cells[zero] = '│'
	} else {
		cells[zero] = '┼'
	}
	put(s.median, s.median, '●')
	if b.at(s.low) < 0 || b.at(s.high) < 0 {
		cells[0] = '◂'
	}
	if b.at(s.high) >= b.width || b.at(s.low) >= b.width {
		cells[b.width-1] = '▸'
	}
	return string(cells)
}

// axis writes the ends of the axis, and zero if it fits.
func (b *bars) axis() string {
	if b.low >= b.high {
		return ""
	}
	low, high := figure(b.low), figure(b.high)
	zero := b.at(0)
	line := slices.Repeat([]rune{' '}, b.width)
	copy(line, []rune(low))
	copy(line[max(0, b.width-len(high)):], []rune(high))
	if zero > len(low) && zero < b.width-len(high)-1 {
		line[zero] = '0'
	}
	return strings.TrimRight(string(line), " ")
}
