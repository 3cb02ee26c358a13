package spec

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

var familyText = regexp.MustCompile(`^\s*([A-Za-z0-9_.]+)\s*(?:\(\s*([A-Za-z0-9_./^]*)\s*\)\s*)?$`)

// thresholdText is brms's spelling of how thresholds are parametrised, an argument of the family.
var thresholdText = regexp.MustCompile(`[(,]\s*threshold\s*=\s*["']?(\w+)["']?\s*\)\s*$`)

// foreignFamilies are families of other tools whose names here differ much, or that are models of another kind.
var foreignFamilies = map[string]string{
	"negbinomial":   "write negative_binomial",
	"quasipoisson":  "write negative_binomial, whose spread is estimated",
	"quasibinomial": "write beta_binomial, whose spread is estimated",
	"geometric":     "write negative_binomial, with prior: {shape: constant(1)}",
	"normal":        "write gaussian",
	"student":       "write student_t",
	"t":             "write student_t",
	"logistic":      "write bernoulli for 0 and 1, binomial for counts of trials, or cumulative for ordered classes",
	"binary":        "write bernoulli",
	"ordinal":       "write cumulative; sratio, cratio and acat are other models of ordered classes",
	"multinom":      "write categorical for a class in each row, multinomial for counts of classes",
	"zip":           "write zero_inflated_poisson",
	"zinb":          "write zero_inflated_negative_binomial",
	"hurdle":        "write hurdle_poisson, hurdle_negative_binomial, hurdle_gamma or hurdle_lognormal",
	"custom":        "write {custom: {predictors: [mu], log_density: …}}",
	"cox":           "a hazard in pieces is family poisson with offset(log(exposure)); weibull has a hazard of its own",
}

func (fam *Family) decodeNode(d *decoder, n *node, f field, path []string) {
	if n.kind == mapKind {
		if d.structure(n, reflectOf(fam), f, path); n.get("custom") != nil {
			fam.define(d, n)
		}
		return
	}
	if n.kind != stringKind {
		d.wrongKind(n, f, "text, or a mapping such as {custom: {predictors: [mu], log_density: …}}")
		return
	}
	text := n.text
	if threshold := thresholdText.FindStringSubmatch(text); threshold != nil {
		if text = strings.TrimSuffix(thresholdText.ReplaceAllString(text, ")"), "()"); !strings.Contains(text, "(") {
			text = strings.TrimSuffix(text, ")")
		}
		text = strings.NewReplacer(`"`, "", "'", "").Replace(text)
		if fam.Equidistant = threshold[1] == "equidistant"; !fam.Equidistant && threshold[1] != "flexible" {
			d.add(n.at, "threshold is "+quote(threshold[1])+", and thresholds are flexible or equidistant",
				`write cumulative(threshold = "equidistant")`)
			return
		}
	}
	m := familyText.FindStringSubmatch(text)
	if m == nil {
		d.add(n.at, "family "+quote(n.text)+" is neither a name nor name(link)", "write bernoulli, or bernoulli(logit)")
		return
	}
	law := family.Named(m[1])
	if remedy := foreignFamilies[m[1]]; remedy != "" {
		d.add(n.at, "family "+quote(m[1])+" is not among the families", remedy)
		return
	}
	if law == nil {
		d.notOneOf(&node{at: n.at, text: m[1]}, field{key: "family", enum: family.Names()})
		return
	}
	link := m[2]
	if !strings.Contains(text, "(") {
		link = law.Links[0].Name
	}
	known, err := family.Parse(m[1], link)
	if err != nil || link == "" {
		d.notOneOf(&node{at: n.at, text: link}, field{key: "link of " + m[1], enum: law.LinkNames()})
		return
	}
	fam.Family = known
}

var (
	coefficientPriors = priorKinds(func(p prior.Info) bool { return p.Coefficient })
	interceptPriors   = priorKinds(func(p prior.Info) bool { return p.Coefficient && p.Kind.OfIntercept() })
	dispersionPriors  = priorKinds(func(p prior.Info) bool { return p.Dispersion })
	realPriors        = priorKinds(func(p prior.Info) bool {
		return p.Kind == prior.Constant || p.Coefficient && !p.Kind.Shrinks() && p.Kind != prior.SpikeSlab
	})
)

// priorKinds lists the priors that serve a purpose.
func priorKinds(serves func(prior.Info) bool) (kinds []prior.Kind) {
	for _, p := range prior.Table() {
		if serves(p) {
			kinds = append(kinds, p.Kind)
		}
	}
	return kinds
}

func (p *CoefficientPrior) decodeNode(d *decoder, n *node, f field, _ []string) {
	p.Prior = d.prior(n, f, kindsFor(f))
}

// kindsFor lists the priors of a coefficient: those of the intercept are under the key prior.
func kindsFor(f field) []prior.Kind {
	if f.key == "prior" { //name:ok a key
		return interceptPriors
	}
	return coefficientPriors
}

func (p *DispersionPrior) decodeNode(d *decoder, n *node, f field, _ []string) {
	p.Prior = d.prior(n, f, dispersionKinds(f))
	if p.Kind == prior.Constant && !(p.Location > 0) && !family.RealDispersion(f.key) {
		d.add(n.at, fmt.Sprintf("prior %s: its value is %v", quote(n.text), p.Location), "a value is positive")
	}
}

// dispersionKinds lists the priors of a dispersion, which has the name of its key.
func dispersionKinds(f field) []prior.Kind {
	if family.RealDispersion(f.key) {
		return realPriors
	}
	return dispersionPriors
}

// prior reads a prior and refuses those of the wrong support.
func (d *decoder) prior(n *node, f field, kinds []prior.Kind) prior.Prior {
	if n.kind != stringKind {
		d.wrongKind(n, f, "text such as normal(0, 2.5)")
		return prior.Prior{}
	}
	law, fault, hint := parsePrior(n.text)
	if fault != "" {
		d.add(n.at, "prior "+fault, hint)
		return prior.Prior{}
	}
	if !slices.Contains(kinds, law.Kind) {
		who := f.key
		if who == "prior" { //name:ok a key
			who = "the intercept"
		}
		d.add(n.at, fmt.Sprintf("%s is not a prior for %s", law.Kind, who), fmt.Sprintf("available there: %v", kinds))
		return prior.Prior{}
	}
	return law
}

// Selects reports whether some prior of the model is spike_slab, under which coefficients are left out or taken in.
func (m *Model) Selects() bool {
	return m.Prior.Coefficients.Kind == prior.SpikeSlab || slices.ContainsFunc(m.Prior.ByName,
		func(n *NamedPrior) bool { return n.Prior.Kind == prior.SpikeSlab })
}

// For returns the prior of the coefficient called name: that of the by_name
// pattern that Match finds, otherwise Coefficients. It does not serve the
// intercept.
func (p Priors) For(name string) prior.Prior {
	if named := p.Match(name); named != nil {
		return named.Prior.Prior
	}
	return p.Coefficients.Prior
}

// Match returns the most exact entry of by_name for the coefficient called name, nil if none matches.
func (p Priors) Match(name string) *NamedPrior {
	return p.best(name, func(n *NamedPrior) bool { return n.is(func(i prior.Info) bool { return i.Coefficient }) })
}

// Further returns the model of a further linear predictor: its priors are those of by_name for its parameters.
func (m *Model) Further(name string, of glm.Family) *Model {
	out := *m
	out.Family = Family{Family: of}
	out.Prior = Priors{Intercept: InterceptPrior{At: m.Prior.Intercept.At}}
	for _, n := range m.Prior.ByName {
		rest, own := ofPredictor(n.Pattern, name)
		switch {
		case own && rest == "(Intercept)":
			out.Prior.Intercept.Prior.Prior = n.Prior.Prior
		case own:
			given := *n
			given.Pattern = rest
			out.Prior.ByName = append(out.Prior.ByName, &given)
		}
	}
	return &out
}

// ofPredictor takes the name of a predictor from a pattern of its parameters: sigma_x, sd_g__sigma_x,
// sds_sigma_sx_1. It reports whether the pattern has it.
func ofPredictor(pattern, name string) (rest string, own bool) {
	if group, term, is := strings.Cut(pattern, "__"+name+"_"); is && strings.HasPrefix(pattern, sdNames) {
		return group + "__" + term, true
	}
	for _, of := range scaleNames[1:] {
		if rest, is := strings.CutPrefix(pattern, of+name+"_"); is {
			return of + rest, true
		}
	}
	return strings.CutPrefix(pattern, name+"_")
}

// HasDefaults reports whether a prior of the model is left to its default.
func (m *Model) HasDefaults() bool { return m.some((*Model).hasDefaults) }

func (m *Model) hasDefaults() bool {
	left := func(p prior.Prior) bool { return p.Kind == "" }
	return !m.Conjugate() && (left(m.Prior.Coefficients.Prior) || left(m.Prior.Intercept.Prior.Prior) ||
		m.Grouped() && left(m.Prior.SD.Prior) || m.Smooths() && left(m.Prior.SDS.Prior) ||
		slices.ContainsFunc(m.Family.Dispersions(),
			func(d glm.Dispersion) bool { return left(m.Prior.Dispersion(d.Name).Prior) }))
}

// checkModel checks what a model's keys say together. Priors that are left out
// stay empty: their scales come from the data.
func (c *checker) checkModel(m *Model) {
	c.checkKind(m)
	if m.Discrete() {
		return
	}
	if m.Missing == ByResponse && !transform.SeveralResponses(m.Formula) {
		c.at("missing: by_response is of several responses, and the formula has one", "write missing: drop",
			"models", m.Name, "missing")
		return
	}
	if m.Classes() {
		c.classes(m)
		return
	}
	c.formulas(m)
	if c.responses(m) {
		return
	}
	if n := c.formulaNode(m); m.Formula != "" {
		if offset, fault, hint := checkFormula(m.Formula); fault != "" {
			c.add(n.where(offset), fault, hint)
		}
	}
	if m.Family.Name == "" {
		return // reported
	}
	c.custom(m)
	c.predictors(m)
	c.marks(m)
	c.lacksOfModel(m)
	c.interceptPoint(m)
	c.weights(m)
	c.dispersionPriors(m)
	c.groups(m)
	c.monotone(m)
	c.mixture(m)
	c.knownErrors(m)
	c.derivations(m)
	c.effects(m)
	c.imputation(m)
	c.interceptByName(m)
}

// interceptByName refuses an intercept among the priors by name.
func (c *checker) interceptByName(m *Model) {
	for _, named := range m.Prior.ByName {
		if named.Pattern == "(Intercept)" {
			c.at("by_name does not take the intercept", `write it under prior: intercept`, "models", m.Name, "prior",
				"by_name", named.Pattern)
		}
	}
}

// weights refuses precisions for a family that has none.
func (c *checker) weights(m *Model) {
	if err := family.CheckPrecision(m.Family.Family); m.PrecisionWeights != "" && err != nil {
		_, hint := words.Parts(err)
		c.at("family "+m.Family.Name+" takes no precision_weights", hint, "models", m.Name, "precision_weights")
	}
}

// dispersionPriors refuses priors of dispersions that the family does not have.
func (c *checker) dispersionPriors(m *Model) {
	for _, d := range family.AllDispersions() {
		if m.Family.Dispersion(d.Name) == nil && c.given("models", m.Name, "prior", d.Name) {
			c.at(m.Family.Name+" has no "+d.Name, "remove it", "models", m.Name, "prior", d.Name)
		}
	}
}

// interceptPoint fills in where the intercept's prior holds. max_abs keeps zeros
// and never centres, so that it has no intercept at the means.
func (c *checker) interceptPoint(m *Model) {
	switch at := &m.Prior.Intercept.At; {
	case *at == "means" && m.Standardize == "max_abs":
		c.at("max_abs never centres, so that the intercept's prior cannot be stated at the means",
			"write at: zero, or standardize: center_scale",
			"models", m.Name, "prior", "intercept", "at")
	case *at == "" && m.Standardize == "max_abs":
		*at = "zero"
	case *at == "":
		*at = "means"
	}
}

// parsePrior reads a prior; hint may be empty.
func parsePrior(text string) (p prior.Prior, message, hint string) {
	p, err := prior.Parse(text)
	var fault *prior.ParseError
	switch {
	case err == nil:
		return p, "", ""
	case errors.As(err, &fault):
		_, hint := words.Parts(err)
		return prior.Prior{}, quote(text) + ": " + fault.Reason, hint
	}
	return prior.Prior{}, err.Error(), ""
}

// Derivation is a quantity that is computed from each draw.
type Derivation struct {
	Name       string
	Expression *transform.Derived

	text *node
}

func (q *Derivation) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != stringKind {
		d.wrongKind(n, f, `text such as "glu - bmi"`)
		return
	}
	var err error
	if q.Expression, err = transform.ParseDerived(n.text); err != nil {
		d.add(n.fault("derive", q.Name, err))
	}
	q.text = n
}

// decodeNode reads a variable, or a mapping.
func (e *Effect) decodeNode(d *decoder, n *node, f field, path []string) {
	switch n.kind {
	case stringKind:
		e.Effect = n.text
	case mapKind:
		d.structure(n, reflectOf(e), f, path)
	default:
		d.wrongKind(n, f, "a variable, or a mapping such as {effect: age, average: true}")
	}
}

func (a *EffectAt) decodeNode(d *decoder, n *node, f field, path []string) {
	a.Values.decodeNode(d, n, f, path)
}

// String writes the effect on one line: treatment:sex, average, pairwise. Effects that differ are written differently.
func (e *Effect) String() string {
	parts := []string{e.Effect}
	if e.Effect == "" {
		parts[0] = "rows"
	}
	add := func(given bool, format string, a ...any) {
		if given {
			parts = append(parts, fmt.Sprintf(format, a...))
		}
	}
	add(e.Response != "", "response %s", e.Response)
	for _, at := range e.At {
		add(true, "%s = %s", at.Name, strings.Join(at.Values, "|"))
	}
	add(e.Average, "average")
	add(len(e.By) > 0, "by %s", strings.Join(e.By, "|"))
	add(e.Contrast != "", "%s", e.Contrast)
	add(e.As != "" && e.As != "difference", "%s", e.As)
	add(e.Scale == "link", "link")
	add(e.Step != 0, "step %v", e.Step)
	add(e.Points != 0, "%d points", e.Points)
	add(e.Offsets, "offsets")
	return strings.Join(parts, ", ")
}

// effects looks for variables that the formula does not have.
func (c *checker) effects(m *Model) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return // reported
	}
	for i := range m.Effects {
		e, path := &m.Effects[i], []string{"models", m.Name, "effects", strconv.Itoa(i)}
		if unknown, hint := formula.Unknown(e.names()); unknown != "" {
			c.at("effect "+quote(e.String())+": the formula has no variable "+quote(unknown), hint, path...)
		}
		if e.Effect == "" && !e.Average {
			c.at("an effect names no variable, and does not say average", "write effect: age, or average: true", path...)
		}
	}
}

// names lists the variables that an effect names.
func (e *Effect) names() (out []string) {
	if e.Effect != "" {
		out = append(out, e.Effect)
	}
	for _, at := range e.At {
		out = append(out, at.Name)
	}
	return out
}

// fault places an error of an expression in the spec.
func (n *node) fault(what, name string, err error) (at pos, message, hint string) {
	what += " " + quote(name) + ": "
	var fault *transform.FormulaError
	if !errors.As(err, &fault) {
		return n.at, what + err.Error(), ""
	}
	message, hint = words.Parts(fault.Err)
	return n.where(min(fault.Pos, len(n.text))), what + message, hint
}

// DeriveProblem says where in the spec a derived quantity is wrong, for faults
// that only data show.
func (p *Pipeline) DeriveProblem(q *Derivation, err error) Problem {
	at, message, hint := q.text.fault("derive", q.Name, err)
	return Problem{File: p.source.file, Line: at.line, Column: at.column, Message: message, Hint: hint}
}

// derivations checks the names that formula and family give away.
func (c *checker) derivations(m *Model) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil && !m.Classes() {
		return // reported
	}
	for _, q := range m.Derive {
		path := []string{"models", m.Name, "derive", q.Name}
		if q.Name == "(Intercept)" || slices.ContainsFunc(m.Family.Dispersions(),
			func(d glm.Dispersion) bool { return d.Name == q.Name }) {
			c.at("derive "+quote(q.Name)+" has the name of a parameter", "give it another", path...)
		}
		if q.Expression == nil || m.Mixed() || m.Family.Several() != nil { // whose parameters have other names
			continue
		}
		if err := q.Expression.Check(formula, m.Family.Family, nil); err != nil {
			c.add(q.text.fault("derive", q.Name, err))
		}
	}
}
