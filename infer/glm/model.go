package glm

import "strings"

// Family is a response distribution with its link.
type Family struct {
	Name string // gaussian, bernoulli, binomial, poisson
	Link string // identity, logit, log
}

// families lists the families with their links, the canonical one.
var families = []Family{
	{"gaussian", "identity"},
	{"bernoulli", "logit"},
	{"binomial", "logit"},
	{"poisson", "log"},
}

// ParseFamily returns the family of a name; an empty link means the canonical
// one. The error is a *ParseError.
func ParseFamily(name, link string) (Family, error) {
	var names []string
	nearest := ""
	for _, f := range families {
		if f.Name == name {
			if link != "" && link != f.Link {
				return Family{}, &ParseError{Text: link, Reason: "is not a link of family " + name,
					Hint: "this version has " + f.Link}
			}
			return f, nil
		}
		if distance(strings.ToLower(name), f.Name) <= 2 {
			nearest = f.Name
		}
		names = append(names, f.Name)
	}
	hint := "the families are " + strings.Join(names, ", ")
	if nearest != "" {
		hint = "did you mean " + nearest + "?"
	}
	return Family{}, &ParseError{Text: name, Reason: "is not a family", Hint: hint}
}

// HasDispersion tells whether the family has the parameter sigma.
func (f Family) HasDispersion() bool { return f.Name == "gaussian" }

// String returns name(link).
func (f Family) String() string { return f.Name + "(" + f.Link + ")" }

// Model is a likelihood with its priors, on the scale of the design as sampled.
type Model struct {
	Family Family
	// Coefficients has one prior per column of Data.X, the intercept included.
	Coefficients []Prior
	// Dispersion is the prior of sigma; unused by families without one.
	Dispersion Prior
}

// Proper tells whether every prior of the model is proper.
func (m *Model) Proper() bool {
	for _, p := range m.Coefficients {
		if !p.Proper() {
			return false
		}
	}
	return !m.Family.HasDispersion() || m.Dispersion.Proper()
}
