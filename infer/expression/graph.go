package expression

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"glmbatch/internal/simd"
	"glmbatch/internal/words"
)

// Input is a number that rows have. As is what the expression sees of it, an expression of x; empty for itself.
type Input struct{ Name, As string }

// Graph is a compiled expression. It is read-only.
type Graph struct {
	source string
	nodes  []node // arguments before what reads them
	equal  map[string]int
	inputs []int // nodes
	root   int
	order  []int // the operations of the root
	frames *sync.Pool
}

// node is an input, a constant or an operation.
type node struct {
	of    *function // nil for inputs and constants
	args  []int
	value float64 // of a constant
	fixed bool    // it is a constant
	reads uint64  // inputs, as bits
	pos   int
}

// maxInputs is the largest number of inputs.
const maxInputs = 63

// Compile makes the graph of an expression. Names that are no inputs are errors of type *Error. Random reports whether
// functions may draw.
func Compile(t *Tree, inputs []Input, random bool) (*Graph, error) {
	g := &Graph{source: t.source, equal: map[string]int{}}
	if len(inputs) > maxInputs {
		return nil, &Error{Source: t.source, Reason: fmt.Sprintf("an expression reads at most %d names", maxInputs)}
	}
	names := map[string]int{}
	for k := range inputs {
		g.inputs = append(g.inputs, len(g.nodes))
		g.nodes = append(g.nodes, node{reads: 1 << k})
	}
	c := &compiler{Graph: g, random: random}
	for k, in := range inputs {
		names[in.Name] = g.inputs[k]
		if in.As == "" {
			continue
		}
		as, err := Parse(in.As)
		if err == nil {
			names[in.Name], err = c.compile(as.root, map[string]int{"x": g.inputs[k]}, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	var err error
	if g.root, err = c.compile(t.root, names, -1); err != nil {
		return nil, err
	}
	g.order = g.under(g.root)
	g.frames = &sync.Pool{New: func() any { return newFrame(g) }}
	return g, nil
}

// compiler adds the nodes of terms to a graph.
type compiler struct {
	*Graph
	random bool
}

// compile adds the nodes of a term. Its names are nodes. Those of a macro have the position of the call; −1 for none.
func (c *compiler) compile(n *term, names map[string]int, pos int) (int, error) {
	at := n.pos
	if pos >= 0 {
		at = pos
	}
	switch {
	case n.named:
		id, there := names[n.text]
		if !there {
			return 0, c.noName(n, names)
		}
		return id, nil
	case !n.call:
		return c.constant(n.number), nil
	}
	var args []int
	for _, arg := range n.args {
		id, err := c.compile(arg, names, pos)
		if err != nil {
			return 0, err
		}
		args = append(args, id)
	}
	return c.apply(n.text, args, at)
}

// apply adds a call of a function.
func (c *compiler) apply(name string, args []int, pos int) (int, error) {
	for _, list := range [][]*function{functions, randoms} {
		for _, f := range list {
			if f.name != name || f.args != len(args) {
				continue
			}
			if f.random != nil && !c.random {
				return 0, &Error{c.source, pos, name + "() draws a random number",
					"log_density and mean are the same at each look; draw may use " + name + "()"}
			}
			return c.add(f, args, pos)
		}
	}
	for _, m := range macros {
		if m.name != name || len(m.args) != len(args) {
			continue
		}
		body, err := Parse(m.body)
		if err != nil {
			return 0, err
		}
		names := map[string]int{}
		for k, arg := range m.args {
			names[arg] = args[k]
		}
		return c.compile(body.root, names, pos)
	}
	return 0, c.noFunction(name, len(args), pos)
}

// noName is the error of a name that no input has.
func (c *compiler) noName(n *term, names map[string]int) error {
	var all []string
	for name := range names { //maporder:ok sorted below
		all = append(all, name)
	}
	slices.Sort(all)
	hint := "there are " + words.List(all)
	if near := words.Nearest(n.text, all); near != "" {
		hint = "did you mean " + near + "?"
	}
	return &Error{c.source, n.pos, fmt.Sprintf("there is no %q", n.text), hint}
}

// noFunction is the error of a function that is not there, or takes other arguments.
func (c *compiler) noFunction(name string, args, pos int) error {
	var all []string
	takes := ""
	note := func(of string, n int) {
		if of == name {
			takes += fmt.Sprintf(", or %d", n)
		}
		if startsName(first(of)) && !slices.Contains(all, of) {
			all = append(all, of)
		}
	}
	for _, f := range slices.Concat(functions, randoms) {
		note(f.name, f.args)
	}
	for _, m := range macros {
		note(m.name, len(m.args))
	}
	slices.Sort(all)
	if takes != "" {
		return &Error{c.source, pos, fmt.Sprintf("%s() is given %d arguments, and takes %s", name, args, takes[5:]), ""}
	}
	hint := "there are " + strings.Join(all, ", ")
	if near := words.Nearest(name, all); near != "" {
		hint = "did you mean " + near + "()?"
	}
	return &Error{c.source, pos, fmt.Sprintf("there is no function %q", name), hint}
}

// constant adds a constant.
func (g *Graph) constant(v float64) int {
	return g.once(fmt.Sprintf("%x", math.Float64bits(v)), func() node { return node{value: v, fixed: true} })
}

// once adds a node, unless there is an equal one.
func (g *Graph) once(key string, make func() node) int {
	if id, there := g.equal[key]; there {
		return id
	}
	g.nodes = append(g.nodes, make())
	g.equal[key] = len(g.nodes) - 1
	return len(g.nodes) - 1
}

// add adds an operation; one of constants is a constant.
func (g *Graph) add(f *function, args []int, pos int) (int, error) {
	if len(g.nodes) > maxNodes {
		return 0, &Error{g.source, pos, fmt.Sprintf("an expression has at most %d operations", maxNodes), ""}
	}
	out, fixed := node{of: f, args: args, pos: pos}, f.random == nil
	var of [3][]float64
	for k, id := range args {
		arg := &g.nodes[id]
		out.reads |= arg.reads
		fixed = fixed && arg.fixed
		of[k] = []float64{arg.value}
	}
	if simpler, is := g.simpler(f, args, pos); is {
		return simpler, nil
	}
	key := fmt.Sprint(f.name, args)
	switch {
	case fixed:
		v := []float64{0}
		f.value(simd.Scalar, v, of[0], of[1], of[2])
		return g.constant(v[0]), nil
	case f.random != nil:
		key = fmt.Sprint(f.name, args, len(g.nodes)) // no two draws are one
	}
	return g.once(key, func() node { return out }), nil
}

// simpler returns a node that is an operation without the cancellation and the cost of a logarithm of an exponential:
// logarithms of exp and logistic, and those of quotients and products of what is above 0.
func (g *Graph) simpler(f *function, args []int, pos int) (int, bool) {
	apply := func(f *function, args ...int) int {
		id, _ := g.add(f, args, pos)
		return id
	}
	if f != log1p && f != logarithm {
		return 0, false
	}
	of := &g.nodes[args[0]]
	if f == log1p && of.of == negative && g.nodes[of.args[0]].of == logistic { // log(1 − p)
		return apply(negative, apply(softplus, g.nodes[of.args[0]].args[0])), true
	}
	if f != logarithm || of.fixed {
		return 0, false
	}
	switch a := of.args; {
	case of.of == exponential:
		return a[0], true
	case of.of == logistic:
		return apply(negative, apply(softplus, apply(negative, a[0]))), true
	case (of.of == over || of.of == times) && g.positive(a[0]) && g.positive(a[1]):
		by := add
		if of.of == over {
			by = minus
		}
		return apply(by, apply(logarithm, a[0]), apply(logarithm, a[1])), true
	}
	return 0, false
}

// positive reports whether a node is above 0 whatever its inputs are.
func (g *Graph) positive(id int) bool {
	switch n := &g.nodes[id]; n.of {
	case nil:
		return n.fixed && n.value > 0
	case exponential, logistic:
		return true
	case add, times, over:
		return g.positive(n.args[0]) && g.positive(n.args[1])
	}
	return false
}

// sum adds the sum of nodes, some of them subtracted; none is 0.
func (g *Graph) sum(of []summand) int {
	out := g.constant(0)
	for k, s := range of {
		switch {
		case k == 0 && !s.minus:
			out = s.node
		case k == 0:
			out, _ = g.add(negative, []int{s.node}, g.nodes[s.node].pos)
		case s.minus:
			out, _ = g.add(minus, []int{out, s.node}, g.nodes[s.node].pos)
		default:
			out, _ = g.add(add, []int{out, s.node}, g.nodes[s.node].pos)
		}
	}
	return out
}

// summand is a term of a sum.
type summand struct {
	node  int
	minus bool
}

// summands lists the terms of a node that is a sum.
func (g *Graph) summands(id int, minused bool) []summand {
	n := &g.nodes[id]
	switch n.of {
	case add:
		return append(g.summands(n.args[0], minused), g.summands(n.args[1], minused)...)
	case minus:
		return append(g.summands(n.args[0], minused), g.summands(n.args[1], !minused)...)
	case negative:
		return g.summands(n.args[0], !minused)
	}
	return []summand{{id, minused}}
}

// under lists the operations that a node rests on, itself included, those first that others read.
func (g *Graph) under(ids ...int) (list []int) {
	seen := make([]bool, len(g.nodes))
	for _, id := range ids {
		if id >= 0 {
			seen[id] = true
		}
	}
	for id := len(g.nodes) - 1; id >= 0; id-- {
		if n := &g.nodes[id]; seen[id] && n.of != nil {
			list = append(list, id)
			for _, arg := range n.args {
				seen[arg] = true
			}
		}
	}
	slices.Reverse(list)
	return list
}
