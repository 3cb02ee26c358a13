package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// Limits of what run prints: coefficients are shown for a few small fits, and
// larger results are left to SQL.
const (
	maxTables     = 4
	maxParameters = 40
	maxFits       = 50
)

// printOutcome prints what a person wants to know after a run: tables of
// coefficients where they are few, what failed and why, and where to look.
func printOutcome(w *screen, out *pipelines.Outcome) {
	shown := 0
	for _, f := range out.Fits {
		if len(out.Fits) <= maxTables && 0 < len(f.Parameters) && len(f.Parameters) <= maxParameters {
			printFit(w, f)
			shown++
		}
	}
	if len(out.Fits) > 1 || shown == 0 && len(out.Fits) > 0 {
		printFits(w, out.Fits)
	}
	printTail(w, out)
}

func printFit(w *screen, f *pipelines.Result) {
	rowWord, columnWord := "row", "column"
	if f.Discrete {
		rowWord, columnWord = "variable", "edge"
	}
	drawn := fmt.Sprintf("%d chains of %d draws", f.Chains, f.Draws)
	if f.Draws == 0 {
		drawn = "nothing drawn"
	}
	w.sentence("  ", fmt.Sprintf("%s: %s, %s, %s, %s",
		words.Visible(f.Name()), f.Method, plural(f.Rows, rowWord), plural(f.Columns, columnWord), drawn))
	fmt.Fprintln(w)
	g := parameterTable(f, number, "ESS bulk", "ESS tail")
	if g.Total() > w.width {
		g = parameterTable(f, number, "ESS", "tail")
	}
	if g.Total() > w.width {
		g = parameterTable(f, short, "ESS", "tail")
	}
	g.shorten(0, w.width)
	g.print(w)
	if f.Effects > 0 {
		w.sentence("  ", plural(f.Effects, "group-level effect")+" not shown: SELECT * FROM group_effects")
	}
	if f.Penalised > 0 {
		w.sentence("  ", plural(f.Penalised, "coefficient")+
			" of smooths not shown: SELECT * FROM smooths; pipeline effects")
	}
	fmt.Fprintf(w, "\nverdict: %s\n", w.paint(gradeColour(f.Verdict), verdict(f)))
	for _, r := range f.Reasons {
		w.sentence("  ", "  "+clean(r))
	}
	fmt.Fprintln(w)
}

// parameterTable has a row for each parameter, numbers in some format.
func parameterTable(f *pipelines.Result, format func(float64) string, bulk, tail string) *grid {
	g := head("parameter", "mean", "sd", "2.5%", "median", "97.5%", "R-hat", bulk, tail)
	for _, p := range f.Parameters {
		g.Add(words.Visible(p.Name), format(p.Mean), format(p.SD), format(p.Q025), format(p.Median), format(p.Q975),
			fixed(p.RHat, 3), fixed(p.ESSBulk, 0), fixed(p.ESSTail, 0))
	}
	return g
}

// verdict is the fit's verdict, and whether it was computed now.
func verdict(f *pipelines.Result) string {
	switch f.Action {
	case pipelines.Skipped:
		return f.Verdict + " (unchanged: the stored fit counts; --force computes it again)"
	case pipelines.Uncommitted:
		return "uncommitted (pipeline commit, when the ledger is free)"
	case pipelines.Interrupted:
		return "interrupted (run again to resume)"
	}
	return f.Verdict
}

// printFits prints a line per fit, what needs a look first.
func printFits(w *screen, fits []*pipelines.Result) {
	order := map[string]int{"error": 0, "fail": 1, "": 2, "warn": 3, "pass": 4}
	sorted := slices.Clone(fits)
	slices.SortStableFunc(sorted, func(a, b *pipelines.Result) int {
		return cmp.Compare(order[a.Verdict], order[b.Verdict])
	})
	t := head("verdict", "fit", "action", "draws", "seconds", "why")
	t.flow, t.Below = true, true
	t.colour = t.gradesIn(0)
	for _, f := range sorted[:min(len(sorted), maxFits)] {
		why := ""
		switch {
		case f.Verdict == "error":
			why = "see below"
		case f.Action == pipelines.Planned:
			why = strings.Join(append(slices.Clip(f.Reasons), f.Size), "; ")
		case len(f.Reasons) > 0:
			why, _, _ = strings.Cut(f.Reasons[0], "\n")
		}
		t.Add(f.Verdict, words.Visible(f.Name()), f.Action, count(f.Chains*f.Draws), seconds(f), words.Visible(why))
	}
	t.dropEmpty()
	t.shorten(slices.Index(t.Rows[0], "fit"), w.width)
	t.print(w)
	if n := len(sorted) - maxFits; n > 0 {
		fmt.Fprintf(w, "… and %d more\n", n)
	}
	printErrors(w, sorted)
	fmt.Fprintln(w)
}

// printErrors prints why fits erred, each reason once.
func printErrors(w *screen, fits []*pipelines.Result) {
	var reasons []string
	names := map[string][]string{}
	for _, f := range fits {
		if f.Verdict == "error" && len(f.Reasons) > 0 {
			reason := strings.Join(f.Reasons, "\n")
			if names[reason] == nil {
				reasons = append(reasons, reason)
			}
			names[reason] = append(names[reason], words.Visible(f.Name()))
		}
	}
	for _, reason := range reasons {
		fmt.Fprintf(w, "\n%s\n", strings.Join(names[reason], "\n"))
		w.reason(clean(reason))
	}
}

// printFaults prints what a quiet run reports: a line for each fit that failed, erred or waits for its commit, with all
// reasons, and what else is not where it was to be.
func printFaults(w *screen, out *pipelines.Outcome) {
	for _, f := range out.Fits {
		state := f.Verdict
		switch {
		case f.Action == pipelines.Uncommitted:
			state = "not in the ledger"
		case f.Verdict != "fail" && f.Verdict != "error":
			continue
		case f.Action == pipelines.Skipped:
			state += " (unchanged)"
		}
		why := strings.ReplaceAll(clean(strings.Join(f.Reasons, "; ")), "\n", "; ")
		fmt.Fprintf(w, "%s: %s: %s\n", words.Visible(f.Name()), state, why)
	}
	printLeft(w, out)
}

// printLeft prints the fits of a run that are not in the ledger, its copy or its page, and why.
func printLeft(w io.Writer, out *pipelines.Outcome) {
	for _, left := range []struct{ what, why string }{
		{"not recorded in the ledger", out.Unrecorded}, {"not published", out.Unpublished}, {"no report", out.Unreported},
	} {
		if left.why != "" {
			fmt.Fprintf(w, "%s: %s\n", left.what, words.Indent(clean(left.why)))
		}
	}
}

// printTail counts the fits and says how to look further.
func printTail(w *screen, out *pipelines.Outcome) {
	counts := map[string]int{}
	for _, f := range out.Fits {
		switch {
		case f.Action == pipelines.Uncommitted || f.Action == pipelines.Interrupted || f.Action == pipelines.Planned:
			counts[f.Action]++
		default:
			counts[f.Verdict]++
		}
		if f.Action == pipelines.Skipped {
			counts["unchanged"]++
		}
	}
	var parts []string
	for _, k := range []string{"pass", "warn", "fail", "error", "unchanged", pipelines.Uncommitted, pipelines.Interrupted,
		pipelines.Planned} {
		if counts[k] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", counts[k], k))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to do"}
	}
	took := fmt.Sprintf(", in %.1f s", out.Finished.Sub(out.Started).Seconds())
	if out.DryRun {
		took = " of a dry run"
	}
	fmt.Fprintf(w, "%s%s: %s\n", plural(len(out.Fits), "fit"), took, strings.Join(parts, ", "))
	printLeft(w, out)
	if _, err := os.Stat(out.Database); out.DryRun || out.Unrecorded != "" && err != nil {
		return // there is no ledger to look at
	}
	flag := ledgerFlag(out.Database)
	view := "coefficients"
	if len(out.Fits) > 0 && !slices.ContainsFunc(out.Fits,
		func(f *pipelines.Result) bool { return !f.Discrete }) {
		view = "marginals"
	}
	look := fmt.Sprintf("sql%s \"SELECT * FROM %s\"", flag, view)
	if counts["pass"]+counts["warn"] == 0 && counts["fail"]+counts["error"] > 0 {
		look = "show" + flag // faults come before numbers that they make useless
	}
	fmt.Fprintf(w, "ledger: %s\n", words.Visible(relative(out.Database)))
	fmt.Fprintln(w, w.fold("look further: "+shellQuote(calledAs)+" "+look))
}

// relative is path as seen from the working directory, if it is below it.
func relative(path string) string {
	wd, err := filepath.Abs(".")
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// number prints four significant digits.
func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "—"
	case v == 0:
		return "0"
	case math.Abs(v) >= 1e5 || math.Abs(v) < 1e-4:
		return strconv.FormatFloat(v, 'e', 3, 64)
	}
	digits := 3 - int(math.Floor(math.Log10(math.Abs(v))))
	return strconv.FormatFloat(v, 'f', max(0, digits), 64)
}

// fixed prints a number with digits decimals.
func fixed(v float64, digits int) string {
	if math.IsNaN(v) {
		return "—"
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// seconds is the processor time of a fit that was drawn.
func seconds(f *pipelines.Result) string {
	if f.Seconds == 0 {
		return ""
	}
	return f.Took()
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "ity"); ok {
		what = stem + "itie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// clean is text whose lines count as it may be shown: names in it are data and must not
// steer a terminal. A name by itself goes through words.Visible.
func clean(s string) string { return words.VisibleLines(s) }

// visibleJSON writes JSON that people may see on a terminal.
type visibleJSON struct{ to io.Writer }

func (v visibleJSON) Write(p []byte) (int, error) {
	if _, err := v.to.Write(words.VisibleJSON(p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// indented writes v as JSON for machines that people may watch.
func indented(w io.Writer, v any) error {
	enc := json.NewEncoder(visibleJSON{w})
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// nameOf is a fit's or posterior's name as people read it.
func nameOf(dataset, group string, rest ...string) string {
	if group != "" {
		dataset += "/" + group
	}
	return words.Visible(strings.Join(append([]string{dataset}, rest...), " × "))
}

// pipelineOf returns how the name of an item begins: with its pipeline if the items belong to several, else with
// nothing.
func pipelineOf[T any](items []T, of func(*T) string) func(pipeline string) string {
	for i := range items {
		if of(&items[i]) != of(&items[0]) {
			return func(pipeline string) string { return words.Visible(pipeline) + ": " }
		}
	}
	return func(string) string { return "" }
}

// shellQuote quotes a word for a POSIX shell where it needs to be.
func shellQuote(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
