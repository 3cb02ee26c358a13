package transform

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// Spec says how a table becomes a design.
type Spec struct {
	Dataset string // for errors
	Formula *Formula
	Family  glm.Family
	// Standardize is "none", center_scale or max_abs; the default is the first.
	Standardize string
	// Missing is error or drop; empty means error.
	Missing string
	MoreRows
	// InterceptAt says where the intercept's prior is stated: at the means of
	// the columns or at zero. Empty means means, except under max_abs, which
	// never centres: there it means zero.
	InterceptAt string
	// Sparse reports whether the design stores its non-zeros only: auto, where at most
	// 15 % of 100,000 cells or more are not 0 and nothing is centred; true; false.
	// Empty means auto. A table of run-end encoded columns is sparse under auto.
	Sparse string
	// Levels forces the levels of text and boolean columns, the reference (or,
	// for a response, failure) first. One name is the reference only; the
	// others follow in byte order. More names are the whole list.
	Levels map[string][]string
	// Texts are columns that the user declared as text. Others of text that hold dates or times are refused as plain
	// terms, which would be factors.
	Texts []string
	// Warnings are the warnings of the table, to be repeated among those of the design.
	Warnings []string
	// Contrasts gives the coding of factors: treatment (the default), sum or
	// helmert.
	Contrasts map[string]string
	// Counts are how many rows of the data each row of the table stands for; nil: itself. They multiply the rows'
	// frequencies.
	Counts []float64
	// Room is asked before the design takes memory. Nil means that there is room.
	Reserve Reserve
	// Place makes the matrix of a dense design, whose entries may have any values. Nil takes it from the heap.
	Place func(rows, cols int) (*design.Dense, error)
	// Done, if not nil, is called for each column that the design reads, when it has been read for the last time: who
	// reads the table for nothing else gives its memory back then.
	Done func(column string)
	// File is the origin of the table as text for errors; empty if it is not known.
	File string
	// Locate puts a 0-based row of the table into words, such as "row 9 (line
	// 10 of claims.csv)". Nil means "row 9".
	Locate func(row int64) string

	// Matrix returns a matrix that the formula names. Nil if there is none.
	Matrix func(name string) (*Matrix, error)

	// Also are columns in addition to those of the formula in which a missing value drops a row.
	Also []string

	withoutIntercept
}

// withoutIntercept holds what stands for the intercept of a design.
type withoutIntercept struct {
	cuts bool // those of the response
	bare bool // as cuts, of a predictor that no threshold is added to: its columns are not centred
}

// MoreRows are rows whose levels the groupings have, in addition to those of the design.
type MoreRows struct {
	// Unseen reports whether dropped rows are reported elsewhere, as those without a response that is predicted:
	// levels of groupings are then those of all rows.
	Unseen bool
	// Among are rows of the table, those of the design included, in which columns of groupings are complete; nil: none.
	Among []bool
}

// Design is a table made ready for a sampler.
type Design struct {
	Data    *glm.Data
	Record  *Record
	Rows    int       // rows that are used
	Counts  []float64 // how many rows of the data each of them stands for; nil: itself
	Counted int       // rows of the data that the used rows stand for
	Dropped int       // rows of the data with missing values that were left out
	Kept    []bool    // which rows of the table are used; nil means all
	// KnownErrors says that the response has known standard errors, by y | se(s): Data.Precision is 1/s², and the
	// model's sigma is 1.
	KnownErrors bool
	// FittedLevels says how many levels of each of Data.Effects the model was fitted with: levels from there on are
	// new ones, which Coding.NewLevels lets in.
	FittedLevels []int
	// Factored reports whether the rows of Data are not rows of the data, but represent all of them (Pieces).
	Factored bool
	// Warnings are for the user's attention, Notes are additional information.
	Warnings, Notes []string
}

// Build makes the design of a table, column by column, dense or sparse (see Spec.Sparse): Data.X is the one copy of
// the data that it makes (apart from 4 bytes per row for each factor, and the values of functions and of numbers in
// interactions until their last term is filled). The columns of X are in the order of R's model.matrix: the
// intercept, then the terms by degree.
//
// Cost: O(rows·columns). Errors are *FormulaError, *ColumnError or *TableError.
func Build(table arrow.Table, spec Spec) (*Design, error) {
	prepared, err := Prepare(table, spec)
	if err != nil {
		return nil, err
	}
	return prepared.Build()
}

// builder holds a design in the making.
type builder struct {
	spec      Spec
	table     arrow.Table
	rows      int // of the table
	chosen    *selection
	columns   map[string]*column
	used      []*column // the same in the table's order
	keep      []bool    // rows that stay; nil means all
	n         int       // how many they are
	coded     []coded   // the terms' variables, as in Record.Variables
	plan      []planned
	unit      []unit          // per column of the design
	parts     []*factor       // what groupings are made of, as in Record.GroupedBy
	groups    []group         // as in Record.Groupings
	hashes    []uint64        // of the columns on the scale of the data
	copies    []bool          // columns that equal an earlier one
	known     bool            // whether a record says how to code
	piece     bool            // whether the rows are some of many, so that none of them need be used
	all       *learned        // measures of all rows, if the table has only some of them; nil if these suffice
	newLevels bool            // Coding.NewLevels
	judged    map[string]bool // columns whose levels were compared with each other
	scratch   []float64       // of values
	ending    [][]*column     // for Spec.Done: by their last term, from 1
	out       Design
	record    Record
}

// planned is one column of the design before it is filled.
type planned struct {
	name  string
	term  int   // index into Record.Terms; −1 for the intercept
	parts []int // as in Column
	asIs  bool  // a column of a smooth, which is neither centred nor scaled

	negative bool // a column of the other sign
}

// column names a column of the data that a column of the design is made of.
func (b *builder) column(p planned) string {
	return b.coded[b.record.Terms[p.term].Variables[0]].variable.columns[0]
}

// settings checks the words of the spec and gives the empty ones their meaning.
func (b *builder) settings() error {
	s := &b.spec
	at := "means"
	if s.Standardize == "max_abs" {
		at = "zero"
	}
	asked := s.InterceptAt
	for _, word := range []struct {
		name    string
		value   *string
		empty   string
		allowed []string
	}{
		{"standardize", &s.Standardize, "none", []string{"none", "center_scale", "max_abs"}},
		{"missing", &s.Missing, "error", []string{"error", "drop"}},
		{"sparse", &s.Sparse, "auto", []string{"auto", "true", "false"}},
		{"the intercept's at", &s.InterceptAt, at, []string{"means", "zero"}},
	} {
		if *word.value == "" {
			*word.value = word.empty
		}
		if !slices.Contains(word.allowed, *word.value) {
			return b.tableError(fmt.Sprintf("%s cannot be %q", word.name, *word.value),
				UnknownHint(*word.value, "choices", word.allowed))
		}
	}
	if b.rows == 0 {
		return b.tableError("there are no rows", "")
	}
	chosen, err := s.Formula.selectFrom(b.table.Schema(), usedName)
	if err != nil {
		return err
	}
	b.chosen = chosen
	if s.cuts && !s.bare && !chosen.intercept {
		return b.formulaError(0, "thresholds between ordered classes stand for the intercept, which this formula takes away",
			"leave 0 or - 1 out of the formula")
	}
	b.out.Warnings = append(b.out.Warnings, s.Warnings...)
	for _, name := range s.Formula.OffsetTerms() {
		b.note("column %q of offset() is a term too, as in R: add - %s to the formula to leave it out", name, quoteName(name))
	}
	if s.Standardize == "max_abs" && asked == "means" && chosen.intercept && len(chosen.terms) > 0 {
		return b.tableError("max_abs keeps zeros and so never centres: the prior of the intercept cannot be "+
			"stated at the means", "write intercept: {prior: …, at: zero}, or standardize: center_scale")
	}
	return nil
}

// beyondKey, among the metadata of a field of numbers, has an integer beyond 2^53 and
// its place, as package ingest found it in the file.
const beyondKey = "beyond_2^53"

// badKey, among the metadata of a field, has a cell that is not of the column's type, and its place, as package ingest
// found it. The cell is null in the table, and not missing.
const badKey = "bad_cell"

// openColumns opens every column that the formula reads.
func (b *builder) openColumns() error {
	b.columns = make(map[string]*column)
	wanted := make(map[string]bool)
	for _, name := range slices.Concat(b.chosen.columns(), b.spec.Also) {
		wanted[name] = true
	}
	for i, name := range schemaNames(b.table.Schema()) {
		if !wanted[name] {
			continue
		}
		if b.columns[name] != nil {
			return b.columnError(name, errors.New("two columns have this name"), "rename one of them where the data are made")
		}
		c, err := openColumn(b.table, i)
		if err != nil {
			return b.columnError(name, err, fmt.Sprintf("leave it out (\"- %s\" after the terms), or make a number of it in "+
				"the query or the file", quoteName(name)))
		}
		b.columns[name] = c
		b.used = append(b.used, c)
		if where, ok := b.table.Schema().Field(i).Metadata.GetValue(beyondKey); ok && c.kind == numeric {
			b.warn("column %q holds integers beyond 2^53 (%s), which float64 numbers do not all represent: "+
				"for names of things set types: {%s: text}", name, where, name)
		}
	}
	if err := b.knownLevels(); err != nil {
		return err
	}
	return b.knownCodings()
}

// knownLevels refuses levels for columns that have none.
func (b *builder) knownLevels() error {
	var names, asked []string
	others := slices.Clone(b.chosen.response.columns) // columns that are no groupings alone
	for i, used := range b.chosen.used() {
		if used {
			others = append(others, b.chosen.variables[i].columns...)
		}
	}
	counted := make(map[string]bool) // columns of numbers that factor() takes
	for i := range b.chosen.variables {
		v := &b.chosen.variables[i]
		if v.node.ofColumn() {
			counted[v.columns[0]] = true
		}
	}
	for _, c := range b.used {
		if slices.Contains(others, c.name) && (c.kind != numeric || counted[c.name]) {
			names = append(names, c.name)
		}
	}
	//maporder:ok the names are sorted before they are looked at
	for name := range b.spec.Levels {
		asked = append(asked, name)
	}
	slices.Sort(asked)
	for _, name := range asked {
		switch c := b.columns[name]; {
		case c == nil:
			return b.columnError(name, errors.New("levels are given for it, but the model does not use such a column"),
				UnknownHint(name, "factors", names))
		case !slices.Contains(others, name):
			return b.columnError(name, errors.New("levels are given for it, but it is a grouping alone, whose levels have no "+
				"reference"), "leave them out")
		case c.kind == numeric && !counted[name]:
			return b.columnError(name, errors.New("levels are given for it, but it holds numbers"),
				"write factor("+quoteName(name)+") in the formula, or make it text in the query or the file")
		case len(b.spec.Levels[name]) == 0:
			return b.columnError(name, errors.New("the list of its levels is empty"),
				"name the reference level, or all levels in order")
		}
	}
	return nil
}

// dropRows applies the rule for missing cells.
func (b *builder) dropRows() error {
	keep, dropped, err := b.rowMask(b.used)
	if err != nil {
		return err
	}
	b.keep, b.n = keep, b.rows-dropped // at least 1
	b.out.Rows, b.out.Kept = b.n, keep
	all := b.count()
	b.out.Dropped = all - b.out.Counted
	switch {
	case dropped == 0 || b.piece || b.spec.Unseen:
	case b.spec.Among != nil:
		b.note("%d of %d rows have a missing value in a used column and do not count", b.out.Dropped, all)
	default:
		b.note("%d of %d rows have a missing value in a used column and were dropped", b.out.Dropped, all)
	}
	return nil
}

func (b *builder) warn(format string, args ...any) {
	b.out.Warnings = append(b.out.Warnings, fmt.Sprintf(format, args...))
}

func (b *builder) note(format string, args ...any) {
	b.out.Notes = append(b.out.Notes, fmt.Sprintf(format, args...))
}

func (b *builder) tableError(message, hint string) error {
	return &TableError{Dataset: b.spec.Dataset, File: b.spec.File, Err: words.Hint(errors.New(message), hint)}
}

func (b *builder) formulaError(pos int, message, hint string) error {
	return &FormulaError{Formula: b.spec.Formula.source, Pos: pos, Err: words.Hint(errors.New(message), hint)}
}

func (b *builder) columnError(name string, err error, hint string) error {
	return &ColumnError{Dataset: b.spec.Dataset, File: b.spec.File, Column: name, Err: words.Hint(err, hint)}
}

// cellError is an error of a 0-based row of the table.
func (b *builder) cellError(name string, row int, err error, hint string) error {
	e := &ColumnError{Dataset: b.spec.Dataset, Column: name, Row: int64(row) + 1, Err: words.Hint(err, hint)}
	if b.spec.Locate != nil {
		e.At = b.spec.Locate(int64(row))
	} else {
		e.File = b.spec.File
	}
	return e
}

// tableRow returns the table's row that is row k of those that keep leaves.
func tableRow(keep []bool, k int) int {
	if keep == nil {
		return k
	}
	for row, kept := range keep {
		if kept {
			if k == 0 {
				return row
			}
			k--
		}
	}
	panic("transform: row beyond the design")
}

func (b *builder) tableRow(k int) int { return tableRow(b.keep, k) }

// QuotedName writes a column's name as a formula does.
func QuotedName(name string) string { return quoteName(name) }

// quoteName writes a column's name as a formula does.
func quoteName(name string) string {
	l := lexer{src: name}
	if t, err := l.next(); err == nil && t.kind == tokenName && !t.quoted && t.end == len(name) && name != "." {
		return name
	}
	return "`" + strings.NewReplacer(`\`, `\\`, "`", "\\`").Replace(name) + "`"
}
