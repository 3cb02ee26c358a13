package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	matrix "glmbatch/infer/design"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// Folds are rows of a design by what k-fold leaves out together.
type Folds struct {
	Of    []int // the fold of each row, from 0
	Count int   // at least 2
}

// Digest is the same for the same rows together, whatever their folds are called.
func (f *Folds) Digest() string {
	name, hash := map[int]uint32{}, sha256.New()
	for _, fold := range f.Of {
		if _, seen := name[fold]; !seen {
			name[fold] = uint32(len(name))
		}
		hash.Write(binary.LittleEndian.AppendUint32(nil, name[fold]))
	}
	return hex.EncodeToString(hash.Sum(nil)[:4])
}

// foldColumn is the column by whose levels k-fold leaves rows out, of all rows of a table.
type foldColumn struct {
	*transform.AuxColumn
	err error // why it cannot be read
}

// readFolds reads it, before the table's columns are given back. Where the run names none, it has nothing.
func (u *Unit) readFolds(table transform.Table) (out foldColumn) {
	if u.folds != "" {
		out.AuxColumn, out.err = transform.ReadAux(table, u.folds, false, maxCheckLevels)
	}
	return out
}

// foldsOf deals the rows of a design, which are these of the table, to folds: by the levels of a grouping of the
// formula, or of a column. It returns nil if the run names none.
func (u *Unit) foldsOf(c foldColumn, effects []*matrix.Effects, rows []int) (*Folds, error) {
	if u.folds == "" {
		return nil, nil
	}
	out := &Folds{Of: make([]int, len(rows))}
	of := func(i int) int32 { return c.Of[rows[i]] }
	at := slices.IndexFunc(effects, func(e *matrix.Effects) bool { return e.Group == u.folds })
	if at >= 0 {
		of = func(i int) int32 { return effects[at].Grouping.Of()[i] }
	} else if c.err != nil {
		return nil, words.Hint(fmt.Errorf("kfold is by %s, which is no grouping of the formula: %w", u.folds, c.err),
			"name a column of the data, or a number of folds; rows: grouped keeps columns of formulas alone")
	}
	var levels []int32
	for i, row := range rows {
		if of(i) < 0 {
			return nil, &transform.ColumnError{Dataset: u.Name(), Column: u.folds, Row: int64(row) + 1,
				At: u.table.Locate(int64(row)), Err: words.Hint(errors.New("the value is missing, and kfold leaves rows out by it"),
					"leave such rows out where the data are made, or give them a level of their own")}
		}
		levels = append(levels, of(i))
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	if out.Count = len(levels); out.Count < 2 {
		return nil, words.Hint(fmt.Errorf("kfold is by %s, which is the same in all rows", u.folds),
			"name a column of two levels or more, or a number of folds")
	}
	for i := range rows {
		out.Of[i], _ = slices.BinarySearch(levels, of(i))
	}
	return out, nil
}
