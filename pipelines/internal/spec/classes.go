package spec

import (
	"fmt"
	"slices"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// Categorical is the family of items that are categories.
var Categorical = family.Classes.Name

// InCategories reports whether items of a family are categories.
func InCategories(name string) bool {
	law := family.Named(name)
	return law != nil && law.Support.Classes
}

// GLM is the family of an item of numbers, of the zero value of others.
func (i *Item) GLM() glm.Family { return ItemFamily(i.Family) }

// ItemFamily is a family of items with its first link; the zero value of categorical.
func ItemFamily(name string) glm.Family {
	if law := family.Named(name); law != nil && !law.Support.Classes {
		return law.Family()
	}
	return glm.Family{}
}

// ItemsOf reads the formula of a model of latent classes; items that are to be categories are factors.
func (m *Model) ItemsOf() (*transform.Items, error) {
	items, err := transform.ParseItems(m.Formula)
	if err != nil {
		return nil, err
	}
	for k := range items.List {
		if given := m.Item(items.List[k].Column); given != nil && InCategories(given.Family) {
			items.List[k].Factor = true
		}
	}
	return items, nil
}

// Item is the entry of the model for an item; nil if there is none.
func (m *Model) Item(column string) *Item {
	i := slices.IndexFunc(m.Mixture.Items, func(i *Item) bool { return i.Name == column })
	if i < 0 {
		return nil
	}
	return m.Mixture.Items[i]
}

// classes checks a model of latent classes. Without a key for missing cells they count as not observed.
func (c *checker) classes(m *Model) {
	at := func(keys ...string) []string { return append([]string{"models", m.Name}, keys...) }
	if !c.given("models", m.Name, "missing") {
		m.Missing = transform.SeenMissing
	}
	c.lacksOfModel(m)
	c.knownWeights(m, at("mixture", "known_weights"))
	m.Sparse = "false"
	n := c.root.get("models").get(m.Name).get("formula")
	items, err := m.ItemsOf()
	if err != nil {
		offset, message, hint := formulaFault(err, len(m.Formula))
		c.add(n.where(offset), message, hint)
		return
	}
	var names []string
	for k := range items.List {
		names = append(names, items.List[k].Column)
	}
	for _, given := range m.Mixture.Items {
		path, k := at("mixture", "items", given.Name), slices.Index(names, given.Name)
		if k < 0 {
			c.at("the formula has no item "+quote(given.Name), words.DidYouMean(given.Name, "its items are", names), path...)
			continue
		}
		c.item(given, &items.List[k], path)
	}
	c.correlated(m, items, names)
	c.derivations(m)
}

// correlated checks the items that a model says are correlated.
func (c *checker) correlated(m *Model, items *transform.Items, names []string) {
	path := []string{"models", m.Name, "mixture", "correlated"}
	if n := len(m.Mixture.Correlated); n == 1 {
		c.at("correlated names one item", "name two or more, or leave it out", path...)
	}
	for i, name := range m.Mixture.Correlated {
		k := slices.Index(names, name)
		if k < 0 {
			c.at("correlated: the formula has no item "+quote(name), words.DidYouMean(name, "its items are", names), path...)
			continue
		}
		given := m.Item(name)
		switch item := &items.List[k]; {
		case slices.Contains(m.Mixture.Correlated[:i], name):
			c.at("correlated names "+quote(name)+" twice", "name it once", path...)
		case item.Factor || item.Trials != "" || item.TrialsEach > 0 ||
			given != nil && given.Family != "" && given.Family != family.Default.Name:
			c.at("item "+quote(name)+" is correlated, and not gaussian", "leave it out of correlated", path...)
		}
	}
}

// IsCorrelated reports whether an item of the model is correlated with others.
func (m *Model) IsCorrelated(column string) bool {
	return slices.Contains(m.Mixture.Correlated, column)
}

// item checks what a model says of an item.
func (c *checker) item(given *Item, item *transform.Item, path []string) {
	trials := item.Trials != "" || item.TrialsEach > 0
	counted := given.GLM().Support().Trials
	switch name := given.Family; {
	case trials && name != "" && !counted:
		c.at("item "+quote(given.Name)+" has trials(), which "+name+" has not", "write family: binomial, or leave it out",
			path...)
	case !trials && counted:
		c.at("item "+quote(given.Name)+" is binomial, and has no trials", "write "+given.Name+" | trials(n) in the formula",
			path...)
	case item.Factor && name != "" && !InCategories(name):
		c.at("item "+quote(given.Name)+" is factor(), which "+name+" is not", "leave factor() out of the formula", path...)
	}
	law := given.Conjugate.Law
	if law == "" || given.Family == "" {
		return // what it serves is known with the data
	}
	if err := ServesItem(given); err != nil {
		message, hint := words.Parts(err)
		c.at(message, hint, append(path, "conjugate")...)
	}
}

// ServesItem returns an error where the prior of an item is not one of its family, both of which are known.
func ServesItem(i *Item) error {
	const dirichlet = "dirichlet"
	switch law := i.Conjugate.Law; {
	case !InCategories(i.Family):
		return i.Conjugate.Serves(i.GLM())
	case law != dirichlet:
		return words.Hint(fmt.Errorf("%s is not conjugate to categorical", law), "write dirichlet(1)")
	}
	return nil
}
