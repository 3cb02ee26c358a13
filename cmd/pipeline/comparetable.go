package main

import (
	"fmt"
	"math"
	"strconv"

	"glmbatch/internal/words"
	"glmbatch/pipelines"
)

// printComparisons prints disagreements first, then the ratios of each pair,
// then what each sampler took.
func printComparisons(w *screen, pairs []pipelines.Comparison) error {
	if len(pairs) == 0 {
		w.sentence("  ", "no two samplers have a complete fit of one posterior here: give fits two samplers, and run")
		return nil
	}
	printAgreement(w, pairs)
	ratios := head("times as fast to ESS 100", "median", "minimum", "log_lik", "by")
	seconds := head("seconds to ESS 100", "median", "minimum", "log_lik", "fits")
	work := head("ESS a second; work", "median", "minimum", "gradients", "evaluations")
	seen := map[string]bool{}
	posterior := posteriors(pairs)
	few := false
	for i := range pairs {
		p := &pairs[i]
		name := posterior(p)
		few = few || math.IsNaN(float64(p.RatioMedian.Low))
		ratios.Under(name, ratioRow(p)...)
		for _, c := range []*pipelines.Cost{&p.A, &p.B} {
			if sampler := words.Visible(c.Sampler); !seen[name+"\x00"+sampler] {
				seen[name+"\x00"+sampler] = true
				seconds.Under(name, sampler, interval(c.ToMedian), interval(c.ToMin), interval(c.ToLogLik), strconv.Itoa(c.Fits))
				work.Under(name, sampler, interval(c.ESSPerSecond), interval(c.MinESSPerSecond), strconv.FormatInt(c.Gradients, 10),
					strconv.FormatInt(c.Evaluations, 10))
			}
		}
	}
	for _, t := range []*grid{ratios, seconds, work} {
		t.Right = left
		t.print(w)
		fmt.Fprintln(w)
	}
	note := "Figures are medians over replicates with 95 % intervals."
	if few {
		note = "A figure without an interval rests on fewer than 6 replicates: give run: {replicates: 30}."
	}
	w.sentence("  ", "Seconds are those of one core, set-up and warm-up included; median and minimum are over "+
		"parameters; "+
		"gradients and evaluations are those of the first fit. "+note)
	return nil
}

// printAgreement says which pairs disagree, and which could not be compared.
func printAgreement(w *screen, pairs []pipelines.Comparison) {
	agree := 0
	posterior := posteriors(pairs)
	for i := range pairs {
		p := &pairs[i]
		worst := ""
		if p.Worst != nil {
			worst = words.Visible(*p.Worst)
		}
		switch p.Agreement {
		case "differ":
			w.sentence("  ", w.paint(gradeColour("fail"), "DISAGREE")+
				fmt.Sprintf(": %s: %s and %s: %s lies %s Monte Carlo standard errors apart; over %s quantities %s is exceeded by "+
					"chance once in 1000. "+
					"%s.",
					posterior(p), words.Visible(p.A.Sampler), words.Visible(p.B.Sampler), worst,
					number(float64(p.ZMax)), strconv.Itoa(p.Compared),
					number(float64(p.ZLimit)), blame(&p.A, &p.B)))
		case "agree":
			agree++
		default:
			w.sentence("  ", fmt.Sprintf("unknown: %s: %s and %s: %s could not be compared", posterior(p),
				words.Visible(p.A.Sampler),
				words.Visible(p.B.Sampler), plural(p.NotCompared, "quantity")))
		}
	}
	if agree == len(pairs) {
		fmt.Fprintf(w, "%s of samplers: all agree\n", plural(len(pairs), "pair"))
	} else {
		fmt.Fprintf(w, "%s of samplers; %d agree\n", plural(len(pairs), "pair"), agree)
	}
	fmt.Fprintln(w)
}

// blame says what a disagreement says of two samplers: nothing of one that holds its gates where the other does not.
func blame(a, b *pipelines.Cost) string {
	const fail = "fail"
	if a.Verdict != fail && b.Verdict != fail {
		return "Both hold their gates, so at least one of the two is wrong, or both have missed the same part of the " +
			"posterior for a while: draw longer, or ask a third sampler"
	}
	if a.Verdict == fail && b.Verdict == fail {
		return "Both failed their own gates: do not trust either yet, see pipeline show"
	}
	if b.Verdict == fail {
		a, b = b, a
	}
	return words.Visible(a.Sampler) + " failed its own gates and is not to be trusted, see pipeline show; " +
		"that is no evidence against " + words.Visible(b.Sampler)
}

// ratioRow puts the sooner sampler of a pair first.
func ratioRow(p *pipelines.Comparison) []string {
	first, second := p.A.Sampler, p.B.Sampler
	r := [3]pipelines.Interval{p.RatioMedian, p.RatioMin, p.RatioLogLik}
	if r[0].Value < 1 {
		first, second = second, first
		for i, v := range r {
			r[i] = pipelines.Interval{Value: 1 / v.Value, Low: 1 / v.High, High: 1 / v.Low}
		}
	}
	verdict := p.Agreement
	if verdict == "differ" {
		verdict = "DISAGREE"
	}
	return []string{words.Visible(first) + " than " + words.Visible(second) + ": " + verdict,
		interval(r[0]), interval(r[1]),
		interval(r[2]), plural(p.Pairs, "pair")}
}

// interval prints a median and its interval.
func interval(v pipelines.Interval) string {
	value := figure(float64(v.Value))
	if math.IsNaN(float64(v.Low)) {
		return value
	}
	return fmt.Sprintf("%s [%s, %s]", value, figure(float64(v.Low)), figure(float64(v.High)))
}

// figure prints three significant digits; a dash stands for what no run has
// shown.
func figure(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "—"
	}
	if v >= 1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
