package judge

import (
	"slices"
	"strings"
)

// byAuto is the part of an advice that a fit does not get whose sampler auto chose.
const byAuto = ", or let method: auto choose the sampler"

// remedies say what to do about a reason of a verdict, known by how it begins:
// Judge and judgeDrift write no others, which a test holds.
var remedies = []struct{ begins, advice string }{
	{"R-hat of ", "A diagnostic that cannot be computed says that draws do not vary, or are not finite: look at the " +
		"trace, and at the data of that column."},
	{"bulk ESS of ", "A diagnostic that cannot be computed says that draws do not vary, or are not finite: look at the " +
		"trace, and at the data of that column."},
	{"tail ESS of ", "A diagnostic that cannot be computed says that draws do not vary, or are not finite: look at the " +
		"trace, and at the data of that column."},
	{"R-hat ", "The chains do not agree yet. Look at the trace below: where chains still approach each other, draw " +
		"longer (run: max_iterations, or warmup and draws); where one stays apart, the posterior may have several modes or " +
		"not be proper: give it a tighter prior."},
	{"bulk ESS ", "There are too few effective draws for stable means. Draw longer (run: max_iterations, or draws)" +
		byAuto + "; if the figure of ESS over draws bends down, draw much longer."},
	{"tail ESS ", "There are too few effective draws for stable 5 % and 95 % quantiles. Draw longer " +
		"(run: max_iterations, or draws)."},
	{"divergent ", "Trajectories of the sampler broke off, so parts of the posterior may be missing. Raise " +
		"target_accept of the sampler toward 0.99, or use tighter priors" + byAuto + "."},
	{"drift: ", "The fit moved away from the night before. See whether the data changed on purpose; a change that stays " +
		"is told once. Widen gates: {drift: …} if it is harmless."},
	{"there are no diagnostics", "Draw at least 20 iterations a chain, so that there is something to judge."},
	{"every gate is off",
		"Nothing was checked. Switch on gates, or read R-hat and effective sample sizes below yourself."},
}

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
				if !slices.Contains(out, advice) {
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
