package discrete

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/discrete/mrf"
	"glmbatch/discrete/system"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
)

// FromTable makes data of a table of rows, whose edges and tables come from src or,
// by steps, from the order of the rows.
//
// Errors name the data set, the column and the row, of the file at fault.
func FromTable(ctx context.Context, ds *spec.Dataset, rows *ingest.Table, src Source) (*Data, error) {
	d := &Data{Variables: system.Variables{Name: name(rows), N: int(rows.Data.NumRows())}, Warnings: rows.Warnings,
		where: func(i int) string { return rows.Locate(int64(i)) }}
	if err := d.checkSize(ctx); err != nil {
		return nil, err
	}
	d.columns = columnsOf(rows)
	if ds.Edges.ID != "" && d.column(ds.Edges.ID) != nil {
		if err := d.named(ds.Edges.ID); err != nil {
			return nil, err
		}
	}
	if src.Tables != nil {
		if err := d.readTables(ctx, &ds.Tables, src.Tables); err != nil {
			return nil, err
		}
	}
	if src.Edges == nil {
		return d, d.steps(ds.Edges.Steps)
	}
	return d, d.readEdges(ctx, &ds.Edges, src.Edges)
}

func name(t *ingest.Table) string {
	if t.Key == "" {
		return t.Name
	}
	return t.Name + "/" + t.Key
}

// columnsOf reads numbers and texts; dates and times are left out.
func columnsOf(t *ingest.Table) (out []column) {
	for k := range int(t.Data.NumCols()) {
		c := column{name: t.Data.Schema().Field(k).Name}
		c.bad = t.Check([]string{c.name})
		for _, chunk := range t.Data.Column(k).Data().Chunks() {
			for i := range chunk.Len() {
				switch a := chunk.(type) {
				case *array.Int64:
					c.numbers = append(c.numbers, present(a.IsNull(i), float64(a.Value(i))))
				case *array.Float64:
					c.numbers = append(c.numbers, present(a.IsNull(i), a.Value(i)))
				case *array.Boolean:
					c.numbers = append(c.numbers, present(a.IsNull(i), map[bool]float64{true: 1}[a.Value(i)]))
				case *array.String:
					text := ""
					if !a.IsNull(i) {
						text = a.Value(i)
					}
					c.texts = append(c.texts, text)
				}
			}
		}
		if c.numbers != nil || c.texts != nil {
			out = append(out, c)
		}
	}
	return out
}

func present(null bool, v float64) float64 {
	if null {
		return math.NaN()
	}
	return v
}

// text is entry i as it is written, "" where there is none.
func (c *column) text(i int) string {
	switch {
	case c.numbers == nil:
		return c.texts[i]
	case math.IsNaN(c.numbers[i]):
		return ""
	}
	return strconv.FormatFloat(c.numbers[i], 'f', -1, 64)
}

// named takes the ids of variables from a column.
func (d *Data) named(id string) error {
	c, err := d.needed(id)
	if err != nil {
		return err
	}
	d.IDs, d.Index = make([]string, d.N), make(map[string]int32, d.N)
	for i := range d.IDs {
		text := c.text(i)
		if text == "" {
			return d.fault(id, i, errors.New("the row has no id"), "give it one")
		}
		if before, twice := d.Index[text]; twice {
			return d.fault(id, i, fmt.Errorf("%q is also the id of %s", text, d.where(int(before))),
				"ids must differ; remove one of the rows, or name another column: edges: {id: …}")
		}
		d.IDs[i], d.Index[text] = text, int32(i)
	}
	return nil
}

// side is a table in addition to the rows.
type side struct {
	*ingest.Table
	what    string // edges or tables
	columns []column
}

// readSide reads a table in addition to the rows.
func (d *Data) readSide(ctx context.Context, what string, src *ingest.Source) (*side, error) {
	t, err := ingest.Read(ctx, *src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	d.Warnings = append(d.Warnings, t.Warnings...)
	return &side{t, what, columnsOf(t)}, nil
}

// column finds a column of a side table; nil if it was not named and does not exist.
func (s *side) column(given, leftOut string) (*column, error) {
	want := given
	if want == "" {
		want = leftOut
	}
	var names []string
	for k := range s.columns {
		if s.columns[k].name == want {
			return &s.columns[k], nil
		}
		names = append(names, s.columns[k].name)
	}
	if given == "" {
		return nil, nil
	}
	return nil, &ingest.ColumnError{
		Dataset: s.Name, Column: want,
		Err: words.Hint(errors.New("the "+s.what+" have no such column"), words.DidYouMean(want, "columns", names)),
	}
}

// fault is an error at a row of a side table.
func (s *side) fault(column string, row int, hint, format string, args ...any) error {
	return &ingest.ColumnError{
		Dataset: s.Name, Column: column, At: s.Locate(int64(row)),
		Err: words.Hint(fmt.Errorf(format, args...), hint),
	}
}

// all returns the columns with these names.
func (s *side) all(names []string) ([]*column, error) {
	out := make([]*column, len(names))
	for k, name := range names {
		var err error
		if out[k], err = s.column(name, ""); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readEdges reads edges, each end by its id. A table without rows makes a graph
// without edges.
func (d *Data) readEdges(ctx context.Context, e *spec.Edges, src *ingest.Source) error {
	s, err := d.readSide(ctx, "edges", src)
	if errors.Is(err, ingest.ErrNoRows) {
		d.edges = []edge{}
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Release()
	ends, err := s.all(append([]string{e.From, e.To}, e.More...))
	if err != nil {
		return err
	}
	weight, err := s.column(e.Weight, "weight")
	if err != nil {
		return err
	}
	which, err := s.column(e.Table, "table")
	if err != nil {
		return err
	}
	if which == nil && len(d.tables) > 1 {
		return &ingest.ColumnError{
			Dataset: s.Name, Column: "table",
			Err: words.Hint(errors.New("the edges have no such column"),
				"there are several tables of log potentials: each edge must name its own"),
		}
	}
	numbers, rows := d.tableNumbers(), int(s.Data.NumRows())
	d.edges, d.weights = make([]edge, 0, rows), weight != nil
	seen := make(map[[2]int32]int32, rows)
	for row := range rows {
		if row%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		at, err := d.edge(s, row, ends[:2], weight, which, numbers)
		if err != nil {
			return err
		}
		members, err := d.members(s, row, at, ends[2:])
		if err != nil {
			return err
		}
		if len(members) > 2 {
			d.terms = append(d.terms, mrf.Term{Weight: at.weight, Members: members})
			continue
		}
		key := [2]int32{min(at.i, at.j), max(at.i, at.j)}
		if before, twice := seen[key]; twice {
			return s.fault(ends[1].name, row, "an edge joins both ways: remove one of the rows, or add their weights up",
				"%q and %q are joined already, in %s", d.ID(int(at.i)), d.ID(int(at.j)), s.Locate(int64(before)))
		}
		seen[key] = int32(row)
		d.edges = append(d.edges, at)
	}
	return nil
}

// member reads an id of a row of the edges.
func (d *Data) member(s *side, row int, of *column) (int32, error) {
	id := of.text(row)
	i, ok := d.Variable(id)
	switch {
	case id == "":
		return 0, s.fault(of.name, row, "name both ends", "there is no id")
	case !ok:
		return 0, s.fault(of.name, row, d.knownIDs(id), "%q is the id of no row of the data set", id)
	}
	return int32(i), nil
}

// members returns both ends of a row of the edges and the variables that the columns more name; nil if more is empty.
func (d *Data) members(s *side, row int, at edge, more []*column) ([]int32, error) {
	if len(more) == 0 {
		return nil, nil
	}
	out := []int32{at.i, at.j}
	for _, c := range more {
		if c.text(row) == "" {
			continue
		}
		i, err := d.member(s, row, c)
		if err != nil {
			return nil, err
		}
		if slices.Contains(out, i) {
			return nil, s.fault(c.name, row, "name each variable of a term once", "%q is named twice", d.ID(int(i)))
		}
		out = append(out, i)
	}
	return out, nil
}

// edge reads one row of the edges.
func (d *Data) edge(s *side, row int, ends []*column, weight, which *column, numbers map[string]int32) (at edge,
	err error) {
	for k, to := range []*int32{&at.i, &at.j} {
		if *to, err = d.member(s, row, ends[k]); err != nil {
			return at, err
		}
	}
	if at.i == at.j {
		return at, s.fault(ends[1].name, row, "remove the row; what a variable has alone is its field",
			"%q is joined with itself", d.ID(int(at.i)))
	}
	at.weight = 1
	if weight != nil {
		if weight.numbers == nil {
			return at, s.fault(weight.name, row, "name a column of numbers: edges: {weight: …}", "%q is not a number",
				weight.text(row))
		}
		if at.weight = weight.numbers[row]; math.IsNaN(at.weight) {
			return at, s.fault(weight.name, row, "write 0 where neighbours do not matter, or remove the row",
				"there is no weight")
		}
	}
	if which != nil && d.tables != nil {
		number, ok := numbers[which.text(row)]
		if !ok {
			var names []string
			for _, t := range d.tables {
				names = append(names, t.name)
			}
			return at, s.fault(which.name, row, words.DidYouMean(which.text(row), "tables", names),
				"%q is none of the tables of log potentials", which.text(row))
		}
		at.table = number
	}
	return at, nil
}

// knownIDs is the hint for an unknown id.
func (d *Data) knownIDs(id string) string {
	if d.IDs == nil {
		return fmt.Sprintf("the data set has no column of ids: its rows are called 1 to %d; name their column with edges: "+
			"{id: …}", d.N)
	}
	return d.IDsHint(id)
}

// readTables reads tables of log potentials, in the order in which their names come.
func (d *Data) readTables(ctx context.Context, p *spec.Potentials, src *ingest.Source) error {
	s, err := d.readSide(ctx, "tables", src)
	if err != nil {
		return err
	}
	defer s.Release()
	which, err := s.column(p.Table, "table")
	if err != nil {
		return err
	}
	var parts [3]*column
	for k, given := range []string{p.A, p.B, p.Value} {
		if parts[k], err = s.column(given, ""); err != nil {
			return err
		}
	}
	numbers := map[string]int{}
	for row := range int(s.Data.NumRows()) {
		called := ""
		if which != nil {
			called = which.text(row)
		}
		k, ok := numbers[called]
		if !ok {
			k = len(d.tables)
			numbers[called] = k
			d.tables = append(d.tables, table{name: called})
		}
		if parts[2].numbers == nil || math.IsNaN(parts[2].numbers[row]) {
			return s.fault(parts[2].name, row, "write a number; rows of 0 may be left out", "there is no log potential")
		}
		t := &d.tables[k]
		t.entries = append(t.entries,
			entry{parts[0].text(row), parts[1].text(row), parts[2].numbers[row], s.Locate(int64(row))})
	}
	return nil
}
