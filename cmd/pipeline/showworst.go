package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// worstLines is the number of quantities, among those that gates check, that are listed with their diagnostics.
const worstLines = 5

// printWorst prints the quantities with the worst diagnostics, log_lik among them.
func printWorst(s *screen, f *pipelines.Look, lines []pipelines.Line) {
	var gated []*pipelines.Line
	for i := range lines {
		if !pipelines.IsHidden(&lines[i]) {
			gated = append(gated, &lines[i])
		}
	}
	tied := f.Discrete() || slices.ContainsFunc(lines, func(l pipelines.Line) bool { return pipelines.HasAtoms(&l) })
	of := func(l *pipelines.Line) float64 { return badness(f, l, tied) }
	slices.SortStableFunc(gated, func(a, b *pipelines.Line) int { return cmp.Compare(of(b), of(a)) })
	all, bad := 0, 0
	for _, l := range gated {
		if !pipelines.IsLogPrior(l) { // listed, but not checked by gates
			all++
			if breaks(f, l, tied) {
				bad++
			}
		}
	}
	g := head("worst diagnostics", "R-hat", "bulk ESS", "tail ESS")
	shown := gated[:min(len(gated), max(3, min(bad, worstLines)))]
	for _, l := range shown {
		g.Add(words.Visible(l.Name), fixed(l.Summary.RHat, 3), fixed(l.Summary.ESSBulk, 0),
			fixed(l.Summary.ESSTail, 0))
	}
	g.colour = func(row, col int) string {
		if row == 0 || col == 0 {
			return ""
		}
		sum := &shown[row-1].Summary
		if !breaks(f, shown[row-1], tied) {
			return ""
		}
		return breachColour([]float64{ratioTo(sum.RHat, f.Gates.RHat.Fail), ratioFrom(sum.ESSBulk, f.Gates.ESSBulk.Fail),
			ratioFrom(sum.ESSTail, f.Gates.ESSTail.Fail)}[col-1])
	}
	g.print(s)
	var notes []string
	if f.Gates.RHat.Fail.On || f.Gates.ESSBulk.Fail.On || f.Gates.ESSTail.Fail.On {
		notes = append(notes, "gates: R-hat "+gateWords(f.Gates.RHat.Fail, "≤")+", bulk ESS "+
			gateWords(f.Gates.ESSBulk.Fail, "≥")+", tail ESS "+gateWords(f.Gates.ESSTail.Fail, "≥"))
	}
	if bad > 0 {
		notes = append(notes, fmt.Sprintf("%d of %s beyond a gate", bad, plural(all, "quantity")))
	}
	if f.Divergences > 0 || pipelines.HasTrajectories(f) {
		notes = append(notes, plural(f.Divergences, "divergent transition"))
	}
	if len(notes) > 0 {
		s.sentence("  ", strings.Join(notes, "; "))
	}
}

func gateWords(limit pipelines.Limit, sign string) string {
	if !limit.On {
		return "off"
	}
	return sign + " " + strconv.FormatFloat(limit.At, 'g', -1, 64)
}

// badness is how far a quantity is beyond the gates, 1 at the first of them: what cannot
// be computed is the worst. Where quantities may be tied gates pass over those that never move, and judge those
// of which many draws are equal by their bulk.
func badness(f *pipelines.Look, l *pipelines.Line, tied bool) float64 {
	s := &l.Summary
	tail := s.ESSTail
	if tied && math.IsNaN(tail) {
		tail = s.ESSBulk
	}
	worst := 0.0
	for _, v := range []float64{ratioTo(s.RHat, f.Gates.RHat.Fail), ratioFrom(s.ESSBulk, f.Gates.ESSBulk.Fail),
		ratioFrom(tail, f.Gates.ESSTail.Fail)} {
		if math.IsNaN(v) && (tied || isConstant(l)) {
			continue
		}
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		worst = math.Max(worst, v)
	}
	return worst
}

// isConstant reports whether a line is of a derived quantity that may have one value in all draws: gates pass over what
// it has not.
func isConstant(l *pipelines.Line) bool { return l.Kind == "derived" && !math.IsNaN(l.Summary.Mean) }

// breaks reports whether a quantity breaks a gate that is on, as the verdict counts it.
func breaks(f *pipelines.Look, l *pipelines.Line, tied bool) bool {
	s, g := &l.Summary, f.Gates
	tail := s.ESSTail
	if tied && math.IsNaN(tail) {
		tail = s.ESSBulk
	}
	for _, gate := range []struct {
		limit       pipelines.Limit
		value, sign float64
	}{{g.RHat.Fail, s.RHat, 1}, {g.ESSBulk.Fail, s.ESSBulk, -1}, {g.ESSTail.Fail, tail, -1}} {
		switch {
		case !gate.limit.On, math.IsNaN(gate.value) && (tied || isConstant(l)):
		case !(gate.sign*gate.value <= gate.sign*gate.limit.At): // NaN too
			return true
		}
	}
	return false
}

// ratioTo is the ratio of an R-hat to its limit: 1 at the limit, 0 at 1.
func ratioTo(rhat float64, limit pipelines.Limit) float64 {
	at := 1.01 // where the gate is off: the order is still one by R-hat
	if limit.On {
		at = limit.At
	}
	return (rhat - 1) / (at - 1)
}

// ratioFrom is the ratio of an effective sample size's limit to it, above 1 below the limit.
func ratioFrom(ess float64, limit pipelines.Limit) float64 {
	if !limit.On {
		return 0
	}
	return limit.At / ess
}

func breachColour(ratio float64) string {
	if ratio > 1 || math.IsNaN(ratio) {
		return red
	}
	return ""
}
