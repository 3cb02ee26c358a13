package transform

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// Pieces makes the design of a gaussian model with the identity link from rows that come in blocks and are never in
// memory together: it keeps their triangular factor (glm.Triangle), which is all that the likelihood depends on.
// Rows are shown twice, in one order: Learn finds what coding needs to know of all of them, and Push codes them as
// Record.Code codes new data. Neither the lengths of the pieces nor who reads them changes a bit.
//
// Errors are those of Build, and that of a spline whose knots are quantiles.
type Pieces struct {
	spec     Spec
	all      *learned
	sample   arrow.Table // the first piece of which rows are used
	coder    *builder    // that has learned from sample and all
	record   Record      // how rows are coded, in the units of the data
	triangle *glm.Triangle
	columns  []seen // of the design
	response seen
	offset   bool
	place    *design.Dense // memory of a piece's design

	dropped, zeros int // rows left out: for missing cells, for the frequency 0
}

// NewPieces takes the spec of a table without rows so far. Sparse, Counts, Done and Place have no part in it.
func NewPieces(spec Spec) *Pieces {
	spec.Sparse, spec.Counts, spec.Done, spec.Place = "false", nil, nil, nil
	return &Pieces{spec: spec, all: &learned{texts: map[string]map[string]bool{}, numbers: map[string]map[float64]bool{},
		present: map[string][]bool{}, sums: map[string]*powerSums{}}}
}

// begin is a builder that learns from a table.
func (p *Pieces) begin(table arrow.Table) *builder {
	b := &builder{spec: p.spec, table: table, rows: int(table.NumRows()), all: p.all, piece: true}
	b.out.Data = new(glm.Data)
	return b
}

// Learn looks at a piece of the rows. It reports whether it has to see the rest: a design of plain numbers has
// nothing to learn, and one piece determines its columns.
func (p *Pieces) Learn(table arrow.Table, locate func(row int64) string) (more bool, err error) {
	p.spec.Locate = locate
	b := p.begin(table)
	err = b.take(b.settings, b.openColumns, b.dropRows, b.weigh, func() (err error) {
		more, err = b.learnPiece()
		return err
	})
	if err == nil && p.sample == nil && b.n > 0 {
		table.Retain()
		p.sample = table
	}
	return more || p.sample == nil, err
}

// Learned ends the first reading.
func (p *Pieces) Learned() error {
	if p.sample == nil {
		b := &builder{spec: p.spec}
		return b.tableError("no row is complete in all used columns and has a frequency above 0",
			"look for a column without values, and leave it out")
	}
	defer p.Release()
	//maporder:ok each ends by itself
	for _, s := range p.all.sums {
		s.triangle.End()
	}
	room := p.spec.Reserve
	p.spec.Reserve = nil
	b := p.begin(p.sample)
	err := b.take(b.settings, b.openColumns, b.dropRows, b.weigh, b.variables, b.outcome, b.offsets, b.plain)
	if err != nil {
		return err
	}
	v := &b.chosen.response
	b.record.Response.Column, b.record.Response.Expression = v.columns[0], v.key
	if v.plain() {
		b.record.Response.Kind = string(b.columns[v.columns[0]].kind)
	}
	p.coder, p.record, p.offset = b, b.record, len(b.chosen.offsets) > 0
	b.table, b.columns, b.used, b.keep = nil, nil, nil, nil
	for i := range b.coded {
		b.coded[i] = coded{variable: b.coded[i].variable}
	}
	p.columns = make([]seen, len(b.plan))
	numbers := len(b.plan) + 1 - b.intercepts()
	if p.offset {
		numbers++
	}
	if p.spec.Reserve = room; room != nil {
		if err := room(numbers+1, numbers+1, 2*int64(numbers+1)*int64(numbers+1)); err != nil {
			return err
		}
	}
	p.triangle = glm.NewTriangle(numbers)
	return nil
}

// plain describes columns in the units of the data.
func (b *builder) plain() error {
	if len(b.plan) == 0 {
		return b.design() // it says so
	}
	b.unit = make([]unit, len(b.plan))
	for j := range b.unit {
		b.unit[j].scale = 1
	}
	return b.describe()
}

// intercepts is 1 if the design has a column of ones, and 0 if not.
func (b *builder) intercepts() int {
	if b.chosen.intercept && !b.spec.cuts {
		return 1
	}
	return 0
}

// Release gives back what Learn keeps of the rows. It is for who does not come to Learned.
func (p *Pieces) Release() {
	if p.sample != nil {
		p.sample.Release()
		p.sample = nil
	}
}

// pieceCells are about as many as are coded at a time.
const pieceCells = 1 << 21

// Push codes a piece of the rows and adds it to the factor. A wide design is coded in parts of the piece.
func (p *Pieces) Push(table arrow.Table, locate func(row int64) string) error {
	most := max(1, pieceCells/int64(len(p.columns)))
	if table.NumRows() <= most {
		return p.push(table, locate)
	}
	parts, first := array.NewTableReader(table, most), int64(0)
	defer parts.Release()
	for parts.Next() {
		part := array.NewTableFromRecords(table.Schema(), []arrow.RecordBatch{parts.RecordBatch()})
		err := p.push(part, func(row int64) string { return locate(first + row) })
		first += part.NumRows()
		part.Release()
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *Pieces) push(table arrow.Table, locate func(row int64) string) error {
	b := p.record.coder(table, Coding{Dataset: p.spec.Dataset, Response: true, Locate: locate})
	b.spec.Sparse, b.spec.File, b.spec.Place, b.piece = "false", p.spec.File, p.memory, true
	if err := b.take(b.recall, b.recallSides(true), b.openKnown, b.dropRows, b.weigh); err != nil {
		return err
	}
	p.dropped += b.out.Dropped
	p.zeros += b.rows - b.out.Dropped - b.n
	if b.n == 0 {
		return nil
	}
	if err := b.take(b.recode, b.recallData(true), b.design); err != nil {
		return err
	}
	data := b.out.Data
	var columns [][]float64
	for j, planned := range b.plan {
		col := b.values(j)
		if err := p.columns[j].add(b, planned, col); err != nil {
			return err
		}
		if planned.term >= 0 {
			columns = append(columns, col)
		}
	}
	if p.offset {
		columns = append(columns, data.Offset)
	}
	if largest, at, _ := extent(data.Y); largest > tooLarge {
		return b.tooLarge(b.record.Response.Column, data.Y[at], at)
	}
	if err := p.response.add(b, planned{term: -1}, data.Y); err != nil {
		return err
	}
	p.triangle.Push(append(columns, data.Y), data.Frequency)
	return nil
}

// memory is that of the piece before, which is done with.
func (p *Pieces) memory(rows, cols int) (*design.Dense, error) {
	if p.place == nil || cap(p.place.Values) < rows*cols {
		p.place = design.NewDense(rows, cols)
	}
	return &design.Dense{Rows: rows, Cols: cols, Values: p.place.Values[:rows*cols]}, nil
}

// Design ends the second reading: the design has as many rows as the factor, which count as all rows do.
func (p *Pieces) Design() (*Design, error) {
	b, t := p.coder, p.triangle
	t.End()
	if t.Rows == 0 {
		return nil, b.tableError("no row is complete in all used columns",
			"look for a column without values, and leave it out")
	}
	b.n = t.Rows
	names := make([]string, len(b.plan))
	for j := range names {
		names[j] = b.plan[j].name
	}
	b.out.Data = &glm.Data{Names: names, Intercept: b.intercepts() - 1}
	p.remarks()
	if !p.response.differs {
		if err := b.oneResponse(p.response.first); err != nil {
			return nil, err
		}
	}
	err := b.take(func() error { return b.measureBy(p.column) }, b.repeated, b.describe)
	if err != nil {
		return nil, err
	}
	var centre, scale []float64
	for j, u := range b.unit {
		if b.plan[j].term >= 0 {
			centre, scale = append(centre, u.centre), append(scale, u.scale)
		}
	}
	for len(centre) < t.Columns() { // offset and response
		centre, scale = append(centre, 0), append(scale, 1)
	}
	if !b.out.Data.FromTriangle(t, centre, scale) {
		return nil, b.tableError(fmt.Sprintf("%d observations are fewer than the %d rows of their triangular factor", t.Rows,
			t.Columns()+1), "leave rows: factored out")
	}
	b.out.Rows, b.out.Counted, b.out.Counts, b.out.Kept = t.Columns()+1, t.Rows, b.out.Data.Frequency, nil
	b.out.Factored = true
	if err := b.dependent(); err != nil {
		return nil, err
	}
	b.note("%d rows of the data are stored as %d, the triangular factor of design and response", t.Rows, b.out.Rows)
	return &b.out, nil
}

// remarks are those of dropRows and leaveUncounted on all rows.
func (p *Pieces) remarks() {
	b, all := p.coder, p.triangle.Rows+p.zeros+p.dropped
	if b.out.Dropped = p.dropped; p.dropped > 0 {
		b.note("%d of %d rows have a missing value in a used column and were dropped", p.dropped, all)
	}
	if p.zeros > 0 {
		b.note("%d of %d rows have the frequency 0 in %q and were left out", p.zeros, all-p.dropped, b.chosen.frequency)
	}
}

// column returns the measures of a column of all rows by which it is scaled.
func (p *Pieces) column(j int) (seen, error) {
	s := p.columns[j]
	s.moments = func() (mean, sd float64) { return p.triangle.Moments(j - p.coder.intercepts()) }
	return s, nil
}

// HashInput returns the numbers and words of which a posterior of these rows is a function, to be hashed.
func (p *Pieces) HashInput() (words []byte, numbers []float64) {
	words, err := json.Marshal(struct {
		Version   int
		Variables []Variable
		Terms     []Term
		Columns   []Column
		Response  Response
		Offsets   []Offset
	}{Version, p.record.Variables, p.record.Terms, p.record.Columns, p.record.Response, p.record.Offsets})
	if err != nil {
		panic(errors.Join(errors.New("transform: a record does not marshal"), err))
	}
	return words, p.triangle.Numbers()
}
