package transform

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// AuxColumn is an auxiliary column of the data for a design, whether its formula reads it or not: its rows by
// level, or its numbers.
type AuxColumn struct {
	Name   string
	Of     []int32 // level of each row, −1 where the cell is missing; nil of numbers
	Levels []string
	X      []float64 // NaN if the cell is missing; nil for levels
}

// Role is the use of the column in checks, as in a ledger and a spec: "by g" for levels, "over x" for numbers.
func (s *AuxColumn) Role() string {
	if s.Of == nil {
		return "over " + s.Name
	}
	return "by " + s.Name
}

// Kept takes the rows that a design uses.
func (s *AuxColumn) Kept(keep []bool) *AuxColumn {
	if keep == nil {
		return s
	}
	out := &AuxColumn{Name: s.Name, Levels: s.Levels}
	for i, kept := range keep {
		switch {
		case kept && s.Of != nil:
			out.Of = append(out.Of, s.Of[i])
		case kept:
			out.X = append(out.X, s.X[i])
		}
	}
	return out
}

// ReadAux reads a column of a table: as levels, at most most of them, or as numbers. It returns an error with
// the reason if the column cannot be used so.
func ReadAux(table arrow.Table, name string, numbers bool, most int) (*AuxColumn, error) {
	at := slices.Index(schemaNames(table.Schema()), name)
	if at < 0 {
		return nil, fmt.Errorf("the data have no column %q", name)
	}
	c, err := openColumn(table, at)
	if err != nil {
		return nil, fmt.Errorf("column %q: %w", name, err)
	}
	present, all := allTrue(c.rows), c.rows
	c.faults(func(row int, _ fault) {
		if present[row] {
			present[row] = false
			all--
		}
	})
	out := &AuxColumn{Name: name}
	if numbers {
		if c.kind == text {
			return nil, fmt.Errorf("column %q is text, not numbers", name)
		}
		values := make([]float64, all)
		c.floats(values, present)
		out.X = spread(present, values, math.NaN())
		return out, nil
	}
	f := c.factor(present, all, most)
	if f == nil {
		return nil, fmt.Errorf("column %q has more than %d levels", name, most)
	}
	out.Levels, out.Of = f.levels, spread(present, f.codes, -1)
	return out, nil
}

// spread puts values at the rows that are present, and none at the others.
func spread[T any](present []bool, values []T, none T) []T {
	out, next := make([]T, len(present)), 0
	for i, is := range present {
		out[i] = none
		if is {
			out[i] = values[next]
			next++
		}
	}
	return out
}
