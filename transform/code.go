package transform

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// Coding says how Record.Code reads new data. The zero value wants no response
// and treats missing cells as the record does.
type Coding struct {
	Dataset string // for errors
	// Missing is error or drop; empty means the record's rule.
	Missing string
	// Response reports whether the response is read too; then its columns must exist.
	Response bool
	// NewLevels lets rows be of levels of groupings that the model was not fitted with: they follow those that it
	// knows, Design.FittedLevels in number. Without it such a level is an error.
	NewLevels bool
	// Room is asked before the design takes memory. Nil means that there is room.
	Room Reserve
	// Locate puts a 0-based row of the table into words, as in Spec.
	Locate func(row int64) string
}

// Code makes the design of new data by what the record learned from the old:
// the same columns in the same order, with the stored levels, contrasts, knots,
// centres and scales. The same row gives the same bits as in Build.
//
// Data.Y is nil unless the response is requested, and Data.Trials is nil unless the columns of trials exist; so are
// Data.Precision and, if the response is requested, Data.Frequency. A level that the model was not fitted with is a
// *ColumnError that names it and its row. Cost: as Build.
func (r *Record) Code(table arrow.Table, coding Coding) (*Design, error) {
	if len(r.Predicted) == 0 {
		return r.code(table, coding, nil)
	}
	all, err := r.Inputs(coding.Response)
	if err != nil {
		return nil, err
	}
	out, err := r.code(table, coding, all)
	var names []string
	var others []*Design
	for _, p := range r.Predicted {
		if err != nil {
			return nil, err
		}
		var other *Design
		other, err = p.Record.code(table, coding, all)
		names, others = append(names, p.Name), append(others, other)
	}
	if err != nil {
		return nil, err
	}
	out.joinCoded(names, others)
	return out, nil
}

// code is Code of one predictor. Missing values in the columns of also drop rows too.
func (r *Record) code(table arrow.Table, coding Coding, also []string) (*Design, error) {
	b := r.coder(table, coding)
	b.spec.Also = also
	if b.rows == 0 {
		return nil, b.tableError("there are no rows", "")
	}
	err := b.take(b.recall, b.recallGroupings, b.recallSides(coding.Response), b.openKnown, b.dropRows, b.weigh,
		b.recode, b.recodeGroupings, b.recallData(coding.Response), b.effects, b.design, b.rescale)
	if err != nil {
		return nil, err
	}
	return &b.out, nil
}

// coder is a builder that codes a table by the record.
func (r *Record) coder(table arrow.Table, coding Coding) *builder {
	b := &builder{table: table, rows: int(table.NumRows()), record: *r, known: true, chosen: new(selection),
		newLevels: coding.NewLevels}
	b.spec = Spec{Dataset: coding.Dataset, Family: glm.Family{Name: r.Family, Custom: r.Custom}, Missing: coding.Missing,
		Reserve: coding.Room, Locate: coding.Locate, Formula: &Formula{source: r.Formula}, Sparse: "auto"}
	if b.spec.Missing == "" {
		b.spec.Missing = r.Missing
	}
	b.out.Data, b.out.Record = new(glm.Data), r
	return b
}

// Inputs returns the columns of new data that Code needs, in the order of the
// formula: those of the predictors and offsets, and with response also those of
// the response and its trials.
func (r *Record) Inputs(response bool) ([]string, error) {
	if r.Items != nil {
		return unique(r.itemInputs()), nil
	}
	b, err := r.recalled(response)
	if err != nil {
		return nil, err
	}
	all := b.inputs()
	for _, p := range r.Predicted {
		own, err := p.Record.Inputs(response)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	return unique(all), nil
}

// recalled is a builder that knows what the record reads.
func (r *Record) recalled(response bool) (*builder, error) {
	b := &builder{record: *r, known: true, chosen: new(selection)}
	for _, step := range []func() error{b.recall, b.recallGroupings, b.recallSides(response)} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// readExpression reads what a record stores of a variable.
func readExpression(text, label string) (*variable, error) {
	p := &parser{lexer: lexer{src: text, calls: 1}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	n, err := p.expression(0)
	if err != nil {
		return nil, err
	}
	if p.token.kind != tokenEnd {
		return nil, p.fail(p.token.pos, "the expression continues after its end", "")
	}
	return newVariable(n, label, text), nil
}

// recallNumbers reads an expression of numbers, which must have as many scale()
// as the record has scalings.
func recallNumbers(text string, scales []Scaling) (*variable, error) {
	v, err := readExpression(text, text)
	if err != nil {
		return nil, err
	}
	if err := (&selector{formula: &Formula{source: text}}).arithmetic(v.node); err != nil {
		return nil, err
	}
	return v, v.scalings(scales)
}

func (v *variable) scalings(scales []Scaling) error {
	if n := v.node.count("scale"); n != len(scales) {
		return fmt.Errorf("design record: %q has %d scale() and %d scalings", v.key, n, len(scales))
	}
	return nil
}

// count is how often a function is called under the node.
func (n *node) count(function string) int {
	total := 0
	if n.kind == nodeCall && n.text == function {
		total++
	}
	for _, arg := range n.args {
		total += arg.count(function)
	}
	return total
}

// recall reads the terms' variables.
func (b *builder) recall() error {
	if err := b.record.check(); err != nil {
		return err
	}
	for i := range b.record.Variables {
		r := &b.record.Variables[i]
		v, err := readExpression(r.Expression, r.Label)
		if err != nil {
			return err
		}
		n, call, err := v.argument()
		if err != nil {
			return err
		}
		isFactor := v.plain()
		if v.node.kind == nodeCall && slices.Contains(factorCalls, v.node.text) {
			isFactor = (&selector{formula: &Formula{source: v.source}}).factorCall(v.node) == nil
		}
		computed := v.node.computed()
		switch {
		case (call == nil) != (r.Basis == nil) || call != nil && call.kind != r.Basis.Kind,
			r.Levels != nil && !isFactor && !computed, computed && r.Levels == nil:
			err = fmt.Errorf("design record: %q is not what its expression %q makes", r.Label, r.Expression)
		case r.Levels == nil || computed:
			if err = (&selector{formula: &Formula{source: v.source}}).arithmetic(n); err == nil {
				err = v.scalings(r.Scales)
			}
		}
		if err != nil {
			return err
		}
		b.coded = append(b.coded, coded{variable: v})
	}
	for _, c := range b.record.Columns {
		b.plan = append(b.plan, planned{name: c.Name, term: c.Term, parts: c.Parts, negative: c.Negative})
	}
	return nil
}

// recallSides reads the offsets, and the response and trials where they are
// wanted.
func (b *builder) recallSides(response bool) func() error {
	return func() error {
		for _, o := range b.record.Offsets {
			v, err := recallNumbers(o.Expression, o.Scales)
			if err != nil {
				return err
			}
			b.chosen.offsets = append(b.chosen.offsets, *v)
		}
		if response {
			b.chosen.frequency = b.record.FrequencyWeights
		}
		if w := b.record.PrecisionWeights; w != "" && (response || b.hasAll([]string{w})) {
			b.chosen.precision = w
		}
		r := &b.record.Response
		if r.Errors != "" {
			v, err := recallNumbers(r.Errors, nil)
			if err != nil {
				return err
			}
			if response || b.hasAll(v.columns) {
				b.chosen.errors = v
			}
		}
		if response {
			v, err := recallNumbers(r.Expression, r.Scales)
			if err != nil {
				return err
			}
			b.chosen.response, b.chosen.proportion = *v, r.Proportion
			b.recallCounts()
			if err := b.recallLimits(); err != nil {
				return err
			}
		}
		text := r.Trials
		if r.TrialsEach > 0 {
			text = rNumber(r.TrialsEach)
		}
		if text == "" {
			return nil
		}
		v, err := readExpression(text, text)
		if err == nil && r.TrialsEach == 0 {
			v, err = recallNumbers(text, nil)
		}
		if err == nil && (response || b.hasAll(v.columns)) {
			b.chosen.trials = v
		}
		return err
	}
}

// hasAll reports whether the table has all of the named columns.
func (b *builder) hasAll(columns []string) bool {
	return b.table != nil && !slices.ContainsFunc(columns,
		func(name string) bool { return !b.table.Schema().HasField(name) })
}

// inputs are all columns that coding reads, with repetitions.
func (b *builder) inputs() []string {
	out := b.chosen.explained()
	if b.chosen.trials != nil {
		out = append(out, b.chosen.trials.columns...)
	}
	for _, w := range b.chosen.weights() {
		out = append(out, w.column)
	}
	for i := range b.chosen.offsets {
		out = append(out, b.chosen.offsets[i].columns...)
	}
	if b.chosen.errors != nil {
		out = append(out, b.chosen.errors.columns...)
	}
	for _, l := range b.chosen.limits {
		out = append(out, l.columns...)
	}
	for i := range b.chosen.groupers {
		out = append(out, b.chosen.groupers[i].columns...)
	}
	for i := range b.coded {
		out = append(out, b.coded[i].variable.columns...)
	}
	return out
}

// openKnown opens the columns that coding reads, in the table's order.
func (b *builder) openKnown() error {
	names := schemaNames(b.table.Schema())
	b.columns = make(map[string]*column)
	wanted := make(map[string]bool)
	for _, name := range slices.Concat(b.inputs(), b.spec.Also) {
		if !slices.Contains(names, name) {
			return b.columnError(name, errors.New("the model reads it, and these data do not have it"),
				UnknownHint(name, "columns", names))
		}
		wanted[name] = true
	}
	for i, name := range names {
		if !wanted[name] {
			continue
		}
		if b.columns[name] != nil {
			return b.columnError(name, errors.New("two columns have this name"), "rename one of them where the data are made")
		}
		c, err := openColumn(b.table, i)
		if err != nil {
			return b.columnError(name, err, "give it the type that it had when the model was fitted")
		}
		b.columns[name] = c
		b.used = append(b.used, c)
	}
	return nil
}

// recode gives the rows of factors the codes of the stored levels.
func (b *builder) recode() error {
	for i := range b.coded {
		v, r := b.coded[i].variable, &b.record.Variables[i]
		c := b.columns[v.columns[0]]
		if (v.plain() || v.node.ofColumn()) && string(c.kind) != r.Kind {
			return b.columnError(c.name, fmt.Errorf("it is %s (%s), and it was %s when the model was fitted", c.kind, c.typ,
				r.Kind), "give it the same type")
		}
		if r.Levels == nil {
			continue
		}
		var f *factor
		var err error
		if v.node.computed() {
			f, err = b.computedFactor(v, r.Scales)
		} else if f = c.factor(b.keep, b.n, maxLevels); f == nil {
			err = b.columnError(c.name, fmt.Errorf("the column has more than %d distinct values", maxLevels), "")
		}
		if err == nil {
			err = b.knownCodes(c.name, f, r.Levels)
		}
		if err != nil {
			return err
		}
		b.coded[i].codes = f.codes
	}
	return nil
}

// knownCodes replaces the codes of a factor by those of the stored levels.
func (b *builder) knownCodes(column string, f *factor, levels []string) error {
	known := make(map[string]int32, len(levels))
	for code, level := range levels {
		known[level] = int32(code)
	}
	for k, code := range f.codes {
		there, found := known[f.levels[code]]
		if !found {
			return b.cellError(column, b.tableRow(k),
				fmt.Errorf("%q is not a level that the model was fitted with", f.levels[code]),
				"its levels are "+words.List(levels)+"; leave such rows out, or fit the model to data that have them")
		}
		f.codes[k] = there
	}
	return nil
}

// recallData computes offsets, trials and response.
func (b *builder) recallData(response bool) func() error {
	return func() error {
		for i := range b.chosen.offsets {
			v := &b.chosen.offsets[i]
			values, _, err := b.evaluate(v, b.record.Offsets[i].Scales)
			if err != nil {
				return err
			}
			if err := b.addOffset(v, values); err != nil {
				return err
			}
		}
		if err := b.standardErrors(); err != nil {
			return err
		}
		if !response {
			return b.trials()
		}
		if levels := b.record.Response.Levels; levels != nil {
			b.spec.Levels = map[string][]string{b.record.Response.Column: levels}
		}
		for _, step := range []func() error{b.outcome, b.trials, b.domain, b.limits} {
			if err := step(); err != nil {
				return err
			}
		}
		b.out.Notes = nil // what is modelled is known
		return nil
	}
}

// rescale brings the columns to the scale of the fitted design, and remarks on
// splines that are asked beyond their boundary.
func (b *builder) rescale() error {
	for j, p := range b.plan {
		col := b.values(j)
		if largest, at, _ := extent(col); p.term >= 0 && largest > tooLarge {
			return b.tooLarge(b.column(p), col[at], at)
		}
		b.rescaled(j, unit{centre: b.record.Columns[j].Centre, scale: b.record.Columns[j].Scale})
	}
	for i := range b.coded {
		of := &b.record.Variables[i]
		switch outside := b.coded[i].outside; {
		case outside > 0 && of.Basis.Process != nil:
			b.warn("%s: %d of %d rows lie beyond the range of the data, where the process loses what it learned",
				of.Label, outside, b.n)
		case outside > 0:
			b.warn("%s: %d of %d rows lie beyond the boundary knots, where the spline is extrapolated", of.Label, outside,
				b.n)
		}
	}
	return nil
}
