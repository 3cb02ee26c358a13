package plan

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"glmbatch/discrete/system"
	matrix "glmbatch/infer/design"
	"glmbatch/ingest"
	"glmbatch/internal/mapped"
	"glmbatch/pipelines/internal/discrete"
	"glmbatch/pipelines/internal/spec"
)

// Unit is one table to fit: a data set, a file of it, or a group of its rows; or a system of discrete variables.
// Results that models compute from it are computed once and shared by their samplers.
type Unit struct {
	Dataset *spec.Dataset
	Key     string // of a file or group; empty of a whole data set
	Err     error  // why it cannot be read, and the error of all its fits; nil if it was

	from Origin // empty if the reader does not measure
	// ungrouped reports whether the unit is the rows of a data set that have no group, and Err is theirs. The fits of the
	// groups do not have these rows.
	ungrouped bool

	contents
	doubts []string // warnings of its data, for all of its fits
	memory Memory   // for the designs of models
	chains int
	extracted
	makings
}

// contents are the data of a unit.
type contents struct {
	table *ingest.Table // nil of discrete variables, and of rows whose triangular factor alone is kept
	// imputations are the completed versions of one data set in the table; nil if it has one.
	imputations []ingest.Imputation
	bytes       int64          // of the table when it was read
	warnings    []string       // of rows that are in no table
	discrete    *discrete.Data // nil of a table
	files       *mapped.Folder // of tables and designs that are not in the heap; nil: all are
}

// extracted are columns that a run asks for, apart from the designs, and matrices.
type extracted struct {
	checks *spec.Checks // nil: none
	folds  string       // by which k-fold leaves rows out; empty: by none

	matrices map[string]*matrixRead // that formulas name
}

// makings are the results of models for a unit, each made once.
type makings struct {
	mu      sync.Mutex
	designs map[*spec.Model]*design
	fields  map[*spec.Model]*field
	awaited map[*spec.Model]bool // models whose designs are yet to be made, after Spend
	read    []string             // columns that the last of them has read, and the table still has
}

// Name is how people and --only call the unit.
func (u *Unit) Name() string { return UnitName(u.Dataset.Name, u.Key) }

// Table has the unit's rows; nil if there are none.
func (u *Unit) Table() *ingest.Table { return u.table }

// Bytes is the memory of the unit's data and of one design of them.
func (u *Unit) Bytes() int64 {
	switch {
	case u.discrete != nil:
		return u.discrete.Bytes() + 64*int64(u.discrete.N)
	case u.table == nil:
		return 0
	}
	return 2 * u.bytes
}

// Spend says that nothing but these fits, all of the unit's, reads its table: while the last of their designs is made
// its columns are given back, each when it has been read. It is called before any design is made.
func (u *Unit) Spend(fits []*Fit) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.awaited = nil; u.table == nil {
		return
	}
	u.awaited = map[*spec.Model]bool{}
	for _, f := range fits {
		u.awaited[f.Model] = true
	}
}

// dropShare of a table's columns are given back together: a call passes over all of them, so that one for each column
// of a wide table takes longer than its fit.
const dropShare = 16

// readLast gives back a column of the table if no other model reads it, with those before it once they are a
// dropShare-th of all: others have their designs.
func (u *Unit) readLast(m *spec.Model, column string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.awaited) != 1 || !u.awaited[m] {
		return
	}
	u.read = append(u.read, column)
	if columns := len(u.designs[m].reads); dropShare*len(u.read) >= columns {
		u.table.Drop(u.read...)
		reclaim(u.bytes * int64(len(u.read)) / int64(columns))
		u.read = nil
	}
}

// spent gives back what is left of the table when the last of the designs is made, or cannot be.
func (u *Unit) spent(m *spec.Model) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.awaited[m] {
		return
	}
	if delete(u.awaited, m); len(u.awaited) == 0 {
		u.table.Release()
		reclaim(u.bytes)
	}
}

// Close gives back what the unit has in files. It is called when its last fit is done; what a fit that was left alone
// still computes reads zeros.
func (u *Unit) Close() { u.files.Release() }

// place makes the matrix of a dense design, in the heap or in a file.
func (u *Unit) place(rows, columns int) (*matrix.Dense, error) {
	if u.files == nil || !u.memory.mapped(rows, columns, int64(rows)*int64(columns)) {
		return matrix.NewDense(rows, columns), nil
	}
	region, err := u.files.Numbers(rows * columns)
	if err != nil {
		return nil, err
	}
	return &matrix.Dense{Rows: rows, Cols: columns, Values: region.Values, Place: region}, nil
}

// reclaimFrom is how many bytes that are dead are worth a collection at once. The collector waits for as much
// garbage as a share of the live bytes, which for a tall design is a copy of it.
const reclaimFrom = 32 << 20

// reclaim gives memory that is dead now back to the system, if it is much.
func reclaim(bytes int64) {
	if bytes >= reclaimFrom {
		debug.FreeOSMemory()
	}
}

// notes are the remarks made while the unit's table was read.
func (u *Unit) notes() []string {
	if u.table == nil {
		return u.warnings
	}
	return u.table.Warnings
}

// UnitName is how people call a data set, or a file or group of it.
func UnitName(dataset, key string) string {
	if key == "" {
		return dataset
	}
	return dataset + "/" + key
}

// field is one model's field on one unit, made once for its samplers.
type field struct {
	once sync.Once
	*system.Field
	err error
}

// field makes the field of a model on the unit's variables.
func (u *Unit) field(m *spec.Model) (*system.Field, error) {
	u.mu.Lock()
	if u.fields == nil {
		u.fields = map[*spec.Model]*field{}
	}
	f := u.fields[m]
	if f == nil {
		f = &field{}
		u.fields[m] = f
	}
	u.mu.Unlock()
	f.once.Do(func() {
		if f.err = u.memory.refuse(fieldNeed(u.discrete, m)); f.err == nil {
			f.Field, f.err = discrete.NewField(context.Background(), u.discrete, m)
		} else {
			f.err = fmt.Errorf("dataset %q, model %q: %w", u.Name(), m.Name, f.err)
		}
	})
	return f.Field, f.err
}

// fieldNeed estimates the memory of a field and of its making, before it is made.
func fieldNeed(d *discrete.Data, m *spec.Model) Need {
	states, edges := m.ModelStates(), d.Edges()
	return Need{
		Bytes:  d.Bytes() + 64*int64(d.N)*int64(states) + 48*int64(edges),
		What:   fmt.Sprintf("%d variables of %d states with %d edges need", d.N, states, edges),
		Remedy: "take fewer variables",
	}
}
