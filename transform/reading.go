package transform

import (
	"maps"
	"slices"
)

// Reading is how the data of a fit were read, as far as a file does not determine it: new data are read alike.
type Reading struct {
	Separator string `json:"separator,omitempty"` // of CSV fields; empty: found in the file
	Decimal   string `json:"decimal,omitempty"`   // empty: a point
	// NullValues are all spellings of a missing cell; nil: the built-in ones.
	NullValues []string          `json:"null_values,omitempty"`
	Types      map[string]string `json:"types,omitempty"` // that the data set declares, by column
}

// Types returns the types that columns of new data are to be read as: those that the data set declares, and those that
// terms and groupings had. A CSV file whose codes are all numbers does not carry that they were text.
func (r *Record) Types() map[string]string {
	out := map[string]string{}
	note := func(column, of string) {
		switch kind(of) {
		case text:
			out[column] = "text"
		case logical:
			out[column] = "bool"
		case numeric:
			out[column] = "number"
		}
	}
	for _, v := range slices.Concat(r.Variables, r.GroupedBy) {
		read, err := readExpression(v.Expression, v.Label)
		if err == nil && (read.plain() || read.node.ofColumn()) {
			note(read.columns[0], v.Kind)
		}
	}
	for _, i := range r.Items {
		if words := i.Categories != nil && !i.Factor || i.Text; words && !slices.Equal(i.Categories, truths) {
			note(i.Column, string(text))
		}
	}
	if r.Reading != nil {
		maps.Copy(out, r.Reading.Types)
	}
	return out
}
