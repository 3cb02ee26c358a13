package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/infer/cggibbs"
	matrix "glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
	"glmbatch/infer/impute"
	"glmbatch/infer/prior"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Imputed is a generalised linear model on incomplete data: its missing cells are parameters.
type Imputed struct {
	coded    // of the rows with a response
	fit      *Fit
	columns  []*columnModel
	problem  *impute.Problem
	method   Method
	cells    int
	averages map[string]drawnAverage
}

// kindImputed is that of missing cells that are drawn. Complete data make a regression.
var kindImputed = Kind{
	of:      func(_ *Unit, m *spec.Model) bool { return m.Imputes() },
	problem: newImputed, method: methodOfData, survey: surveyRows, Words: rowsWords, Size: rowsSize,
}

// newImputed codes incomplete data; complete ones make an ordinary regression.
func newImputed(f *Fit) (Problem, error) {
	p, err := imputedOf(f.Unit, f.Model)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return newRegression(f)
	}
	p.fit = f
	if err := p.refuseDraws(); err != nil {
		return nil, err
	}
	return p, f.refused()
}

// imputedOf codes the data of a unit for a model; nil if nothing is missing.
func imputedOf(u *Unit, m *spec.Model) (*Imputed, error) {
	if u.Factored() || u.table.Counts() != nil {
		return nil, fmt.Errorf("model %q: rows that are grouped or factored have no cells to be drawn: leave rows: out of "+
			"the data set", m.Name)
	}
	formula, err := formulaOf(m)
	if err != nil {
		return nil, err
	}
	table := u.table.Data
	terms, response, others, err := formula.Reads(table.Schema())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", transform.DatasetWords(u.Name(), u.table.From()), err)
	}
	if err := u.table.Check(slices.Concat(terms, response, others)); err != nil {
		return nil, err
	}
	if err := checkBars(u, m, formula, table); err != nil {
		return nil, err
	}
	gaps, unseen, err := gapsOf(u, m, table, terms, response, others)
	if err != nil {
		return nil, err
	}
	if err := unmarked(u, m, gaps, unseen, response[0]); err != nil {
		return nil, err
	}
	if len(gaps) == 0 && len(unseen) == 0 {
		return nil, nil
	}
	p := &Imputed{fit: &Fit{Unit: u, Model: m}, cells: len(unseen)}
	p.method = Method{Method: spec.Imputing, Reason: "missing cells are drawn with the coefficients",
		Version: impute.Version, Chains: true}
	if p.columns, err = modelsOf(m, table.Schema(), terms, gaps); err != nil {
		return nil, err
	}
	if p.dataHash, err = imputedHash(u.table, m, slices.Concat(terms, response, others)); err != nil {
		return nil, err
	}
	if err := p.code(formula, table, unseen, response[0]); err != nil {
		return nil, err
	}
	p.readAux(table)
	p.average(table)
	return p, p.readFolds(table)
}

// imputedHash is that of the columns which the formula reads, and of those of the models of columns.
func imputedHash(table *ingest.Table, m *spec.Model, reads []string) (h DataHash, err error) {
	for _, i := range m.Imputation {
		if own, err := transform.ParseFormula(i.Formula); err == nil {
			more, err := own.Columns(table.Data.Schema())
			if err != nil {
				return h, fmt.Errorf("model %q, imputation of column %q: %w", m.Name, i.Name, err)
			}
			reads = append(reads, more...)
		}
	}
	slices.Sort(reads)
	h.Value, err = table.Hash(slices.Compact(reads))
	return h, err
}

// gapsOf finds the incomplete columns of terms and of the models of columns, and the rows without a response.
func gapsOf(u *Unit, m *spec.Model, table transform.Table, terms, response, others []string) (gaps []transform.Gap,
	unseen []int, err error,
) {
	read := slices.Clone(terms)
	for _, i := range m.Imputation {
		formula, err := transform.ParseFormula(i.Formula)
		if err != nil {
			return nil, nil, err
		}
		more, err := formula.Columns(table.Schema())
		if err != nil {
			return nil, nil, fmt.Errorf("model %q, imputation of column %q: %w", m.Name, i.Name, err)
		}
		read = append(read, more...)
	}
	for _, name := range response {
		if slices.Contains(read, name) {
			return nil, nil, words.Hint(fmt.Errorf("model %q: the response %s stands among the predictors, or in the model of "+
				"a column", m.Name, name), "leave it out there: cells are drawn given the response in any case")
		}
	}
	at := levels(m.Levels)
	if gaps, err = allGaps(u, m, table, read); err != nil {
		return nil, nil, err
	}
	rest, err := transform.Gaps(table, others, u.Name(), at)
	if err == nil && len(rest) > 0 {
		err = &transform.ColumnError{Dataset: u.Name(), Column: rest[0].Column, Row: int64(rest[0].Rows[0]) + 1,
			Err: words.Hint(errors.New("the value is missing, and missing: impute draws cells of predictors alone"),
				"drop such rows where the data are made")}
	}
	if err != nil {
		return nil, nil, err
	}
	answers, err := transform.Gaps(table, response, u.Name(), at)
	for _, g := range answers {
		unseen = append(unseen, g.Rows...)
	}
	slices.Sort(unseen)
	return gaps, slices.Compact(unseen), err
}

// allGaps finds the columns with errors of measurement, and the incomplete ones.
func allGaps(u *Unit, m *spec.Model, table transform.Table, read []string) (gaps []transform.Gap, err error) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return nil, err
	}
	marks := formula.Marks()
	for _, of := range marks.Measured {
		g, err := transform.NoisyGap(table, of, u.Name())
		var fault *transform.ColumnError
		if errors.As(err, &fault) && fault.Row > 0 {
			fault.At = u.table.Locate(fault.Row - 1)
		}
		if err != nil {
			return nil, err
		}
		gaps = append(gaps, g)
	}
	read = slices.DeleteFunc(read, marks.MeasuredIn)
	incomplete, err := transform.Gaps(table, read, u.Name(), levels(m.Levels))
	return append(gaps, incomplete...), err
}

// code makes the designs.
func (p *Imputed) code(formula *transform.Formula, table transform.Table, unseen []int, response string) error {
	u, m := p.fit.Unit, p.fit.Model
	var gaps []transform.Gap
	for _, c := range p.columns {
		gaps = append(gaps, c.gap)
	}
	filled := transform.Filled(table, gaps)
	defer filled.Release()
	out := &impute.Problem{Rows: int(table.NumRows()), Response: response,
		Row: func(row int) string { return strconv.Itoa(row + 1) }}
	for k, c := range p.columns {
		column, err := p.codeColumn(c, filled, gaps)
		if err != nil {
			return fmt.Errorf("model %q, imputation of column %q: %w", m.Name, c.gap.Column, err)
		}
		out.Columns = append(out.Columns, *column)
		p.cells += p.columns[k].numbers()
	}
	coding := u.coding(m, formula, u.table)
	coding.Missing, coding.Sparse, coding.Unseen = "drop", "false", true
	var err error
	if p.Design, err = transform.Build(filled, coding); err != nil {
		return err
	}
	d := p.Design
	d.Record.Missing = "error"
	if out.Coder, err = d.Record.NewEntries(gaps, filled); err != nil {
		return fmt.Errorf("model %q: %w", m.Name, err)
	}
	out.Data, out.Model = d.Data, posterior(m, d.Data)
	for i := range out.Rows {
		if d.Kept == nil || d.Kept[i] {
			out.Of = append(out.Of, i)
		}
	}
	if len(unseen) > 0 {
		all, err := d.Record.Code(filled, transform.Coding{Dataset: u.Name(), Missing: "error"})
		if err != nil {
			return err
		}
		all.Data.Y = nil
		out.Unseen, out.UnseenOf = all.Data.Taken(unseen), unseen
	}
	p.problem = out
	d.Notes = append(d.Notes, p.drawn()...)
	return nil
}

// drawn describes what is drawn in addition to the coefficients, in one line or more.
func (p *Imputed) drawn() (out []string) {
	if n := len(p.problem.UnseenOf); n > 0 {
		out = append(out, fmt.Sprintf("%d missing responses are predicted", n))
	}
	return append(out, p.models()...)
}

// models words those of incomplete columns, in their order.
func (p *Imputed) models() (out []string) {
	for _, c := range p.columns {
		out = append(out, "imputation: "+c.words())
	}
	return out
}

// codeColumn codes the model of a column, with the default priors of its data.
func (p *Imputed) codeColumn(c *columnModel, filled transform.Table, gaps []transform.Gap) (*impute.Column, error) {
	formula, err := transform.ParseFormula(c.formula)
	if err != nil {
		return nil, err
	}
	u, own := p.fit.Unit, filled
	design := transform.Spec{Dataset: u.Name(), Formula: formula, Family: c.family, Sparse: "false",
		Levels: ownLevels(p.fit.Model, formula, filled), Texts: u.texts(), File: u.table.From(), Locate: u.table.Locate}
	if c.gap.Several() || c.gap.Low != 0 { // the response is the state, which the design need not know
		own, design.Family = c.gap.OfStates(filled), family.Default
		defer own.Release()
		delete(design.Levels, c.gap.Column)
	}
	if c.design, err = transform.Build(own, design); err != nil {
		return nil, err
	}
	entries, err := c.design.Record.NewEntries(gaps, filled)
	if err != nil {
		return nil, err
	}
	out := &impute.Column{Name: c.gap.Column, Missing: c.gap.Rows, Data: c.design.Data, Coder: entries, Log: c.gap.Log,
		Noise: c.gap.Noise}
	if c.gap.Several() {
		out.Levels = c.gap.Levels
	}
	if c.family == family.Counts && (c.given == nil || c.given.Family == "") && c.overdispersed() {
		c.family = family.Overdispersed
	}
	if err := c.given.Refuse(c.family); err != nil {
		return nil, err
	}
	out.Model = c.posterior()
	c.free = len(c.family.Dispersions())
	if !c.family.Noise() && c.free > 0 && out.Model.Dispersion.Kind == prior.Constant {
		c.free = 0
	}
	return out, nil
}

// posterior is the column's family with the priors of the spec, or by default for its data.
func (c *columnModel) posterior() glm.Model {
	own := &spec.Model{Family: spec.Family{Family: c.family}}
	if c.given != nil {
		own.Prior = c.given.Prior.Priors()
	}
	return posterior(own, c.design.Data)
}

// overdispersed reports whether the observed counts vary more than a poisson model of them allows.
func (c *columnModel) overdispersed() bool {
	missing, rows := c.gap.Rows, []int{}
	for i := range c.design.Data.Rows() {
		if len(missing) > 0 && missing[0] == i {
			missing = missing[1:]
			continue
		}
		rows = append(rows, i)
	}
	target, err := glm.NewTarget(c.design.Data.Taken(rows), c.posterior())
	return err == nil && target.Pearson() > glm.Overdispersed
}

// ownLevels are those of the model that a formula's columns have.
func ownLevels(m *spec.Model, formula *transform.Formula, table transform.Table) map[string][]string {
	out := levels(m.Levels)
	names, err := formula.Columns(table.Schema())
	for name := range out {
		if err != nil || !slices.Contains(names, name) {
			delete(out, name)
		}
	}
	return out
}

// Method is impute.
func (p *Imputed) Method() *Method { return &p.method }

// Facts are those of the regression, with the models of columns among the notes.
func (p *Imputed) Facts() Facts { return p.facts(p.fit) }

// Capabilities are those of rows with cells that are drawn.
func (p *Imputed) Capabilities() Capabilities {
	return Capabilities{Rows: p, Cells: p, Undrawn: p.undrawn(),
		Anew: "missing cells are drawn by turns with the coefficients"}
}

func (p *Imputed) inCase(c *Case) error {
	setup := func() (infer.Setup, error) { return impute.New(p.problem, nil) }
	c.Cells = p.drawn()
	c.simulates(setup)
	return c.on(p.Design, p.problem.Model, func(*groups.Model) (infer.Setup, error) { return setup() })
}

// Lengths is the run's own schedule.
func (p *Imputed) Lengths(s Schedule, _ *spec.Run) Schedule { return s }

// Need counts the designs, of which each chain has copies, and the cells.
func (p *Imputed) Need(chains, workers int) Need {
	n, entries := p.need(p.fit, chains, workers), p.Data.X.Entries()
	for _, c := range p.columns {
		n.Bytes += 8 * c.design.Data.X.Entries()
		entries += int64(p.problem.Rows)
		if !c.family.Is(family.Squares) {
			entries += int64(c.levels()) * c.design.Data.X.Entries()
		}
	}
	const perCell = 1 << 10
	n.Bytes += int64(chains)*16*entries + int64(p.cells)*perCell
	return effectsNeed(n, p.Data, &p.method, chains)
}

// concave reports whether the posteriors of the regression and of the columns' models are log-concave.
func (p *Imputed) concave() bool {
	return p.problem.Model.LogConcave() && !slices.ContainsFunc(p.problem.Columns, func(c impute.Column) bool {
		return !c.Model.LogConcave()
	})
}

// Identify adds the hash of the data, the model, and the version of the sampler of coefficients.
func (p *Imputed) Identify(id *Identity) {
	p.dataHash.identify(p.fit, id)
	id.Versions[spec.CGGibbs.Name] = cggibbs.Version
	for _, c := range p.columns {
		if v := c.family.First().Version; v != "" && (c.given == nil || c.given.Prior.Shape.Kind == "") {
			id.Versions["defaults"] = v
		}
	}
	if !p.concave() {
		id.Versions[spec.CGGibbs.Name] += " " + glm.StartsVersion + " " + cggibbs.PlainVersion
	}
	p.identifyGroups(id)
}

// Setup makes the sampler.
func (p *Imputed) Setup(by infer.Parallel, _ Schedule, _ *Previous) (*Setup, error) {
	out := &Setup{Gating: p.Gating(), Cautions: unused(p.fit.Model, p.Data)}
	var err error
	out.Sampler, err = setupImputed(p.problem, by)
	return out, p.fit.Explain(err)
}

func setupImputed(p *impute.Problem, by infer.Parallel) (out infer.Setup, err error) {
	err = withinMemory(func() (err error) {
		out, err = impute.New(p, by)
		return err
	})
	return out, err
}

// Refit sets the sampler up without the responses of all rows but some. Missing cells of the others are drawn by the
// models of their columns.
func (p *Imputed) Refit(rows []int) (infer.Setup, error) {
	some := *p.problem
	some.Data, some.Of = p.problem.Data.Taken(rows), matrix.Take(p.problem.Of, rows)
	return setupImputed(&some, nil)
}

// ToData takes the coefficients of all models to the units of the data. Cells have them already.
func (p *Imputed) ToData(theta []float64) {
	at := len(theta) - p.effects() - p.cells
	p.Record.ToData(theta)
	for _, c := range p.columns {
		at -= c.parameters()
	}
	for _, c := range p.columns {
		for level := range c.levels() {
			c.design.Record.ToData(theta[at+level*c.design.Data.Cols():])
		}
		at += c.parameters()
	}
}

// Gating passes over cells that never move, as one of two states may.
func (p *Imputed) Gating() Gating { return Gating{Constants: true} }

// Describe adds the record of the design, and priors and scaling of coefficients.
func (p *Imputed) Describe(rec *record.Fit, params []infer.Parameter) error {
	design, err := p.fit.Unit.marshalDesign(p.Record)
	if err != nil {
		return err
	}
	rec.Design = design
	describe := func(at int, model *glm.Model, columns []transform.Column) {
		for j := range columns {
			out := &rec.Parameters[at+j]
			out.Center, out.Scale, out.Prior = columns[j].Centre, columns[j].Scale, model.Coefficients[j].String()
		}
	}
	given := p.problem.Model
	describe(0, &given, p.Record.Columns)
	scales := scalePriors(&given)
	for i, q := range params {
		out := &rec.Parameters[i]
		if q.Kind == infer.Scale || q.Kind == infer.LocalScale {
			out.Prior, scales = scales[0], scales[1:]
		}
		if law := priorOf(&given, p.Data, q); law != "" {
			out.Prior = law
		}
	}
	at := len(params) - p.effects() - p.cells
	for _, c := range p.columns {
		at -= c.parameters()
	}
	for k, c := range p.columns {
		own := &p.problem.Columns[k].Model
		for level := range c.levels() {
			describe(at+level*c.design.Data.Cols(), own, c.design.Record.Columns)
		}
		if at += c.parameters(); c.free > 0 {
			rec.Parameters[at-1].Prior = own.Dispersion.String()
		}
	}
	return nil
}
