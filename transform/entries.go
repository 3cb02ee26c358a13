package transform

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// Entries says how cells of incomplete columns become entries of a design: which columns of it a cell moves, and what
// they hold given the states of all incomplete columns in a row. It is read-only.
type Entries struct {
	record *Record
	gaps   []Gap
	reads  []source             // of each variable of the record
	raw    map[string][]float64 // of complete columns in terms with incomplete ones, and codes of factors
	moved  [][]int              // by gap
}

// source is a variable as its entries are computed.
type source struct {
	variable *variable
	node     *node // the number that it, or its basis, takes; nil of a factor
	gap      []int // incomplete columns that it reads
	state    []int // of a factor: the level of state 0, of state 1 and so on
}

// NewEntries reads the record of a design that was made of table, which is Filled. Its error names a term through which
// cells are not carried.
func (r *Record) NewEntries(gaps []Gap, table arrow.Table) (*Entries, error) {
	e := &Entries{record: r, gaps: gaps, raw: map[string][]float64{}, moved: make([][]int, len(gaps))}
	for i := range r.Variables {
		s, err := e.source(&r.Variables[i])
		if err != nil {
			return nil, err
		}
		e.reads = append(e.reads, s)
	}
	for j, c := range r.Columns {
		if c.Term < 0 {
			continue
		}
		t := &r.Terms[c.Term]
		for k := range gaps {
			if slices.ContainsFunc(t.Variables, func(v int) bool { return slices.Contains(e.reads[v].gap, k) }) {
				e.moved[k] = append(e.moved[k], j)
			}
		}
	}
	for _, t := range r.Terms {
		if err := e.readComplete(&t, table); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// source reads a variable of the record.
func (e *Entries) source(v *Variable) (s source, err error) {
	if s.variable, err = readExpression(v.Expression, v.Label); err != nil {
		return s, err
	}
	for _, name := range s.variable.columns {
		if k := slices.IndexFunc(e.gaps, func(g Gap) bool { return g.Column == name }); k >= 0 {
			s.gap = append(s.gap, k)
		}
	}
	refuse := func(what string) (source, error) {
		return s, fmt.Errorf("%s %s, and missing cells are not carried through it", v.Label, what)
	}
	switch {
	case v.Levels != nil && s.gap == nil:
		return s, nil
	case v.Levels != nil && !s.variable.plain():
		return refuse("makes a factor of an incomplete column")
	case v.Levels != nil:
		for _, level := range e.gaps[s.gap[0]].Levels {
			at := slices.Index(v.Levels, level)
			if at < 0 {
				return refuse(fmt.Sprintf("has no row with %s among those that have a response", level))
			}
			s.state = append(s.state, at)
		}
		return s, nil
	case v.Basis != nil && v.Basis.smooth() && s.gap != nil:
		return refuse("is a smooth of an incomplete column")
	}
	if s.node, _, err = s.variable.argument(); err != nil {
		return s, err
	}
	for _, k := range s.gap {
		if !e.gaps[k].Log && !e.gaps[k].Above && !s.variable.plain() && s.node.needsPositive() {
			return s, fmt.Errorf("%s has no value for some numbers that the model of %s has: model its logarithm, as in "+
				"imputation: {%s: {formula: log(%s) ~ …}}", v.Label, e.gaps[k].Column, quoteName(e.gaps[k].Column),
				quoteName(e.gaps[k].Column))
		}
	}
	return s, nil
}

// needsPositive reports whether an expression has no value for some numbers, as logarithms have none below 0.
func (n *node) needsPositive() bool {
	switch n.kind {
	case nodeCall:
		if slices.Contains([]string{"log", "log2", "log10", "log1p", "sqrt"}, n.text) {
			return true
		}
		return len(n.args) > 0 && n.args[0].needsPositive()
	case nodeBinary:
		if n.text == "/" {
			return true
		}
		if n.text == "^" || n.text == "**" {
			y, ok := n.args[1].number()
			return !ok || y != math.Trunc(y) || y < 0 || n.args[0].needsPositive()
		}
	}
	return slices.ContainsFunc(n.args, func(arg *node) bool { return arg.needsPositive() })
}

// readComplete reads the complete columns of a term that has an incomplete one.
func (e *Entries) readComplete(t *Term, table arrow.Table) error {
	if !slices.ContainsFunc(t.Variables, func(v int) bool { return e.reads[v].gap != nil }) {
		return nil
	}
	for _, v := range t.Variables {
		s := &e.reads[v]
		for _, name := range s.variable.columns {
			if slices.ContainsFunc(e.gaps, func(g Gap) bool { return g.Column == name }) || e.raw[name] != nil {
				continue
			}
			c, err := openColumn(table, slices.Index(schemaNames(table.Schema()), name))
			if err != nil {
				return err
			}
			values := make([]float64, c.rows)
			if levels := e.record.Variables[v].Levels; levels != nil {
				f := c.factor(nil, c.rows, len(levels)+1)
				if f == nil || !s.variable.plain() {
					return fmt.Errorf("%s: cells are not carried through a product with %s", t.Label, s.variable.label)
				}
				for i, code := range f.codes {
					values[i] = float64(slices.Index(levels, f.levels[code]))
				}
			} else {
				c.floats(values, nil)
			}
			e.raw[name] = values
		}
	}
	return nil
}

// Moved lists the columns of the design that cells of an incomplete column move, in increasing order.
func (e *Entries) Moved(k int) []int { return e.moved[k] }

// Affine returns slope and origin of entry = slope·state + origin for each column that cells of an incomplete
// column move; ok is false if one is not such a function of that state alone, with the same numbers in each row.
func (e *Entries) Affine(k int) (slope, origin []float64, ok bool) {
	for _, j := range e.moved[k] {
		c := &e.record.Columns[j]
		t := &e.record.Terms[c.Term]
		v := &e.record.Variables[t.Variables[0]]
		s := &e.reads[t.Variables[0]]
		if len(t.Variables) > 1 || len(s.gap) != 1 {
			return nil, nil, false
		}
		from, to := 0.0, 1.0
		switch {
		case len(s.state) > 2:
			return nil, nil, false
		case s.state != nil:
			from = contrast(v.Contrasts, t.full(0), c.Parts[0], s.state[0], len(v.Levels))
			to = contrast(v.Contrasts, t.full(0), c.Parts[0], s.state[1], len(v.Levels))
		case e.gaps[k].Log:
			if v.Basis != nil || s.node.kind != nodeCall || s.node.text != "log" || len(s.node.args) != 1 ||
				s.node.args[0].kind != nodeName {
				return nil, nil, false
			}
		case !s.variable.plain():
			return nil, nil, false
		default:
			from, to = e.gaps[k].Low, e.gaps[k].Low+1
		}
		slope = append(slope, (to-from)/c.Scale)
		origin = append(origin, (from-c.Centre)/c.Scale)
	}
	return slope, origin, true
}

// Table returns, for each column that cells of an incomplete column of several levels move, its entries by level; ok is
// false of other columns, and where one depends on more than the level.
func (e *Entries) Table(k int) (entries [][]float64, ok bool) {
	for _, j := range e.moved[k] {
		c := &e.record.Columns[j]
		t := &e.record.Terms[c.Term]
		v := &e.record.Variables[t.Variables[0]]
		s := &e.reads[t.Variables[0]]
		if len(t.Variables) > 1 || len(s.state) <= 2 {
			return nil, false
		}
		row := make([]float64, len(s.state))
		for state, level := range s.state {
			row[state] = (v.value(t.full(0), c.Parts[0], level) - c.Centre) / c.Scale
		}
		entries = append(entries, row)
	}
	return entries, entries != nil
}

// Code writes the entries of some columns of the design at a row to dst, given the states of all incomplete columns
// there: NaN if a function has no value.
func (e *Entries) Code(row int, states []float64, columns []int, dst []float64) {
	for i, j := range columns {
		c := &e.record.Columns[j]
		t := &e.record.Terms[c.Term]
		x := 1.0
		for m, v := range t.Variables {
			x = float64(x * e.part(v, c.Parts[m], t.full(m), row, states))
		}
		dst[i] = (x - c.Centre) / c.Scale
	}
}

// part is column p of a variable at a row.
func (e *Entries) part(v, p int, full bool, row int, states []float64) float64 {
	s, r := &e.reads[v], &e.record.Variables[v]
	if r.Levels != nil {
		level := 0
		if s.state != nil {
			level = s.state[int(math.Round(states[s.gap[0]]))]
		} else {
			level = int(e.raw[s.variable.columns[0]][row])
		}
		return r.value(full, p, level)
	}
	scales := r.Scales
	x := e.number(s.node, row, states, &scales)
	if r.Basis != nil && x-x == 0 {
		return r.Basis.evaluate([]float64{x})[p][0]
	}
	return x
}

// number computes an expression at a row; scales are those of its scale(), in order.
func (e *Entries) number(n *node, row int, states []float64, scales *[]Scaling) float64 {
	at := func(i int) float64 { return e.number(n.args[i], row, states, scales) }
	switch n.kind {
	case nodeName:
		if k := slices.IndexFunc(e.gaps, func(g Gap) bool { return g.Column == n.text }); k >= 0 {
			if e.gaps[k].Log {
				return exponential(states[k])
			}
			return states[k] + e.gaps[k].Low
		}
		return e.raw[n.text][row]
	case nodeNumber:
		return parse(n.text)
	case nodeParen:
		return at(0)
	case nodeNot:
		return operations["=="](at(0), 0)
	case nodeSum:
		total := 0.0
		for i := range n.args {
			x := at(i)
			if n.minus[i] {
				x = -x
			}
			total += x
		}
		return total
	case nodeBinary:
		x := at(0)
		return operations[n.text](x, at(1))
	case nodeCall:
		return e.called(n, row, states, scales)
	}
	return math.NaN()
}

func (e *Entries) called(n *node, row int, states []float64, scales *[]Scaling) float64 {
	args := n.arguments()
	x := e.number(args[0], row, states, scales)
	if n.text == "scale" {
		s := (*scales)[0]
		*scales = (*scales)[1:]
		return (x - s.Centre) / s.Scale
	}
	f := ofOne[n.text]
	if n.text == "log" && args[1] != nil {
		base, _ := args[1].number()
		f = logarithm(base)
	}
	if x = f(x); x-x != 0 {
		return math.NaN()
	}
	return x
}
