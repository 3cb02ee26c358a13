package plan

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/predictive"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// design is one model's design matrix on one unit, made once for its samplers.
type design struct {
	coding   sync.Once
	prepared *transform.Prepared // nil once the matrix is made
	reads    []string            // columns of the table, in its order
	table    *ingest.Table       // the unit's, or the distinct rows of what is read; nil once the matrix is made
	// inFileOrder reports whether the design depends on the order of reads.
	inFileOrder bool

	column foldColumn // by which rows are left out

	among []bool            // the table's rows with a response of a model; nil: all responses have the same rows
	whole *transform.Design // with all of these rows; the same design if it has them

	making sync.Once
	coded
	err error
}

// coded is a design with what is read of the data besides.
type coded struct {
	*transform.Design
	dataHash DataHash
	averages averages               // what derived quantities average over, by the text of the call
	beside   []*transform.AuxColumn // columns that predictive checks ask for
	unread   []string               // what kept others from being read
	folds    *Folds                 // rows that k-fold leaves out together
}

// facts names the model of a fit, the size of its design and how it was coded.
func (c *coded) facts(f *Fit) Facts {
	m := f.Model
	out := Facts{
		Family: m.Family.Name, Link: m.Family.Link, Formula: m.Formula, Rows: c.Counted, Columns: c.Data.Cols(),
		DataHash: c.dataHash.Value, Warnings: c.Warnings,
		Notes: append(c.Notes[:len(c.Notes):len(c.Notes)], f.Unit.notes()...),
	}
	for _, count := range c.Data.Frequency {
		out.Observations += count
	}
	return out
}

// need is the memory of a fit without what its method takes besides.
func (c *coded) need(f *Fit, chains, workers int) Need {
	memory := f.Unit.memory
	memory.Workers = workers
	return memory.regressionNeed(c.Rows, c.Data.Cols(), c.Data.X.Entries(), chains)
}

// identify adds the hash of the data, and the model.
func (h DataHash) identify(f *Fit, id *Identity) {
	id.Data, id.data, id.Model = h.Value, h, identifyModel(f.Model)
	if h.matrices != "" {
		of := identifyModel(f.Model)
		of.Matrices = h.matrices
		id.Model = of
	}
}

// observed are the rows of the design.
func (c *coded) observed() Observed {
	return Observed{Data: c.Data, AuxColumns: c.beside, Unread: c.unread, Drawn: true, Rows: c.Data.Rows(), Folds: c.folds,
		Columns: c.Record.Columns, Further: predictive.DesignsOf(c.Design, c.Record)[1:]}
}

// record adds the record of the design and the summary of its data, which replicates do not have.
func (c *coded) record(f *Fit, rec *record.Fit) (err error) {
	if rec.Design, err = f.Unit.marshalDesign(c.Record); err == nil && f.Replicate <= 1 {
		rec.Data = summary(c.Design)
	}
	return err
}

// of finds the place of a model's design.
func (u *Unit) of(m *spec.Model) *design {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.designs == nil {
		u.designs = map[*spec.Model]*design{}
	}
	if u.designs[m] == nil {
		u.designs[m] = &design{}
	}
	return u.designs[m]
}

// preview is the size of a model's design, which is not made yet: of one that cannot be coded, none.
func (u *Unit) preview(m *spec.Model) (rows, columns int, entries int64) {
	d := u.coded(m)
	if d.err != nil {
		return 0, 0, 0
	}
	return d.prepared.Size()
}

// coded codes the variables of the unit's table for a model.
func (u *Unit) coded(m *spec.Model) *design {
	d := u.of(m)
	d.coding.Do(func() { d.err = u.code(d, m) })
	return d
}

// design codes the unit's table for a model; the samplers of a model share it.
func (u *Unit) design(m *spec.Model) (*design, error) {
	d := u.coded(m)
	d.making.Do(func() {
		defer u.spent(m)
		if d.err != nil {
			return
		}
		d.dataHash, d.err = hashColumns(d.reads, d.inFileOrder, d.table.Hash)
		d.dataHash.matrices = u.hashMatrices(m)
		if d.err == nil {
			d.Design, d.err = d.prepared.Build()
		}
		if d.err == nil && m.Response.Whole != nil {
			d.Record.Also = d.reads
		}
		if d.err == nil {
			u.average(d, m)
		}
		if d.table != u.table {
			d.table.Release()
		}
		if d.err == nil {
			u.memory.limitDense(d.Data.X)
		}
		if d.err == nil {
			d.err = u.withRows(d)
		}
		d.prepared, d.table, d.column = nil, nil, foldColumn{}
	})
	return d, d.err
}

// withRows adds the rows of other responses to a design, and reads the columns and folds of all.
func (u *Unit) withRows(d *design) (err error) {
	d.whole = d.Design
	effects := d.Data.Effects
	if d.among != nil {
		if d.whole = d.Among(d.among); d.whole != d.Design {
			effects = nil // rows without this response have no levels of theirs
		}
	}
	for i, s := range d.beside {
		d.beside[i] = s.Kept(d.whole.Kept)
	}
	d.folds, err = u.foldsOf(d.column, effects, d.whole.TableRows())
	return err
}

func (u *Unit) code(d *design, m *spec.Model) error {
	formula, err := formulaOf(m)
	if err != nil {
		return err
	}
	if err := m.Family.CheckColumns(columnsIn(u.table)); err != nil {
		return fmt.Errorf("%s: %w", transform.DatasetWords(u.Name(), u.table.From()), err)
	}
	d.reads, d.inFileOrder, err = columnsOf(m, u.table.Data.Schema())
	if err != nil {
		return fmt.Errorf("%s: %w", transform.DatasetWords(u.Name(), u.table.From()), err)
	}
	if err := u.table.Check(d.reads); err != nil {
		return err
	}
	if d.table = u.table; u.table.Counts() != nil { // so that a fit does not depend on what other models read
		d.table = u.table.Over(d.reads)
	}
	d.besideOf(d.table.Data, u.checks)
	d.column = u.readFolds(d.table.Data)
	coding := u.coding(m, formula, d.table)
	if m.Response.Whole != nil {
		coding.Also = d.reads
		u.ownLevels(&coding)
	}
	if m.Missing == spec.ByResponse {
		if coding.Also, coding.Among, err = u.among(m.Response.Whole, d.table.Data); err != nil {
			return err
		}
		d.among = coding.Among
	}
	coding.Place = u.place
	if len(averagesOf(m)) == 0 && m.Response.Whole == nil { // which read the table again
		coding.Done = func(column string) { u.readLast(m, column) }
	}
	d.prepared, err = transform.Prepare(d.table.Data, coding)
	return err
}

// among returns the rows of a table that have the levels of all groupings of several responses and all that the formula
// of one reads, nil if each response has all rows; and the columns of the groupings.
func (u *Unit) among(m *spec.Model, table transform.Table) (groupings []string, rows []bool, err error) {
	var complete [][]bool
	var of []*transform.Formula
	for _, own := range m.Responses {
		f, err := formulaOf(own)
		if err != nil {
			return nil, nil, err
		}
		columns, err := f.GroupingColumns(table.Schema())
		if err != nil {
			return nil, nil, err
		}
		of, groupings = append(of, f), append(groupings, columns...)
	}
	same := true
	for _, f := range of {
		columns, err := f.Columns(table.Schema())
		if err != nil {
			return nil, nil, err
		}
		own, err := transform.Complete(table, append(columns, groupings...))
		if err != nil {
			return nil, nil, err
		}
		complete, same = append(complete, own), same && own == nil
	}
	if same {
		return groupings, nil, nil
	}
	rows = make([]bool, table.NumRows())
	for _, own := range complete {
		for row := range rows {
			rows[row] = rows[row] || own == nil || own[row]
		}
	}
	return groupings, rows, nil
}

// ownLevels leaves out the levels and contrasts of columns that other responses read.
func (u *Unit) ownLevels(coding *transform.Spec) {
	own, err := coding.Formula.Columns(u.table.Data.Schema())
	other := func(column string) bool { return slices.Contains(coding.Also, column) && !slices.Contains(own, column) }
	if err == nil {
		coding.Contrasts = maps.Clone(coding.Contrasts)
		maps.DeleteFunc(coding.Levels, func(column string, _ []string) bool { return other(column) })
		maps.DeleteFunc(coding.Contrasts, func(column, _ string) bool { return other(column) })
	}
}

// columnsOf returns the columns that a model reads, with those of the other responses, in the order of the table, and
// whether the design depends on that order.
func columnsOf(m *spec.Model, schema *ingest.Schema) (reads []string, inOrder bool, err error) {
	if m.Response.Whole != nil {
		m = m.Response.Whole
	}
	for _, own := range m.Parts() {
		formula, err := formulaOf(own)
		if err != nil {
			return nil, false, err
		}
		more, err := formula.Columns(schema)
		if err != nil {
			return nil, false, err
		}
		reads, inOrder = append(reads, more...), inOrder || formula.Open()
	}
	if m.Responses == nil {
		return reads, inOrder, nil
	}
	var out []string
	for _, f := range schema.Fields() {
		if slices.Contains(reads, f.Name) {
			out = append(out, f.Name)
		}
	}
	return out, inOrder, nil
}

// columnsIn are the names of the columns of a table.
func columnsIn(t *ingest.Table) (names []string) {
	for _, f := range t.Data.Schema().Fields() {
		names = append(names, f.Name)
	}
	return names
}

// maxCheckLevels bounds the levels that predictive checks are made of one by one.
const maxCheckLevels = 10_000

// besideOf reads the columns that predictive checks are made by and over, before the table's columns are given back.
func (d *design) besideOf(table transform.Table, checks *spec.Checks) {
	if checks == nil || !checks.On {
		return
	}
	for i, name := range slices.Concat(checks.By, checks.Over) {
		s, err := transform.ReadAux(table, name, i >= len(checks.By), maxCheckLevels)
		if err != nil {
			d.unread = append(d.unread, "predictive checks: "+err.Error())
			continue
		}
		d.beside = append(d.beside, s)
	}
}

// coding says how a table, or a piece of the rows, becomes the design of a model.
func (u *Unit) coding(m *spec.Model, formula *transform.Formula, t *ingest.Table) transform.Spec {
	missing := m.Missing
	if m.Imputes() {
		missing = "error" // of data without missing cells; others have designs of their own
	} else if missing == spec.ByResponse {
		missing = "drop"
	}
	return transform.Spec{
		Dataset: u.Name(), Formula: formula, Family: m.Family.Family,
		Standardize: m.Standardize, Missing: missing, Sparse: string(m.Sparse),
		InterceptAt: m.Prior.Intercept.At,
		Levels:      levels(m.Levels),
		Texts:       u.texts(),
		Warnings:    u.doubts,
		Contrasts:   m.Contrasts,
		Reserve:     u.memory.Reserve(u.chains),
		File:        t.From(),
		Locate:      t.Locate,
		Counts:      t.Counts(),
		Matrix:      u.matrix,
	}
}

// texts lists the columns that the data set declares as text.
func (u *Unit) texts() (out []string) {
	for name, typ := range u.Dataset.Types {
		if typ == "text" {
			out = append(out, name)
		}
	}
	return out
}

// formulaOf is a model's formula with its columns of weights.
func formulaOf(m *spec.Model) (*transform.Formula, error) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return nil, err
	}
	return formula.WithPredictors(m.Family.Further()).Weighted(m.FrequencyWeights, m.PrecisionWeights), nil
}

func levels(in map[string][]spec.Text) map[string][]string {
	out := make(map[string][]string, len(in))
	for column, texts := range in {
		for _, t := range texts {
			out[column] = append(out[column], string(t))
		}
	}
	return out
}
