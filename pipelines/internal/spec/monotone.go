package spec

import (
	"regexp"
	"strconv"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// dirichletText is a prior of the shares of the steps of a monotonic effect.
var dirichletText = regexp.MustCompile(`^\s*dirichlet\s*\(([^()]*)\)\s*$`)

// SharePrior has the concentrations of the prior of a simplex: one for all, or one for each number; nil if it is left
// out.
type SharePrior []float64

func (p *SharePrior) decodeNode(d *decoder, n *node, _ field, _ []string) {
	for _, text := range strings.Split(dirichletText.FindStringSubmatch(n.text)[1], ",") {
		a, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(a >= 0.01 && a <= 1e6) {
			d.add(n.at, "a number of "+quote(n.text)+" is "+quote(strings.TrimSpace(text))+
				"; it must be from 0.01 to 1e6", "dirichlet(1) is uniform")
			return
		}
		*p = append(*p, a)
	}
}

// String is the prior as it is written.
func (p SharePrior) String() string {
	numbers := make([]string, len(p))
	for i, a := range p {
		numbers[i] = strconv.FormatFloat(a, 'g', -1, 64)
	}
	return "dirichlet(" + strings.Join(numbers, ", ") + ")"
}

// MatchShare returns the most exact entry of by_name for the simplex of a monotonic effect, nil if none matches.
func (p Priors) MatchShare(name string) *NamedPrior {
	return p.best(name, func(n *NamedPrior) bool { return n.Share != nil })
}

// Monotonic reports whether the model has monotonic effects: mo(x) in its formula.
func (m *Model) Monotonic() bool {
	return m.someFormula((*transform.Formula).Monotonic)
}

// parts names the parts of a model that move in turn.
func (m *Model) parts() string {
	switch {
	case m.joined():
		return "several responses"
	case m.Family.Several() != nil:
		return "several linear predictors"
	}
	return "monotonic effects"
}

// monotone refuses parts that are not combined with monotonic and category-specific effects.
func (c *checker) monotone(m *Model) {
	formula, err := transform.ParseFormula(m.Formula)
	if m.Family.Equidistant && !m.Family.Support().Ordered {
		c.at("threshold is of families of ordered classes, and the model has "+m.Family.Name, "leave it out", "models",
			m.Name, "family")
	}
	if m.Family.Equidistant && err == nil && formula.CategorySpecific() {
		c.at("cs() gives each threshold effects of its own, and these thresholds are equidistant", "leave one of them out",
			"models", m.Name, "formula")
	}
	if err == nil && formula.CategorySpecific() && !m.Family.CategorySpecific() {
		c.at("formula: cs() is of the families sratio, cratio and acat, and the model has "+m.Family.Name,
			specificHint(m.Family.Family), "models", m.Name, "formula")
	}
	if m.Monotonic() && m.Family.Known() && m.Family.PositiveEta() {
		c.at("family "+m.Family.String()+" bounds the linear predictor, and mo() is not combined with such a link",
			"take another link: "+words.List(m.Family.Distribution().LinkNames()), "models", m.Name, "family")
	}
}

// specificHint is the remedy of category-specific effects of another family.
func specificHint(f glm.Family) string {
	if f.Support().Ordered {
		return "thresholds of cumulative that depend on x may cross, and then a class has no probability; take one of these"
	}
	return "leave cs() out"
}

// Family is a response distribution with its link, as glm knows it.
type Family struct {
	glm.Family
	Equidistant bool         `yaml:"-" json:",omitzero"` // of thresholds between ordered classes
	All         string       `yaml:"-" json:",omitzero"` // those of several responses, of which this is the first one
	Own         CustomFamily `yaml:"custom" required:"true" json:"-" example:"{predictors: [mu], log_density: y * mu - log1p_exp(mu)}" doc:"A likelihood of your own, by expressions: see the page on custom likelihoods."`

	custom *family.Custom // of Own
}

// String adds how thresholds are parametrised.
func (f Family) String() string {
	if f.All != "" {
		return f.All
	}
	if f.Equidistant {
		return strings.TrimSuffix(f.Family.String(), ")") + `, threshold = "equidistant")`
	}
	return f.Family.String()
}
