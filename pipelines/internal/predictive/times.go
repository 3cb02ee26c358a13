package predictive

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// timed is a quantity at a time, the median, or the probability of zero: what readers of times and counts ask for in
// addition to Quantities, and to parameters.
var timed = regexp.MustCompile(`^(?:zero|median|(survival|hazard)\(([^()]+)\))$`)

// Timed are the forms of further quantities.
const Timed = "zero, median, survival(T), hazard(T)"

// A question is a quantity of times, zero, or a parameter.
type question struct {
	of      string // zero, median, survival, hazard; empty of a parameter
	density outcomes
	tail    outcomes

	predictor int // of the parameter
	inverse   func(eta float64) float64
}

// ofParameter is the form of a name of a parameter.
var ofParameter = regexp.MustCompile(`^[a-z]+[0-9.]*$`)

// IsQuestion reports whether a name is of a form that Ask takes: one of Timed, or the name of a parameter.
func IsQuestion(name string) bool { return timed.MatchString(name) || ofParameter.MatchString(name) }

// asked reports whether a scale is none of those that every response has.
func asked(scale string) bool { return scale != "" && scale != "response" && scale != "link" }

// QuestionHint lists the names that Ask takes.
const QuestionHint = "zero is of responses that may be 0; median, survival(365) and hazard(365) are of families of " +
	"times: weibull, gamma, exponential, loglogistic, frechet, lognormal, piecewise_exponential; a parameter that has a " +
	"linear predictor, such as zi, is asked for by its name"

// QuestionError reports a quantity that a family does not have, or that has no time.
type QuestionError struct{ Quantity, Reason string }

func (e *QuestionError) Error() string { return e.Quantity + " " + e.Reason }

// parameter returns the question of a parameter with a linear predictor of its own; nil if there is none of the name.
func (e *Evaluator) parameter(name string) *question {
	several := e.family.Several()
	if several == nil {
		return nil
	}
	for k, p := range several.Predictors(e.Description.Responses[0].Classes) {
		if k > 0 && p.Name == name && p.Cut == 0 && !p.Common {
			return &question{predictor: k, inverse: p.Of.Of().Inverse}
		}
	}
	return nil
}

// Ask adds quantities of times, and parameters, to those of Predict, in the order of names. It returns a *QuestionError
// for a family whose rows cannot be censored, since their survival has no exact form, for zero if responses are never
// 0, and for other names than those of parameters with a linear predictor.
func (e *Evaluator) Ask(names []string) error {
	for _, name := range names {
		if q := e.parameter(name); q != nil {
			e.questions, e.asked = append(e.questions, *q), append(e.asked, name)
			continue
		}
		m := timed.FindStringSubmatch(name)
		if s := e.family.Support(); name == "zero" && s.Mass(0) && !s.Classes {
			e.questions, e.asked = append(e.questions, question{of: name}), append(e.asked, name)
			continue
		}
		of, err := e.family.OfObserved().WithLimits(family.Censored)
		if m == nil || err != nil || e.Description.Weights != nil || !e.family.Support().Positive() {
			return &QuestionError{name, "is not a quantity of family " + e.family.Name}
		}
		q := question{of: strings.SplitN(name, "(", 2)[0]}
		if m[1] != "" {
			t, err := strconv.ParseFloat(strings.TrimSpace(m[2]), 64)
			if err != nil || !(t > 0) || math.IsInf(t, 1) {
				return &QuestionError{name, "has no time above 0"}
			}
			data := &glm.Data{Y: slices.Repeat([]float64{t}, e.rows()), Precision: e.data.Precision}
			if q.density, err = newOutcomes(e.family.OfObserved(), nil, data); err != nil {
				return err
			}
			data = &glm.Data{Y: data.Y, Precision: data.Precision,
				Censoring: family.Censoring{Kind: slices.Repeat([]float64{family.Above}, e.rows())}}
			if q.tail, err = newOutcomes(of, nil, data); err != nil {
				return err
			}
		}
		e.questions, e.asked = append(e.questions, q), append(e.asked, name)
	}
	return nil
}

// answer returns the quantity in the block's row i at draw s.
func (q *question) answer(b *Block, s, i int) float64 {
	switch q.of {
	case "":
		return q.inverse(b.Eta[q.predictor][s*b.Rows+i])
	case "zero":
		return b.cdf(s, i, 0)
	case "median":
		return medianOf(func(y float64) float64 { return b.cdf(s, i, y) }, b.Eta[0][s*b.Rows+i])
	}
	var above, at [1]float64
	q.tail.logLik(b, s, i, i+1, above[:])
	if q.of == "survival" {
		return vec.Exp(above[0])
	}
	q.density.logLik(b, s, i, i+1, at[:])
	return vec.Exp(at[0] - above[0])
}

// medianOf returns where a distribution function of numbers above 0 reaches a half, by halving intervals of the
// logarithm from one around start. Relative error: 1e-12.
func medianOf(cdf func(y float64) float64, start float64) float64 {
	low, high, step := start, start, 1.0
	for cdf(vec.Exp(low)) > 0.5 && low > -700 {
		low, step = low-step, 2*step
	}
	for step = 1; cdf(vec.Exp(high)) < 0.5 && high < 700; step *= 2 {
		high += step
	}
	for high-low > 1e-12 {
		middle := 0.5 * (low + high)
		if middle == low || middle == high {
			break
		}
		if cdf(vec.Exp(middle)) < 0.5 {
			low = middle
		} else {
			high = middle
		}
	}
	return vec.Exp(0.5 * (low + high))
}
