package transform

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/words"
)

// Limit is an expression of cens() or trunc() on the left of a formula, or a number.
type Limit struct {
	Of         string `json:"of"` // cens, y2, lb, ub, event
	Expression string `json:"expression"`
}

// limit is a Limit that has been parsed. Its variable has no columns if it is a number.
type limit struct {
	of string
	*variable
}

// limitArguments are the arguments of the calls that limit a response, as in brms.
var limitArguments = map[string][]string{"cens": {"cens", "y2"}, "trunc": {"lb", "ub"}}

// Limits returns what rows of the response may be besides observed, by cens() and trunc() on the left.
func (f *Formula) Limits() family.Limits {
	switch {
	case f.left.count("trunc") > 0:
		return family.Truncated
	case f.left.count("cens")+f.left.count("surv") > 0:
		return family.Censored
	}
	return family.NoLimits
}

// limited reads cens(c), cens(c, y2) and trunc(lb = a, ub = b).
func (s *selector) limited(n *node) error {
	names := limitArguments[n.text]
	if slices.ContainsFunc(s.out.limits, func(l limit) bool { return slices.Contains(names, l.of) }) {
		return s.fail(n.pos, n.text+"() is given twice", "")
	}
	if len(n.args) == 0 || len(n.args) > len(names) {
		return s.fail(n.pos, fmt.Sprintf("%s() takes one or two arguments", n.text),
			"write cens(c), cens(c, y2) or trunc(lb = 0, ub = 10)")
	}
	for i, arg := range n.args {
		of := names[i]
		if name := n.names[i]; name != "" && name != "censored" && name != "cens" {
			of = name
		}
		if !slices.Contains(names, of) {
			return s.fail(arg.pos, fmt.Sprintf("%s() has no argument %s", n.text, n.names[i]),
				"its arguments are "+words.List(names))
		}
		if _, number := arg.number(); !number || n.text == "cens" {
			if err := s.arithmetic(arg); err != nil {
				return err
			}
			if err := s.columnsOf(arg); err != nil {
				return err
			}
		}
		v := newVariable(arg, arg.label(), s.formula.source)
		s.out.limits = append(s.out.limits, limit{of, v})
		s.take(v)
	}
	return nil
}

// recallLimits reads the limits of a record.
func (b *builder) recallLimits() error {
	for _, l := range b.record.Response.Limits {
		v, err := readExpression(l.Expression, l.Expression)
		if err != nil {
			return err
		}
		b.chosen.limits = append(b.chosen.limits, limit{l.Of, v})
	}
	return nil
}

// limits reads how rows are censored, the upper ends of their intervals, and between which numbers they are seen.
func (b *builder) limits() error {
	if len(b.chosen.limits) == 0 || b.out.Data.Y == nil {
		return nil
	}
	numbers := map[string][]float64{}
	b.record.Response.Limits = nil
	for _, l := range b.chosen.limits {
		b.record.Response.Limits = append(b.record.Response.Limits, Limit{l.of, l.key})
		values, err := b.limitOf(l)
		if err != nil {
			return err
		}
		numbers[l.of] = values
	}
	if events := numbers[eventOf]; events != nil {
		numbers["cens"] = events
	}
	data := b.out.Data
	data.Kind = numbers["cens"]
	within := slices.Contains(data.Kind, family.Within)
	if within && numbers["y2"] == nil {
		return b.formulaError(b.chosen.response.pos, "rows in intervals have an upper end",
			"write cens(c, y2), with the upper ends in the column y2")
	}
	if within || numbers["lb"] != nil || numbers["ub"] != nil {
		data.Bounds = make([]family.Bound, b.n)
		for i := range data.Bounds {
			at := func(of string, none float64) float64 {
				if v := numbers[of]; v != nil {
					return v[i]
				}
				return none
			}
			data.Bounds[i] = family.Bound{Upper: at("y2", math.Inf(1)), Low: at("lb", math.Inf(-1)), High: at("ub", math.Inf(1))}
		}
	}
	var bad *glm.DomainError
	if err := b.spec.Family.CheckLimits(data.Y, data.Kind, data.Bounds); errors.As(err, &bad) {
		return b.cellError(b.chosen.response.columns[0], b.tableRow(bad.Row),
			fmt.Errorf("%s %v is not allowed: %s", bad.What, bad.Value, bad.Allowed), "")
	}
	return nil
}

// limitOf computes a limit of each row.
func (b *builder) limitOf(l limit) ([]float64, error) {
	if v, ok := l.node.number(); ok {
		return slices.Repeat([]float64{v}, b.n), nil
	}
	if l.of != "cens" {
		values, _, err := b.evaluate(l.variable, nil)
		if l.of == eventOf && err == nil {
			return b.eventKinds(l, values)
		}
		return values, err
	}
	c := b.columns[l.columns[0]]
	if l.plain() && c.kind == text {
		return b.kindsOf(c)
	}
	values, _, err := b.evaluate(l.variable, nil)
	for i, v := range values {
		if v != family.Observed && v != family.Above && v != family.Below && v != family.Within {
			return nil, b.cellError(c.name, b.tableRow(i), fmt.Errorf("%v is not a kind of row", v), kindsHint)
		}
	}
	return values, err
}

const kindsHint = "0 or none is an observed row, 1 or right a response above the number, −1 or left below it, " +
	"2 or interval between two; cens(status == 1) makes true and false of a column"

// kindsOf reads kinds of rows from words.
func (b *builder) kindsOf(c *column) ([]float64, error) {
	kinds := map[string]float64{"none": family.Observed, "right": family.Above, "left": family.Below,
		"interval": family.Within}
	f := c.factor(b.keep, b.n, maxLevels)
	if f == nil {
		return nil, b.columnError(c.name, fmt.Errorf("the column has more than %d distinct values", maxLevels), kindsHint)
	}
	out := make([]float64, b.n)
	for i, code := range f.codes {
		kind, known := kinds[f.levels[code]]
		if !known {
			return nil, b.cellError(c.name, b.tableRow(i), fmt.Errorf("%q is not a kind of row", f.levels[code]), kindsHint)
		}
		out[i] = kind
	}
	return out, nil
}
