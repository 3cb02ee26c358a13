package expression

import "glmbatch/internal/simd"

// Part is the sum of those terms of a graph that depend on one input. All else that these read is computed once for
// many passes, and given to each.
type Part struct {
	*Graph
	input  int   // node
	root   int   // sum of the terms
	rest   int   // that of all others
	given  []int // nodes that passes are given
	before []int // operations on the way to given and rest
	inner  []int // operations of a pass
	moves  []bool
}

// Split divides the terms of the graph's sum: those that read no input besides fixed ones, as bits, and the others. It
// must be called, as Along, before passes.
func (g *Graph) Split(fixed uint64) (of, others int) {
	return g.divide(g.root, func(n *node) bool { return n.reads&^fixed == 0 })
}

// divide returns the sum of the terms of a node that are so, and that of the others.
func (g *Graph) divide(root int, is func(*node) bool) (of, others int) {
	var parts [2][]summand
	for _, s := range g.summands(root, false) {
		k := 1
		if is(&g.nodes[s.node]) {
			k = 0
		}
		parts[k] = append(parts[k], s)
	}
	return g.sum(parts[0]), g.sum(parts[1])
}

// Along returns the part of a sum that moves with an input.
func (g *Graph) Along(root, input int) *Part {
	p := &Part{Graph: g, input: g.inputs[input]}
	moves := func(n *node) bool { return n.reads>>input&1 == 1 }
	p.root, p.rest = g.divide(root, moves)
	p.moves = make([]bool, len(g.nodes))
	seen := make([]bool, len(g.nodes))
	for _, id := range g.under(p.root) {
		if p.moves[id] = moves(&g.nodes[id]); !p.moves[id] {
			continue
		}
		p.inner = append(p.inner, id)
		for _, arg := range g.nodes[id].args {
			if n := &g.nodes[arg]; !seen[arg] && !n.fixed && !moves(n) {
				seen[arg] = true
				p.given = append(p.given, arg)
			}
		}
	}
	p.moves[p.input] = true
	p.before = g.under(append([]int{p.rest}, p.given...)...)
	return p
}

// Givens is how many numbers of rows passes are given.
func (p *Part) Givens() int { return len(p.given) }

// Give computes what passes are given of n rows, and the sum of the other terms. Inputs are of all rows; that of the
// part is not read.
func (p *Part) Give(k simd.Kernels, inputs, given [][]float64, rest []float64) {
	p.blocks(len(rest), inputs, func(f *Frame, i, n int) {
		f.run(k, p.before, n)
		for c, id := range p.given {
			copy(given[c][i:i+n], f.at(id, n))
		}
		copy(rest[i:i+n], f.at(p.rest, n))
	})
}

// Values writes the sum of the part at values of its input to dst, which may be x: at most BlockRows.
func (p *Part) Values(k simd.Kernels, given [][]float64, x, dst []float64) {
	f := p.frame()
	defer f.free()
	p.run(f, k, given, x)
	copy(dst, f.at(p.root, len(x)))
}

func (p *Part) run(f *Frame, k simd.Kernels, given [][]float64, x []float64) {
	f.bind(p.input, x)
	for c, id := range p.given {
		f.bind(id, given[c])
	}
	f.run(k, p.inner, len(x))
}

// Slopes writes the first derivative of the sum in the input, and the negative second one.
func (p *Part) Slopes(k simd.Kernels, given [][]float64, x, first, second []float64) {
	f := p.frame()
	defer f.free()
	p.run(f, k, given, x)
	n := len(x)
	f.derive()
	for i := range n {
		f.first[p.input][i], f.second[p.input][i] = 1, 0
	}
	for _, id := range p.inner {
		f.slopes(k, p, id, n)
	}
	if !p.moves[p.root] {
		clear(first[:n])
		clear(second[:n])
		return
	}
	for i := range n {
		first[i], second[i] = f.first[p.root][i], -f.second[p.root][i]
	}
}
