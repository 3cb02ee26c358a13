package spec

import (
	"slices"
	"strconv"
	"strings"

	"glmbatch/infer/family"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// ResponseFamily is the family of one of several responses.
type ResponseFamily struct {
	Name   string
	Family Family
}

func (r *ResponseFamily) decodeNode(d *decoder, n *node, f field, path []string) {
	r.Family.decodeNode(d, n, f, path)
}

// Response is a model as one of several responses.
type Response struct {
	Name  string
	Whole *Model // the model of all responses
}

// ByResponse is Model.Missing of several responses that have rows of their own.
const ByResponse = "by_response"

// Parts are the models of the responses, one of which is the model itself if it has one response.
func (m *Model) Parts() []*Model {
	if m.Responses == nil {
		return []*Model{m}
	}
	return m.Responses
}

// Title is the name of the model, with that of its response if it is one of several.
func (m *Model) Title() string {
	if m.Response.Name == "" {
		return m.Name
	}
	return m.Name + ", response " + m.Response.Name
}

// joined reports whether the model has several responses.
func (m *Model) joined() bool { return m.Responses != nil }

// some reports whether the model of a response is of a kind.
func (m *Model) some(is func(*Model) bool) bool { return slices.ContainsFunc(m.Parts(), is) }

// someFormula reports whether the formula of a response is of a kind.
func (m *Model) someFormula(is func(*transform.Formula) bool) bool {
	all, err := transform.ParseResponses(m.Formula)
	return err == nil && slices.ContainsFunc(all, func(r transform.OfResponse) bool { return is(r.Formula) })
}

// predicted reports whether a response has several linear predictors.
func (m *Model) predicted() bool {
	return m.some(func(m *Model) bool { return m.Family.Several() != nil })
}

// responses makes the models of several responses. It reports whether the formula has such.
func (c *checker) responses(m *Model) bool {
	parts, err := transform.ParseResponses(m.Formula)
	if !transform.SeveralResponses(m.Formula) {
		if len(m.Families) > 0 {
			c.at("families are of several responses, and the formula has one", "write family", "models", m.Name, "families")
		}
		return false
	}
	if offset, fault, hint := formulaFault(err, len(m.Formula)); fault != "" {
		c.add(c.formulaNode(m).where(offset), fault, hint)
		return true
	}
	if m.Family.Name == "" {
		return true // reported
	}
	for _, f := range m.Families {
		if !slices.ContainsFunc(parts, func(p transform.OfResponse) bool { return p.Name == f.Name }) {
			var names []string
			for _, p := range parts {
				names = append(names, p.Name)
			}
			c.at("families: the formula has no response "+quote(f.Name), "its responses are "+words.List(names), "models",
				m.Name, "families", f.Name)
		}
	}
	c.interceptPoint(m)
	for _, p := range parts {
		own := *m
		own.Response, own.Formula, own.Families, own.Derive, own.Effects = Response{p.Name, m}, p.Text, nil, nil, nil
		for _, f := range m.Families {
			if f.Name == p.Name {
				own.Family = f.Family
			}
		}
		own.Prior = own.priorsOf(p.Name)
		c.response(&own)
		m.Responses = append(m.Responses, &own)
	}
	m.FrequencyWeights = m.Responses[0].FrequencyWeights
	for _, own := range m.Responses {
		if own.FrequencyWeights != m.FrequencyWeights {
			c.at("formula: rows count as often in all responses, and weights() differs among them",
				"write frequency_weights in the model", "models", m.Name, "formula")
			break
		}
	}
	if m.Missing == ByResponse && m.FrequencyWeights != "" {
		c.at("missing: by_response and weights of rows that count several times are not joined", "write missing: drop",
			"models", m.Name, "missing")
	}
	c.completeResponses(m)
	return true
}

// response checks the model of one of several responses.
func (c *checker) response(m *Model) {
	if m.Family.Support().Classes {
		c.at("response "+m.Response.Name+" is in classes, which are not joined with other responses",
			"give it a model of its own", "models", m.Name, "formula")
		return
	}
	c.custom(m)
	c.predictors(m)
	c.marks(m)
	c.weights(m)
	c.monotone(m)
	c.knownErrors(m)
}

// completeResponses checks what models of several responses have in common.
func (c *checker) completeResponses(m *Model) {
	var families []string
	for _, own := range m.Responses {
		families = append(families, own.Family.String())
	}
	m.Family = m.Responses[0].Family
	m.Family.All = strings.Join(families, ", ")
	c.lacksOfModel(m)
	for _, d := range family.AllDispersions() {
		without := func(m *Model) bool { return m.Family.Dispersion(d.Name) == nil }
		if !slices.ContainsFunc(m.Responses, func(m *Model) bool { return !without(m) }) &&
			c.given("models", m.Name, "prior", d.Name) {
			c.at("no response has "+d.Name, "remove it", "models", m.Name, "prior", d.Name)
		}
	}
	c.groups(m)
	c.residuals(m)
	c.effectsOfResponses(m)
	c.interceptByName(m)
}

// CorrelatedResiduals reports whether the residuals of several responses are correlated: set_rescor(TRUE).
func (m *Model) CorrelatedResiduals() bool { return transform.CorrelatedResiduals(m.Formula) }

// residuals refuses correlated residuals of responses that have no common sigma.
func (c *checker) residuals(m *Model) {
	if !m.CorrelatedResiduals() {
		if c.given("models", m.Name, "prior", "rescor") {
			c.at("prior rescor is of correlated residuals, and the formula has none",
				"remove it, or add + set_rescor(TRUE) to the formula", "models", m.Name, "prior", "rescor")
		}
		return
	}
	refuse := func(fault string) {
		c.at("formula: with set_rescor(TRUE) "+fault,
			"write set_rescor(FALSE); effects of levels are correlated by (1 | p | g)", "models", m.Name, "formula")
	}
	for _, own := range m.Responses {
		name := own.Response.Name
		switch {
		case own.Family.Family != family.Default:
			refuse("each response is gaussian, without formulas of sigma, cens() and trunc(), and " + name + " is not")
		case own.KnownErrors() || own.PrecisionWeights != "":
			refuse("sigma is one number, and rows of " + name + " have errors or precisions of their own")
		default:
			continue
		}
		return
	}
	if m.Missing == ByResponse {
		refuse("rows have all responses, and missing is by_response")
	}
}

// priorsOf returns the priors of a response: those of by_name whose names have its name, as b_x, and others of all
// responses.
func (m *Model) priorsOf(response string) Priors {
	out := m.Prior
	var all []*NamedPrior
	out.ByName, out.Others = nil, map[string]DispersionPrior{}
	for name, law := range m.Prior.Others { //maporder:ok a map is made
		out.Others[name] = law
	}
	for _, n := range m.Prior.ByName {
		rest, own := ofPredictor(n.Pattern, response)
		for _, of := range m.Family.Formulas() {
			if !own {
				var further string
				if further, own = ofPredictor(n.Pattern, of+"_"+response); own {
					rest = withPredictor(further, of)
				}
			}
		}
		switch {
		case rest == "(Intercept)":
			out.Intercept.Prior.Prior = n.Prior.Prior
		case own:
			given := *n
			given.Pattern = rest
			out.ByName = append(out.ByName, &given)
		default:
			if d := strings.TrimSuffix(n.Pattern, "_"+response); d != n.Pattern && m.Family.Dispersion(d) != nil {
				out.setDispersion(d, DispersionPrior{n.Prior.Prior})
			}
			all = append(all, n)
		}
	}
	out.ByName = append(out.ByName, all...)
	return out
}

// withPredictor puts the name of a predictor into a pattern of its parameters; ofPredictor takes it from there.
func withPredictor(pattern, name string) string {
	if group, term, is := strings.Cut(pattern, "__"); is && strings.HasPrefix(pattern, sdNames) {
		return group + "__" + name + "_" + term
	}
	for _, of := range scaleNames[1:] {
		if rest, is := strings.CutPrefix(pattern, of); is {
			return of + name + "_" + rest
		}
	}
	return name + "_" + pattern
}

// setDispersion sets the prior of a dispersion by its name.
func (p *Priors) setDispersion(name string, law DispersionPrior) {
	for of, own := range map[string]*DispersionPrior{"sigma": &p.Sigma, "shape": &p.Shape, "phi": &p.Phi, "nu": &p.Nu} {
		if of == name {
			*own = law
			return
		}
	}
	p.Others[name] = law
}

// effectsOfResponses gives each effect the responses whose formulas have its variables.
func (c *checker) effectsOfResponses(m *Model) {
	var all []Effect
	for i := range m.Effects {
		e, found := m.Effects[i], false
		for _, own := range m.Responses {
			if e.Response != "" && e.Response != own.Response.Name {
				continue
			}
			formula, err := transform.ParseFormula(own.Formula)
			if err != nil {
				return // reported
			}
			if unknown, _ := formula.Unknown(e.names()); unknown == "" {
				of := e
				of.Response = own.Response.Name
				all, found = append(all, of), true
			}
		}
		if !found {
			c.at("effect "+quote(e.String())+": no response has a formula with its variables", "", "models", m.Name, "effects",
				strconv.Itoa(i))
		}
	}
	m.Effects = all
}
