package plan

import (
	"fmt"
	"strconv"
	"strings"

	"glmbatch/infer"
	"glmbatch/infer/collapsed"
	"glmbatch/infer/glm"
	"glmbatch/infer/mixture"
	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Mixture is a mixture of generalised linear models on a coded design.
type Mixture struct {
	mixing
	coded
}

// mixing is the common part of Mixture and Classes.
type mixing struct {
	fit    *Fit
	method Method
	at     *mixture.Layout // where a position has the parameters of components
}

// labelsAnew is why chains of mixtures start as usual.
const labelsAnew = "components may have other numbers than the night before"

// Labelled is a problem whose rows are each of one of several components.
type Labelled interface {
	Rowwise
	// Keys are the parameters by which components are numbered, as they were sampled; OrderedBy names these.
	Keys() []int
	OrderedBy() string
	// TableRows are the rows of the table, from 0, that are used.
	TableRows() []int
}

// kindMixture is that of mixtures of regressions.
var kindMixture = Kind{
	of:      func(_ *Unit, m *spec.Model) bool { return m.Mixed() },
	problem: func(f *Fit) (Problem, error) { return newMixture(f) },
	method:  func(s *spec.Sampler, m *spec.Model) string { return mixtureMethod(s, m).Name },
	survey:  surveyRows, Size: rowsSize,
	Words: func(m *spec.Model) string { return strings.TrimSuffix(rowsWords(m), "\n") + mixtureWords(m) },
}

// newMixture resolves the sampler and codes the design.
func newMixture(f *Fit) (*Mixture, error) {
	if err := f.refused(); err != nil {
		return nil, err
	}
	d, err := f.Unit.design(f.Model)
	if err != nil {
		return nil, err
	}
	m := &Mixture{mixing: mixing{fit: f}, coded: d.coded}
	m.method, m.at = mixtureMethod(f.Sampler, f.Model), m.layout()
	return m, nil
}

// setup makes the sampler on data, the design or some of its rows.
func (m *Mixture) setup(data *glm.Data, by infer.Parallel) (out infer.Setup, err error) {
	f := m.fit
	err = withinMemory(func() error {
		if f.Model.Conjugate() {
			out, err = collapsed.New(f.Model.Family.Family, data, collapsed.Options{Options: m.options(),
				Prior: f.Model.Mixture.Conjugate.Prior, Plain: !m.method.Collapses})
			return err
		}
		target, err := glm.NewTargetBy(by, data, posterior(f.Model, m.Data))
		if err == nil {
			out, err = mixture.New(target, m.options())
		}
		return err
	})
	return out, err
}

// Refit sets the sampler up on some of the rows.
func (m *Mixture) Refit(rows []int) (infer.Setup, error) { return m.setup(m.Data.Taken(rows), nil) }

// options are those of the components.
func (m *mixing) options() mixture.Options {
	given := &m.fit.Model.Mixture
	return mixture.Options{Components: given.Components, Concentration: given.Weights, Order: given.Order,
		Known: given.Known, Process: given.Process}
}

// mixtureMethod is that of a sampler, which its spec has let pass, for a mixture.
func mixtureMethod(s *spec.Sampler, model *spec.Model) Method {
	m := Method{Method: spec.Components, Version: mixture.Version, Chains: true}
	switch {
	case s.Of().Collapses:
		m.Method, m.Version = spec.Collapsed, collapsed.Version
	case s.Auto() && model.Conjugate():
		m.Method, m.Version = spec.Collapsed, collapsed.Version
		m.Reason = "auto chose collapsed: the prior is conjugate, so that the parameters are integrated out"
	case model.Conjugate():
		m.Version = collapsed.Version
	case s.Auto():
		m.Reason = "auto chose mixture: labels given parameters, and parameters given labels"
	}
	if !m.Collapses && !model.Classes() && !concave(model) {
		m.Version += " " + glm.StartsVersion
	}
	return m
}

// vanishing replaces the default prior of a scale by one that vanishes at 0, since a component may hold equal
// responses alone: inverse_gamma(2, half the sd of the response).
func vanishing(m *spec.Model, law prior.Prior) prior.Prior {
	if !m.Mixed() || law.Kind != prior.Exponential || m.Prior.Sigma.Kind != "" || !scaled(m) {
		return law
	}
	return prior.Prior{Kind: prior.InverseGamma, Shape: 2, Scale: 0.5 / law.Rate}
}

// vanishingRule describes vanishing.
func vanishingRule(d glm.Dispersion) string {
	if d.Default == nil {
		return "inverse_gamma(2, sd(y)/2)"
	}
	return "inverse_gamma(2, 0.5)"
}

// scaled reports whether the first dispersion of the family is a scale.
func scaled(m *spec.Model) bool { return m.Family.First().Scale() }

// mixtureDefaults names the rule of vanishing.
const mixtureDefaults = " mixture/1"

// Method is the resolved sampler.
func (m *mixing) Method() *Method { return &m.method }

// Facts are those of the model and its design.
func (m *Mixture) Facts() Facts {
	out := m.facts(m.fit)
	out.Family = record.MixtureFamily(out.Family)
	return out
}

// Lengths is the run's own schedule.
func (m *mixing) Lengths(s Schedule, _ *spec.Run) Schedule { return s }

// Need counts the design, a copy of its rows by component for each chain, and densities of each row and component.
func (m *Mixture) Need(chains, workers int) Need {
	out := m.need(m.fit, chains, workers)
	components := int64(m.fit.Model.Mixture.Components)
	out.Bytes += int64(chains) * 8 * (m.Data.X.Entries() + int64(m.Rows)*(components+4))
	return out
}

// Identify adds the hash of the data and the model.
func (m *Mixture) Identify(id *Identity) { m.dataHash.identify(m.fit, id) }

// Observed are the rows of the design.
func (m *Mixture) Observed() Observed { return m.observed() }

// Capabilities are those of rows of components.
func (m *Mixture) Capabilities() Capabilities {
	return Capabilities{Rows: m, Labels: m, Anew: labelsAnew}
}

// Parameters are those of a position.
func (m *Mixture) Parameters() []infer.Parameter { return m.at.Parameters() }

// means are the parameters that mean responses depend on: weights and coefficients of all components.
func (m *Mixture) means() (out []int) {
	for i, p := range m.Parameters() {
		if p.Kind == infer.MixtureWeight || p.Kind == infer.Intercept || p.Kind == infer.Coefficient {
			out = append(out, i)
		}
	}
	return out
}

// ToData takes the coefficients of each component to the units of the data.
func (m *Mixture) ToData(position []float64) {
	for _, block := range m.at.Blocks(position) {
		m.Record.ToData(block)
	}
}

// layout is where a position has the parameters of components.
func (m *Mixture) layout() *mixture.Layout {
	f := m.fit.Model
	of := make([]infer.Parameter, 0, m.Data.Cols()+2)
	for j, name := range m.Data.Names {
		kind := infer.Coefficient
		if j == m.Data.Intercept {
			kind = infer.Intercept
		}
		of = append(of, infer.Parameter{Name: name, Kind: kind})
	}
	for _, d := range f.Family.Dispersions() {
		if f.Prior.Dispersion(d.Name).Kind != prior.Constant {
			of = append(of, infer.Parameter{Name: d.Name, Kind: infer.Dispersion})
		}
	}
	return &mixture.Layout{Components: f.Mixture.Components, Of: of, Order: mixture.OrderOf(of, f.Mixture.Order),
		Known: f.Mixture.Known, Process: f.Mixture.Process}
}

// Keys are the parameters by which components are numbered, as they were sampled.
func (m *mixing) Keys() []int { return m.at.Keys() }

// OrderedBy names these parameters.
func (m *mixing) OrderedBy() string {
	if m.at.Process != 0 {
		return ""
	}
	if l := m.at; l.Order < len(l.Of) {
		return l.Of[l.Order].Name
	}
	return "their weights"
}

// Gating is that of parameters and log_lik; those of components as they were sampled are passed over by their kind, and
// known weights since they do not move.
func (m *mixing) Gating() Gating {
	return Gating{Constants: m.at.Known != nil || m.at.Process != 0, NoPrior: m.at.Process != 0}
}

// Setup makes the sampler.
func (m *Mixture) Setup(by infer.Parallel, _ Schedule, _ *Previous) (*Setup, error) {
	out := &Setup{Gating: m.Gating()}
	if !m.fit.Model.Conjugate() {
		out.Cautions = unused(m.fit.Model, m.Data)
	}
	var err error
	out.Sampler, err = m.setup(m.Data, by)
	return out, m.fit.Explain(err)
}

func (m *Mixture) inCase(c *Case) error {
	c.simulates(func() (infer.Setup, error) {
		data, err := Expanded(m.Data)
		if err != nil {
			return nil, err
		}
		return m.setup(data, nil)
	})
	return m.unknownTo()
}

func (m *mixing) unknownTo() error {
	return words.Hint(fmt.Errorf("model %q is a mixture, which this verb does not know yet", m.fit.Model.Name),
		"choose other fits with --only model=…")
}

// Description describes the rows of the design.
func (m *Mixture) Description(params []infer.Parameter) (*record.Description, error) {
	return describe(m.Record, m.fit.Model.Family.Link, params, fixedBy(&m.fit.Model.Prior))
}

// Bind looks up what a derived quantity names among parameters.
func (m *Mixture) Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error) {
	rows, err := m.Description(params)
	if err != nil {
		return nil, err
	}
	average := func(a *transform.Average) (*transform.Averaged, error) {
		rows, err := m.averages.of(a)
		if err != nil {
			return nil, err
		}
		own := *rows // the mean of a row is that of its components, by their weights
		own.Params = m.means()
		return &own, nil
	}
	return d.Expression.Bind(fitted(m.fit, rows, m.Record, params, average))
}

// Describe adds the record of the design, the summary of its data, and the prior of each parameter.
func (m *Mixture) Describe(rec *record.Fit, params []infer.Parameter) error {
	if err := m.record(m.fit, rec); err != nil {
		return err
	}
	var given glm.Model
	if !m.fit.Model.Conjugate() {
		given = posterior(m.fit.Model, m.Data)
	}
	l := m.at
	half, d := l.Len()/2, len(l.Of)
	for i := range params {
		out, at := &rec.Parameters[i], i%half-l.Components
		switch {
		case at < 0:
			out.Prior = weightPrior(m.fit.Model, l, params[i])
		case m.fit.Model.Conjugate():
			out.Prior = m.fit.Model.Mixture.Conjugate.String()
		case at%d < m.Data.Cols():
			c := m.Record.Columns[at%d]
			out.Center, out.Scale = c.Centre, c.Scale
			out.Prior = given.Coefficients[at%d].String()
		default:
			out.Prior = priorOf(&given, m.Data, l.Of[at%d])
		}
	}
	return nil
}

// mixtureWeights is a of the prior of the weights.
func mixtureWeights(m *spec.Model) float64 {
	if m.Mixture.Weights == 0 {
		return 1
	}
	return m.Mixture.Weights
}

// weightPrior is the prior of a weight.
func weightPrior(m *spec.Model, l *mixture.Layout, p infer.Parameter) string {
	if c, err := strconv.Atoi(p.Level); err == nil && l.Known != nil {
		return prior.Prior{Kind: prior.Constant, Location: l.Known[c-1]}.String()
	}
	if l.Process != 0 {
		return fmt.Sprintf("dirichlet_process(%v)", l.Process)
	}
	return "dirichlet(" + strconv.FormatFloat(mixtureWeights(m), 'g', -1, 64) + ")"
}

// weightWords describes the weights of a mixture.
func weightWords(m *spec.Model) string {
	if m.Mixture.Process != 0 {
		return fmt.Sprintf("at most, a Dirichlet process of concentration %v", m.Mixture.Process)
	}
	if m.Mixture.Known != nil {
		return "known weights " + fmt.Sprint(m.Mixture.Known)
	}
	return fmt.Sprintf("weights dirichlet(%v)", mixtureWeights(m))
}

// mixtureWords says what a model says of its components.
func mixtureWords(m *spec.Model) string {
	text := fmt.Sprintf("\n    a mixture of %d components, %s", m.Mixture.Components, weightWords(m))
	if m.Conjugate() {
		text += ", each with the prior " + m.Mixture.Conjugate.String() + " instead of those above"
	}
	return text + "\n"
}
