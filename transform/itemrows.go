package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/glm"
)

// ItemsSpec says how a table becomes items.
type ItemsSpec struct {
	Dataset, File string
	Locate        func(row int64) string
	// Missing is seen, error or drop: seen leaves the cell of an item out of its row, and the row in.
	Missing   string
	Levels    map[string][]string // as in Spec; of items that are categories
	Frequency string              // column of frequencies; empty for none
	Counts    []float64           // as in Spec
	// Known has the categories of items that are known; nil if these determine them.
	Known []ItemRecord
}

// SeenMissing is the rule by which the missing cell of an item is not seen.
const SeenMissing = "seen"

// ItemRecord is how an item was read: what new data are coded by.
type ItemRecord struct {
	Column     string   `json:"column"`
	Factor     bool     `json:"factor,omitempty"`
	Categories []string `json:"categories,omitempty"` // nil of numbers
	Text       bool     `json:"text,omitempty"`       // whether the column held no numbers
	Family     string   `json:"family"`
	Trials     string   `json:"trials,omitempty"`
	TrialsEach float64  `json:"trials_each,omitempty"`
	Prior      string   `json:"prior"`
	// Correlated reports whether it has a covariance matrix with the other items that are correlated.
	Correlated bool `json:"correlated,omitempty"`
}

// ItemRows are the items of a table.
type ItemRows struct {
	Items     []ItemValues
	Kept      []bool // which rows of the table are used; nil means all
	Rows      int
	Counted   int       // rows of the data that they stand for
	Dropped   int       // rows of the data that were left out
	Frequency []float64 // nil: 1 each
	Warnings  []string
	Notes     []string

	b *builder
}

// ItemValues are the responses of an item.
type ItemValues struct {
	Item
	Categories []string // nil of numbers
	Text       bool     // whether the column holds no numbers
	// Y is NaN if the cell is missing; for categories it is their index, from 0.
	Y, Trials []float64
}

// maxCategories bounds the categories of an item.
const maxCategories = maxStates

// Read reads the items of a table. Errors are *FormulaError, *ColumnError or *TableError.
func (f *Items) Read(table Table, s ItemsSpec) (*ItemRows, error) {
	b := &builder{table: table, rows: int(table.NumRows()), chosen: &selection{frequency: s.Frequency},
		columns: map[string]*column{}}
	b.out.Data = new(glm.Data)
	b.spec = Spec{Dataset: s.Dataset, File: s.File, Locate: s.Locate, Missing: s.Missing, Levels: s.Levels,
		Counts: s.Counts, Formula: &Formula{source: f.source}}
	if b.rows == 0 {
		return nil, b.tableError("there are no rows", "")
	}
	if err := f.open(b); err != nil {
		return nil, err
	}
	if b.spec.Missing == SeenMissing {
		b.spec.Missing, b.used = "error", nil
		if c := b.columns[s.Frequency]; c != nil {
			b.used = append(b.used, c)
		}
	}
	if err := b.dropRows(); err != nil {
		return nil, err
	}
	if err := b.weigh(); err != nil {
		return nil, err
	}
	out := &ItemRows{Kept: b.keep, Rows: b.n, Counted: b.out.Counted, Dropped: b.out.Dropped,
		Frequency: b.out.Data.Frequency, b: b}
	for i := range f.List {
		values, err := b.item(&f.List[i], s.Known, i)
		if err != nil {
			return nil, err
		}
		out.Items = append(out.Items, *values)
	}
	out.Warnings, out.Notes = b.out.Warnings, b.out.Notes
	return out, out.remark(s.Known == nil)
}

// open opens the columns.
func (f *Items) open(b *builder) error {
	names := schemaNames(b.table.Schema())
	wanted, err := f.Columns(b.table.Schema(), b.chosen.frequency)
	if err != nil {
		return err
	}
	for i, name := range names {
		if !slices.Contains(wanted, name) {
			continue
		}
		if b.columns[name] != nil {
			return b.columnError(name, errors.New("two columns have this name"), "rename one of them where the data are made")
		}
		c, err := openColumn(b.table, i)
		if err == nil && c.dated() {
			err = fmt.Errorf("its type is %s, and %w", c.typ, errDates)
		}
		if err != nil {
			return b.columnError(name, err, "make text or a number of it in the query or the file")
		}
		b.columns[name] = c
		b.used = append(b.used, c)
	}
	return f.levels(b)
}

// levels refuses levels for what has none.
func (f *Items) levels(b *builder) error {
	var items, asked []string
	for _, i := range f.List {
		items = append(items, i.Column)
	}
	//maporder:ok the names are sorted before they are looked at
	for name := range b.spec.Levels {
		asked = append(asked, name)
	}
	slices.Sort(asked)
	for _, name := range asked {
		at := slices.Index(items, name)
		switch {
		case at < 0:
			return b.columnError(name, errors.New("levels are given for it, but it is not an item"),
				UnknownHint(name, "items", items))
		case b.columns[name].kind == numeric && !f.List[at].Factor:
			return b.columnError(name, errors.New("levels are given for it, but it holds numbers"),
				"write factor("+quoteName(name)+") in the formula, or its family: categorical under items")
		}
	}
	return nil
}

// item reads one item.
func (b *builder) item(item *Item, known []ItemRecord, at int) (*ItemValues, error) {
	c := b.columns[item.Column]
	out := &ItemValues{Item: *item, Text: c.kind != numeric}
	present, err := b.present(c, known == nil)
	if err != nil {
		return nil, err
	}
	if t := b.columns[item.Trials]; t != nil {
		if t.kind != numeric {
			return nil, b.columnError(t.name, fmt.Errorf("its type is %s, and trials are counts", t.typ), "")
		}
		there, err := b.present(t, known == nil)
		if err != nil {
			return nil, err
		}
		for row := range present {
			present[row] = present[row] && there[row]
		}
		out.Trials = b.among(t, present)
	} else if item.TrialsEach > 0 {
		out.Trials = slices.Repeat([]float64{item.TrialsEach}, b.n)
	}
	if err := b.sameKind(out, c, present, known, at); err != nil {
		return nil, err
	}
	if out.Categories == nil && !out.Text && !item.Factor {
		out.Y = b.among(c, present)
		return out, nil
	}
	own := *b // whose rows are those where the item is present
	own.keep, own.n = present, countTrue(present)
	f, err := own.categories(c, known, at)
	if err != nil {
		return nil, err
	}
	b.out.Warnings = append(b.out.Warnings, own.out.Warnings[len(b.out.Warnings):]...)
	values := make([]float64, own.n)
	for k, code := range f.codes {
		values[k] = float64(code)
	}
	out.Categories, out.Y = f.levels, b.taken(spread(present, values, math.NaN()))
	return out, nil
}

// sameKind refuses a column of another kind than it had in the rows that it learnt; one without any cell may be of
// each.
func (b *builder) sameKind(out *ItemValues, c *column, present []bool, known []ItemRecord, at int) error {
	if known == nil {
		return nil
	}
	out.Categories = known[at].Categories
	was := out.Categories != nil && !known[at].Factor || out.Categories == nil && known[at].Text
	if is := c.kind != numeric; is != was && slices.Contains(present, true) {
		return b.columnError(c.name, fmt.Errorf("it is %s (%s), and it was not when the model was fitted", c.kind, c.typ),
			"give it the same type")
	}
	return nil
}

// present reports which cells of a column are present among the rows that are used. It refuses infinite ones, and
// with some a column without any.
func (b *builder) present(c *column, some bool) ([]bool, error) {
	out := allTrue(b.rows)
	copy(out, b.keep)
	bad := -1
	c.faults(func(row int, f fault) {
		if f == faultInfinite && out[row] && bad < 0 {
			bad = row
		}
		out[row] = false
	})
	switch {
	case bad >= 0:
		return nil, b.faultError(&cellFault{column: c, row: bad, fault: faultInfinite})
	case some && !slices.Contains(out, true):
		return nil, b.columnError(c.name, errors.New("every value is missing"), "leave the item out of the formula")
	}
	return out, nil
}

// among reads the cells of a column of numbers that are present, NaN for the others, of the rows that are used.
func (b *builder) among(c *column, present []bool) []float64 {
	values := make([]float64, countTrue(present))
	c.floats(values, present)
	return b.taken(spread(present, values, math.NaN()))
}

// taken takes the rows that are used.
func (b *builder) taken(all []float64) []float64 {
	if b.keep == nil {
		return all
	}
	var out []float64
	for row, kept := range b.keep {
		if kept {
			out = append(out, all[row])
		}
	}
	return out
}

func countTrue(x []bool) (n int) {
	for _, v := range x {
		if v {
			n++
		}
	}
	return n
}

// categories reads the present cells of a column as categories.
func (b *builder) categories(c *column, known []ItemRecord, at int) (*factor, error) {
	if known != nil && b.n == 0 {
		return &factor{levels: known[at].Categories}, nil
	}
	if known != nil {
		f := c.factor(b.keep, b.n, maxLevels)
		if f == nil {
			return nil, b.manyLevels(c)
		}
		return f, b.knownItem(c.name, f, known[at].Categories)
	}
	f, err := b.readFactor(c)
	if err != nil {
		return nil, err
	}
	seen := make([]bool, len(f.levels))
	for _, code := range f.codes {
		seen[code] = true
	}
	switch n := countTrue(seen); {
	case n < 2:
		return nil, b.columnError(c.name, fmt.Errorf("the item has one category, %q, in all %d rows that have it",
			f.levels[slices.Index(seen, true)], b.n), "leave it out of the formula: it does not distinguish rows")
	case len(f.levels) > maxCategories:
		return nil, b.columnError(c.name, fmt.Errorf("the item has %d categories, and an item has at most %d", len(f.levels),
			maxCategories), "leave it out, or put categories together in the query or the file")
	}
	for k, level := range f.levels {
		if !seen[k] && c.kind == text {
			b.warn("column %q: no row has the category %q, which levels has: its probability is that of the prior", c.name,
				level)
		}
	}
	return f, nil
}

// knownItem replaces the codes of categories by those of a fit.
func (b *builder) knownItem(column string, f *factor, categories []string) error {
	if err := b.knownCodes(column, f, categories); err != nil {
		return err
	}
	f.levels = categories
	return nil
}

// remark refuses numbers that are all equal in rows to learn, and notes the missing ones.
func (r *ItemRows) remark(learn bool) error {
	all := 0
	for i := range r.Items {
		v := &r.Items[i]
		there := slices.DeleteFunc(slices.Clone(v.Y), math.IsNaN)
		if missing := len(v.Y) - len(there); missing > 0 {
			all += missing
			r.note("item %s is missing in %d of %d rows, which are judged by their others", v.Column, missing, len(v.Y))
		}
		if !learn {
			continue
		}
		if len(there) == 0 {
			return r.b.columnError(v.Column, errors.New("it has no row with a value and trials"),
				"leave the item out of the formula")
		}
		if v.Categories == nil && v.Trials == nil && slices.Min(there) == slices.Max(there) {
			return r.b.columnError(v.Column, fmt.Errorf("the item is %v in all %d rows that have it", there[0],
				len(there)), "leave it out of the formula: it does not distinguish rows")
		}
	}
	if all == 0 {
		return nil
	}
	none := 0
	for row := range r.Rows {
		if !slices.ContainsFunc(r.Items, func(v ItemValues) bool { return !math.IsNaN(v.Y[row]) }) {
			none++
		}
	}
	if none > 0 {
		r.note("%d of %d rows have none of the items: they carry no information, and belong to each component "+
			"with its weight", none, r.Rows)
	}
	return nil
}

func (r *ItemRows) note(format string, a ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, a...))
}

// CellError is the error of the cell of an item in row k of those that are used; of the whole column where k is
// negative.
func (r *ItemRows) CellError(column string, k int, err error, hint string) error {
	if k < 0 {
		return r.b.columnError(column, err, hint)
	}
	return r.b.cellError(column, r.b.tableRow(k), err, hint)
}

// TableRows are the rows of the table, from 0, that are used.
func (r *ItemRows) TableRows() []int { return (&Design{Rows: r.Rows, Kept: r.Kept}).TableRows() }

// CodeItems reads the items of new data as a record has them: a category that the model was not fitted with is an
// error, a missing item is not seen.
func (r *Record) CodeItems(table Table, s ItemsSpec) (*ItemRows, error) {
	f, err := ParseItems(r.Formula)
	if err != nil {
		return nil, err
	}
	if len(f.List) != len(r.Items) {
		return nil, fmt.Errorf("design record: %d items, and a formula of %d", len(r.Items), len(f.List))
	}
	for k := range f.List {
		f.List[k].Factor = r.Items[k].Factor
	}
	s.Missing, s.Known = SeenMissing, r.Items
	return f.Read(table, s)
}

// itemInputs are the columns that the items of a record read.
func (r *Record) itemInputs() (out []string) {
	for _, i := range r.Items {
		if out = append(out, i.Column); i.Trials != "" {
			out = append(out, i.Trials)
		}
	}
	return out
}

// Reads returns the columns of schema that the model was fitted to, in the schema's order, and whether the design
// depends on that order. A column that is not there is an error.
func (r *Record) Reads(schema *arrow.Schema) (columns []string, fileOrder bool, err error) {
	if r.Items != nil {
		f, err := ParseItems(r.Formula)
		if err != nil {
			return nil, false, err
		}
		columns, err = f.Columns(schema, r.FrequencyWeights)
		return columns, false, err
	}
	f, err := ParseFormula(r.Formula)
	if err != nil {
		return nil, false, err
	}
	columns, err = f.Weighted(r.FrequencyWeights, r.PrecisionWeights).Columns(schema)
	if r.Also != nil {
		columns = inOrder(schemaNames(schema), append(columns, r.Also...))
	}
	return columns, f.Open(), err
}
