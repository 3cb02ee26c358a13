package transform

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Version numbers what Build makes of a table. It is part of a fit's
// fingerprint, and of every stored record.
const Version = 2

// Record says how a table became a design, so that new data can be coded alike
// and draws brought back to the units of the data. It is read-only, and
// survives JSON to the bit.
type Record struct {
	Version     int    `json:"version"`
	Formula     string `json:"formula"`
	Family      string `json:"family"`
	Custom      string `json:"custom,omitempty"` // definition of the family, see family.Custom
	Standardize string `json:"standardize"`      // none, center_scale, max_abs
	InterceptAt string `json:"intercept_at"`     // means, zero; empty if there is no intercept
	Missing     string `json:"missing"`          // error, drop

	// The columns of the rows' weights; empty for none.
	FrequencyWeights string `json:"frequency_weights,omitempty"`
	PrecisionWeights string `json:"precision_weights,omitempty"`

	Response  Response   `json:"response"`
	Offsets   []Offset   `json:"offsets,omitempty"`
	Variables []Variable `json:"variables,omitempty"` // what the terms are made of
	Terms     []Term     `json:"terms,omitempty"`
	Columns   []Column   `json:"columns"` // of the design, in order
	Smooths   []Smooth   `json:"smooths,omitempty"`
	Monotone  []Monotone `json:"monotone,omitempty"`

	// Items are several responses, instead of Response and its terms.
	Items []ItemRecord `json:"items,omitempty"`

	// Reading is nil of fits that an earlier program stored.
	Reading *Reading `json:"reading,omitempty"`

	GroupedBy []Variable `json:"grouped_by,omitempty"` // what groupings are made of, with levels and without contrasts
	Groupings []Grouping `json:"groupings,omitempty"`
	Effects   []Effect   `json:"effects,omitempty"`

	Predicted []Predicted `json:"predicted,omitempty"` // further predictors

	// Others are the records of further responses, and Also columns that these read. A record of Others has none.
	Others []*Record `json:"responses,omitempty"`
	Also   []string  `json:"also,omitempty"`
}

// OfResponse returns the record of response k, from 0.
func (r *Record) OfResponse(k int) *Record {
	if k > 0 {
		return r.Others[k-1]
	}
	out := *r
	out.Others = nil
	return &out
}

// Response is the response: a column, or a function of columns.
type Response struct {
	Column     string    `json:"column"`                // the first that it reads
	Expression string    `json:"expression"`            // log(y), or the column
	Kind       string    `json:"kind"`                  // of the column: numeric, logical, text
	Levels     []string  `json:"levels,omitempty"`      // of text: failure, success
	Scales     []Scaling `json:"scales,omitempty"`      // of each scale() in the expression
	Trials     string    `json:"trials,omitempty"`      // the expression of totals
	TrialsEach float64   `json:"trials_each,omitempty"` // or one total for all rows
	Proportion bool      `json:"proportion,omitempty"`  // successes divided by trials
	Errors     string    `json:"errors,omitempty"`      // the expression of known standard errors
	Limits     []Limit   `json:"limits,omitempty"`      // of cens() and trunc()
}

// Offset is a column, or a function of columns, that is added with coefficient 1.
type Offset struct {
	Expression string    `json:"expression"` // e, or log(e)
	Scales     []Scaling `json:"scales,omitempty"`
}

// Variable is a column of the data, or a function of columns, as the terms use
// it.
type Variable struct {
	Label      string     `json:"label"`               // R's spelling, which names its coefficients
	Expression string     `json:"expression"`          // the same to be read back, numbers to the bit
	Kind       string     `json:"kind"`                // numeric; of a factor's column: numeric, logical, text
	Levels     []string   `json:"levels,omitempty"`    // of a factor, the reference first
	Contrasts  string     `json:"contrasts,omitempty"` // of a factor: treatment, sum, helmert
	Scales     []Scaling  `json:"scales,omitempty"`    // of each scale() in the expression, in order
	Basis      *Basis     `json:"basis,omitempty"`     // of poly(), ns(), bs() and s()
	Structure  *Structure `json:"structure,omitempty"` // of car() and rw(), over the levels
}

// Term is a term of the formula; several variables are an interaction.
type Term struct {
	Label     string `json:"label"`
	Variables []int  `json:"variables"` // indices into Record.Variables
	// Full says which of them are factors coded by all of their levels, where
	// the term's margin is not in the model. Nil means none.
	Full []bool `json:"full,omitempty"`
}

func (t *Term) full(i int) bool { return t.Full != nil && t.Full[i] }

// Grouping is a grouping factor: a column, or a crossing of columns.
type Grouping struct {
	Name string `json:"name"` // g, or g:h
	Of   []int  `json:"of"`   // indices into Record.GroupedBy
	// Cells are the levels of a crossing: for each, the level of every column. A grouping of one column has that
	// column's levels and no cells.
	Cells [][]int32 `json:"cells,omitempty"`
}

// Effect is a block of group-level effects, whose terms are correlated within a level.
type Effect struct {
	Grouping int    `json:"grouping"`     // index into Record.Groupings
	ID       string `json:"id,omitempty"` // p of (1 | p | g)
	Terms    []Term `json:"terms,omitempty"`
	// Columns are those of the terms on the scale of the data: centre 0 and scale 1. Term is an index into Terms of
	// the block; −1 is the column of ones.
	Columns []Column `json:"columns"`
}

// Column is a column of the design as sampled, (x − Centre) / Scale of the
// column x that its term makes from the data.
type Column struct {
	Name string `json:"name"`
	Term int    `json:"term"` // index into Record.Terms; −1 for the intercept
	// Parts says, for each variable of the term, which of its columns is
	// multiplied, from 0: of a factor's coding or of a basis.
	Parts  []int   `json:"parts,omitempty"`
	Centre float64 `json:"centre"`
	Scale  float64 `json:"scale"`
	// Negative reports whether the column has the other sign: that of a category-specific effect.
	Negative bool `json:"negative,omitempty"`
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
		return nil, fmt.Errorf("design record: version %d is not %d, the one that this program writes", version.Version,
			Version)
	}
	r := new(Record)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("design record: %w", err)
	}
	for _, p := range r.Predicted {
		if p.Record == nil || p.Record.Version != Version || p.Record.Predicted != nil {
			return nil, fmt.Errorf("design record: predictor %q has no record of its own", p.Name)
		}
		if err := p.Record.check(); err != nil {
			return nil, err
		}
	}
	for _, own := range r.Others {
		if own == nil || own.Version != Version || own.Others != nil {
			return nil, errors.New("design record: a response has no record of its own")
		}
		if err := own.check(); err != nil {
			return nil, err
		}
	}
	return r, r.check()
}

// check finds what no Build writes.
func (r *Record) check() error {
	for i := range r.Variables {
		if err := r.Variables[i].check(); err != nil {
			return err
		}
	}
	if err := r.checkTerms(r.Terms, r.Columns); err != nil {
		return err
	}
	if err := errors.Join(r.checkSmooths(), r.checkMonotone()); err != nil {
		return err
	}
	return r.checkEffects()
}

// checkTerms looks at the terms of the design, or of group-level effects, and at their columns.
func (r *Record) checkTerms(terms []Term, columns []Column) error {
	for _, t := range terms {
		if len(t.Variables) == 0 || t.Full != nil && len(t.Full) != len(t.Variables) {
			return fmt.Errorf("design record: term %q has %d variables", t.Label, len(t.Variables))
		}
		for _, v := range t.Variables {
			if v < 0 || v >= len(r.Variables) {
				return fmt.Errorf("design record: term %q has no variable %d", t.Label, v)
			}
		}
	}
	for j, c := range columns {
		switch {
		case c.Term < -1 || c.Term >= len(terms):
			return fmt.Errorf("design record: column %q has no term %d", c.Name, c.Term)
		case c.Term == -1 && j != 0:
			return fmt.Errorf("design record: the intercept is column %d", j)
		case c.Centre-c.Centre != 0 || !(c.Scale > 0) || math.IsInf(c.Scale, 0):
			return fmt.Errorf("design record: column %q has centre %v and scale %v", c.Name, c.Centre, c.Scale)
		case c.Term >= 0:
			if err := r.checkParts(terms, &c); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkEffects looks at groupings and group-level effects.
func (r *Record) checkEffects() error {
	for _, g := range r.Groupings {
		if len(g.Of) == 0 || (len(g.Of) > 1) != (g.Cells != nil) {
			return fmt.Errorf("design record: grouping %q has %d columns and %d cells", g.Name, len(g.Of), len(g.Cells))
		}
		for k, v := range g.Of {
			if v < 0 || v >= len(r.GroupedBy) {
				return fmt.Errorf("design record: grouping %q has no column %d", g.Name, v)
			}
			levels := int32(len(r.GroupedBy[v].Levels))
			if slices.ContainsFunc(g.Cells, func(c []int32) bool {
				return len(c) != len(g.Of) || c[k] < 0 || c[k] >= levels
			}) {
				return fmt.Errorf("design record: grouping %q has a cell of levels that do not exist", g.Name)
			}
		}
	}
	for _, e := range r.Effects {
		if e.Grouping < 0 || e.Grouping >= len(r.Groupings) || len(e.Columns) == 0 {
			return fmt.Errorf("design record: effects of %d columns have no grouping %d", len(e.Columns), e.Grouping)
		}
		if err := r.checkTerms(e.Terms, e.Columns); err != nil {
			return err
		}
	}
	return nil
}

// checkParts looks at the columns that a column of the design multiplies.
func (r *Record) checkParts(terms []Term, c *Column) error {
	t := &terms[c.Term]
	if len(c.Parts) != len(t.Variables) {
		return fmt.Errorf("design record: column %q has %d parts, and its term %d variables", c.Name, len(c.Parts),
			len(t.Variables))
	}
	for i, part := range c.Parts {
		if v := &r.Variables[t.Variables[i]]; part < 0 || part >= v.columns(t.full(i)) {
			return fmt.Errorf("design record: column %q: variable %q has no column %d", c.Name, v.Label, part)
		}
	}
	return nil
}

// check finds a variable that no Build writes.
func (v *Variable) check() error {
	if v.Levels != nil && !slices.Contains(codings, v.Contrasts) && !v.isMonotone() && v.Structure == nil {
		return fmt.Errorf("design record: factor %q has the unknown coding %q", v.Label, v.Contrasts)
	}
	if v.Structure != nil {
		return v.Structure.check(v)
	}
	s := v.Basis
	if s == nil {
		return nil
	}
	if s.smooth() {
		return s.checkSmooth(v.Label)
	}
	learned := s.Raw || len(s.Alpha) == s.Degree && len(s.Norm2) == s.Degree+2 && s.finite() == nil
	inside := s.Boundary[0] < s.Boundary[1] && slices.IsSorted(s.Knots) &&
		!slices.ContainsFunc(s.Knots, func(k float64) bool {
			return !(s.Boundary[0] < k && k < s.Boundary[1])
		})
	sized := s.Degree >= 1 && s.Degree <= maxDegree && (s.Kind != "ns" || s.Degree == 3)
	if !slices.Contains(bases, s.Kind) || !sized || s.Kind == "poly" && !learned || s.Kind != "poly" && !inside {
		return fmt.Errorf("design record: the basis of %q is not one of poly, ns and bs with all that it needs", v.Label)
	}
	return nil
}

// intercept reports whether the design has one; it is the first column then.
func (r *Record) intercept() bool { return len(r.Columns) > 0 && r.Columns[0].Term < 0 }
