package spec

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"glmbatch/infer/expression"
	"glmbatch/infer/family"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// CustomFamily is a likelihood of the user's own.
type CustomFamily struct {
	Predictors Names     `yaml:"predictors" required:"true" example:"[mu, sigma(log)]" doc:"Linear predictors, mu first; mu(log) names a link (identity, log, logit, probit, cloglog), and expressions have its inverse. Formulas of the others are ~ 1 unless formulas has them."`
	Scalars    []*Scalar `yaml:"scalars" keyed:"Name" doc:"Further parameters with their bounds: {nu: {lower: 0}}. Samplers move the logarithm or logit, nu_(Intercept), whose prior is under by_name. A scalar may have a formula."`
	LogDensity string    `yaml:"log_density" required:"true" example:"y * mu - log1p_exp(mu)" doc:"Log density of a response y, of predictors, scalars and columns of the data. If it is not finite, the density is 0."`
	Mean       string    `yaml:"mean" doc:"Mean of a response, for effects and predictions. Left out: these are of the linear predictor mu."`
	Draw       string    `yaml:"draw" doc:"A random response, for predictive checks: normal(mu, sigma). Left out: there are none."`
}

// Scalar is a parameter between bounds; nil is no bound.
type Scalar struct {
	Name  string   `yaml:"-"`
	Lower *float64 `yaml:"lower" doc:"Least value, excluded. Left out: none."`
	Upper *float64 `yaml:"upper" doc:"Largest value, excluded. Left out: none."`
}

var (
	customPredictor = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9.]*)\s*(?:\(\s*(\w+)\s*\))?\s*$`)
	columnName      = regexp.MustCompile(`^column[0-9]+$`)
)

// define makes the family of its keys, which are at n.
func (fam *Family) define(d *decoder, n *node) {
	of, own := n.get("custom"), &fam.Own
	if len(own.Predictors) == 0 || own.LogDensity == "" {
		return // reported
	}
	def := &family.Custom{LogDensity: own.LogDensity, Mean: own.Mean, Draw: own.Draw}
	if at, fault, hint := own.parameters(of, def); fault != "" {
		d.add(at.at, fault, hint)
		return
	}
	def.Reads(func(_, _ string, name expression.Name) {
		if !slices.Contains(def.Columns, name.Text) {
			def.Columns = append(def.Columns, name.Text)
		}
	})
	made, key, err := def.Family()
	if err == nil {
		fam.Family, fam.custom = made, def
		return
	}
	at, fault := of.get("predictors").at, (*expression.Error)(nil)
	message, hint := words.Parts(err)
	if errors.As(err, &fault) {
		text := of.get(key)
		at, message, hint = text.where(min(fault.Pos, len(text.text))), key+": "+fault.Error(), ""
	}
	d.add(at, message, hint)
}

// parameters takes predictors and scalars into a definition, whose keys are at n, or returns the first fault.
func (own *CustomFamily) parameters(n *node, def *family.Custom) (at *node, fault, hint string) {
	at = n.get("predictors")
	for k, text := range own.Predictors {
		m := customPredictor.FindStringSubmatch(text)
		if m == nil {
			return at, "predictor " + quote(text) + " is neither a name nor name(link)",
				"write mu or mu(log); names have letters, digits and dots"
		}
		if k == 0 && m[1] != "mu" {
			return at, "the first predictor is " + quote(m[1]) + ", and that of the formula is called mu", "write [mu, …]"
		}
		if fault, hint = newName(def, m[1]); fault != "" {
			return at, fault, hint
		}
		def.Predictors = append(def.Predictors,
			family.CustomPredictor{Name: m[1], Link: cmp.Or(m[2], family.CustomLinks()[0])})
	}
	for _, s := range own.Scalars {
		at = n.get("scalars").get(s.Name)
		if m := customPredictor.FindStringSubmatch(s.Name); m == nil || m[1] != s.Name {
			return at, "scalar " + quote(s.Name) + " is not a name of letters, digits and dots", "take another name"
		}
		if fault, hint = newName(def, s.Name); fault != "" {
			return at, fault, hint
		}
		of := family.CustomScalar{Name: s.Name, Lower: math.Inf(-1), Upper: math.Inf(1)}
		if s.Lower != nil {
			of.Lower = *s.Lower
		}
		if s.Upper != nil {
			of.Upper = *s.Upper
		}
		if !(of.Lower < of.Upper) {
			return at, fmt.Sprintf("scalar %s has no value between %v and %v", quote(s.Name), of.Lower, of.Upper),
				"lower is the least value, upper the largest"
		}
		def.Scalars = append(def.Scalars, of)
	}
	return nil, "", ""
}

// newName refuses names that a parameter cannot have.
func newName(def *family.Custom, name string) (fault, hint string) {
	switch {
	case name == "y" || columnName.MatchString(name):
		return quote(name) + " is not the name of a parameter: expressions have it for the response or a column",
			"take another name"
	case slices.Contains(def.Names(), name):
		return "custom has two parameters " + quote(name), "give one of them another name"
	}
	return "", ""
}

// custom gives a formula to each column that expressions read: a predictor that is an offset, and derives the scalars
// from the parameters that samplers move.
func (c *checker) custom(m *Model) {
	def := m.Family.custom
	if def == nil || m.Formula == "" {
		return
	}
	var more strings.Builder
	for k, name := range def.Columns {
		more.WriteString(", " + family.CustomColumn(k) + " ~ 0 + offset(" + transform.QuotedName(name) + ")")
	}
	of, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return // reported
	}
	for k := range def.Scalars {
		s := &def.Scalars[k]
		text := s.Natural("`" + s.Name + "_(Intercept)`")
		taken := slices.ContainsFunc(m.Derive, func(q *Derivation) bool { return q.Name == s.Name })
		if text == "" || taken || slices.Contains(of.Predictors(), s.Name) {
			continue
		}
		if e, err := transform.ParseDerived(text); err == nil {
			m.Derive = append(m.Derive, &Derivation{Name: s.Name, Expression: e,
				text: &node{at: c.root.get("models").get(m.Name).get("family").at, text: text}})
		}
	}
	switch more := more.String(); {
	case more == "":
	case len(of.Predictors()) > 0:
		m.Formula = strings.TrimSuffix(strings.TrimSpace(m.Formula), ")") + more + ")"
	default:
		m.Formula = "bf(" + m.Formula + more + ")"
	}
}

// drawless reports whether the family of a model has no random responses.
func (m *Model) drawless() bool { return m.some(func(m *Model) bool { return !m.Family.HasDraw() }) }
