package transform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/internal/words"
)

// predicted is the formula of a further linear predictor: that of a parameter of the response's distribution.
type predicted struct {
	name    string
	formula *Formula // with the response of the first one
}

// Predicted is the record of a further linear predictor, whose design has the rows of the first one.
type Predicted struct {
	Name   string  `json:"name"`
	Record *Record `json:"record"`
}

// several is the call of brms that holds the formulas of several predictors.
var several = regexp.MustCompile(`^\s*(bf|brmsformula)\s*\(`)

// ofParameter is a formula such as sigma ~ x.
var ofParameter = regexp.MustCompile(`^\s*([A-Za-z][A-Za-z0-9.]*)\s*~(.*)$`)

// parseSeveral parses bf(y ~ x, sigma ~ z).
func parseSeveral(s string) (*Formula, error) {
	fail := func(pos int, message, hint string) error {
		return &FormulaError{Formula: s, Pos: pos, Err: words.Hint(fmt.Errorf("%s", message), hint)}
	}
	const form = "write bf(y ~ x, sigma ~ z): first the formula of the response, then those of further parameters"
	open := strings.IndexByte(s, '(')
	parts, end := arguments(s, open+1)
	if err := refuseBf(parts, end, s, fail); err != nil {
		return nil, err
	}
	if end < 0 || strings.TrimSpace(s[end+1:]) != "" {
		return nil, fail(max(0, end), "the parenthesis of bf() does not close at the end", form)
	}
	f, err := ParseFormula(parts[0].text)
	if err != nil {
		return nil, err
	}
	f.whole = s
	left := parts[0].text[:strings.IndexByte(parts[0].text, '~')]
	for _, part := range parts[1:] {
		m := ofParameter.FindStringSubmatch(part.text)
		if m == nil {
			return nil, fail(part.pos, fmt.Sprintf("bf() does not take %q here", strings.TrimSpace(part.text)), form)
		}
		if m[1] == "mu" || slices.Contains(f.Predictors(), m[1]) {
			return nil, fail(part.pos, m[1]+" has two formulas", form)
		}
		if f, err = f.with(m[1], left+"~"+m[2]); err != nil {
			return nil, err
		}
		if own := f.predicted[len(f.predicted)-1].formula; own.marks.Columns != nil || own.marks.Measured != nil {
			return nil, fail(part.pos, "mi() and me() are not in this version in the formula of "+m[1],
				"impute its cells before")
		}
	}
	return f, nil
}

// argument is a part of a call, and its place in the text.
type argument struct {
	pos  int
	text string
}

// arguments splits a text from a place on at commas outside parentheses and quotes, up to the parenthesis that
// closes it, whose place is end; −1 if there is none.
func arguments(s string, from int) (out []argument, end int) {
	depth, quote, begin := 0, byte(0), from
	for i := from; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '`' || c == '"' || c == '\'':
			quote = c
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ',' && depth == 0:
			out, begin = append(out, argument{begin, s[begin:i]}), i+1
		case c == ')':
			return append(out, argument{begin, s[begin:i]}), i
		}
	}
	return append(out, argument{begin, s[begin:]}), -1
}

// with returns the formula with that of one more predictor.
func (f *Formula) with(name, text string) (*Formula, error) {
	own, err := ParseFormula(text)
	if err != nil {
		return nil, err
	}
	out := *f
	own.frequency, own.precision = f.frequency, f.precision
	out.predicted = append(slices.Clip(f.predicted), predicted{name, own})
	return &out, nil
}

// WithPredictors returns the formula with constants for those of some predictors that have no formula, and all in the
// order of names.
func (f *Formula) WithPredictors(names []string) *Formula {
	for _, name := range names {
		if slices.Contains(f.Predictors(), name) {
			continue
		}
		if own, err := f.with(name, f.source[:strings.IndexByte(f.source, '~')]+f.specific(name)); err == nil {
			own.predicted[len(own.predicted)-1].formula.negative = name == thresholds && f.CategorySpecific()
			f = own
		}
	}
	out := *f
	out.predicted = slices.Clone(f.predicted)
	slices.SortStableFunc(out.predicted, func(a, b predicted) int {
		return slices.Index(names, a.name) - slices.Index(names, b.name)
	})
	return &out
}

// Predictors are the names of the parameters that have formulas of their own, in the order of the text.
func (f *Formula) Predictors() (names []string) {
	for _, p := range f.predicted {
		names = append(names, p.name)
	}
	return names
}

// all are the formulas of all predictors, the first one first.
func (f *Formula) all() []*Formula {
	out := []*Formula{f}
	for _, p := range f.predicted {
		out = append(out, p.formula)
	}
	return out
}

// columnsIn returns the columns that one formula reads of a schema, in its order.
func (f *Formula) columnsIn(schema *arrow.Schema) ([]string, error) {
	s, err := f.selectFrom(schema, everyName)
	if err != nil {
		return nil, err
	}
	return inOrder(schemaNames(schema), s.columns()), nil
}

// specs are the specs of the predictors: each with its formula, the columns of all, and the levels and contrasts of
// its own columns. The first has what no predictor reads.
func (s *Spec) specs(schema *arrow.Schema) (out []Spec, err error) {
	if len(s.Formula.predicted) == 0 {
		return []Spec{*s}, nil
	}
	all, err := s.Formula.Columns(schema)
	if err != nil {
		return nil, err
	}
	for k, f := range s.Formula.all() {
		own := *s
		own.Formula, own.Done, own.Also = f, nil, slices.Concat(all, s.Also)
		own.cuts = s.Family.Support().Ordered && k < len(s.Formula.predicted) // the last formula is that of thresholds
		own.bare = own.cuts && k > 0 || f.negative
		read, err := f.columnsIn(schema)
		if err != nil {
			return nil, err
		}
		mine := func(column string) bool {
			return slices.Contains(read, column) || k == 0 && !slices.Contains(all, column)
		}
		own.Levels, own.Contrasts = only(s.Levels, mine), only(s.Contrasts, mine)
		if k > 0 {
			own.Warnings = nil
		}
		out = append(out, own)
	}
	return out, nil
}

// only returns the entries of some columns.
func only[T any](of map[string]T, columns func(string) bool) map[string]T {
	out := make(map[string]T, len(of))
	for column, v := range of { //maporder:ok a map is made
		if columns(column) {
			out[column] = v
		}
	}
	return out
}

// join adds the designs of further predictors, and their records, to those of the first.
func (d *Design) join(names []string, others []*Design) {
	for k, other := range others {
		d.Record.Predicted = append(d.Record.Predicted, Predicted{names[k], other.Record})
	}
	d.joinCoded(names, others)
}

// joinCoded is join of designs that records made.
func (d *Design) joinCoded(names []string, others []*Design) {
	for k, other := range others {
		d.Data.Further = append(d.Data.Further, other.Data)
		for _, list := range []struct{ to, from *[]string }{{&d.Warnings, &other.Warnings}, {&d.Notes, &other.Notes}} {
			for _, text := range *list.from {
				if !slices.Contains(*list.to, text) {
					*list.to = append(*list.to, names[k]+": "+text)
				}
			}
		}
	}
}

// each returns the record with a change made in the record of each predictor.
func (r *Record) each(change func(*Record) *Record) *Record {
	out := change(r)
	out.Predicted = nil
	for _, p := range r.Predicted {
		out.Predicted = append(out.Predicted, Predicted{p.Name, change(p.Record)})
	}
	return out
}
