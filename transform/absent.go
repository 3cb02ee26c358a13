package transform

import (
	"fmt"
	"regexp"
	"strings"
)

// Remedies for parts of brms's formulas that this version does not have.
const (
	alone       = "write a model for each response"
	autocorrel  = "correlations of residuals are not supported; (1 | g) is an effect of each level, s(time) a trend"
	memberships = "effects of several groupings add up: (1 | g) + (1 | h)"
	oneFormula  = "write bf(y ~ x, sigma ~ z) with all formulas inside"
)

// absentTerms are functions of brms's terms, with the remedy of each.
var absentTerms = map[string]string{
	"me":   "me(x, sd) is among the terms",
	"mm":   memberships,
	"mmc":  memberships,
	"ar":   autocorrel,
	"ma":   autocorrel,
	"arma": autocorrel,
	"cosy": autocorrel, "unstr": autocorrel, "fcor": autocorrel, "sar": autocorrel,
	"cse": "write cs(x)", "monotonic": "write mo(x)",
	"mvbind": alone,
}

// absentAfterBar are functions of brms on the left, after "|", with the remedy of each.
var absentAfterBar = map[string]string{
	"thres":  "thresholds are those of all rows, one less than the classes; levels: {y: […]} names classes without rows",
	"dec":    "wiener is not among the families",
	"cat":    "levels: {y: […]} names the classes",
	"index":  "missing cells are drawn by the rows that miss them: mi(x)",
	"subset": "rows of single responses are missing: by_response; of a model, a data set: sql: SELECT * FROM … WHERE …",
	"vreal":  "there are no families of one's own",
	"vint":   "there are no families of one's own",
	"bhaz":   "cox is not among the families; a hazard in pieces is family poisson with offset(log(exposure))",
}

// absentArguments are arguments of brms's bf(), with the remedy of each.
var absentArguments = map[string]string{
	"nl":       "write predictors that are linear in their coefficients: log(x), poly(x, 2), s(x)",
	"loop":     "it belongs to nl = TRUE",
	"family":   "the model has the key family",
	"center":   "the prior of the literal intercept is prior: {intercept: {prior: …, at: zero}}",
	"autocor":  autocorrel,
	"cmc":      "factors are coded as in R",
	"sparse":   "the model has the key sparse",
	"decomp":   "the sampler rotates the columns itself",
	"unused":   "leave it out",
	"flist":    "write the formulas themselves",
	"quantile": "asym_laplace is not among the families",
}

// absentCalls are functions of brms around formulas or after bf(), with the remedy of each.
var absentCalls = map[string]string{
	"mvbf": alone, "mvbrmsformula": alone, "set_rescor": alone, "bf": alone, "brmsformula": alone,
	"lf": oneFormula, "nlf": absentArguments["nl"], "set_nl": absentArguments["nl"], "acformula": autocorrel,
	"set_mecor": "values in me() are independent, or one has a model of another under imputation: x ~ z",
}

// absent refuses a function of brms by its name.
func (s *selector) absent(n *node, hint string) error {
	return s.fail(n.pos, n.text+"() of brms is not supported", hint)
}

// plainGrouping is the grouping of gr(g), which is g; gr() with more arguments is refused.
func (s *selector) plainGrouping(n *node) (*node, error) {
	remedies := map[string]string{
		"by":   "(0 + f || g) has a standard deviation for each level of f",
		"cor":  "effects without correlations are (x || g)",
		"id":   "correlations between predictors are (1 | p | g)",
		"dist": "effects of levels are normal",
	}
	for i, name := range n.names {
		if i > 0 || name != "" {
			return nil, s.fail(n.pos, fmt.Sprintf("gr(%s) of brms is not supported", strings.TrimSpace(name+" =")),
				remedies[name])
		}
	}
	if len(n.args) == 0 {
		return nil, s.fail(n.pos, "gr() takes one grouping", "a grouping is written by its name: (1 | g)")
	}
	return n.args[0], nil
}

// afterBar refuses what is none of the calls after "|" on the left, those of brms by name.
func (s *selector) afterBar(n *node) error {
	if hint := absentAfterBar[n.text]; n.kind == nodeCall && hint != "" {
		return s.absent(n, hint)
	}
	if name, long := strings.CutPrefix(n.text, "resp_"); long && n.kind == nodeCall {
		return s.fail(n.pos, n.text+"() is not the name in a formula", "write "+name+"()")
	}
	return s.fail(n.pos, `only trials(n), proportion(n), weights(w), rate(t), se(s), cens(c) or trunc(lb, ub) may follow `+
		`"|" on the left, joined by +`, "precision_weights is a key of the model")
}

// callAround is a function of brms that a text begins with.
var callAround = regexp.MustCompile(`^\s*(\w+)\s*\(`)

// absentAround returns the remedy of a function of brms that a text begins with; "" if there is none.
func absentAround(text string) (name, hint string) {
	m := callAround.FindStringSubmatch(text)
	if m == nil {
		return "", ""
	}
	return m[1], absentCalls[m[1]]
}

// argumentOf matches an argument of bf() that is not a formula.
var argumentOf = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9.]*)\s*=`)

// refuseBf refuses arguments of bf() and calls after it that are not in this version. end is the place of the
// parenthesis that closes it, -1 if there is none.
func refuseBf(parts []argument, end int, s string, fail func(pos int, message, hint string) error) error {
	for _, part := range parts {
		m := argumentOf.FindStringSubmatch(part.text)
		switch {
		case m == nil:
		case absentArguments[m[1]] != "":
			return fail(part.pos, fmt.Sprintf("the argument %s of bf() is not supported", m[1]), absentArguments[m[1]])
		default:
			return fail(part.pos, fmt.Sprintf("%s has a value in bf()", m[1]),
				fmt.Sprintf("a fixed number is a prior: prior: {%s: constant(2)}", m[1]))
		}
	}
	if end < 0 {
		return nil
	}
	rest := strings.TrimLeft(s[end+1:], " \t\n+")
	if name, hint := absentAround(rest); hint != "" {
		return fail(len(s)-len(rest), name+"() of brms is not supported", hint)
	}
	return nil
}

// elsewhere are functions of R that have another place here, with the remedy of each.
var elsewhere = map[string]string{
	"C":           "the model's key contrasts gives the coding of a factor: {x: sum}",
	"ordered":     "levels gives the order, contrasts the coding",
	"interaction": "cross factors by : or *",
	"te":          surfaces,
	"ti":          surfaces,
	"t2":          surfaces,
	"offset":      "an offset is added to the terms: x + offset(e)",
	"trials":      "trials(n) is added to the terms, or is on the left: y | trials(n)",
	"c":           "several numbers are an argument of knots only",
	"proportion":  "proportion(n) is on the left: p | proportion(n) ~ …",
	"surv":        "times with events are on the left: surv(time, event) ~ …",
	"Surv":        "censored times are written surv(time, event) ~ …, or time | cens(event == 0) ~ …",
	"cens":        "censoring is on the left: y | cens(c) ~ …",
	"trunc":       "truncation is on the left: y | trunc(lb = 0) ~ …",
	"se":          "known standard errors are on the left: y | se(s) ~ …",
	"gr":          "a grouping is written by its name: (1 | g)",
	"weights":     "weights are on the left: y | weights(w) ~ …",
	"rate":        "the exposure of counts is on the left: y | rate(t) ~ …",
}

// surfaces is the remedy for smooths of several numbers.
const surfaces = "surfaces are not supported: curves add up, s(x) + s(z), and ns(x, 3) * ns(z, 3) is a surface " +

	"without a penalty"

func (s *selector) unknownFunction(n *node) error {
	if hint := absentTerms[n.text]; hint != "" {
		return s.absent(n, hint)
	}
	if hint := elsewhere[n.text]; hint != "" {
		return s.fail(n.pos, fmt.Sprintf("%s() cannot be used here", n.text), hint)
	}
	all := append(append(append([]string{"offset", "trials", "glob"}, functions...), bases...), factorCalls...)
	return s.fail(n.pos, fmt.Sprintf("there is no function %q", n.text), UnknownHint(n.text, "functions", all))
}
