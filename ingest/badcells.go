package ingest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"glmbatch/internal/words"
)

// badCells are the cells of a column of one file that are not of the column's type. The column has nulls in their
// place. Memory: a bit for each row of the file up to the last bad cell, and the reasons of the first maxReasons cells.
type badCells struct {
	whole   *ColumnError // a fault of the whole column; nil if only cells are bad
	rows    []uint64     // bits by row of the file
	n       int64        // bad cells
	reasons map[int64]error
	hint    string // of the first bad cell
}

// maxReasons bounds how many bad cells of a column keep an error of their own.
const maxReasons = 1000

// reasonBytes is about what a reason takes.
const reasonBytes = 512

// add notes the bad cell in a 0-based row of the file; mem is charged for it.
func (b *badCells) add(mem memory.Allocator, row int64, err error) {
	if more := int(row/64) + 1 - len(b.rows); more > 0 {
		charge(mem, 8*more)
		b.rows = append(b.rows, make([]uint64, more)...)
	}
	b.rows[row/64] |= 1 << (row % 64)
	b.n++
	switch {
	case b.reasons == nil:
		b.reasons = map[int64]error{}
		_, b.hint = words.Parts(err)
	case len(b.reasons) == maxReasons:
		return
	}
	charge(mem, reasonBytes)
	b.reasons[row] = err
}

func (b *badCells) has(row int64) bool {
	return b != nil && row/64 < int64(len(b.rows)) && b.rows[row/64]>>(row%64)&1 == 1
}

// reason returns what is wrong with a bad cell.
func (b *badCells) reason(row int64) error {
	if err, kept := b.reasons[row]; kept {
		return err
	}
	return words.Hint(fmt.Errorf("the cell is not of the column's type, as %d cells of this column are not", b.n), b.hint)
}

// setBad notes a bad cell of the column.
func (c *column) setBad(mem memory.Allocator, row int64, err error) {
	if c.bad == nil {
		c.bad = &badCells{}
	}
	c.bad.add(mem, row, err)
}

// setWhole notes a fault of the whole column; the first one stays.
func (c *column) setWhole(fault *ColumnError) {
	if c.bad == nil {
		c.bad = &badCells{}
	}
	if c.bad.whole == nil {
		c.bad.whole = fault
	}
}

// badKey, among the metadata of a field, has the first bad cell of the column in the rows of the table. Package
// transform does not open such a column.
const badKey = "bad_cell"

// Check returns the first bad cell of each of the named columns (nil: all), joined: a cell that is not of its column's
// type, as a word among numbers, NaN or an infinity. A bad cell is null in the table; whoever reads a column checks it
// before, and Hash refuses it. A column that the table does not have is passed over.
//
// Cost: a pass over the rows for each column that has bad cells. Errors are *ColumnError.
func (t *Table) Check(columns []string) error {
	if !t.anyBad() {
		return nil
	}
	if columns == nil {
		columns = t.names()
	}
	var faults []*ColumnError
	for _, name := range columns {
		if fault := t.bad(name, t.Data.NumRows()); fault != nil {
			faults = append(faults, fault)
		}
	}
	return joinColumnErrors(faults)
}

func (t *Table) anyBad() bool {
	return slices.ContainsFunc(t.parts, func(p origin) bool { return p.bad != nil })
}

// bad returns the first bad cell of a column among the table's first rows, or the fault of the whole column; nil if
// there is none.
func (t *Table) bad(name string, rows int64) *ColumnError {
	at := t.badAt(name)
	if at == nil {
		return nil
	}
	if fault := t.whole(name); fault != nil {
		return fault
	}
	for row := range rows {
		if err := at(row); err != nil {
			_, fileRow := t.origin(row)
			return &ColumnError{Dataset: t.fullName(), Column: name, Row: fileRow + 1, At: t.Locate(row), Err: err}
		}
	}
	return nil
}

// whole returns the fault of a whole column; nil if there is none.
func (t *Table) whole(name string) *ColumnError {
	for i := range t.parts {
		if b := t.parts[i].bad[name]; b != nil && b.whole != nil {
			fault := *b.whole
			fault.Dataset = t.fullName()
			return &fault
		}
	}
	return nil
}

// badAt returns the function that gives the fault of a cell of a column; nil if no cell of the column is bad.
func (t *Table) badAt(name string) func(row int64) error {
	if !slices.ContainsFunc(t.parts, func(p origin) bool { return p.bad[name] != nil }) {
		return nil
	}
	return func(row int64) error {
		p, fileRow := t.origin(row)
		b := p.bad[name]
		switch {
		case b == nil:
			return nil
		case b.whole != nil:
			return b.whole.Err
		case b.has(fileRow):
			return b.reason(fileRow)
		}
		return nil
	}
}

// fullName is the name of the data set, with the file's or group's.
func (t *Table) fullName() string {
	if t.Key == "" {
		return t.Name
	}
	return t.Name + "/" + t.Key
}

// marked returns a field with the first bad cell of its column among the table's rows in the metadata.
func (t *Table) marked(f arrow.Field, rows int64) arrow.Field {
	if !t.anyBad() {
		return f
	}
	var keys, values []string
	for k, key := range f.Metadata.Keys() {
		if key != badKey {
			keys, values = append(keys, key), append(values, f.Metadata.Values()[k])
		}
	}
	if fault := t.bad(f.Name, rows); fault != nil {
		message, _ := words.Parts(fault.Err)
		keys, values = append(keys, badKey), append(values, fault.At+": "+message)
	}
	f.Metadata = arrow.NewMetadata(keys, values)
	return f
}

// ungrouped collects the rows that have no value in a column that divides a table.
type ungrouped struct {
	column string
	row    int64 // the first one
	reason error
	n      int64
}

func (u *ungrouped) add(column string, row int64, reason error) {
	if u.n++; u.n == 1 {
		u.column, u.row, u.reason = column, row, reason
	}
}

// err returns the error of the rows; nil if there are none.
func (u *ungrouped) err(t *Table) error {
	if u.n == 0 {
		return nil
	}
	message, hint := words.Parts(u.reason)
	if u.n > 1 {
		message += fmt.Sprintf("; %d rows have no group", u.n)
	}
	_, row := t.origin(u.row)
	return &UngroupedError{ColumnError{
		Dataset: t.Name, Column: u.column, Row: row + 1, At: t.Locate(u.row),
		Err: words.Hint(errors.New(message), hint),
	}}
}

// UngroupedError is the error of rows that have no value in a column that divides a table. The groups do not have these
// rows.
type UngroupedError struct{ ColumnError }

// Unwrap returns the fault of the first of the rows.
func (e *UngroupedError) Unwrap() error { return &e.ColumnError }
