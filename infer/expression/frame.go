package expression

import (
	"fmt"
	"math"
	"strings"

	"glmbatch/internal/simd"
)

// BlockRows is how many rows a pass takes at a time.
const BlockRows = 128

// Frame holds the numbers of a block of rows on their way through a graph.
type Frame struct {
	graph         *Graph
	values        [][]float64 // of each node: its own block, or what is bound to it
	own           [][]float64
	bound         []int
	first, second [][]float64 // derivatives; nil until they are asked for
	source        Source
}

func newFrame(g *Graph) *Frame {
	f := &Frame{graph: g, own: blocksOf(len(g.nodes))}
	f.values = append(f.values, f.own...)
	for id := range g.nodes {
		for i := range f.own[id] {
			f.own[id][i] = g.nodes[id].value
		}
	}
	return f
}

func blocksOf(n int) (out [][]float64) {
	all := make([]float64, n*BlockRows)
	for k := range n {
		out = append(out, all[k*BlockRows:(k+1)*BlockRows])
	}
	return out
}

func (g *Graph) frame() *Frame { return g.frames.Get().(*Frame) }

// free gives the frame back.
func (f *Frame) free() {
	for _, id := range f.bound {
		f.values[id] = f.own[id]
	}
	f.bound, f.source = f.bound[:0], nil
	f.graph.frames.Put(f)
}

// bind lets a node have numbers that are elsewhere.
func (f *Frame) bind(id int, x []float64) {
	f.values[id] = x
	f.bound = append(f.bound, id)
}

func (f *Frame) at(id, n int) []float64 { return f.values[id][:n] }

// blocks passes blocks of n rows whose inputs are bound.
func (g *Graph) blocks(n int, inputs [][]float64, do func(f *Frame, first, n int)) {
	f := g.frame()
	defer f.free()
	for i := 0; i < n; i += BlockRows {
		rows := min(BlockRows, n-i)
		for k, x := range inputs {
			if x != nil {
				f.values[g.inputs[k]] = x[i : i+rows]
			}
		}
		do(f, i, rows)
	}
	f.bound = append(f.bound, g.inputs...)
}

// run computes nodes of n rows, those first that others read.
func (f *Frame) run(k simd.Kernels, list []int, n int) {
	for _, id := range list {
		node, args := &f.graph.nodes[id], [3][]float64{}
		for c, arg := range node.args {
			args[c] = f.at(arg, n)
		}
		dst := f.at(id, n)
		if node.of.random == nil {
			node.of.value(k, dst, args[0], args[1], args[2])
			continue
		}
		for i := range dst {
			var x [3]float64
			for c := range node.args {
				x[c] = args[c][i]
			}
			dst[i] = node.of.random(f.source, x[0], x[1], x[2])
		}
	}
}

// Values writes the numbers of a node of all rows to dst.
func (g *Graph) Values(k simd.Kernels, node int, inputs [][]float64, dst []float64) {
	list := g.under(node)
	g.blocks(len(dst), inputs, func(f *Frame, i, n int) {
		f.run(k, list, n)
		copy(dst[i:i+n], f.at(node, n))
	})
}

// Row returns the expression of one row; a source is for functions that draw.
func (g *Graph) Row(inputs []float64, s Source) float64 {
	f := g.frame()
	defer f.free()
	g.row(f, inputs, s)
	return f.values[g.root][0]
}

func (g *Graph) row(f *Frame, inputs []float64, s Source) {
	f.source = s
	for k := range inputs {
		f.bind(g.inputs[k], inputs[k:k+1])
	}
	f.run(simd.Scalar, g.order, 1)
}

// Fault names the operation that makes the expression of a row no finite number of finite ones; nil if it is one.
func (g *Graph) Fault(inputs []float64) *Error {
	f := g.frame()
	defer f.free()
	g.row(f, inputs, nil)
	bad := func(id int) bool { return f.values[id][0]-f.values[id][0] != 0 }
	id := g.root
	if !bad(id) {
		return nil
	}
	for {
		n := &g.nodes[id]
		args, next := n.args, -1
		if n.of == choose && !bad(args[0]) {
			args = args[1:2]
			if f.values[n.args[0]][0] == 0 {
				args = n.args[2:]
			}
		}
		for _, arg := range args {
			if next < 0 && bad(arg) {
				next = arg
			}
		}
		if next < 0 {
			return &Error{Source: g.source, Pos: n.pos, Reason: f.words(n) + " is " + number(f.values[id][0])}
		}
		id = next
	}
}

// words writes an operation with its numbers.
func (f *Frame) words(n *node) string {
	if n.of == nil {
		return "a number"
	}
	var args []string
	for _, arg := range n.args {
		args = append(args, number(f.values[arg][0]))
	}
	if len(args) == 2 && !startsName(first(n.of.name)) {
		return args[0] + " " + n.of.name + " " + args[1]
	}
	return n.of.name + "(" + strings.Join(args, ", ") + ")"
}

func number(v float64) string { return fmt.Sprintf("%.4g", v) }

// derive makes room for derivatives.
func (f *Frame) derive() {
	if f.first == nil {
		f.first, f.second = blocksOf(len(f.own)), blocksOf(len(f.own))
	}
}

// slopes computes the derivatives of an operation of a part by those of its arguments.
func (f *Frame) slopes(k simd.Kernels, p *Part, id, n int) {
	node := &f.graph.nodes[id]
	d, h, v := f.first[id][:n], f.second[id][:n], f.at(id, n)
	da, ha := [3][]float64{zeros[:n], zeros[:n], zeros[:n]}, [3][]float64{zeros[:n], zeros[:n], zeros[:n]}
	for c, arg := range node.args {
		if p.moves[arg] {
			da[c], ha[c] = f.first[arg][:n], f.second[arg][:n]
		}
	}
	a := f.at(node.args[0], n)
	switch of := node.of; {
	case of == choose:
		for i, holds := range a {
			c := 1
			if holds == 0 {
				c = 2
			}
			d[i], h[i] = da[c][i], ha[c][i]
		}
	case of.unary != nil:
		of.unary(k, v, a, d, h)
		for i, slope := range da[0] {
			h[i] = math.FMA(h[i]*slope, slope, float64(d[i]*ha[0][i]))
			d[i] *= slope
		}
	default:
		of.slopes([4][]float64{da[0], ha[0], da[1], ha[1]}, v, a, f.at(node.args[1], n), d, h)
	}
}

// zeros are the derivatives of what does not move.
var zeros = make([]float64, BlockRows)

// slopes writes derivatives of an operation on two numbers, of which by has first and second derivatives.
func (of *function) slopes(by [4][]float64, v, a, b, d, h []float64) {
	da, ha, db, hb := by[0], by[1], by[2], by[3]
	switch of {
	case add:
		for i := range d {
			d[i], h[i] = da[i]+db[i], ha[i]+hb[i]
		}
	case minus:
		for i := range d {
			d[i], h[i] = da[i]-db[i], ha[i]-hb[i]
		}
	case times:
		for i := range d {
			d[i] = math.FMA(a[i], db[i], float64(da[i]*b[i]))
			h[i] = math.FMA(a[i], hb[i], math.FMA(2*da[i], db[i], float64(ha[i]*b[i])))
		}
	case over:
		for i := range d {
			d[i] = (da[i] - float64(v[i]*db[i])) / b[i]
			h[i] = (ha[i] - float64(2*d[i]*db[i]) - float64(v[i]*hb[i])) / b[i]
		}
	default:
		for i := range d {
			inA, inB, inAA, inAB, inBB := of.binary(v[i], a[i], b[i])
			d[i] = math.FMA(inA, da[i], float64(inB*db[i]))
			cross := math.FMA(float64(inAA*da[i]), da[i], float64(2*inAB*da[i]*db[i]))
			h[i] = math.FMA(float64(inBB*db[i]), db[i], cross) + math.FMA(inA, ha[i], float64(inB*hb[i]))
		}
	}
}
