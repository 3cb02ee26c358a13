package transform

import (
	"fmt"
	"math"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// Fitted is the model, with its data, that a derived quantity is bound to.
type Fitted struct {
	Dataset string // for errors
	// Names are those of the parameters in the order of the draws, the
	// coefficients of the design first; their draws are in the units of the data.
	Names  []string
	Record *Record // nil: there is none, and no points
	Family glm.Family
	// Several reports whether there are several linear predictors, as of the components of a mixture, and no points.
	Several bool
	// Effects has the place among Names of the first effect of each block of group-level effects, behind which are its
	// others; −1 if they have no draws.
	Effects []int
	// Average returns the rows of the data for a call of average(); nil if there are none.
	Average func(*Average) (*Averaged, error)
	// Scalars are the dispersions of the family, in its order.
	Scalars []Form
}

// Quantity is a derived expression bound to the parameters of a fit: a function
// of a few linear forms of one draw. It is read-only.
type Quantity struct {
	// Forms are the linear forms of the parameters that it needs, so that only
	// their columns of the draws are read.
	Forms []Form
	// Averages are the rows over which it needs the mean of the mean of the response.
	Averages []*Averaged
	// Notes are additional information about its points.
	Notes  []string
	source *Derived
	form   map[*node]int // name or point → index into Forms
	mean   map[*node]int // average → index into Averages
	family glm.Family
	// dispersions are the indexes into Forms of the dispersions, if a mean of a response depends on them.
	dispersions []int
}

// Form is Constant + Σ Weights[k]·draw[Columns[k]].
type Form struct {
	Constant float64
	Columns  []int // in increasing order
	Weights  []float64
}

// Bind looks up the parameters and points of the expression. Errors are
// *FormulaError for names, with the nearest right one, and *ColumnError for
// values that are no value of their column, such as an unknown level.
//
// Cost: that of coding one row for each point.
func (d *Derived) Bind(f *Fitted) (*Quantity, error) {
	q := &Quantity{source: d, form: map[*node]int{}, mean: map[*node]int{}, family: f.Family}
	if err := q.bind(d.root, f, map[string]int{}); err != nil {
		return q, err
	}
	q.bindDispersions(f)
	return q, nil
}

// bindDispersions adds the dispersions to the forms if the expression has a mean that depends on them.
func (q *Quantity) bindDispersions(f *Fitted) {
	law := q.family.Distribution()
	if law == nil || law.Mean == nil || f.Several || !q.hasMean(q.source.root) {
		return
	}
	for _, form := range f.Scalars {
		q.dispersions = append(q.dispersions, len(q.Forms))
		q.Forms = append(q.Forms, form)
	}
}

// hasMean reports whether an expression has the mean of a response.
func (q *Quantity) hasMean(n *node) bool {
	return n.kind == nodeCall && (n.text == "mean" || n.text == average) || slices.ContainsFunc(n.args, q.hasMean)
}

// bind makes the forms under a node; known has those of equal text.
func (q *Quantity) bind(n *node, f *Fitted, known map[string]int) error {
	if n.kind == nodeCall && n.text == average {
		return q.bindAverage(n, f, known)
	}
	isPoint := n.kind == nodeCall && slices.Contains(points, n.text)
	if n.kind != nodeName && !isPoint {
		for _, arg := range n.args {
			if err := q.bind(arg, f, known); err != nil {
				if slices.Contains(f.Names, n.label()) {
					return q.source.fail(n.pos, fmt.Sprintf("%s is the name of a parameter, and without backquotes a function",
						n.label()), "write `"+n.label()+"`")
				}
				return err
			}
		}
		return nil
	}
	key := quoteName(n.text)
	if isPoint {
		at := *n
		at.text = "linear_predictor" // mean() of the same point needs the same form
		key = at.exact()
	}
	at, found := known[key]
	if !found {
		form, err := q.newForm(n, f, isPoint)
		if err != nil {
			return err
		}
		at = len(q.Forms)
		q.Forms, known[key] = append(q.Forms, form), at
	}
	q.form[n] = at
	return nil
}

func (q *Quantity) newForm(n *node, f *Fitted, isPoint bool) (Form, error) {
	if isPoint && (f.Record == nil || f.Several) {
		return Form{}, q.source.fail(n.pos, n.text+"() is of models with one linear predictor, and this one has several",
			"name parameters")
	}
	if isPoint {
		return q.point(n, f)
	}
	j := slices.Index(f.Names, n.text)
	if j < 0 {
		return Form{}, q.source.unknownParameter(n, f.Names)
	}
	return Form{Columns: []int{j}, Weights: []float64{1}}, nil
}

// unknownParameter says which names there are, in the spelling of expressions.
func (d *Derived) unknownParameter(n *node, names []string) error {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = quoteName(name)
	}
	hint := "the parameters are " + words.List(quoted)
	if near := words.Nearest(n.text, names); near != "" {
		hint = "did you mean " + quoteName(near) + "? " + hint
	}
	return d.fail(n.pos, fmt.Sprintf("there is no parameter %q", n.text), hint)
}

// point is the linear predictor at the point that a call describes, in draws in
// the units of the data.
func (q *Quantity) point(n *node, f *Fitted) (Form, error) {
	b, err := f.Record.recalled(false)
	if err != nil {
		return Form{}, err
	}
	var groups []string
	for i := range b.chosen.groupers {
		groups = append(groups, b.chosen.groupers[i].columns...)
	}
	b.chosen.groupers = nil
	if err := q.source.variablesOf(n, unique(b.inputs()), unique(groups)); err != nil {
		return Form{}, err
	}
	raw := *f.Record // the same design before it is scaled
	if raw.Groupings != nil && !slices.ContainsFunc(groups, func(g string) bool { return slices.Contains(n.names, g) }) {
		raw.Groupings, raw.GroupedBy, raw.Effects = nil, nil, nil
		q.Notes = append(q.Notes, n.label()+": where every group-level effect is 0")
	}
	raw.Columns = slices.Clone(raw.Columns)
	for j := range raw.Columns {
		raw.Columns[j].Centre, raw.Columns[j].Scale = 0, 1
	}
	row, err := raw.Code(oneRow(n),
		Coding{Dataset: f.Dataset, Missing: "error", Locate: func(int64) string { return n.label() }})
	if err != nil {
		return Form{}, err
	}
	for _, w := range row.Warnings {
		q.Notes = append(q.Notes, n.label()+": "+w)
	}
	form := Form{}
	if row.Data.Offset != nil {
		form.Constant = row.Data.Offset[0]
	}
	for j := range row.Data.Cols() {
		if x := row.Data.X.Col(j)[0]; x != 0 {
			form.Columns, form.Weights = append(form.Columns, j), append(form.Weights, x)
		}
	}
	return form, q.addEffects(&form, n, f, row.Data.Effects)
}

// addEffects adds the group-level effects of the one row that a call describes.
func (q *Quantity) addEffects(form *Form, n *node, f *Fitted, effects []*design.Effects) error {
	for k, e := range effects {
		at, levels := f.Effects[k], e.Grouping.Levels()
		if at < 0 {
			return q.source.fail(n.pos, "the draws of group-level effects are not kept",
				"write run: {keep: {groups: draws}}, or leave the columns of groupings out of "+n.text+"()")
		}
		for t, column := range e.Columns {
			x := 1.0
			if column != nil {
				x = column[0]
			}
			if x != 0 {
				form.Columns = append(form.Columns, at+t*levels+int(e.Grouping.Of()[0]))
				form.Weights = append(form.Weights, x)
			}
		}
	}
	return nil
}

// variablesOf checks that a call gives the columns that the model reads, and no
// others.
func (d *Derived) variablesOf(n *node, inputs, groups []string) error {
	all := unique(slices.Concat(inputs, groups))
	if err := d.knownVariables(n, all); err != nil {
		return err
	}
	if slices.ContainsFunc(n.names, func(name string) bool { return slices.Contains(groups, name) }) {
		inputs = all
	}
	var missing []string
	for _, name := range inputs {
		if !slices.Contains(n.names, name) {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return d.fail(n.pos, fmt.Sprintf("%s() needs a value of %s", n.text, missing[0]),
			"give every variable of the formula, also those of offsets: still missing are "+words.List(missing))
	}
	return nil
}

// knownVariables checks that a call gives no other columns than these.
func (d *Derived) knownVariables(n *node, all []string) error {
	for i, name := range n.names {
		if !slices.Contains(all, name) {
			return d.fail(n.args[i].pos, fmt.Sprintf("%s() is given %q, which is not a variable of the formula", n.text, name),
				UnknownHint(name, "variables", all))
		}
	}
	return nil
}

// oneRow is the table of one row that a call describes. A model without
// variables has a column that it does not read.
func oneRow(n *node) arrow.Table {
	return TableOf(n.names, 1, func(column, _ int) any { return n.args[column].constant() })
}

// Undefined counts the draws of a quantity that have no finite value.
type Undefined struct {
	NaN, Infinite int
	At            string // the part of the expression that was the first without one
}

// chunk is the number of draws that are computed at a time.
const chunk = 512

// Values computes the quantity for as many draws as dst has places; forms holds the values of each of Forms for
// them, then those of Averages. A draw without a value (the logarithm of a negative number) is NaN and counted in
// u. Cost: O(len(dst)) per operation.
func (q *Quantity) Values(forms [][]float64, dst []float64, u *Undefined) {
	e := &draws{q: q, forms: forms, u: u}
	for e.from = 0; e.from < len(dst); e.from += chunk {
		e.to = min(e.from+chunk, len(dst))
		v := e.eval(q.source.root)
		for i := range dst[e.from:e.to] {
			x := v.at(i)
			dst[e.from+i] = x
			switch {
			case math.IsNaN(x):
				u.NaN++
			case math.IsInf(x, 0):
				u.Infinite++
			}
		}
	}
}

// draws evaluates an expression for draws from to to.
type draws struct {
	q        *Quantity
	forms    [][]float64
	from, to int
	u        *Undefined
}

func (e *draws) eval(n *node) numbers {
	switch n.kind {
	case nodeName:
		return numbers{each: e.forms[e.q.form[n]][e.from:e.to]}
	case nodeNumber:
		return numbers{one: parse(n.text)}
	case nodeParen:
		return e.eval(n.args[0])
	case nodeNot:
		return e.combine(n, e.eval(n.args[0]), numbers{}, operations["=="])
	case nodeSum:
		return e.sum(n)
	case nodeBinary:
		return e.combine(n, e.eval(n.args[0]), e.eval(n.args[1]), operations[n.text])
	case nodeCall:
		return e.call(n)
	}
	panic("transform: " + n.label() + " is not an expression of parameters") // check refused it
}

func (e *draws) sum(n *node) numbers {
	total := numbers{}
	for i, arg := range n.args {
		operation := func(x, y float64) float64 { return x + y }
		if n.minus[i] {
			operation = func(x, y float64) float64 { return x - y }
		}
		total = e.combine(n, total, e.eval(arg), operation)
	}
	return total
}

func (e *draws) call(n *node) numbers {
	if at, is := e.q.mean[n]; is {
		mean := e.forms[len(e.q.Forms)+at][e.from:e.to]
		e.note(n, mean, func(int) bool { return true })
		return numbers{each: mean}
	}
	if at, isPoint := e.q.form[n]; isPoint {
		eta := e.forms[at][e.from:e.to]
		if n.text != "mean" {
			return numbers{each: eta}
		}
		mean := make([]float64, len(eta))
		law, link := e.q.family.Distribution(), e.q.family.Of()
		for i, v := range eta {
			mean[i] = law.MeanAt(link, v, e.dispersions(i))
		}
		e.note(n, mean, func(i int) bool { return finite(eta[i]) })
		return numbers{each: mean}
	}
	v := e.eval(n.args[0])
	if f := derivedFunctions[n.text]; f != nil {
		return e.combine(n, v, numbers{}, func(x, _ float64) float64 { return f(x) })
	}
	operation := math.Max
	if n.text == "min" {
		operation = math.Min
	}
	for _, arg := range n.args[1:] {
		v = e.combine(n, v, e.eval(arg), operation)
	}
	return v
}

// dispersions returns the dispersions at draw i.
func (e *draws) dispersions(i int) (out [2]float64) {
	for k, at := range e.q.dispersions {
		out[k] = e.forms[at][e.from+i]
	}
	return out
}

// combine applies an operation to each draw.
func (e *draws) combine(n *node, x, y numbers, f func(x, y float64) float64) numbers {
	if x.each == nil && y.each == nil {
		return numbers{one: f(x.one, y.one)}
	}
	out := make([]float64, e.to-e.from)
	for i := range out {
		out[i] = f(x.at(i), y.at(i))
	}
	e.note(n, out, func(i int) bool { return finite(x.at(i)) && finite(y.at(i)) })
	return numbers{each: out}
}

// note keeps the first part of the expression that has no finite value where
// its operands have.
func (e *draws) note(n *node, out []float64, defined func(i int) bool) {
	if e.u.At != "" {
		return
	}
	for i, v := range out {
		if !finite(v) && defined(i) {
			e.u.At = n.label()
			return
		}
	}
}

func finite(v float64) bool { return v-v == 0 }

// Unbounded lists the parameters, by their places in a draw, that the quantity can
// grow with: not those that it reads inside comparisons, logical operations,
// inverse links and means of binary or beta responses only, whose values lie
// between 0 and 1. Where a parameter has no mean, neither may the quantity.
func (q *Quantity) Unbounded() []int {
	var out []int
	var visit func(n *node)
	visit = func(n *node) {
		switch {
		case n.kind == nodeNot ||
			slices.Contains([]string{"<", ">", "<=", ">=", "==", "!=", "&", "|"}, n.text) && n.kind == nodeBinary:
			return
		case n.kind == nodeCall && slices.Contains([]string{"logistic", "plogis", "pnorm", "pcauchy", "inv_cloglog"}, n.text):
			return
		case n.kind == nodeCall && (n.text == "mean" || n.text == average) &&
			q.family.Support().Unit():
			return
		}
		if n.kind == nodeCall && (n.text == "mean" || n.text == average) {
			for _, at := range q.dispersions {
				out = append(out, q.Forms[at].Columns...)
			}
		}
		if at, isForm := q.form[n]; isForm {
			out = append(out, q.Forms[at].Columns...)
			return
		}
		if at, isMean := q.mean[n]; isMean {
			out = append(out, q.Averages[at].params()...)
			return
		}
		for _, arg := range n.args {
			visit(arg)
		}
	}
	visit(q.source.root)
	slices.Sort(out)
	return slices.Compact(out)
}
