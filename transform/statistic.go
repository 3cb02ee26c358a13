package transform

import (
	"fmt"
	"math"
	"slices"

	"glmbatch/internal/words"
)

// Statistic is an expression over the responses y of a data set that gives one number, such as mean(y == 0),
// quantile(y, 0.99) or sd(y)^2 / mean(y), in the notation of Derived. It is read-only, and safe for concurrent use.
type Statistic struct {
	Derived
}

// statisticName is the name of the responses.
const statisticName = "y"

// reductions make one number from many numbers, which are in increasing order; p is the second argument of
// quantile.
var reductions = map[string]func(x []float64, p float64) float64{
	"mean":     func(x []float64, _ float64) float64 { m, _ := momentsOf(x); return m },
	"sd":       func(x []float64, _ float64) float64 { _, v := momentsOf(x); return math.Sqrt(v) },
	"var":      func(x []float64, _ float64) float64 { _, v := momentsOf(x); return v },
	"sum":      func(x []float64, _ float64) float64 { m, _ := momentsOf(x); return float64(m * float64(len(x))) },
	"min":      func(x []float64, _ float64) float64 { return x[0] },
	"max":      func(x []float64, _ float64) float64 { return x[len(x)-1] },
	"median":   func(x []float64, _ float64) float64 { return SortedQuantile(x, 0.5) },
	"quantile": SortedQuantile,
}

// momentsOf are the mean and, with divisor n − 1, the variance.
func momentsOf(x []float64) (mean, variance float64) {
	for _, v := range x {
		mean += v
	}
	mean /= float64(len(x))
	for _, v := range x {
		d := v - mean
		variance = math.FMA(d, d, variance)
	}
	return mean, variance / float64(len(x)-1)
}

// SortedQuantile returns a quantile of numbers in increasing order, R's type 7.
func SortedQuantile(x []float64, p float64) float64 {
	h := float64(p * float64(len(x)-1))
	at := int(h)
	if frac := h - float64(at); frac > 0 {
		return math.FMA(frac, x[at+1]-x[at], x[at])
	}
	return x[at]
}

// ParseStatistic reads an expression. Errors are of type *FormulaError.
func ParseStatistic(source string) (*Statistic, error) {
	d, err := parseDerived(source)
	if err != nil {
		return nil, err
	}
	s := &Statistic{*d}
	many, err := s.many(s.root)
	if err == nil && many {
		err = s.fail(0, "the expression is a number for each response, not one for all of them",
			"for example mean(y == 0), or quantile(y, 0.99)")
	}
	return s, err
}

// many checks a node, and reports whether it has a number for each response.
func (s *Statistic) many(n *node) (many bool, err error) {
	switch n.kind {
	case nodeName:
		if n.text != statisticName {
			return false, s.fail(n.pos, fmt.Sprintf("there is no %s", quoteName(n.text)), "the responses are called y")
		}
		return true, nil
	case nodeString, nodeDot:
		return false, s.fail(n.pos, n.label()+" is not a number", "")
	case nodeNumber:
		return false, nil
	case nodeBinary:
		if operations[n.text] == nil {
			return false, s.fail(n.pos, fmt.Sprintf("%s has no meaning between numbers", n.text),
				"there are + - * / ^, comparisons, & | ! and parentheses")
		}
	}
	for _, arg := range n.args {
		each, err := s.many(arg)
		if err != nil {
			return false, err
		}
		many = many || each
	}
	if n.kind != nodeCall {
		return many, nil
	}
	return s.call(n, many)
}

// call checks a function of numbers, or of all responses.
func (s *Statistic) call(n *node, many bool) (bool, error) {
	for i, name := range n.names {
		if name != "" {
			return false, s.fail(n.args[i].pos, n.text+"() takes numbers without names", "equality is written ==")
		}
	}
	if reductions[n.text] == nil {
		if derivedFunctions[n.text] == nil {
			known := append(derivedNames(), "mean", "sd", "var", "sum", "median", "quantile")
			return false, s.fail(n.pos, fmt.Sprintf("there is no function %q", n.text),
				words.DidYouMean(n.text, "functions", known))
		}
		if len(n.args) != 1 {
			return false, s.fail(n.pos, n.text+"() takes one argument", "")
		}
		return many, nil
	}
	want := 1
	if n.text == "quantile" {
		want = 2
	}
	if len(n.args) != want {
		return false, s.fail(n.pos, fmt.Sprintf("%s() takes %d arguments here", n.text, want),
			"for example quantile(y, 0.99)")
	}
	if want == 2 {
		if p, ok := n.args[1].number(); !ok || p < 0 || p > 1 {
			return false, s.fail(n.args[1].pos, "the second argument of quantile() is a number from 0 to 1", "")
		}
	}
	if first, err := s.many(n.args[0]); err != nil || !first {
		return false, s.fail(n.pos, n.text+"() is of many numbers, and its argument is one", "")
	}
	return false, nil
}

// Of is the statistic of responses; NaN if there is none. Cost: O(n log n) for each reduction.
func (s *Statistic) Of(y []float64) float64 {
	if len(y) == 0 {
		return math.NaN()
	}
	return s.eval(s.root, y).one
}

func (s *Statistic) eval(n *node, y []float64) numbers {
	switch n.kind {
	case nodeName:
		return numbers{each: y}
	case nodeNumber:
		return numbers{one: parse(n.text)}
	case nodeParen:
		return s.eval(n.args[0], y)
	case nodeNot:
		return combined(s.eval(n.args[0], y), numbers{}, operations["=="])
	case nodeSum:
		total := numbers{}
		for i, arg := range n.args {
			sign := 1.0
			if n.minus[i] {
				sign = -1
			}
			total = combined(total, s.eval(arg, y), func(a, b float64) float64 { return math.FMA(sign, b, a) })
		}
		return total
	case nodeBinary:
		return combined(s.eval(n.args[0], y), s.eval(n.args[1], y), operations[n.text])
	}
	v := s.eval(n.args[0], y)
	reduce := reductions[n.text]
	if reduce == nil {
		f := derivedFunctions[n.text]
		return combined(v, numbers{}, func(x, _ float64) float64 { return f(x) })
	}
	p := 0.0
	if len(n.args) > 1 {
		p, _ = n.args[1].number()
	}
	if slices.ContainsFunc(v.each, math.IsNaN) {
		return numbers{one: math.NaN()}
	}
	return numbers{one: reduce(slices.Sorted(slices.Values(v.each)), p)}
}

// combined applies an operation to each number.
func combined(x, y numbers, f func(x, y float64) float64) numbers {
	if x.each == nil && y.each == nil {
		return numbers{one: f(x.one, y.one)}
	}
	out := make([]float64, max(len(x.each), len(y.each)))
	for i := range out {
		out[i] = f(x.at(i), y.at(i))
	}
	return numbers{each: out}
}
