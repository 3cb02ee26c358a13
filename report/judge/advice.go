package judge

import (
	"regexp"
	"slices"
	"strings"
)

// byAuto is the part of an advice that a fit does not get whose sampler auto chose.
const byAuto = ", or let method: auto choose the sampler"

// remedies say what to do about a reason of a verdict, known by how it begins, and name it in few words: Judge and
// judgeDrift write no others, which a test holds. Warnings of checks and samplers have some too.
var remedies = []struct{ begins, headline, advice string }{
	{"the attempt of ", "stale: a newer attempt failed", "These draws are older than the last try at this fit, which " +
		"failed. See what that run says (pipeline runs, pipeline show), and do not take them for today's."},
	{"the fit of the run of ", "stale: the newest fit is gone", "The fit that the newest run took is not in the ledger " +
		"any more. Run the pipeline again."},
	{"this is the newest attempt; ", "an older fit is shown in its place", "Views, predictions and exports have " +
		"the older fit until an attempt succeeds. Remove the cause of the error, then run pipeline retry."},
	{"the newest complete fit of this name is ", "not the newest of its name", "A newer fit of this name is in " +
		"the ledger: " +
		"look at that one (pipeline report --latest)."},
	{"R-hat of ", "a diagnostic cannot be computed", notComputed},
	{"bulk ESS of ", "a diagnostic cannot be computed", notComputed},
	{"tail ESS of ", "a diagnostic cannot be computed", notComputed},
	{"R-hat ", "R-hat beyond its gate", "The chains do not agree yet. Look at the trace below: where chains " +
		"still approach " +
		"each other, draw longer (run: max_iterations, or warmup and draws); where one stays apart, the posterior may have " +
		"several modes or not be proper: give it a tighter prior."},
	{"bulk ESS ", "too few effective draws", "There are too few effective draws for stable means. Draw longer " +
		"(run: max_iterations, or draws)" + byAuto + "; if the figure of ESS over draws bends down, draw much longer."},
	{"tail ESS ", "too few effective draws in the tails", "There are too few effective draws for stable 5 % and 95 % " +
		"quantiles. Draw longer (run: max_iterations, or draws)."},
	{"divergent ", "divergent transitions", "Trajectories of the sampler broke off, so parts of the posterior may be " +
		"missing. Raise target_accept of the sampler toward 0.99, or use tighter priors" + byAuto + "."},
	{"drift: ", "moved since the night before", "The fit moved away from the night before. See whether the " +
		"data changed on " +
		"purpose; a change that stays is told once. Widen gates: {drift: …} if it is harmless."},
	{"there are no diagnostics", "too few draws to judge", "Draw at least 20 iterations a chain, so that there " +
		"is something " +
		"to judge."},
	{"every gate is off", "nothing was checked", "Nothing was checked. Switch on gates, or read R-hat and " +
		"effective sample " +
		"sizes below yourself."},
	{"predictive check: the standard deviation of the response", "misfit: spread",
		"The model does not make data as spread out as these: intervals are too narrow, or too wide. Counts that spread " +
			"more: family negative_binomial, or an effect of each row (1 | row); a gaussian: family student_t, or a " +
			"transformed " +
			"response."},
	{"predictive check: the share of zeros of the response", "misfit: zeros",
		"The model does not make as many zeros, or makes more. Try family negative_binomial, a grouping, or a column that " +
			"tells where zeros come from."},
	{"predictive check: the mean of the response", "misfit: mean",
		"The model misses the mean itself: a prior, an offset or a missing intercept holds it back. Look at the priors " +
			"beside the posterior below."},
	{"predictive check: the m", "misfit: extremes", // minimum, maximum
		"The model does not reach, or goes far beyond, the ends of the data. Look for outliers, for bounds that the family " +
			"does not know (counts and scores under a gaussian), and at tails: student_t, negative_binomial."},
	{"predictive check: the statistic ", "misfit: a statistic of the spec",
		"The model does not make data with this statistic, which the spec names: what it stands for is missing in it."},
	{"predictive check by ", "misfit: levels", "Levels of this column differ in ways that the model does not know. " +
		"Where means are off, give it an effect of the level: the column, or (1 | column); where standard deviations are, " +
		"a column that tells the spread, or effects of the level on slopes, (1 + x | column)."},
	{"predictive check over ", "misfit: along a number", "The response moves with this number in a way that the model " +
		"does not know: add it, or a curve of it, s(x) or poly(x, 2), or its product with another column."},
	{"predictive checks: ", "a column cannot be checked", "A column that run: {ppc: …} names is not in these data, or " +
		"not of the kind that is asked for. Correct the name, or give this data set a spec of its own."},
	{"leave-one-out: the Pareto k", "Pareto k too high", "Single rows sway the fit. Look at those with the largest " +
		"k below; where a level or a row has an effect of its own this is to be expected, and elpd_loo cannot be relied on."},
	{"leave-one-out cannot", "leave-one-out cannot be computed", ""},
	{"E-BFMI ", "energy moves too slowly", ""}, // what to do stands in the warning
	{"mean acceptance ", "step size too large", ""},
}

const notComputed = "A diagnostic that cannot be computed says that draws do not vary, or are not finite: " +
	"look at the " +
	"trace, and at the data of that column."

// Headline names a reason in few words, the same for reasons that say the same with other numbers and names.
func Headline(reason string) string {
	rest := reason
	if cut, ok := cutCount(reason); ok {
		rest = cut
	}
	for _, m := range remedies {
		if strings.HasPrefix(rest, m.begins) {
			return m.headline
		}
	}
	if strings.Contains(reason, "trajectories diverged") {
		return "divergent transitions"
	}
	if cause := Cause(reason); cause != "" {
		return details.ReplaceAllString(cause, "…")
	}
	line, _, _ := strings.Cut(reason, "\n")
	line = details.ReplaceAllString(line, "…")
	if before, _, ok := strings.Cut(line, ": "); ok && len(before) > 20 {
		line = before
	}
	return line
}

// Cause returns what is wrong in a reason that begins with the place in the data, such as
// dataset "d", column "x", row 3: "abc" is not a number; empty of other reasons.
func Cause(reason string) string {
	line, _, _ := strings.Cut(reason, "\n")
	if !strings.HasPrefix(line, `dataset "`) {
		return ""
	}
	quoted := false
	for i, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted && strings.HasPrefix(line[i:], ": ") {
			return line[i+2:]
		}
	}
	return ""
}

// details are what differs among warnings that say the same: quoted names, paths and numbers.
var details = regexp.MustCompile(`"[^"]*"|[^\s:]*/[^\s:]*|[-−]?\b[0-9][0-9.,e+-]*\b`)

// Advice says what to do about the reasons of a verdict, each thing once. auto says that
// method: auto chose the sampler, which is no advice then.
func Advice(reasons []string, auto bool) []string {
	out := []string{}
	for _, r := range reasons {
		if rest, ok := cutCount(r); ok {
			r = rest // "3 divergent transitions exceed 0"
		}
		for _, m := range remedies {
			if strings.HasPrefix(r, m.begins) {
				advice := m.advice
				if auto {
					advice = strings.ReplaceAll(advice, byAuto, "")
				}
				if advice != "" && !slices.Contains(out, advice) {
					out = append(out, advice)
				}
				break
			}
		}
	}
	return out
}

// cutCount cuts a number that a text begins with.
func cutCount(text string) (rest string, ok bool) {
	rest = strings.TrimLeft(text, "0123456789")
	return strings.TrimPrefix(rest, " "), rest != text && strings.HasPrefix(rest, " ")
}
