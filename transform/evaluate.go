package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"glmbatch/internal/vec"
)

// Scaling holds the centre and the divisor of one scale() of an expression.
type Scaling struct {
	Centre float64 `json:"centre"`
	Scale  float64 `json:"scale"`
}

// evaluator computes an expression of numbers over rows of a table.
type evaluator struct {
	b      *builder
	source string // the text that positions count in
	keep   []bool // rows to read; nil means all
	n      int    // how many they are
	learn  bool   // whether scale() measures or takes given values
	scales []Scaling
	told   int    // scales used so far
	role   string // of the expression, where it learns
}

// numbers is a value of each row, or one for all.
type numbers struct {
	each []float64
	one  float64
}

func (v numbers) at(i int) float64 {
	if v.each == nil {
		return v.one
	}
	return v.each[i]
}

// values computes an expression that reads a column. Every value is finite, or
// the error names the first cell at fault. Cost: O(rows) per operation.
func (e *evaluator) values(n *node) ([]float64, error) {
	v, err := e.eval(n)
	if err == nil && v.each == nil {
		panic("transform: " + n.label() + " reads no column") // the selector refused it
	}
	return v.each, err
}

func (e *evaluator) eval(n *node) (numbers, error) {
	switch n.kind {
	case nodeName:
		return e.column(n)
	case nodeNumber:
		return numbers{one: parse(n.text)}, nil
	case nodeParen:
		return e.eval(n.args[0])
	case nodeSum:
		return e.sum(n)
	case nodeBinary:
		return e.binary(n)
	case nodeNot:
		x, err := e.eval(n.args[0])
		if err != nil {
			return x, err
		}
		return e.combine(n, x, numbers{}, operations["=="])
	case nodeCall:
		return e.call(n)
	}
	panic("transform: " + n.label() + " is not arithmetic") // the selector refused it
}

// column reads a column of numbers, or one of true and false as 1 and 0.
func (e *evaluator) column(n *node) (numbers, error) {
	c := e.b.columns[n.text]
	if c.dated() {
		return numbers{}, e.b.notNumber(c.name, fmt.Errorf("its type is %s, and %w", c.typ, errDates))
	}
	if c.kind == text {
		return numbers{}, e.b.columnError(c.name, fmt.Errorf("its type is %s, and the formula takes a number at character "+
			"%d of %q", c.typ, e.character(n), shortened(e.source)), "name the column alone, as a factor")
	}
	v := make([]float64, e.n)
	c.floats(v, e.keep)
	return numbers{each: v}, nil
}

// character counts a node's place in characters from 1.
func (e *evaluator) character(n *node) int {
	return len([]rune(e.source[:min(n.pos, len(e.source))])) + 1
}

// combine applies an operation to each row.
func (e *evaluator) combine(n *node, x, y numbers, f func(x, y float64) float64) (numbers, error) {
	if x.each == nil && y.each == nil {
		v := f(x.one, y.one)
		if v-v != 0 {
			return numbers{}, &FormulaError{Formula: e.source, Pos: n.pos, Err: fmt.Errorf("%s is %v", n.label(), v)}
		}
		return numbers{one: v}, nil
	}
	out := make([]float64, e.n)
	for i := range out {
		out[i] = f(x.at(i), y.at(i))
		if out[i]-out[i] != 0 { // NaN or infinite
			return numbers{}, e.cell(n, i, x.at(i), out[i])
		}
	}
	return numbers{each: out}, nil
}

// cell reports that an expression has no value in row i.
func (e *evaluator) cell(n *node, i int, x, v float64) error {
	said := "not a number"
	if math.IsInf(v, 0) {
		said = "infinite or too large"
	}
	value := strconv.FormatFloat(x, 'g', -1, 64)
	err := fmt.Errorf("%s is %s (character %d of the formula): its first operand is %s", n.label(), said, e.character(n),
		value)
	hint := "correct the value, or drop such rows where the data are made"
	if n.kind == nodeCall && len(n.text) >= 3 && n.text[:3] == "log" {
		err = fmt.Errorf("%s has no logarithm, and the formula takes %s (character %d)", value, n.label(), e.character(n))
		hint = "drop or correct such rows where the data are made; an exposure is above 0, and counts with zeros go into " +
			"log(x + 1)"
	}
	return e.b.cellError(e.b.firstColumn(n), tableRow(e.keep, i), err, hint)
}

func (e *evaluator) sum(n *node) (numbers, error) {
	if len(n.args) == 2 && n.minus[0] != n.minus[1] && e.isDates(n.args[0]) && e.isDates(n.args[1]) {
		from, to := n.args[0], n.args[1]
		if n.minus[1] {
			from, to = to, from
		}
		return e.between(n, from, to)
	}
	total := numbers{}
	for i, arg := range n.args {
		v, err := e.eval(arg)
		if err != nil {
			return v, err
		}
		operation := func(x, y float64) float64 { return x + y }
		if n.minus[i] {
			operation = func(x, y float64) float64 { return x - y }
		}
		if i == 0 && !n.minus[0] {
			total = v
			continue
		}
		if total, err = e.combine(n, total, v, operation); err != nil {
			return total, err
		}
	}
	return total, nil
}

// operations of two numbers.
var operations = map[string]func(x, y float64) float64{
	"*": func(x, y float64) float64 { return x * y },
	"/": func(x, y float64) float64 { return x / y },
	"^": power, "**": power,
	"<":  truthOf(func(x, y float64) bool { return x < y }),
	">":  truthOf(func(x, y float64) bool { return x > y }),
	"<=": truthOf(func(x, y float64) bool { return x <= y }),
	">=": truthOf(func(x, y float64) bool { return x >= y }),
	"==": truthOf(func(x, y float64) bool { return x == y }),
	"!=": truthOf(func(x, y float64) bool { return x != y }),
	"&":  truthOf(func(x, y float64) bool { return x != 0 && y != 0 }),
	"|":  truthOf(func(x, y float64) bool { return x != 0 || y != 0 }),
}

// truthOf is 1 if holds does and 0 otherwise; NaN if an operand is.
func truthOf(holds func(x, y float64) bool) func(x, y float64) float64 {
	return func(x, y float64) float64 {
		switch {
		case math.IsNaN(x) || math.IsNaN(y):
			return math.NaN()
		case holds(x, y):
			return 1
		}
		return 0
	}
}

// text is 1 where a column of text has a value, and 0 elsewhere (or the other
// way round for !=).
func (e *evaluator) text(n *node) (numbers, error) {
	column, value := n.args[0], n.args[1].text
	if column.kind == nodeString {
		column, value = n.args[1], n.args[0].text
	}
	c := e.b.columns[column.text]
	if c.kind != text {
		return numbers{}, e.b.columnError(c.name,
			fmt.Errorf("it is %s (%s), and %s compares it with text", c.kind, c.typ, n.label()), "leave the quotes out")
	}
	f := c.factor(e.keep, e.n, maxLevels)
	if f == nil {
		return numbers{}, e.b.columnError(c.name, fmt.Errorf("the column has more than %d distinct values", maxLevels), "")
	}
	at := slices.Index(f.levels, value)
	if at < 0 && e.learn && e.b.all == nil {
		return numbers{}, e.b.columnError(c.name, fmt.Errorf("%s asks for a value that no row has", n.label()),
			UnknownHint(value, "values", f.levels))
	}
	out := make([]float64, e.n)
	for i, code := range f.codes {
		if (int(code) == at) == (n.text == "==") {
			out[i] = 1
		}
	}
	return numbers{each: out}, nil
}

func (e *evaluator) binary(n *node) (numbers, error) {
	if n.comparesText() {
		return e.text(n)
	}
	x, err := e.eval(n.args[0])
	if err != nil {
		return x, err
	}
	y, err := e.eval(n.args[1])
	if err != nil {
		return y, err
	}
	return e.combine(n, x, y, operations[n.text])
}

// ofOne are functions of one number.
var ofOne = map[string]func(x float64) float64{
	"I": func(x float64) float64 { return x }, "abs": math.Abs, "sqrt": math.Sqrt, "exp": exponential,
	"log": positive(naturalLog), "log2": positive(log2), "log10": positive(log10), "log1p": log1p,
}

// logarithm is the one to a base, as R takes it.
func logarithm(base float64) func(float64) float64 {
	switch base {
	case 2:
		return ofOne["log2"]
	case 10:
		return ofOne["log10"]
	}
	scale := naturalLog(base)
	return positive(func(x float64) float64 { return naturalLog(x) / scale })
}

// arguments puts the checked arguments of a function of numbers in the order of
// its formal ones; nil stands for one that is not given.
func (n *node) arguments() []*node {
	out, err := (&selector{formula: new(Formula)}).match(n, formalsOf(n.text))
	if err != nil {
		panic("transform: " + err.Error()) // the selector refused it
	}
	return out
}

// positive is a logarithm with its value at 0 and none below.
func positive(log func(float64) float64) func(float64) float64 {
	return func(x float64) float64 {
		if !(x > 0) {
			return math.Inf(-1)
		}
		return log(x)
	}
}

func (e *evaluator) call(n *node) (numbers, error) {
	if n.text == "scale" {
		return e.scale(n)
	}
	args := n.arguments()
	x, err := e.eval(args[0])
	if err != nil {
		return x, err
	}
	f := ofOne[n.text]
	if n.text == "log" && args[1] != nil {
		base, _ := args[1].number()
		f = logarithm(base)
	}
	return e.combine(n, x, numbers{}, func(x, _ float64) float64 { return f(x) })
}

// scale subtracts the centre and divides, both as R's scale() finds them: the mean unless it is given, then the
// root of Σx²/(n − 1) of the rest.
func (e *evaluator) scale(n *node) (numbers, error) {
	args := n.arguments()
	x, err := e.values(args[0])
	if err != nil {
		return numbers{}, err
	}
	if e.learn {
		s, counts := Scaling{Scale: 1}, e.b.countsOf(e.keep)
		mean := func() float64 { m, _ := countedMeanAndSD(x, counts); return m }
		spread := func(centre float64) float64 { return rootMeanSquare(x, counts, centre) }
		if e.b.all != nil {
			all := e.b.all.sums[e.role+n.exact()]
			mean, spread = all.mean, all.spread
		}
		if s.Centre, err = given(args[1], 0, mean); err == nil {
			s.Scale, err = given(args[2], 1, func() float64 { return spread(s.Centre) })
		}
		if err != nil || !(s.Scale > 0) {
			return numbers{}, e.b.columnError(e.b.firstColumn(n), fmt.Errorf("%s at character %d of the formula divides by a "+
				"standard deviation of 0", n.label(), e.character(n)), "leave the constant column out")
		}
		if math.IsInf(s.Scale, 0) || math.IsInf(s.Centre, 0) {
			return numbers{}, e.b.columnError(e.b.firstColumn(n), fmt.Errorf("%s at character %d of the formula: the squares "+
				"of its numbers overflow", n.label(), e.character(n)), "measure the column in a larger unit")
		}
		e.scales = append(e.scales, s)
	}
	s := e.scales[e.told]
	e.told++
	return e.combine(n, numbers{each: x}, numbers{}, func(x, _ float64) float64 { return (x - s.Centre) / s.Scale })
}

// given is a number that the formula gives, or the one that FALSE or TRUE means.
func given(arg *node, no float64, yes func() float64) (float64, error) {
	if arg == nil {
		return yes(), nil
	}
	if v, ok := arg.number(); ok {
		return v, nil
	}
	if on, ok := arg.boolean(); ok && !on {
		return no, nil
	} else if ok {
		return yes(), nil
	}
	return 0, errors.New("neither a number nor TRUE or FALSE")
}

// rootMeanSquare is the root of Σ(x − centre)²/(n − 1), x[i] counted counts[i] times, or once.
func rootMeanSquare(x, counts []float64, centre float64) float64 {
	if counts == nil {
		_, second := vec.Deviations(x, centre)
		return math.Sqrt(second / math.Max(1, float64(len(x)-1)))
	}
	squares := make([]float64, len(x))
	for i, v := range x {
		squares[i] = float64((v-centre)*(v-centre)) * counts[i]
	}
	return math.Sqrt(vec.Sum(squares) / math.Max(1, vec.Sum(counts)-1))
}

// firstColumn is the first column that an expression reads.
func (b *builder) firstColumn(n *node) string {
	name := ""
	n.reads(func(column *node) {
		if name == "" {
			name = column.text
		}
	})
	return name
}
