package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// result holds the measures of one sample, by sampler in the order of the run.
type result struct {
	sample
	names []string
	runs  map[string][]measured
}

func whole(m measured) figures { return m.to100(true) }

func sampled(m measured) figures { return m.to100(false) }

func sizes(m measured) figures { return m.ess }

// bars prints auto against the reference, and the bars next to the ratios.
func bars(w io.Writer, results []result) {
	if !slices.ContainsFunc(results, func(r result) bool { return r.model == "" }) {
		return
	}
	fmt.Fprint(w, "| data | auto took | auto, s: median, `log_lik`, least | reference, s | median: ratio (bar) | "+
		"`log_lik`: ratio (bar) | least: ratio (bar) |\n"+
		"|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		auto, reference := r.runs["auto"], r.runs["reference"]
		if len(auto) == 0 || len(reference) == 0 {
			continue
		}
		a, b := middles(auto, whole), middles(reference, whole)
		far := figures{}
		ess := [2]figures{middles(auto, sizes), middles(reference, sizes)}
		for _, e := range ess {
			far.median, far.logLik, far.least = math.Max(far.median, short(e.median)), math.Max(far.logLik, short(e.logLik)),
				math.Max(far.least, short(e.least))
		}
		fmt.Fprintf(w, "| %s, %s | %s | %s | %s | %s | %s | %s |\n", r.name, r.size, auto[0].how, triple(a, ess[0]),
			triple(b, ess[1]),
			cell(b.median/a.median, r.bars.median, far.median), cell(b.logLik/a.logLik, r.bars.logLik, far.logLik),
			cell(b.least/a.least, r.bars.least, far.least))
	}
}

// details prints every sampler's times and effective sample sizes.
func details(w io.Writer, results []result) {
	fmt.Fprint(w, "| data | sampler | runs | set-up, s | warm-up, s | sampling, s | ESS: median, `log_lik`, least | to "+
		"ESS 100, s | without warm-up, s | whole run, s |\n"+
		"|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		for _, name := range r.names {
			runs := r.runs[name]
			if len(runs) == 0 {
				continue
			}
			how := name
			if name == "auto" {
				how = "auto: " + runs[0].how
			}
			ess := middles(runs, sizes)
			of := func(f func(measured) float64) string { return seconds(middle(runs, f)) }
			fmt.Fprintf(w, "| %s | %s | %d | %s | %s | %s | %s, %s, %s | %s | %s | %s |\n", r.name, how, len(runs),
				of(func(m measured) float64 { return m.setup }), of(func(m measured) float64 { return m.warmup }),
				of(func(m measured) float64 { return m.sampling }), count(ess.median), count(ess.logLik), count(ess.least),
				triple(middles(runs, whole), ess), triple(middles(runs, sampled), ess),
				of(func(m measured) float64 { return m.process }))
		}
	}
}

// short is 1 of an effective sample size that has not reached 100.
func short(ess float64) float64 {
	if ess >= 100 {
		return 0
	}
	return 1
}

// triple is three times, extrapolated ones marked.
func triple(f, ess figures) string {
	parts := []string{seconds(f.median), seconds(f.logLik), seconds(f.least)}
	for i, e := range []float64{ess.median, ess.logLik, ess.least} {
		if short(e) > 0 {
			parts[i] = "~" + parts[i]
		}
	}
	return strings.Join(parts, ", ")
}

// cell is a ratio with its bar.
func cell(ratio, bar, extrapolated float64) string {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return "–"
	}
	mark, word := "", "PASS"
	if extrapolated > 0 {
		mark = "~"
	}
	if ratio < bar {
		word = "MISS"
	}
	return fmt.Sprintf("%s%s × (%g) %s", mark, three(ratio), bar, word)
}

// seconds is a time to two digits.
func seconds(s float64) string {
	switch {
	case math.IsNaN(s) || math.IsInf(s, 0):
		return "–"
	case s >= 100:
		return strconv.FormatFloat(s, 'f', 0, 64)
	}
	return strconv.FormatFloat(s, 'g', 2, 64)
}

// three is a ratio to three digits, or whole.
func three(x float64) string {
	if x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// count is a number without its fraction.
func count(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "–"
	}
	return strconv.FormatFloat(math.Floor(x), 'f', 0, 64)
}
