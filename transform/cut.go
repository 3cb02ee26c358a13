package transform

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// cutCall holds the arguments of cut().
type cutCall struct {
	x      *node
	breaks []float64 // in increasing order
	labels []string  // one fewer
	right  bool      // intervals are closed on the right
	lowest bool      // the outermost break on the open side belongs to its interval
}

// cutFormals are the arguments of R's cut() that are supported.
var cutFormals = []string{"x", "breaks", "labels", "include.lowest", "right", "dig.lab"}

// cut reads a call of cut().
func (s *selector) cut(n *node) (*cutCall, error) {
	args, err := s.match(n, cutFormals)
	if err != nil {
		return nil, err
	}
	const example = "for example cut(age, breaks = c(0, 20, 40, Inf))"
	c := &cutCall{x: args[0], right: true}
	if c.x == nil || args[1] == nil {
		return nil, s.fail(n.pos, "cut() takes a number and its breaks", example)
	}
	if err := s.arithmetic(c.x); err != nil {
		return nil, err
	}
	var ok bool
	if c.breaks, ok = args[1].breaks(); !ok {
		return nil, s.fail(args[1].pos, "the breaks of cut() are two or more different numbers, which may be -Inf and Inf",
			example+"; a number of intervals would follow the data")
	}
	for i, set := range []*bool{&c.lowest, &c.right} {
		if arg := args[3+i]; arg != nil {
			if *set, ok = arg.boolean(); !ok {
				return nil, s.fail(arg.pos, cutFormals[3+i]+" of cut() is TRUE or FALSE", "")
			}
		}
	}
	digits := 3.0
	if args[5] != nil {
		if digits, ok = args[5].number(); !ok || digits < 1 || digits > 12 || digits != math.Trunc(digits) {
			return nil, s.fail(args[5].pos, "dig.lab of cut() is a whole number from 1 to 12", "")
		}
	}
	if args[2] == nil {
		c.labels = c.intervals(int(digits))
		return c, nil
	}
	if c.labels, ok = args[2].texts(); !ok || len(c.labels) != len(c.breaks)-1 || firstRepeated(c.labels) != "" {
		return nil, s.fail(args[2].pos,
			fmt.Sprintf("labels of cut() are %d different texts in quotes, one for each interval", len(c.breaks)-1), "")
	}
	return c, nil
}

// breaks returns the numbers of c(0, 10, Inf), in increasing order.
func (n *node) breaks() ([]float64, bool) {
	n = n.bare()
	if n.kind != nodeCall || n.text != "c" {
		return nil, false
	}
	var out []float64
	for i, arg := range n.args {
		v, ok := arg.extended()
		if !ok || n.names[i] != "" || slices.Contains(out, v) {
			return nil, false
		}
		out = append(out, v)
	}
	slices.Sort(out)
	return out, len(out) >= 2
}

// extended returns a number, Inf or -Inf.
func (n *node) extended() (float64, bool) {
	n = n.bare()
	if n.kind == nodeName && n.text == "Inf" {
		return math.Inf(1), true
	}
	if n.kind == nodeSum && len(n.args) == 1 && n.minus[0] {
		v, ok := n.args[0].extended()
		return -v, ok
	}
	return n.number()
}

// texts returns the texts of c("a", "b").
func (n *node) texts() (out []string, ok bool) {
	n = n.bare()
	if n.kind != nodeCall || n.text != "c" {
		return nil, false
	}
	for _, arg := range n.args {
		if arg.kind != nodeString {
			return nil, false
		}
		out = append(out, arg.text)
	}
	return out, true
}

// intervals are R's labels: the breaks with as many digits as keep them apart,
// at least the given ones, 12 at most.
func (c *cutCall) intervals(digits int) []string {
	var texts []string
	for ; digits <= 12; digits++ {
		texts = texts[:0]
		for _, v := range c.breaks {
			texts = append(texts, general(v, digits))
		}
		if len(slices.Compact(slices.Clone(texts))) == len(texts) {
			break
		}
	}
	open, closed := "(", "]"
	if !c.right {
		open, closed = "[", ")"
	}
	out := make([]string, len(texts)-1)
	for i := range out {
		out[i] = open + texts[i] + "," + texts[i+1] + closed
	}
	switch last := len(out) - 1; {
	case c.lowest && c.right:
		out[0] = "[" + out[0][1:]
	case c.lowest:
		out[last] = out[last][:len(out[last])-1] + "]"
	}
	return out
}

// general is C's %.*g, as R's formatC uses it, the blank before Inf included.
func general(v float64, digits int) string {
	if math.IsInf(v, 0) {
		return map[bool]string{true: " Inf", false: "-Inf"}[v > 0]
	}
	return strconv.FormatFloat(v, 'g', digits, 64)
}

// interval returns the index of the interval that holds x, -1 if none does.
func (c *cutCall) interval(x float64) int {
	last := len(c.breaks) - 1
	i, found := slices.BinarySearch(c.breaks, x)
	switch {
	case found && c.right && i == 0, found && !c.right && i == last:
		if !c.lowest {
			return -1
		}
		return max(0, min(i, last-1))
	case found && !c.right:
		return i
	case i == 0 || i > last:
		return -1
	}
	return i - 1
}
