package ingest

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/internal/words"
)

// Imputation is one completed version of a data set among several in a table.
type Imputation struct {
	Name string // of its file, or the value of the column that identifies the imputation
	Rows []int  // 0-based rows of the table, ascending
}

// miceColumn identifies the imputation in the output of complete(imp, "long") of R's package mice, and miceRow the
// row.
const miceColumn, miceRow = ".imp", ".id"

// Imputations finds the completed versions of one data set that the table holds one below the other: those of its
// files, or where by is not empty those with equal values of column by. Rows whose value is 0 are the incomplete
// original, and are left out. The table that comes with them has neither by nor, if present, .imp and .id. The
// caller releases it instead of the receiver, which it may be.
//
// It is an error if there are fewer than two versions, or if they differ in how many rows they have.
//
// Cost: without by one pass over the files' names, else a pass over by and a copy of all other columns.
func (t *Table) Imputations(by string) (*Table, []Imputation, error) {
	out, versions := t, t.versionsByFile()
	if by != "" {
		var err error
		if out, versions, err = t.versionsBy(by); err != nil {
			return nil, nil, err
		}
	}
	fault := func(file string, err error, hint string) error {
		return &SourceError{Dataset: t.Name, File: file, Err: words.Hint(err, hint)}
	}
	if len(versions) < 2 {
		hint := "name all files by a glob, as imp*.csv, or the column that identifies the imputation, as by: .imp"
		return nil, nil, fault(t.From(), fmt.Errorf("each: imputation wants several imputations, and there is %d",
			len(versions)), hint)
	}
	first := versions[0]
	for _, v := range versions[1:] {
		if len(v.Rows) != len(first.Rows) {
			if err := t.Check(nil); err != nil { // such as a column that a file lacks
				return nil, nil, err
			}
			return nil, nil, fault("", fmt.Errorf("imputation %s has %d rows, and imputation %s has %d", first.Name,
				len(first.Rows), v.Name, len(v.Rows)), "imputations are completed versions of the same rows: write them again "+
				"together")
		}
	}
	return out, versions, nil
}

// versionsByFile are the rows of each file.
func (t *Table) versionsByFile() (out []Imputation) {
	for i, p := range t.parts {
		end := t.Data.NumRows()
		if i+1 < len(t.parts) {
			end = t.parts[i+1].first
		}
		if i == 0 || p.file != t.parts[i-1].file {
			out = append(out, Imputation{Name: filepath.Base(p.file)})
		}
		v := &out[len(out)-1]
		for row := p.first; row < end; row++ {
			v.Rows = append(v.Rows, int(row))
		}
	}
	return out
}

// versionsBy are the rows of each value of a column but 0, and the table of these rows.
func (t *Table) versionsBy(by string) (*Table, []Imputation, error) {
	at := t.Data.Schema().FieldIndices(by)
	if len(at) == 0 {
		return nil, nil, &ColumnError{Dataset: t.Name, Column: by, Err: words.Hint(
			errors.New("by: names a column that does not exist"), "the columns are "+listNames(t.names()))}
	}
	keys := []*arrow.Chunked{t.Data.Column(at[0]).Data()}
	groups, lost, err := t.group([]string{by}, keys)
	if err = cmp.Or(err, lost); err != nil {
		return nil, nil, err
	}
	groups = slices.DeleteFunc(groups, func(rows []int64) bool {
		c := cursor{chunks: keys[0].Chunks()}
		a, i := c.at(rows[0])
		return original(a, i)
	})
	all := slices.Sorted(slices.Values(slices.Concat(groups...)))
	var out []Imputation
	for _, rows := range groups {
		v := Imputation{Name: groupKey("", keys, rows[0])}
		for _, row := range rows {
			at, _ := slices.BinarySearch(all, row)
			v.Rows = append(v.Rows, at)
		}
		out = append(out, v)
	}
	without := []string{by}
	if by == miceColumn {
		without = append(without, miceRow)
	}
	return t.subset(without, all, t.Key), out, nil
}

// original reports whether a value is 0, which marks the incomplete data.
func original(a arrow.Array, i int) bool {
	switch a := a.(type) {
	case *array.Int64:
		return a.Value(i) == 0
	case *array.Float64:
		return a.Value(i) == 0
	}
	return render(a, i) == "0"
}
