package transform

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// smoothing is a smooth term of a formula, s(x), s(x, by = z), gp(x) or gp(x, z).
type smoothing struct {
	node *node
	x    []int // indices into selection.variables: of each number the call, which makes the columns of a basis
	by   int   // index into selection.variables, or −1
}

// smoothCall is a call of s or gp as it is written.
type smoothCall struct {
	k  int
	bs string // tp, cr, ps, gp
	m  [2]int // of ps: degree − 1 of the pieces, and order of the differences
	by *node
	// free says that the curve is not centred: it is multiplied by a number that varies.
	free    bool
	weights []float64   // of the rows, by which unpenalised columns are scaled; nil: 1 each
	edge    float64     // c of gp
	ranged  bool        // scale of gp
	others  []*node     // the further numbers of gp
	with    [][]float64 // their values in the rows
}

// Dimensions of a smooth: tp and cr have two functions that are not penalised.
const (
	defaultK = 10
	minK     = 3
	maxK     = 200
)

// smoothFormals are the arguments of R's s that are here, by which places they are.
var smoothFormals = []string{"x", "k", "bs", "m", "by"}

// smoothBases are the bases that bs may name, and otherBases what to write instead of others of mgcv's.
var (
	smoothBases = []string{"tp", "cr", "ps"}
	otherBases  = map[string]string{
		"re": "independent effects of levels are (1 | g)",
		"fs": "a curve for each level is s(x, by = f), and effects of levels are (1 | f)",
		"sz": "a curve for each level is s(x, by = f)",
		"ts": `the nearest is bs = "tp", which does not shrink the line`,
		"cs": `the nearest is bs = "cr", which does not shrink the line`,
		"cc": `the nearest is bs = "cr", whose ends are not joined; sin and cos of the angle join them`,
		"cp": `the nearest is bs = "ps", whose ends are not joined; sin and cos of the angle join them`,
		"ad": `the nearest is bs = "ps"`, "bs": `the nearest is bs = "ps"`, "gp": `the nearest is bs = "tp"`,
		"ds": `the nearest is bs = "tp"`, "so": `the nearest is bs = "tp"`, "sos": `the nearest is bs = "tp"`,
		"mrf": "effects of areas with neighbours are car(W, gr = area)",
	}
)

// Smooths reports whether the formula has smooth terms: s(x), gp(x), car(W, gr = g) or rw(x).
func (f *Formula) Smooths() bool {
	return slices.ContainsFunc(f.all(), func(g *Formula) bool {
		return g.right.count("s")+g.right.count("gp")+g.right.structuredCalls() > 0
	})
}

// Processes reports whether the formula has Gaussian processes: gp(x).
func (f *Formula) Processes() bool {
	return slices.ContainsFunc(f.all(), func(g *Formula) bool { return g.right.count(processBasis) > 0 })
}

// isSmooth reports whether the node is s(…), gp(…), car(…), rw(…) or gr(g, cov = A).
func (n *node) isSmooth() bool {
	return n.kind == nodeCall && (n.text == "s" || n.isProcess() || n.isStructured())
}

// isProcess reports whether the node is gp(…).
func (n *node) isProcess() bool { return n.kind == nodeCall && n.text == processBasis }

// smooth reads s(…) or gp(…) as a term.
func (s *selector) smooth(n *node, added bool) error {
	text := shortened(n.label())
	switch {
	case !added:
		return s.fail(n.pos, text+" cannot be subtracted", "leave it out")
	case s.crossing > 0:
		return s.fail(n.pos, text+" cannot be crossed with other terms, or vary by the levels of a grouping",
			fmt.Sprintf("add it to the terms; %s(x, by = f) is a curve for each level of f", n.text))
	}
	if n.isCovariance() {
		return s.fail(n.pos, "gr() is a grouping", "write (1 | "+text+")")
	}
	if n.isStructured() {
		return s.structured(n)
	}
	call, err := s.basis(n)
	if err != nil {
		return err
	}
	out := smoothing{node: n, by: -1}
	for _, of := range n.coordinates() {
		if err := s.columnsOf(of); err != nil {
			return err
		}
		x := s.variable(of)
		out.x, s.out.variables[x].named = append(out.x, x), true
	}
	if by := call.smooth.by; by != nil {
		if err := s.columnsOf(by); err != nil {
			return err
		}
		out.by = s.variable(by)
		s.out.variables[out.by].named = true
	}
	for _, o := range s.out.smooths {
		if slices.Equal(o.x, out.x) {
			return s.fail(n.pos, text+" stands twice", "")
		}
		if s.out.smoothName(o, "") == s.out.smoothName(out, "") {
			return s.fail(n.pos, fmt.Sprintf("%s and %s are curves of the same numbers", shortened(o.node.label()), text),
				fmt.Sprintf("leave one out; a curve for each level of f is %s(x, by = f)", n.text))
		}
	}
	s.out.smooths = append(s.out.smooths, out)
	return nil
}

// smoothSettings reads the arguments of s or gp besides x.
func (s *selector) smoothSettings(n *node, args []*node) (*smoothCall, error) {
	if n.isProcess() {
		return s.processSettings(n, args)
	}
	c := &smoothCall{k: defaultK, bs: "tp", m: [2]int{2, 2}}
	k, bs, m, by := args[1], args[2], args[3], args[4]
	if bs != nil {
		if c.bs = bs.text; bs.kind != nodeString || !slices.Contains(smoothBases, c.bs) {
			hint := otherBases[c.bs]
			if hint == "" || bs.kind != nodeString {
				hint = `write bs = "tp" (thin plate, the default), "cr" (cubic) or "ps" (P-spline)`
			}
			return nil, s.fail(bs.pos, fmt.Sprintf("the basis %s of s() is not supported", shortened(bs.label())), hint)
		}
	}
	if k != nil {
		v, ok := k.number()
		if !ok || v < minK || v > maxK || v != math.Trunc(v) {
			return nil, s.fail(k.pos, fmt.Sprintf("k of s() is a whole number from %d to %d", minK, maxK),
				"k is the number of functions that make up the curve; the default is 10")
		}
		c.k = int(v)
	}
	if m != nil {
		v, ok := m.vector()
		if len(v) == 1 {
			v = append(v, v[0])
		}
		if !ok || len(v) != 2 || !slices.Contains([]float64{0, 1, 2, 3}, v[0]) ||
			!slices.Contains([]float64{1, 2, 3}, v[1]) || c.bs != "ps" && (v[0] != 2 || v[1] != 2) {
			return nil, s.fail(m.pos, "m of s() is 2 here, the second derivative that is penalised",
				`for bs = "ps" it is c(2, 2) or other whole numbers up to 3: degree − 1, and order of the differences`)
		}
		c.m = [2]int{int(v[0]), int(v[1])}
	}
	if c.bs == "ps" && (c.k < c.m[0]+2 || c.k < c.m[1]+2) {
		return nil, s.fail(n.pos, fmt.Sprintf("k = %d is too small for m = c(%d, %d)", c.k, c.m[0], c.m[1]),
			fmt.Sprintf("write k = %d or more", max(c.m[0], c.m[1])+2))
	}
	return c, s.multiply(c, by, "as by of s()")
}

// multiply takes what a curve is multiplied by.
func (s *selector) multiply(c *smoothCall, by *node, where string) error {
	if c.by = by; by == nil || by.kind == nodeName {
		return nil
	}
	if err := s.refuseMonotone(by, where); err != nil {
		return err
	}
	if by.kind == nodeCall && slices.Contains(factorCalls, by.text) {
		return s.factorCall(by)
	}
	return s.arithmetic(by)
}

// smoothArguments puts the arguments of s under their names. Further arguments of mgcv are named.
func (s *selector) smoothArguments(n *node) ([]*node, error) {
	if n.isProcess() {
		return s.processArguments(n)
	}
	for i, name := range n.names {
		switch {
		case i > 0 && name == "":
			return nil, s.fail(n.args[i].pos, "s() smooths one number",
				"curves of several numbers add up: s(x) + s(z); surfaces are not supported")
		case slices.Contains([]string{"fx", "id", "sp", "pc", "xt"}, name):
			return nil, s.fail(n.args[i].pos, fmt.Sprintf("%s of s() is not supported", name),
				map[string]string{"fx": "a curve without a penalty is ns(x, 9)",
					"sp": "fix the standard deviation of the curve by its prior: by_name: {sds_sx_1: constant(2)}"}[name])
		}
	}
	return s.match(n, smoothFormals)
}

// smoothName is how brms calls a smooth: s, its number and what it is multiplied by, without what no name has.
func (s *selection) smoothName(t smoothing, level string) string {
	switch t.node.text {
	case carCall:
		return carCall
	case covCall:
		return s.smoothX(t)
	}
	name := t.node.text + plainName(s.smoothX(t))
	if t.by >= 0 {
		name += plainName(s.variables[t.by].label + level)
	}
	if t.node.isProcess() || t.node.isStructured() {
		return name
	}
	return name + "_1"
}

// smoothX is the number that is smoothed, or several, in R's spelling.
func (s *selection) smoothX(t smoothing) string {
	if t.node.isStructured() {
		return s.variables[t.x[0]].columns[0]
	}
	var labels []string
	for _, of := range t.node.coordinates() {
		labels = append(labels, of.args[0].label())
	}
	return strings.Join(labels, ", ")
}

// plainName spells an expression as brms does where it is a part of a name.
func plainName(label string) string {
	return strings.NewReplacer(" ", "", "(", "", ")", "", "[", "", "]", "", ",", "", `"`, "", "'", "", "?", "", "`", "",
		"+", "P", "-", "M", "*", "MU", "/", "D", "^", "E", "=", "EQ", "$", "USD").Replace(label)
}
