package spec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"glmbatch/infer/collapsed"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// Mixture says that each row is of one of several components, with coefficients and dispersions of their own. The zero
// value is none.
type Mixture struct {
	Components int     `yaml:"components" min:"2" max:"100" doc:"How many components there are."`
	Weights    float64 `yaml:"weights" json:",omitzero" min:"0.000001" max:"1000000" doc:"a of the prior Dirichlet(a, …, a) of the weights. Left out: 1, all weights are equally likely."`
	Order      string  `yaml:"order" json:",omitzero" doc:"By which of their parameters components are numbered in each draw, the least first: a coefficient's name, a dispersion such as sigma, or theta for the weight; of several items item_category for the probability of a category, or an item of numbers. Left out: the intercept, at the means of the columns where its prior is; of several items the first one of numbers, or where all are categories the first category of the first item."`
	// Conjugate has no law where it is left out.
	Conjugate ConjugatePrior `yaml:"conjugate" json:",omitzero" doc:"Instead of prior, for y ~ 1: normal_inverse_gamma(mean, rows, shape, scale) of gaussian, gamma(shape, rate) of the mean of poisson, beta(a, b) of the probability of bernoulli and binomial. Method auto then integrates the parameters out."`
	// Items are those whose family or prior is not left to the data.
	Items []*Item `yaml:"items" keyed:"Name" json:",omitempty" doc:"Of cbind(a, b, c) ~ 1, families and priors of single items, by column: a family, or a mapping. Left out: text, true and false, factor() and two numbers such as 1 and 2 are categories, other numbers bernoulli of 0 and 1, poisson of small whole numbers, else gaussian; pipeline validate prints it."`
}

// Item is one of several responses of a row of latent classes.
type Item struct {
	Name   string `yaml:"-"`
	Family string `yaml:"family" json:",omitempty" enum:"categorical gaussian poisson bernoulli binomial" doc:"Law of the item given the component: categorical, or one with its first link. binomial of s | trials(n)."`
	// Conjugate has no law where it is left out.
	Conjugate ConjugatePrior `yaml:"conjugate" json:",omitzero" doc:"Prior of the item's parameters in each component: dirichlet(a) or dirichlet(a, b, …) of categorical, and those of mixture: {conjugate: …}. Left out: dirichlet(1), beta(1, 1), gamma(1, 1/mean(y)), normal_inverse_gamma(mean(y), 0.04, 2, var(y)/4)."`
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
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return // reported
	}
	for _, has := range []struct {
		what string
		on   bool
	}{{"group-level effects", formula.Grouped()}, {"smooths", formula.Smooths()},
		{"known standard errors", formula.KnownErrors()}} {
		if has.on {
			c.at("components of a mixture have no "+has.what+" yet", "leave them out of the formula, or leave mixture out",
				at("formula")...)
		}
	}
	if m.Sparse == "true" {
		c.at("a mixture needs a dense design", "leave sparse out", at("sparse")...)
	}
	m.Sparse = "false"
	if m.Selects() {
		c.at("components of a mixture have no prior spike_slab yet", "give coefficients another prior", at("prior")...)
	}
	if slices.ContainsFunc(m.Effects, func(e Effect) bool { return e.Scale == "link" }) {
		c.at("a mixture has a linear predictor for each of its components, and none of its own",
			"leave scale: link out: the mean of the response is that of the components by their weights", at("effects")...)
	}
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
	if c.given("models", m.Name, "prior") {
		c.at("a mixture has either conjugate or prior", "leave one of them out", at("prior")...)
	}
	if m.FrequencyWeights != "" || m.PrecisionWeights != "" {
		c.at("a mixture with a conjugate prior takes no weights", "leave the weights out, or conjugate",
			at("mixture", "conjugate")...)
	}
	m.Prior.Intercept.At = "zero"
}

// mixes reports why a sampler is not for a model, where one of the two is of mixtures.
func (s *Sampler) mixes(m *Model) error {
	switch of := s.Of(); {
	case !m.Mixed() && of.Collapses:
		return words.Hint(fmt.Errorf("sampler %s is collapsed, which is for mixtures, but model %s is not one", quote(s.Name),
			quote(m.Name)), "give the model mixture: {components: 2, conjugate: …}, or take method: auto")
	case m.Mixed() && s.Method != "" && !s.Auto() && !of.Mixes:
		return words.Hint(fmt.Errorf("sampler %s is %s, which does not draw mixtures, but model %s is one", quote(s.Name),
			s.Method, quote(m.Name)), "take method: auto, "+strings.Join(mixtureMethods, ", ")+" for this model")
	case m.Mixed() && of.Collapses && !m.Conjugate():
		return words.Hint(fmt.Errorf("sampler %s integrates the parameters of components out, which needs a conjugate "+
			"prior, but model %s has none", quote(s.Name), quote(m.Name)),
			"give mixture: {conjugate: gamma(2, 0.1)}, of its family's kind, to y ~ 1; or take method: auto")
	case m.Mixed():
		if given := s.OptionsWithoutGroups(); len(given) > 0 || s.Kernels != "" {
			if s.Kernels != "" {
				given = append(given, "kernels")
			}
			return words.Hint(fmt.Errorf("sampler %s has %s, which mixtures do not have, but model %s is one", quote(s.Name),
				strings.Join(given, ", "), quote(m.Name)), "leave them out for this model")
		}
	}
	return nil
}

// mixed reports a fit of a mixture, or of a sampler for mixtures, that cannot be.
func (c *checker) mixed(at pos, d *Dataset, m *Model, s *Sampler) bool {
	err := s.mixes(m)
	if err == nil && m.Mixed() && d.Rows == Factored {
		err = words.Hint(errors.New("data set "+quote(d.Name)+" has rows: factored, which keeps no rows, and model "+
			quote(m.Name)+" is a mixture"), "leave rows out")
	}
	if err == nil {
		return true
	}
	message, hint := words.Parts(err)
	c.add(at, message, hint+"; or name what goes together under fits")
	return false
}

// mixtureRun reports what a run asks for that mixtures do not have.
func (c *checker) mixtureRun() {
	r := &c.pipeline.Run
	i := slices.IndexFunc(c.pipeline.Models, (*Model).Mixed)
	if i < 0 {
		return
	}
	for _, key := range r.Asks("loo: moment_match", "condition", "sample") {
		at := append([]string{"run"}, strings.Split(key, ": ")...)
		c.at(fmt.Sprintf("%s does not support mixtures yet, and model %s is one", key, quote(c.pipeline.Models[i].Name)),
			"leave it out, or give the model a spec of its own", at...)
	}
	if i = slices.IndexFunc(c.pipeline.Models, (*Model).Classes); i >= 0 && r.PPC.On {
		c.at(fmt.Sprintf("predictive checks are of one response, and model %s has several", quote(c.pipeline.Models[i].Name)),
			"leave ppc out, or give the model a spec of its own; loo takes the items of a row together", "run", "ppc")
	}
}
