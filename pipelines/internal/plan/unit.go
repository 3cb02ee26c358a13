package plan

import (
	"context"
	"fmt"
	"sync"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/discrete"
	"glmbatch/pipelines/internal/spec"
)

// Unit is one table to fit: a data set, a file of it, or a group of its rows; or a system of discrete variables.
// What models make of it is made once and shared by their samplers.
type Unit struct {
	Dataset *spec.Dataset
	Key     string // of a file or group; empty of a whole data set
	Err     error  // why it cannot be read, and the error of all its fits; nil if it was

	table    *ingest.Table  // nil of discrete variables
	discrete *discrete.Data // nil of a table
	memory   Memory         // for what models make of it
	chains   int

	mu      sync.Mutex
	designs map[*spec.Model]*design
	fields  map[*spec.Model]*field
}

// Name is how people and --only call the unit.
func (u *Unit) Name() string { return UnitName(u.Dataset.Name, u.Key) }

// Bytes is the memory of the unit's data and of one design of them.
func (u *Unit) Bytes() int64 {
	switch {
	case u.discrete != nil:
		return u.discrete.Bytes() + 64*int64(u.discrete.N)
	case u.table == nil:
		return 0
	}
	return 2 * u.table.Bytes()
}

// notes is what was seen while the unit's table was read.
func (u *Unit) notes() []string {
	if u.table == nil {
		return nil
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
	*discrete.Field
	err error
}

// field makes the field of a model on the unit's variables.
func (u *Unit) field(m *spec.Model) (*discrete.Field, error) {
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
