package main

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	_ "github.com/duckdb/duckdb-go/v2"

	"glmbatch/pipelines"
)

func compared(agreement string) pipelines.Comparison {
	worst := "glu"
	side := func(name string, s float64) pipelines.Cost {
		all := pipelines.Interval{Value: pipelines.Number(s), Low: pipelines.Number(s / 2), High: pipelines.Number(2 * s)}
		return pipelines.Cost{Sampler: name, Method: "m", Verdict: "pass", Fits: 8, ESSPerSecond: all, MinESSPerSecond: all,
			ToMedian: all, ToMin: all, ToLogLik: all, Evaluations: 1234, Gradients: 56}
	}
	ratio := pipelines.Interval{Value: 0.25, Low: 0.2, High: 0.5}
	return pipelines.Comparison{Dataset: "d", Group: "north", Model: "m", A: side("gibbs", 4), B: side("nuts", 1), Agreement: agreement,
		Compared: 6, NotCompared: 1, ZMax: 12.34, ZLimit: 4.4, Worst: &worst, Pairs: 8, RatioMedian: ratio, RatioMin: ratio, RatioLogLik: ratio}
}

// A disagreement comes first, and the faster sampler is listed first.
func TestCompareSaysDisagreementFirst(t *testing.T) {
	var b strings.Builder
	must(t, printComparisons(&screen{Writer: &b, width: 100}, []pipelines.Comparison{compared("agree"), compared("differ")}))
	if !strings.HasPrefix(b.String(), "DISAGREE: d/north × m: gibbs and nuts: glu lies 12.34 ") {
		t.Errorf("the first words are not those of the disagreement:\n%s", b.String())
	}
	for _, want := range []string{"2 pairs of samplers; 1 agree", "4 [2, 5]", "8 pairs"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, b.String())
		}
	}
	for _, want := range []string{"nuts than gibbs: agree", "nuts than gibbs: DISAGREE"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("nuts, which is sooner, does not stand before gibbs:\n%s", b.String())
		}
	}
}

// If two samplers disagree the one that failed its own gates is named, and only it; if neither did, one of them is
// wrong, whichever.
func TestCompareNamesTheFitThatFailed(t *testing.T) {
	for _, c := range []struct{ a, b, want, not string }{
		{"fail", "pass", "gibbs failed its own gates and is not to be trusted", "is wrong"},
		{"warn", "fail", "nuts failed its own gates and is not to be trusted", "is wrong"},
		{"fail", "fail", "Both failed their own gates", "is wrong"},
		{"pass", "warn", "at least one of the two is wrong", "failed"},
	} {
		p := compared("differ")
		p.A.Verdict, p.B.Verdict = c.a, c.b
		var b strings.Builder
		must(t, printComparisons(&screen{Writer: &b, width: 1000}, []pipelines.Comparison{p}))
		if got := b.String(); !strings.Contains(got, c.want) || strings.Contains(got, c.not) {
			t.Errorf("verdicts %s and %s: want %q, not %q:\n%s", c.a, c.b, c.want, c.not, got)
		}
	}
}

// Everything fits into 100 columns where sampler names have at most ten
// letters, whatever the figures are and however long the posterior's name is.
func TestCompareFitsTheTerminal(t *testing.T) {
	long := compared("differ")
	long.Dataset, long.Model = strings.Repeat("claims_", 6), strings.Repeat("severity_", 4)
	worst := pipelines.Interval{Value: 0.000123, Low: 0.000101, High: 12345}
	for _, r := range []*pipelines.Interval{&long.RatioMedian, &long.RatioMin, &long.A.ToMedian, &long.A.ToMin, &long.A.ESSPerSecond, &long.A.MinESSPerSecond} {
		*r = worst
	}
	long.A.Evaluations = 12345678901
	var b strings.Builder
	must(t, printComparisons(&screen{Writer: &b, width: 100}, []pipelines.Comparison{long, compared("unknown")}))
	for _, line := range strings.Split(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 100 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"d/north × m\n", "  12345678901\n", "  1234\n", "56 ", "8 pairs", "4 [2, 8]"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, b.String())
		}
	}
}

func TestCompareFormats(t *testing.T) {
	var b strings.Builder
	p := compared("unknown")
	p.RatioMin = pipelines.Interval{Value: pipelines.Number(math.Inf(1)), Low: pipelines.Number(math.NaN()), High: pipelines.Number(math.NaN())}
	must(t, csvComparisons(&b, []pipelines.Comparison{p}))
	head, row, _ := strings.Cut(strings.TrimSpace(b.String()), "\n")
	if n, m := strings.Count(head, ","), strings.Count(row, ","); n != m || n != 56 {
		t.Errorf("%d commas in the heading, %d in the row, want 56\n%s", n, m, b.String())
	}
	if !strings.Contains(row, ",0.25,0.2,0.5,,,,0.25,0.2,0.5,") {
		t.Errorf("an infinite ratio is not left empty: %s", row)
	}
	b.Reset()
	if err := jsonComparisons(&b, []pipelines.Comparison{p}); err != nil || !strings.Contains(b.String(), `"value": null`) {
		t.Errorf("error %v\n%s", err, b.String())
	}
}

// The exit code reports a wrong call.
func TestCompareRefuses(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"compare"}, {"compare", "--format", "xml"}, {"compare", "--dataset", "["}, {"compare", "x"}} {
		if code, _, errs := call(t, args...); code != 2 || errs == "" {
			t.Errorf("%q: exit %d, %q", args, code, errs)
		}
	}
}

// The exit code reports whether samplers differ: 0 for two that agree, 1 once a mean of one of them differs from
// the other's.
func TestCompareExits(t *testing.T) {
	t.Chdir(t.TempDir())
	var data strings.Builder
	data.WriteString("x,y\n")
	for i := range 30 {
		x := float64(i) / 10
		fmt.Fprintf(&data, "%g,%g\n", x, 1+2*x+math.Sin(float64(7*i)))
	}
	write(t, ".", "d.csv", data.String())
	write(t, ".", "two.yaml", `pipeline: two
database: two.duckdb
datasets: {d: {path: d.csv}}
models: {m: {formula: y ~ x, family: gaussian, prior: {coefficients: "normal(0, 10)"}}}
samplers: {a: {method: conjugate}, b: {method: conjugate}}
run: {chains: 4, warmup: 0, draws: 250}
`)
	mustCall(t, "run", "two.yaml")
	mustCall(t, "compare", "--database", "two.duckdb")
	db, err := sql.Open("duckdb", "two.duckdb")
	must(t, err)
	_, err = db.Exec(`UPDATE summary SET mean = mean + sd
		WHERE name = 'x' AND fit_id IN (SELECT fit_id FROM latest WHERE sampler = 'b')`)
	must(t, errors.Join(err, db.Close()))
	for _, format := range []string{"table", "csv", "json"} {
		code, out, _ := call(t, "compare", "--database", "two.duckdb", "--format", format)
		if code != 1 || !strings.Contains(strings.ToLower(out), "differ") && !strings.Contains(out, "DISAGREE") {
			t.Errorf("--format %s of samplers that differ: exit %d\n%s", format, code, out)
		}
	}
}
