package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// DescriptionVersion numbers the JSON form of a Description.
const DescriptionVersion = 1

// A Description describes how rows of data follow from a draw of a fit. It is stored with the fit: a reader of rows
// needs no spec and parses no names. It numbers parameters as the ledger does, from 1; 0 means none.
//
// Responses are independent given the parameters and, of a mixture, the component, which is one of all responses of a
// row; with Rescor they are gaussian with correlated residuals.
type Description struct {
	Version   int        `json:"version"`
	Kind      Kind       `json:"kind"`
	Weights   []Scalar   `json:"weights,omitempty"` // of the components of a mixture; nil of others
	Responses []Response `json:"responses,omitempty"`
	Groups    []Group    `json:"groups,omitempty"`
	Imputed   bool       `json:"imputed,omitempty"` // whether missing cells were drawn
	Cells     []Cells    `json:"cells,omitempty"`   // missing cells whose draws are kept
	// Rescor are the correlations of the residuals of the responses, the lower triangle of their matrix by rows.
	Rescor []int `json:"rescor,omitempty"`
}

// Kind is a kind of model.
type Kind string

// Kinds: rows of a design, rows of several responses with designs of their own, rows of several items each (latent
// classes), and discrete variables, which have no rows.
const (
	KindRows      Kind = "rows"
	KindResponses Kind = "responses"
	KindClasses   Kind = "classes"
	KindDiscrete  Kind = "discrete"
)

// Joined reports whether rows have several responses with designs of their own.
func (k Kind) Joined() bool { return k == KindResponses }

// Items reports whether rows have several items and no predictors.
func (k Kind) Items() bool { return k == KindClasses }

// OfResponse returns the description of response k, from 0, as that of rows with one response.
func (d *Description) OfResponse(k int) *Description {
	out := *d
	out.Kind, out.Responses, out.Rescor = KindRows, d.Responses[k:k+1], nil
	return &out
}

// ClassColumn is the Column of a response of counts, one for each of Classes.
const ClassColumn = "class"

// Response describes a column that a fit explains. Frequency, Precision and Trials name other columns or expressions.
type Response struct {
	Name       string      `json:"name,omitempty"` // of several responses
	Column     string      `json:"column"`
	Family     string      `json:"family"`
	Custom     string      `json:"custom,omitempty"` // definition of the family, of a likelihood of a user's own
	Frequency  string      `json:"frequency,omitempty"`
	Precision  string      `json:"precision,omitempty"`
	Trials     string      `json:"trials,omitempty"`
	Classes    []string    `json:"classes,omitempty"` // of responses in classes, the first is the reference
	Components []Component `json:"components"`        // one for each of Description.Weights; one without weights
}

// Component has the parameters of a response's distribution: those with a predictor, and one number for all rows.
type Component struct {
	Predictors []Predictor `json:"predictors,omitempty"`
	Scalars    []Scalar    `json:"scalars,omitempty"` // in the order of the family
}

// Predictor is a parameter of a distribution that varies by row: the inverse link of offsets and terms.
type Predictor struct {
	Name    string   `json:"name"`
	Link    string   `json:"link"`
	Offsets []string `json:"offsets,omitempty"` // expressions
	Terms   []Term   `json:"terms,omitempty"`
}

// Term multiplies columns of the design record by coefficients: that of column k is parameter First+k. In a term with
// a Group each level has its own: that of level l, from 0, is parameter First + k·levels + l. First is 0 if they have
// no draws.
type Term struct {
	Columns []string `json:"columns"`
	First   int      `json:"first,omitempty"`
	Group   int      `json:"group,omitempty"` // of Description.Groups, from 1
	At      int      `json:"at,omitempty"`    // the index of the first column among those of the group
}

// Group is a grouping whose levels have effects with one population distribution, in one or several predictors and
// responses: normal, with the standard deviations SD, named as the columns, and the correlations Cor, the lower
// triangle of their matrix by rows.
type Group struct {
	Grouping string   `json:"grouping"`
	Levels   int      `json:"levels"` // of the fit
	SD       []Scalar `json:"sd"`
	Cor      []int    `json:"cor,omitempty"`
}

// Scalar is a parameter, or the value of one that the model fixes.
type Scalar struct {
	Name      string  `json:"name,omitempty"`
	Parameter int     `json:"parameter,omitempty"`
	Value     float64 `json:"value,omitempty"`
}

// Of returns the number at a draw; value returns parameters, from 0.
func (n Scalar) Of(value func(parameter int) float64) float64 {
	if n.Parameter == 0 {
		return n.Value
	}
	return value(n.Parameter - 1)
}

// Cells are the missing cells of a column, in the order of Rows of the table, from 1: the first is parameter First, and
// a cell has Each numbers.
type Cells struct {
	Column string `json:"column"`
	First  int    `json:"first"`
	Each   int    `json:"each"`
	Rows   []int  `json:"rows"`
}

// ParseDescription reads the JSON of the description of a fit with a number of parameters. It refuses fields that it
// does not know, other versions, and parameters that the fit does not have.
func ParseDescription(data []byte, parameters int) (*Description, error) {
	var head struct{ Version int }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	if head.Version != DescriptionVersion {
		return nil, fmt.Errorf("the description has version %d, and this program reads version %d", head.Version,
			DescriptionVersion)
	}
	from, d := json.NewDecoder(bytes.NewReader(data)), new(Description)
	from.DisallowUnknownFields()
	if err := from.Decode(d); err != nil {
		return nil, fmt.Errorf("the description: %w", err)
	}
	return d, d.Check(parameters)
}

// span reports whether count parameters from first on are among the parameters of a fit.
func span(first, count, parameters int) bool {
	return first > 0 && count > 0 && count <= parameters && first <= parameters-count+1
}

// Check returns an error for a description that no program writes of a fit with a number of parameters. Numbers
// in it may then be used as sizes and indices.
func (d *Description) Check(parameters int) error {
	if err := d.check(parameters); err != nil {
		return fmt.Errorf("the description: %w", err)
	}
	return nil
}

func (d *Description) check(parameters int) error {
	rows := d.Kind == KindRows || d.Kind == KindResponses || d.Kind == KindClasses
	if !rows && d.Kind != KindDiscrete || rows != (len(d.Responses) > 0) || d.Kind == KindClasses && len(d.Weights) == 0 {
		return fmt.Errorf("kind %q has %d responses and %d weights", d.Kind, len(d.Responses), len(d.Weights))
	}
	if err := checkScalars(d.Weights, parameters); err != nil {
		return err
	}
	if q := len(d.Responses); d.Rescor != nil && (d.Kind != KindResponses || len(d.Rescor) != q*(q-1)/2) {
		return fmt.Errorf("%d responses have %d correlations of residuals", q, len(d.Rescor))
	}
	for _, c := range d.Rescor {
		if !span(c, 1, parameters) {
			return fmt.Errorf("a correlation of residuals is parameter %d of %d", c, parameters)
		}
	}
	for i := range d.Groups {
		g, q := &d.Groups[i], len(d.Groups[i].SD)
		if g.Levels < 1 || g.Levels > math.MaxInt32 || q == 0 || len(g.Cor) > 0 && len(g.Cor) != q*(q-1)/2 ||
			len(g.Cor) == 0 && q > 1 {
			return fmt.Errorf("grouping %q has %d levels, %d standard deviations and %d correlations", g.Grouping, g.Levels,
				q, len(g.Cor))
		}
		for _, c := range g.Cor {
			if !span(c, 1, parameters) {
				return fmt.Errorf("a correlation of %q is parameter %d of %d", g.Grouping, c, parameters)
			}
		}
		if err := checkScalars(g.SD, parameters); err != nil {
			return err
		}
	}
	for i := range d.Responses {
		if err := d.checkResponse(&d.Responses[i], parameters); err != nil {
			return fmt.Errorf("response %q: %w", d.Responses[i].Column, err)
		}
	}
	for _, c := range d.Cells {
		if c.Each < 1 || c.Each > parameters || len(c.Rows) > parameters/c.Each ||
			!span(c.First, c.Each*len(c.Rows), parameters) {
			return fmt.Errorf("%d missing cells of %q begin at parameter %d of %d", len(c.Rows), c.Column, c.First, parameters)
		}
	}
	return nil
}

func (d *Description) checkResponse(r *Response, parameters int) error {
	if len(r.Components) != max(1, len(d.Weights)) {
		return fmt.Errorf("%d components have %d weights", len(r.Components), len(d.Weights))
	}
	for i := range r.Components {
		c := &r.Components[i]
		first := &r.Components[0]
		if n := len(first.Predictors); (d.Kind != KindClasses) != (n > 0) || len(c.Predictors) != n {
			return fmt.Errorf("component %d has %d predictors", i+1, len(c.Predictors))
		}
		if n := len(first.Scalars); d.Kind == KindClasses && n == 0 || len(c.Scalars) != n {
			return fmt.Errorf("component %d has %d scalars", i+1, len(c.Scalars))
		}
		if fixed := func(s Scalar) bool { return s.Parameter == 0 }; d.Kind == KindClasses &&
			slices.ContainsFunc(c.Scalars, fixed) {
			return fmt.Errorf("component %d has a fixed scalar", i+1)
		}
		for _, p := range c.Predictors {
			for _, t := range p.Terms {
				if err := d.checkTerm(&t, parameters); err != nil {
					return fmt.Errorf("predictor %q: %w", p.Name, err)
				}
			}
		}
		if err := checkScalars(c.Scalars, parameters); err != nil {
			return err
		}
	}
	return nil
}

func (d *Description) checkTerm(t *Term, parameters int) error {
	count := len(t.Columns)
	if t.Group < 0 || t.Group > len(d.Groups) || t.At < 0 || count == 0 {
		return fmt.Errorf("a term of %d columns has group %d of %d", count, t.Group, len(d.Groups))
	}
	if t.Group > 0 {
		g := &d.Groups[t.Group-1]
		if t.At > len(g.SD) || count > len(g.SD)-t.At {
			return fmt.Errorf("a term of %d columns from %d is not among %d of grouping %q", count, t.At, len(g.SD), g.Grouping)
		}
		count *= g.Levels
	}
	if t.First != 0 && !span(t.First, count, parameters) {
		return fmt.Errorf("%d coefficients begin at parameter %d of %d", count, t.First, parameters)
	}
	return nil
}

func checkScalars(all []Scalar, parameters int) error {
	for _, n := range all {
		if n.Parameter != 0 && !span(n.Parameter, 1, parameters) {
			return fmt.Errorf("%q is parameter %d of %d", n.Name, n.Parameter, parameters)
		}
	}
	return nil
}
