package transform

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// coded is a variable of the terms with what codes its rows.
type coded struct {
	variable *variable
	codes    []int32     // of a factor, indices into the record's levels
	values   [][]float64 // of a function, column by column, while it is in use
	outside  int         // values beyond a spline's boundary knots
}

// variables learns from the data what the terms' variables are: the levels of
// factors, the centres of scale(), the knots of splines.
func (b *builder) variables() error {
	index := make([]int, len(b.chosen.variables)) // selection → record
	for i, used := range b.chosen.used() {
		if !used {
			continue
		}
		v := &b.chosen.variables[i]
		record, made, err := b.learn(v)
		if err != nil {
			return err
		}
		b.record.Variables, b.coded = append(b.record.Variables, *record), append(b.coded, *made)
		index[i] = len(b.coded) - 1
	}
	b.record.Terms = append(b.terms(b.chosen.terms, b.chosen.intercept, index), b.smoothTerms(index)...)
	if err := b.planEffects(index); err != nil {
		return err
	}
	return b.planColumns()
}

// terms makes the record's terms of those of the formula; index is where the record has a variable of the selection.
func (b *builder) terms(chosen []term, intercept bool, index []int) []Term {
	var out []Term
	terms := make([]term, len(chosen))
	for k, t := range chosen {
		for _, v := range t {
			terms[k] = append(terms[k], index[v])
		}
		out = append(out, Term{Label: b.chosen.termLabel(t), Variables: terms[k]})
	}
	full := fullCoding(terms, func(v int) bool {
		return b.record.Variables[v].Levels != nil && !b.record.Variables[v].isMonotone()
	}, intercept)
	for k := range full {
		if slices.Contains(full[k], true) {
			out[k].Full = full[k]
		}
	}
	return out
}

// coding returns the coding of a factor.
func (b *builder) coding(v *variable, c *column, f *factor) (string, error) {
	if v.node.isMonotone() {
		return monotonic, b.learnMonotone(c, f)
	}
	return cmp.Or(b.spec.Contrasts[c.name], treatment), nil
}

// learn reads one variable.
func (b *builder) learn(v *variable) (*Variable, *coded, error) {
	record := &Variable{Label: v.label, Expression: v.key, Kind: string(numeric)}
	made := &coded{variable: v}
	if c, is := b.factorColumn(v); is {
		if v.node.isStructured() {
			return record, made, b.learnStructure(v, c, record, made)
		}
		f, err := b.factor(c, v)
		if err != nil {
			return nil, nil, err
		}
		b.slips(c, f)
		if err := b.releveled(v, c, f); err != nil {
			return nil, nil, err
		}
		record.Kind = string(c.kind)
		if record.Contrasts, err = b.coding(v, c, f); err != nil {
			return nil, nil, err
		}
		record.Levels = f.levels
		if record.Contrasts == treatment && b.spec.Levels[c.name] != nil && b.all == nil && !slices.Contains(f.codes, 0) {
			b.warn("column %q: no row has the reference level %q, which the other coefficients are measured against", c.name,
				f.levels[0])
		}
		made.codes = f.codes
		return record, made, nil
	}
	if v.plain() {
		return record, made, nil
	}
	if v.node.computed() {
		f, err := b.learnComputed(v, record)
		if err != nil {
			return nil, nil, err
		}
		record.Levels, record.Contrasts, made.codes = f.levels, treatment, f.codes
		return record, made, nil
	}
	if v.node.kind == nodeCall && v.node.text == "I" && v.node.args[0].kind == nodeName &&
		b.columns[v.columns[0]].kind == logical {
		return nil, nil, b.formulaError(v.pos, fmt.Sprintf("column %q is true or false, which is a factor", v.columns[0]),
			"write "+quoteName(v.columns[0])+" without I()")
	}
	x, counts, call, err := b.learnExpression(v, record)
	if err != nil || call == nil {
		return record, made, err
	}
	if b.all != nil && !call.raw {
		record.Basis, err = b.all.sums[termRole+v.key].basis(call)
	} else {
		record.Basis, err = call.learn(x, counts)
	}
	if err != nil {
		return nil, nil, b.columnError(v.columns[0],
			fmt.Errorf("%s at character %d of the formula: %w", v.label, v.character(), err),
			cmp.Or(call.smooth.hint(), "ask for fewer columns, or give knots inside the data"))
	}
	return record, made, nil
}

// learnExpression computes a function of columns over all rows where these are
// not missing, as R does, even rows that are dropped for another column's sake.
// Call is nil unless the function makes several columns.
// Counts are Spec.Counts of these rows.
func (b *builder) learnExpression(v *variable, record *Variable) (x, counts []float64, call *basisCall, err error) {
	n, call, err := v.argument()
	if err != nil || v.node.calendar() { // which learns no number
		return nil, nil, nil, err
	}
	keep, rows := b.complete(v.columns)
	if call != nil && call.smooth != nil { // as in mgcv
		keep, rows = b.keep, b.n
		if err := b.multiplier(call.smooth); err != nil {
			return nil, nil, nil, err
		}
		for _, other := range call.smooth.others {
			e := &evaluator{b: b, source: v.source, keep: keep, n: rows, learn: true, role: termRole}
			z, err := e.values(other)
			if err != nil {
				return nil, nil, nil, err
			}
			call.smooth.with = append(call.smooth.with, z)
		}
	}
	e := &evaluator{b: b, source: v.source, keep: keep, n: rows, learn: true, role: termRole}
	x, err = e.values(n)
	record.Scales = e.scales
	return x, b.countsOf(keep), call, err
}

// complete masks the rows in which the named columns have values; nil means
// all rows.
func (b *builder) complete(columns []string) (keep []bool, rows int) {
	rows = b.rows
	if b.keep == nil {
		return nil, rows
	}
	for _, name := range columns {
		b.columns[name].faults(func(row int, f fault) {
			if keep == nil {
				keep = allTrue(b.rows)
			}
			if f != faultInfinite && keep[row] {
				keep[row] = false
				rows--
			}
		})
	}
	return keep, rows
}

// factorColumn returns the column of a variable that is a factor.
func (b *builder) factorColumn(v *variable) (*column, bool) {
	c := b.columns[v.columns[0]]
	if v.plain() {
		return c, c.kind != numeric
	}
	return c, v.node.ofColumn()
}

// maxColumns bounds the width of a design.
const maxColumns = 1 << 22

// planColumns names the columns of the design, term by term; within an
// interaction the first variable's columns run fastest.
func (b *builder) planColumns() error {
	names := newNames(b.spec.Family.Name)
	if b.intercepts() > 0 {
		b.plan = append(b.plan, planned{name: interceptName, term: -1})
	}
	if err := b.columnsFit(); err != nil {
		return err
	}
	for k := range b.chosen.terms {
		if b.record.monotone(&b.record.Terms[k]) < 0 {
			b.plan = append(b.plan, b.planTerm(&b.record.Terms[k], k, names)...)
		}
	}
	if err := errors.Join(b.planSmooths(names), b.planMonotone(names)); err != nil {
		return err
	}
	for _, clash := range names.clashes {
		b.warn("%s", clash)
	}
	for j := range b.plan {
		b.plan[j].negative = b.spec.Formula.negative && b.plan[j].term >= 0
	}
	return nil
}

// planTerm names the columns of a term, which is number k.
func (b *builder) planTerm(t *Term, k int, names *names) []planned {
	width := make([]int, len(t.Variables))
	for i, v := range t.Variables {
		variable := &b.record.Variables[v]
		width[i] = variable.columns(t.full(i))
		if width[i] == 0 && len(t.Variables) == 1 {
			b.warn("column %q has the one value %q and adds nothing to the model; it was left out",
				b.coded[v].variable.columns[0], variable.Levels[0])
		}
	}
	var out []planned
	labels, suffixes := make([]string, len(width)), make([]string, len(width))
	for column := range b.width(t) {
		parts := make([]int, len(width))
		for i, v := range t.Variables {
			parts[i] = column % width[i]
			column /= width[i]
			labels[i], suffixes[i] = b.record.Variables[v].Label, b.record.Variables[v].suffix(t.full(i), parts[i])
		}
		out = append(out, planned{name: names.take(labels, suffixes), term: k, parts: parts})
	}
	return out
}

// columnsFit refuses a design of too many columns before they are named.
func (b *builder) columnsFit() error {
	columns := len(b.plan)
	for k := range b.record.Terms {
		if columns += b.width(&b.record.Terms[k]); columns > maxColumns {
			return b.tableError(fmt.Sprintf("the design has more than %d columns with the term %s", maxColumns,
				b.record.Terms[k].Label), "cross factors with fewer levels")
		}
	}
	if sparse, _, err := b.begins(columns); err == nil && sparse {
		return b.reserve(columns, 0) // its entries are counted when they are known
	}
	return b.reserve(columns, int64(b.n)*int64(columns))
}

// knownCodings refuses contrasts for columns that are no factors, and codings
// that are not there.
func (b *builder) knownCodings() error {
	var factors, asked []string
	for i := range b.chosen.variables {
		if c := b.columns[b.chosen.variables[i].columns[0]]; c != nil {
			if _, is := b.factorColumn(&b.chosen.variables[i]); is {
				factors = append(factors, c.name)
			}
		}
	}
	//maporder:ok the names are sorted before they are looked at
	for name := range b.spec.Contrasts {
		asked = append(asked, name)
	}
	slices.Sort(asked)
	for _, name := range asked {
		coding := b.spec.Contrasts[name]
		switch {
		case !slices.Contains(factors, name) && b.columns[name] != nil && b.columns[name].kind == numeric:
			return b.columnError(name, errors.New("contrasts are given for it, but it holds numbers"),
				"write factor("+quoteName(name)+") in the formula")
		case !slices.Contains(factors, name):
			return b.columnError(name, errors.New("contrasts are given for it, but no term of the model has such a factor"),
				UnknownHint(name, "factors", factors))
		case !slices.Contains(codings, coding):
			return b.columnError(name, fmt.Errorf("there is no coding %q of a factor", coding),
				UnknownHint(coding, "codings", codings))
		}
	}
	return nil
}
