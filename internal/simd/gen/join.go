package main

import (
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
)

// avx512 is the number of that form in package simd.
const avx512 = 2

// narrow is the label at which the form for AVX2 begins.
const narrow = "avx2"

// join puts the form for AVX2 after that for AVX-512, in one function that jumps to the form that its argument
// selects. Registers are given out before, to each form by itself.
func (k *kernel) join(f *ir.File) {
	var wide, second *ir.Function
	f.Sections = slices.DeleteFunc(f.Sections, func(s ir.Section) bool {
		fn, ok := s.(*ir.Function)
		switch {
		case ok && fn.Name == k.name+"AVX512":
			wide = fn
		case ok && fn.Name == k.name+"AVX2":
			second = fn
			return true
		}
		return false
	})
	wide.Name, wide.LocalSize = k.symbol(), max(wide.LocalSize, second.LocalSize)
	wide.ISA = slices.Compact(slices.Sorted(slices.Values(append(wide.ISA, second.ISA...))))
	wide.Nodes = wide.Nodes[:len(wide.Nodes)-1] // without the last RET
	for _, n := range second.Nodes {
		switch n := n.(type) {
		case ir.Label:
			wide.Nodes = append(wide.Nodes, narrow+"_"+n)
			continue
		case *ir.Instruction:
			for i, op := range n.Operands {
				if to, ok := op.(operand.LabelRef); ok {
					n.Operands[i] = narrow + "_" + to
				}
			}
		}
		wide.Nodes = append(wide.Nodes, n)
	}
}

// weft is how many instructions the second half of a step is behind the first: few, and
// yet the two are not at once where most numbers are alive.
const weft = 6

// weave emits body for both halves of a step, an instruction of each in turn.
func (f *form) weave(body func(h int)) {
	file, err := f.Result()
	if err != nil {
		panic(err)
	}
	all := file.Functions()
	fn := all[len(all)-1]
	start := len(fn.Nodes)
	var halves [2][]ir.Node
	for h := range halves {
		body(h)
		halves[h] = slices.Clone(fn.Nodes[start:])
		fn.Nodes = fn.Nodes[:start]
	}
	for i := range len(halves[0]) + weft {
		if i < len(halves[0]) {
			fn.Nodes = append(fn.Nodes, halves[0][i])
		}
		if i >= weft {
			fn.Nodes = append(fn.Nodes, halves[1][i-weft])
		}
	}
}
