package transform

import (
	"errors"
	"fmt"
	"slices"

	"glmbatch/internal/words"
)

// Structure is how car(W, gr = area), rw(x) and gr(g, cov = A) turn the levels of a column into columns of a design,
// whose coefficients are independent normal: eigenvectors of the structure matrix of a Gaussian Markov random field, or
// of A. The constant of each component of a map is not among them, except of escar and bym2.
//
// Source: Rue and Held (2005), Gaussian Markov Random Fields, chapters 2 and 3.
type Structure struct {
	Kind  string `json:"kind"`            // icar, escar, bym2, rw, cov
	Order int    `json:"order,omitempty"` // of rw: 1 or 2
	// Map has the columns one after the other, each with a value for each level. Fixed says how many of them, the
	// first, are not penalised: the line of rw(x, order = 2).
	Map   []float64 `json:"map"`
	Fixed int       `json:"fixed,omitempty"`
	// Shares are those of the penalised columns of escar and bym2, see prior.Share; nil of others.
	Shares []float64 `json:"shares,omitempty"`
}

// Calls of structured terms, and kinds of Structure.
const (
	carCall    = "car"
	rwCall     = "rw"
	covCall    = "gr"         // of a grouping with a covariance matrix, gr(g, cov = A)
	structured = "structured" // Variable.Contrasts of the column

	kindICAR  = "icar"
	kindESCAR = "escar"
	kindBYM2  = "bym2"
	kindCov   = "cov" // of covCall
)

// Levels of a structured term: each is a column.
const (
	minStructure = 3
	maxStructure = 500
)

var (
	carFormals = []string{"M", "gr", "type"}
	rwFormals  = []string{"x", "order"}
	carTypes   = []string{kindESCAR, "esicar", kindICAR, kindBYM2}
)

// isStructured reports whether the node is car(…), rw(…) or gr(g, cov = A).
func (n *node) isStructured() bool {
	return n.kind == nodeCall && (n.text == carCall || n.text == rwCall || n.isCovariance())
}

// isCovariance reports whether the node is gr(g, cov = A).
func (n *node) isCovariance() bool {
	return n.kind == nodeCall && n.text == covCall && slices.Contains(n.names, "cov")
}

// structuredCalls counts the structured terms under the node.
func (n *node) structuredCalls() (total int) {
	if n.isStructured() {
		total++
	}
	for _, arg := range n.args {
		total += arg.structuredCalls()
	}
	return total
}

// structureCall is a call of car, rw or gr as it is written.
type structureCall struct {
	kind, matrix string
	order        int
	levels       *node // the column
}

// structure reads a call of car, rw or gr.
func (s *selector) structure(n *node) (*structureCall, error) {
	switch n.text {
	case rwCall:
		return s.walk(n)
	case covCall:
		return s.covariance(n)
	}
	args, err := s.match(n, carFormals)
	if err != nil {
		return nil, err
	}
	const example = "for example car(W, gr = area), with matrices: {W: pairs.csv} in the spec"
	switch {
	case args[0] == nil || args[0].kind != nodeName:
		return nil, s.fail(n.pos, "car() takes the name of a matrix of neighbours", example)
	case args[1] == nil || args[1].kind != nodeName:
		return nil, s.fail(n.pos, "gr of car() is the column of areas", example)
	}
	out := &structureCall{kind: kindESCAR, matrix: args[0].text, levels: args[1]}
	if t := args[2]; t != nil {
		if out.kind = t.text; t.kind != nodeString || !slices.Contains(carTypes, t.text) {
			return nil, s.fail(t.pos, fmt.Sprintf("the type %s of car() is not supported", shortened(t.label())),
				`write type = "escar" (the default), "icar" or "bym2"`)
		}
	}
	if out.kind == "esicar" { // the same density
		out.kind = kindICAR
	}
	return out, nil
}

// covariance reads gr(g, cov = A).
func (s *selector) covariance(n *node) (*structureCall, error) {
	if !n.isCovariance() {
		return nil, s.unknownFunction(n)
	}
	other := slices.IndexFunc(n.names, func(name string) bool { return name != "" && name != "cov" })
	if other >= 0 {
		return nil, s.fail(n.pos, fmt.Sprintf("gr(%s =) of brms is not supported with cov", n.names[other]), "leave it out")
	}
	levels, matrix := slices.Index(n.names, ""), slices.Index(n.names, "cov")
	if len(n.args) != 2 || levels < 0 || n.args[levels].kind != nodeName || n.args[matrix].kind != nodeName {
		return nil, s.fail(n.pos, "gr() takes one column, and cov the name of a matrix",
			"for example (1 | gr(animal, cov = A)), with matrices: {A: kinship.csv} in the spec")
	}
	return &structureCall{kind: kindCov, matrix: n.args[matrix].text, levels: n.args[levels]}, nil
}

// covarianceBar reads (1 | gr(g, cov = A)) as a term.
func (s *selector) covarianceBar(n *node) error {
	if one := n.args[0].bare(); n.text != "|" || one.kind != nodeNumber || one.text != "1" {
		return s.fail(n.pos, "effects with a covariance matrix are those of the intercept", "write (1 | gr(g, cov = A))")
	}
	return s.structured(n.args[1].bare())
}

// walk reads a call of rw.
func (s *selector) walk(n *node) (*structureCall, error) {
	args, err := s.match(n, rwFormals)
	if err != nil {
		return nil, err
	}
	if args[0] == nil || args[0].kind != nodeName {
		return nil, s.fail(n.pos, "rw() takes one column", "for example rw(year), of whole numbers or of ordered levels")
	}
	out := &structureCall{kind: rwCall, order: 1, levels: args[0]}
	if o := args[1]; o != nil {
		v, ok := o.number()
		if !ok || v != 1 && v != 2 {
			return nil, s.fail(o.pos, "order of rw() is 1 or 2", "1 penalises differences, 2 second differences")
		}
		out.order = int(v)
	}
	return out, nil
}

// Structured reports whether the formula has car(), rw() or gr(g, cov = A).
func (f *Formula) Structured() bool {
	return slices.ContainsFunc(f.all(), func(g *Formula) bool { return g.right.structuredCalls() > 0 })
}

// structured reads car(…), rw(…) or gr(g, cov = A) as a term.
func (s *selector) structured(n *node) error {
	if _, err := s.structure(n); err != nil {
		return err
	}
	if err := s.columnsOf(n); err != nil {
		return err
	}
	out := smoothing{node: n, x: []int{s.variable(n)}, by: -1}
	s.out.variables[out.x[0]].named = true
	for _, o := range s.out.smooths {
		if s.out.smoothName(o, "") == s.out.smoothName(out, "") {
			return s.fail(n.pos, fmt.Sprintf("%s and %s have the same parameters", shortened(o.node.label()),
				shortened(n.label())), "leave one out")
		}
	}
	s.out.smooths = append(s.out.smooths, out)
	return nil
}

// structuredLevels is the argument of car, rw or gr that has the levels; −1 if there is none.
func (n *node) structuredLevels() int {
	if n.text == carCall {
		if i := slices.Index(n.names, "gr"); i >= 0 {
			return i
		}
		unnamed := 0 // the second of those without a name, or the first if M has its name
		if slices.Contains(n.names, "M") {
			unnamed++
		}
		for i, name := range n.names {
			if name == "" {
				if unnamed++; unnamed == 2 {
					return i
				}
			}
		}
		return -1
	}
	if i := slices.Index(n.names, "x"); i >= 0 {
		return i
	}
	return slices.Index(n.names, "")
}

// learnStructure reads the levels of a structured term and makes its columns.
func (b *builder) learnStructure(v *variable, c *column, record *Variable, made *coded) error {
	call, err := (&selector{formula: &Formula{source: v.source}}).structure(v.node)
	if err != nil {
		return err
	}
	f, err := b.readFactor(c)
	if err != nil {
		return err
	}
	var of *Matrix
	if call.kind == rwCall {
		if err := b.walkLevels(c, f); err != nil {
			return err
		}
		record.Levels = f.levels
	} else {
		if of, err = b.neighbours(call.matrix, v); err != nil {
			return err
		}
		record.Levels = of.Levels
		if err := b.onMap(c, f, of); err != nil {
			return err
		}
	}
	switch n := len(record.Levels); {
	case n < minStructure || n > maxStructure:
		return b.columnError(c.name, fmt.Errorf("%s has %d levels, and it takes %d to %d", v.label, n, minStructure,
			maxStructure), "independent effects of any number of levels are (1 | "+quoteName(c.name)+")")
	case call.kind == rwCall:
		record.Structure = randomWalk(n, call.order)
	default:
		record.Structure, err = of.structure(call.kind)
	}
	if err != nil {
		fault, hint := words.Parts(err)
		return b.formulaError(v.pos, v.label+": "+fault, hint)
	}
	record.Kind, record.Contrasts, made.codes = string(c.kind), structured, f.codes
	return nil
}

// neighbours returns the matrix of a map.
func (b *builder) neighbours(name string, v *variable) (*Matrix, error) {
	if b.spec.Matrix == nil {
		return nil, b.formulaError(v.pos, fmt.Sprintf("there is no matrix %q", name), "give matrices in the spec")
	}
	return b.spec.Matrix(name)
}

// onMap replaces the codes of areas by those of a map.
func (b *builder) onMap(c *column, f *factor, of *Matrix) error {
	known := make(map[string]int32, len(of.Levels))
	for k, level := range of.Levels {
		known[level] = int32(k)
	}
	for i, code := range f.codes {
		at, found := known[f.levels[code]]
		if !found {
			return b.cellError(c.name, b.tableRow(i), fmt.Errorf("matrix %q has no level %q", of.Name, f.levels[code]),
				"add its entries; an area without neighbours is a row of the table without its second level")
		}
		f.codes[i] = at
	}
	f.levels = of.Levels
	return nil
}

// walkLevels gives a factor of rw() all of its levels: numbers from the least to the largest, texts in their order.
func (b *builder) walkLevels(c *column, f *factor) error {
	_, ordered := b.spec.Levels[c.name]
	switch {
	case c.kind == numeric && !ordered:
		levels, err := wholeLevels(c, b.keep, b.n, maxStructure)
		if err != nil {
			return b.columnError(c.name, fmt.Errorf("rw() takes whole numbers, %w", err),
				"number the levels, or write gp() or s() of numbers that are not equally far apart")
		}
		f.reorder(levels)
	case c.kind != logical && !ordered && b.all == nil:
		b.warn("rw(%s): its levels are in byte order: %s; levels: {%s: […]} gives another order", c.name,
			words.List(f.levels), c.name)
	}
	return nil
}

// columns is how many columns the structure makes.
func (s *Structure) columns(levels int) int { return len(s.Map) / levels }

// check finds a structure that no Build writes.
func (s *Structure) check(v *Variable) error {
	n := len(v.Levels)
	if n < minStructure || len(s.Map) == 0 || len(s.Map)%n != 0 || s.Fixed < 0 || s.Fixed >= s.columns(n) ||
		s.Shares != nil && len(s.Shares) != s.columns(n)-s.Fixed ||
		(s.Shares == nil) != slices.Contains([]string{rwCall, kindICAR, kindCov}, s.Kind) {
		return fmt.Errorf("design record: %q has not the columns of its levels", v.Label)
	}
	if slices.ContainsFunc(append(slices.Clone(s.Map), s.Shares...), func(v float64) bool { return v-v != 0 }) {
		return errors.New("design record: a structure has a value that is not finite")
	}
	return nil
}
