package assess

import (
	"math"
	"slices"

	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
)

// withoutMoments blanks what is told of moments that may not exist: averages of
// the draws would look like numbers. Quantiles, R-hat and ESS, which gates look
// at, rest on ranks.
func (m *Measured) withoutMoments(doubts []glm.Doubt) {
	for _, d := range doubts {
		for _, j := range d.Parameters {
			if j < len(m.Parameters) {
				withoutMoments(&m.Parameters[j], d.Reason)
			}
		}
	}
}

func withoutMoments(s *diag.Summary, words string) {
	s.Mean, s.SD, s.MCSEMean, s.MCSESD = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	if s.Reason != "" {
		words = s.Reason + "; " + words
	}
	s.Reason = words
}

// withoutDerivedMoments blanks the moments of derived quantities that rest on parameters
// without them, unless bounded functions stand between.
func withoutDerivedMoments(derived []diag.Summary, quantities []Quantity, names []string, doubts []glm.Doubt) {
	for i, q := range quantities {
		for _, j := range q.Unbounded() {
			in := func(d glm.Doubt) bool { return slices.Contains(d.Parameters, j) }
			if k := slices.IndexFunc(doubts, in); k >= 0 {
				withoutMoments(&derived[i], "it rests on "+names[j]+", of which "+doubts[k].Reason)
				break
			}
		}
	}
}

// meanless are the doubts that stored summaries tell: a median without a mean.
func meanless(params []diag.Summary) (out []glm.Doubt) {
	for j, s := range params {
		if math.IsNaN(s.Mean) && !math.IsNaN(s.Median) {
			out = append(out, glm.Doubt{Parameters: []int{j}, Reason: s.Reason})
		}
	}
	return out
}
