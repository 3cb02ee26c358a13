package transform

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/internal/words"
)

// Matrix is a symmetric matrix over levels of a grouping, as a table of its entries has it: the neighbours of areas, or
// a covariance matrix. Entries that the table does not have are 0.
type Matrix struct {
	Name    string
	Levels  []string // numbers in increasing order, texts in byte order
	Entries []Entry  // each pair once, by row and column
}

// Entry is an entry of a Matrix, and the one with row and column exchanged: Row ≤ Column.
type Entry struct {
	Row, Column int32
	Value       float64
}

// MatrixColumns are the names of the columns of a table of entries. Empty: the first and the second column, and
// the one called value; without such a column, entries are 1.
type MatrixColumns struct{ Row, Column, Value string }

// maxMatrixLevels bounds the levels of a matrix.
const maxMatrixLevels = 100_000

// ReadMatrix reads a matrix of a table with a row for each entry. A pair may be listed in one order or in both. A row
// without its second level adds a level without entries. locate puts a 0-based row into words.
func ReadMatrix(name string, table arrow.Table, columns MatrixColumns, locate func(int64) string) (*Matrix, error) {
	names := schemaNames(table.Schema())
	if len(names) < 2 {
		return nil, words.Hint(fmt.Errorf("matrix %q: its table has %d columns", name, len(names)),
			"a row has the two levels of an entry, and its value")
	}
	columns.Row, columns.Column = cmp.Or(columns.Row, names[0]), cmp.Or(columns.Column, names[1])
	if columns.Value == "" && slices.Contains(names, "value") {
		columns.Value = "value"
	}
	rows, err := ReadAux(table, columns.Row, false, maxMatrixLevels)
	if err != nil {
		return nil, fmt.Errorf("matrix %q: %w", name, err)
	}
	cols, err := ReadAux(table, columns.Column, false, maxMatrixLevels)
	if err != nil {
		return nil, fmt.Errorf("matrix %q: %w", name, err)
	}
	var values []float64
	if columns.Value != "" {
		read, err := ReadAux(table, columns.Value, true, 0)
		if err != nil {
			return nil, fmt.Errorf("matrix %q: %w", name, err)
		}
		values = read.X
	}
	m := &Matrix{Name: name, Levels: orderedLevels(slices.Concat(rows.Levels, cols.Levels))}
	return m, m.enter(rows, cols, values, locate)
}

// orderedLevels are distinct levels: numbers in increasing order, else in byte order.
func orderedLevels(levels []string) []string {
	out := slices.Compact(slices.Sorted(slices.Values(levels)))
	numbers := make(map[string]float64, len(out))
	for _, level := range out {
		v, err := strconv.ParseFloat(level, 64)
		if err != nil {
			return out
		}
		numbers[level] = v
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(numbers[a], numbers[b]) })
	return out
}

// enter reads the entries. Nil values are 1 each.
func (m *Matrix) enter(rows, cols *AuxColumn, values []float64, locate func(int64) string) error {
	of := make(map[string]int32, len(m.Levels))
	for k, level := range m.Levels {
		of[level] = int32(k)
	}
	type pair struct{ row, column int32 }
	known := make(map[pair]float64, len(rows.Of))
	for i := range rows.Of {
		fault := func(err error, hint string) error {
			return words.Hint(fmt.Errorf("matrix %q, %s: %w", m.Name, locate(int64(i)), err), hint)
		}
		a, b := rows.Of[i], cols.Of[i]
		switch {
		case a < 0:
			return fault(fmt.Errorf("column %q has no level", rows.Name), "give the level, or leave the row out")
		case b < 0:
			continue
		}
		at, value := pair{of[rows.Levels[a]], of[cols.Levels[b]]}, 1.0
		if values != nil {
			value = values[i]
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fault(errors.New("the entry has no value"), "give a finite number")
		}
		if at.row > at.column {
			at.row, at.column = at.column, at.row
		}
		before, is := known[at]
		if is && before != value {
			return fault(fmt.Errorf("the entry of %q and %q is %v, and %v in an earlier row", m.Levels[at.row],
				m.Levels[at.column], value, before), "the matrix is symmetric: give each pair one value")
		}
		if known[at] = value; !is {
			m.Entries = append(m.Entries, Entry{at.row, at.column, value})
		}
	}
	slices.SortFunc(m.Entries, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
	})
	return nil
}

// Hash identifies levels and entries, whatever their order in the table was.
func (m *Matrix) Hash() string {
	h := sha256.New()
	for _, level := range m.Levels {
		fmt.Fprintf(h, "%d:%s,", len(level), level)
	}
	for _, e := range m.Entries {
		fmt.Fprintf(h, "%d %d %x;", e.Row, e.Column, math.Float64bits(e.Value))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Matrices are the names of matrices that the formula has, M of car(M, gr = area) and A of gr(g, cov = A), each once.
func (f *Formula) Matrices() (names []string) {
	for _, g := range f.all() {
		g.right.matrices(func(name string) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		})
	}
	return names
}

// matrices visits the names of matrices under a node.
func (n *node) matrices(visit func(name string)) {
	for i, arg := range n.args {
		named := ""
		if n.kind == nodeCall {
			named = n.names[i]
		}
		is := n.kind == nodeCall && (n.text == carCall && (named == "M" || named == "" && i == 0) ||
			n.text == "gr" && named == "cov")
		if is && arg.kind == nodeName {
			visit(arg.text)
			continue
		}
		arg.matrices(visit)
	}
}
