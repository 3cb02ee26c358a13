package spec

import (
	"cmp"
	"fmt"
	"slices"

	"glmbatch/infer/collapsed"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// Mixture says that each row is of one of several components, with coefficients and dispersions of their own. The
// zero value is not a mixture.
type Mixture struct {
	Components int     `yaml:"components" min:"2" max:"100" doc:"Number of components."`
	Weights    float64 `yaml:"weights" json:",omitzero" min:"0.000001" max:"1000000" doc:"a of the prior Dirichlet(a, …, a) of the weights. Left out: 1."`
	// Known has the weights of the components if they are known.
	Known []float64 `yaml:"known_weights" json:",omitempty" example:"[0.3, 0.7]" doc:"Known weights, with the sum 1. order then applies to components of equal weights."`
	// Process is 0 if the weights have a finite number of components.
	Process float64 `yaml:"process" json:",omitzero" min:"0.000001" max:"1000000" doc:"Concentration of a Dirichlet process, instead of weights: the number of components is drawn, up to components. Needs conjugate or items."`
	Order   string  `yaml:"order" json:",omitzero" doc:"Parameter that numbers the components, the least first: a coefficient, a dispersion such as sigma, or theta; for items item_category or a numeric item. Left out: the intercept; for items the first numeric one, else the first category."`
	// Conjugate has no law where it is left out.
	Conjugate ConjugatePrior `yaml:"conjugate" json:",omitzero" doc:"Instead of prior, for y ~ 1: normal_inverse_gamma(mean, rows, shape, scale) of gaussian, gamma(shape, rate) of poisson, beta(a, b) of bernoulli and binomial, inverse_gamma(k, shape, scale) of gamma with the shape k. auto then integrates the parameters out."`
	// Items are those whose family or prior is not left to the data.
	Items []*Item `yaml:"items" keyed:"Name" json:",omitempty" doc:"Families and priors of items of cbind(a, b, c) ~ 1, by column. Left out: text, true and false and factor() are categories, 0 and 1 bernoulli, small whole numbers poisson, other numbers gaussian."`
	// Correlated are the items that have a covariance matrix in each component.
	Correlated []string `yaml:"correlated" json:",omitempty" example:"[eruptions, waiting]" doc:"Gaussian items that are multivariate normal together, with a normal-inverse-Wishart prior whose marginals are the items' own. A row has all of them or none."`
}

// Item is one of several responses of a row of latent classes.
type Item struct {
	Name   string `yaml:"-"`
	Family string `yaml:"family" json:",omitempty" enum:"categorical gaussian poisson gamma bernoulli binomial" doc:"Family of the item given the component: categorical, or one with its first link; binomial for s | trials(n)."`
	// Conjugate has no law where it is left out.
	Conjugate ConjugatePrior `yaml:"conjugate" json:",omitzero" doc:"Prior of the item's parameters: dirichlet(a) or dirichlet(a, b, …) of categorical, and those of mixture: {conjugate: …}. Left out: dirichlet(1), beta(1, 1), gamma(1, 1/mean(y)), normal_inverse_gamma(mean(y), 0.04, 2, var(y)/4), inverse_gamma(k, 2, mean(y))."`
}

func (Item) shorthand() string { return "family" }

// ConjugatePrior is a prior that can be integrated out.
type ConjugatePrior struct{ collapsed.Prior }

func (p *ConjugatePrior) decodeNode(d *decoder, n *node, f field, _ []string) {
	if n.kind != stringKind {
		d.wrongKind(n, f, "text such as gamma(2, 0.1)")
		return
	}
	law, err := collapsed.ParsePrior(n.text)
	if err != nil {
		message, hint := words.Parts(err)
		d.add(n.at, "conjugate: "+message, hint)
		return
	}
	p.Prior = law
}

// Mixed reports whether the model is a mixture.
func (m *Model) Mixed() bool { return m.Mixture.Components > 0 }

// Conjugate reports whether the model is a mixture whose parameters can be integrated out.
func (m *Model) Conjugate() bool { return m.Mixture.Conjugate.Law != "" || m.Classes() }

// Classes reports whether the model is one of latent classes: a mixture of rows with several responses.
func (m *Model) Classes() bool {
	return m.Mixed() && m.Family.Name == "" && transform.IsOfItems(m.Formula)
}

// knownWeights checks the weights that a mixture gives.
func (c *checker) knownWeights(m *Model, at []string) {
	if x := &m.Mixture; x.Process != 0 {
		path := append(slices.Clone(at[:len(at)-1]), "process")
		if x.Weights != 0 {
			c.at("a Dirichlet process has no prior of weights", "leave process or weights out", path...)
		}
		if !m.Conjugate() {
			c.at("a Dirichlet process needs a prior that can be integrated out", "give mixture: {conjugate: …}", path...)
		}
		x.Order = cmp.Or(x.Order, mixture.ByWeight)
	}
	switch x := &m.Mixture; {
	case x.Known == nil:
	case x.Weights != 0:
		c.at("weights are either known or have a prior", "leave weights or known_weights out", at...)
	case x.Process != 0:
		c.at("a Dirichlet process has no known weights", "leave process or known_weights out", at...)
	case !mixture.Sound(x.Known, x.Components):
		c.at(fmt.Sprintf("known_weights has %d numbers for %d components; it needs a positive one for each, with the sum 1",
			len(x.Known), x.Components), "write for example known_weights: [0.3, 0.7]", at...)
	}
}

// mixture checks what a mixture says together with the rest of its model.
func (c *checker) mixture(m *Model) {
	if n := c.root.get("models").get(m.Name).get("mixture"); n != nil && n.kind == mapKind && n.get("components") == nil {
		c.at("mixture lacks the key "+quote("components"), "write for example mixture: {components: 2}", "models", m.Name,
			"mixture")
	}
	if !m.Mixed() {
		return
	}
	if len(m.Mixture.Items) > 0 {
		c.at("items are of several responses, and the formula has one", "write cbind(a, b, c) ~ 1, and leave family out",
			"models", m.Name, "mixture", "items")
	}
	at := func(keys ...string) []string { return append([]string{"models", m.Name}, keys...) }
	if m.Mixture.Correlated != nil {
		c.at("correlated items are of several responses, and the formula has one", "write cbind(a, b, c) ~ 1, and leave "+
			"family out", at("mixture", "correlated")...)
	}
	c.knownWeights(m, at("mixture", "known_weights"))
	m.Sparse = "false"
	if o := m.Mixture.Order; m.Family.Dispersion(o) == nil &&
		slices.ContainsFunc(family.AllDispersions(), func(d glm.Dispersion) bool { return d.Name == o }) {
		c.at(m.Family.Name+" has no "+o+" to number components by", "write order: "+mixture.ByWeight,
			at("mixture", "order")...)
	}
	if !m.Conjugate() {
		return
	}
	if err := m.Mixture.Conjugate.Serves(m.Family.Family); err != nil {
		message, hint := words.Parts(err)
		c.at(message, hint, at("mixture", "conjugate")...)
	}
	m.Prior.Intercept.At = "zero"
	if k, known := m.Mixture.Conjugate.Known(); known {
		m.Prior.Shape.Prior = prior.Prior{Kind: prior.Constant, Location: k}
	}
}
