package transform

import (
	"encoding/json"
	"fmt"
	"math"
)

// Version numbers what Build makes of a table. It is part of a fit's
// fingerprint, and of every stored record.
const Version = 1

// Record says how a table became a design, so that new data can be coded alike
// and draws brought back to the units of the data. It is read-only, and
// survives JSON to the bit.
type Record struct {
	Version     int    `json:"version"`
	Formula     string `json:"formula"`
	Family      string `json:"family"`
	Standardize string `json:"standardize"`  // none, center_scale, max_abs
	InterceptAt string `json:"intercept_at"` // means, zero; empty without an intercept
	Missing     string `json:"missing"`      // error, drop

	Response  Response   `json:"response"`
	Offsets   []Offset   `json:"offsets,omitempty"`
	Variables []Variable `json:"variables,omitempty"` // what the terms are made of
	Terms     []Term     `json:"terms,omitempty"`
	Columns   []Column   `json:"columns"` // of the design, in order
}

// Response is the explained column.
type Response struct {
	Column     string   `json:"column"`
	Kind       string   `json:"kind"`                  // numeric, logical, text
	Levels     []string `json:"levels,omitempty"`      // of text: failure, success
	Trials     string   `json:"trials,omitempty"`      // the column of totals
	TrialsEach float64  `json:"trials_each,omitempty"` // or one total for all rows
}

// Offset is a column, or a function of one, that is added with coefficient 1.
type Offset struct {
	Column   string `json:"column"`
	Function string `json:"function,omitempty"` // log
}

// Variable is a column of the data as the terms use it.
type Variable struct {
	Column    string   `json:"column"`
	Kind      string   `json:"kind"`                // numeric, logical, text
	Levels    []string `json:"levels,omitempty"`    // of a factor, the reference first
	Contrasts string   `json:"contrasts,omitempty"` // treatment, or full: one column for each level
}

// Term is a term of the formula; several variables are an interaction.
type Term struct {
	Label     string `json:"label"`
	Variables []int  `json:"variables"` // indices into Record.Variables
}

// Column is a column of the design as sampled, (x − Centre) / Scale of the
// column x that term and level make from the data.
type Column struct {
	Name   string  `json:"name"`
	Term   int     `json:"term"`  // index into Record.Terms; −1 for the intercept
	Level  int     `json:"level"` // index into Variable.Levels; −1 for a number
	Centre float64 `json:"centre"`
	Scale  float64 `json:"scale"`
}

// UnmarshalRecord reads a record that json.Marshal wrote.
func UnmarshalRecord(data []byte) (*Record, error) {
	var version struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &version); err != nil {
		return nil, fmt.Errorf("design record: %w", err)
	}
	if version.Version != Version {
		return nil, fmt.Errorf("design record: version %d is not %d, the one that this program writes", version.Version, Version)
	}
	r := new(Record)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("design record: %w", err)
	}
	return r, r.check()
}

// check finds what no Build writes.
func (r *Record) check() error {
	for _, t := range r.Terms {
		for _, v := range t.Variables {
			if v < 0 || v >= len(r.Variables) {
				return fmt.Errorf("design record: term %q has no variable %d", t.Label, v)
			}
		}
	}
	for j, c := range r.Columns {
		switch {
		case c.Term < -1 || c.Term >= len(r.Terms):
			return fmt.Errorf("design record: column %q has no term %d", c.Name, c.Term)
		case c.Term == -1 && j != 0:
			return fmt.Errorf("design record: the intercept is column %d", j)
		case !(c.Scale > 0) || math.IsInf(c.Scale, 0):
			return fmt.Errorf("design record: column %q has scale %v", c.Name, c.Scale)
		}
	}
	return nil
}

// intercept says whether the design has one; it is the first column then.
func (r *Record) intercept() bool { return len(r.Columns) > 0 && r.Columns[0].Term < 0 }
