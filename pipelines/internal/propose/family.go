package propose

import (
	"fmt"
	"math"

	laws "glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// family is the proposed family of the response, and the reason.
type family struct {
	name string
	why  []string
	// left is the left side of the formula, text says that the response must be read
	// as text.
	left string
	text bool
	// levels are those of ordered classes, the lowest first; nil for other responses.
	levels []string
	// unit is the scale of the linear predictor in the unit of the response: 0 if it has none.
	unit float64
}

// skewed is the skewness from which a distribution counts as asymmetric, as in Likely.
const skewed = 1

// familyOf chooses a family for the response by its values. draft writes a spec with
// family poisson, of which the dispersion is taken.
func (t *Table) familyOf(r *roles, draft func(*family) []byte) *family {
	y := r.response.column
	f := &family{left: quoteName(y.Name)}
	switch {
	case r.event.column != nil:
		f.name, f.left = "weibull", f.left+" | cens("+r.censored+")"
		f.because("%s is a time, and %s marks censored rows: %s. Effects are factors of the mean time", y.Name,
			r.event.column.Name, r.event.why)
	case r.trials.column != nil:
		f.name, f.left = "binomial", f.left+" | trials("+quoteName(r.trials.column.Name)+")"
		f.because("%s counts successes out of %s: %s", y.Name, r.trials.column.Name, r.trials.why)
		t.vary(f, "beta_binomial", draft)
	case r.failures.column != nil:
		f.name, f.left = "binomial", "cbind("+f.left+", "+quoteName(r.failures.column.Name)+")"
		f.because("%s counts successes, %s failures: %s", y.Name, r.failures.column.Name, r.failures.why)
		t.vary(f, "beta_binomial", draft)
	case y.answersTwo():
		f.twoValued(y)
	case y.inClasses():
		f.classes(y)
	case y.rates():
		f.ratings(y)
	default:
		t.numbers(f, r, draft)
	}
	return f
}

// numbers chooses a family for a response of more than two numbers.
func (t *Table) numbers(f *family, r *roles, draft func(*family) []byte) {
	y := r.response.column
	switch likely := laws.Likely(y.Values).Support; {
	case likely.Counts():
		t.counts(f, r, draft)
	case likely.Share():
		f.name = "beta"
		f.because("%s lies between 0 and 1, from %s to %s: a share. A share of a known number of trials is better written "+
			"as | proportion(n)", y.Name, brief(y.Min), brief(y.Max))
	case y.Min >= 0 && y.Max <= 1 && y.Distinct > maxShares:
		f.sharesWithEnds(y)
	case y.Min >= 0 && y.Max <= 1:
		f.gaussian(y)
		f.because("Shares with values of exactly 0 or 1 are outside of beta: if the numbers of trials are known, write %s "+
			"| proportion(n) and family binomial", f.left)
	case likely.Positive():
		f.name = "gamma(log)"
		f.because("%s is above 0 and skewed to the right: skewness %.2g, of its logarithm %.2g. "+
			"Effects are factors of the mean", y.Name, y.Skewness, y.logSkewness())
	default:
		f.gaussian(y)
	}
}

func (f *family) because(format string, a ...any) { f.why = append(f.why, fmt.Sprintf(format, a...)) }

// answersTwo reports whether a column has two values that stand for no and yes.
func (c *Column) answersTwo() bool {
	_, _, ok := c.two()
	return ok
}

// twoValued is bernoulli.
func (f *family) twoValued(y *Column) {
	low, high, _ := y.two()
	f.name = "bernoulli"
	if y.Kind == Number && (y.Min != 0 || y.Max != 1) {
		f.text = true
		f.because("%s has the two values %s and %s, read as text", y.Name, low, high)
	} else {
		f.because("%s has two values, %s and %s", y.Name, low, high)
	}
	if y.Values != nil {
		share := (y.Mean - y.Min) / (y.Max - y.Min)
		f.because("The model is of the probability of %s, which %.3g %% of the rows have", high, 100*share)
		return
	}
	f.because("The model is of the probability of %s, the second in byte order", high)
}

// counts is poisson, or negative_binomial where they vary more than that allows.
func (t *Table) counts(f *family, r *roles, draft func(*family) []byte) {
	y := r.response.column
	f.name = "poisson"
	f.because("%s counts: whole numbers from %s to %s, mean %s", y.Name, brief(y.Min), brief(y.Max), brief(y.Mean))
	if t.vary(f, "negative_binomial", draft) {
		f.zeros(y)
	}
}

// maxShares is the number of distinct shares up to which they look like successes of few trials, or ratings.
const maxShares = 10

// sharesWithEnds are shares that reach 0 or 1.
func (f *family) sharesWithEnds(y *Column) {
	f.name = "zero_inflated_beta"
	if y.Max == 1 {
		f.name = "zero_one_inflated_beta"
	}
	f.because("%s is a share that reaches its ends, which beta does not: %d of %d rows are 0, and the largest is %s. If "+
		"the numbers of trials are known, write %s | proportion(n) and family binomial", y.Name, y.Zeros, y.Present,
		brief(y.Max), f.left)
}

// zeros takes zero_inflated_poisson for counts whose zeros alone vary more than poisson allows: those above 0 vary as
// poisson counts above 0 do, and zeros are twice as frequent.
func (f *family) zeros(y *Column) {
	n, sum, squares := 0.0, 0.0, 0.0
	for _, v := range y.Values {
		if v > 0 {
			n, sum, squares = n+1, sum+v, squares+v*v
		}
	}
	mean := sum / n
	if !(n > 1 && mean > 1.2) {
		return
	}
	rate := mean
	for range 100 { // the mean of counts above 0 is rate/(1 − e^−rate)
		rate = mean * -math.Expm1(-rate)
	}
	spread := (squares/n - mean*mean) / (mean * (1 + rate - mean))
	share, expected := float64(y.Zeros)/float64(y.Present), math.Exp(-rate)
	if share > 2*expected+0.05 && spread < glm.Overdispersed {
		f.name = "zero_inflated_poisson"
		f.because("The zeros alone are too many: counts above 0 vary as poisson counts of mean %.3g do, with %.2g %% zeros, "+
			"and %.2g %% are 0", rate, 100*expected, 100*share)
	}
}

// vary takes a wider family if the responses vary more than the family of f allows, and reports whether it did.
func (t *Table) vary(f *family, wider string, draft func(*family) []byte) (did bool) {
	if t.Dispersion == nil {
		return false
	}
	narrow := f.name
	ratio, err := t.Dispersion(draft(f))
	than := "about as"
	switch {
	case err != nil:
		f.because("A quick fit could not determine whether they vary more than %s allows (%s)", narrow, words.Line(err))
		return false
	case ratio > glm.Overdispersed:
		f.name, than, did = wider, "more than", true
	}
	f.because("They vary %s %s allows: around a quick %s fit Pearson's statistic is %.3g times its degrees of freedom, "+
		"and 1 is expected", than, narrow, narrow, ratio)
	return did
}

// gaussian is the family of all else.
func (f *family) gaussian(y *Column) {
	f.name, f.unit = "gaussian", y.SD
	f.because("%s is a number from %s to %s, sd %s, skewness %.2g", y.Name, brief(y.Min), brief(y.Max), brief(y.SD),
		y.Skewness)
	switch {
	case y.Min > 0 && y.Skewness > skewed:
		f.because("Its logarithm is no less skewed, so gamma is of no help")
	case y.Whole:
		f.because("Its whole numbers are far from 0, which makes them measurements and not counts")
	}
}
