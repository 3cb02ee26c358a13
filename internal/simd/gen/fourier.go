package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Eight discrete Fourier transforms side by side: element i of transform l is at
// 8·i + l, so that a register holds one element of each and nothing is shuffled.

// butterflies is a stage of radix 4, decimation in frequency.
func butterflies() *kernel {
	return &kernel{
		name: "butterflies",
		doc:  "does a stage of radix 4 of 8 transforms on each block of 4·quarter elements; roots has 3 complex numbers for each of a quarter.",
		sig:  "func(re, im []float64, quarter int, roots []float64)",
		code: func(f *form) {
			re := f.address("re")
			im := f.address("im")
			left := f.Load(f.Param("re").Len(), f.GP64())
			quarter := f.Load(f.Param("quarter"), f.GP64())
			roots := f.address("roots")
			stride, three := f.GP64(), f.GP64() // in bytes
			f.MOVQ(quarter, stride)
			f.SHLQ(operand.U8(6), stride)
			f.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: 2}, three)
			f.SHLQ(operand.U8(3), left) // in bytes
			f.JZ(operand.LabelRef("done"))
			f.Label("block")
			count, root := f.GP64(), f.GP64()
			f.MOVQ(quarter, count)
			f.MOVQ(roots, root)
			f.Label("step")
			by := make([]operand.Op, 6)
			for i := range by {
				by[i] = f.spreadWord(operand.Mem{Base: root, Disp: 8 * i})
			}
			for h := range f.halves() {
				at := func(base reg.GPVirtual, part int) operand.Mem {
					m := operand.Mem{Base: base, Disp: f.bytes() * h}
					switch part {
					case 1:
						m.Index, m.Scale = stride, 1
					case 2:
						m.Index, m.Scale = stride, 2
					case 3:
						m.Index, m.Scale = three, 1
					}
					return m
				}
				f.butterfly(re, im, at, by)
			}
			for _, pointer := range []reg.GPVirtual{re, im} {
				f.ADDQ(operand.U8(64), pointer)
			}
			f.ADDQ(operand.U8(48), root)
			f.DECQ(count)
			f.JNZ(operand.LabelRef("step"))
			f.ADDQ(three, re)
			f.ADDQ(three, im)
			f.SUBQ(stride, left)
			f.SUBQ(three, left)
			f.JNZ(operand.LabelRef("block"))
			f.Label("done")
		},
	}
}

// spreadWord is a word in memory as an operand: AVX-512 broadcasts on the way.
func (f *form) spreadWord(m operand.Mem) operand.Op {
	if f.wide {
		return konst{m}
	}
	return m
}

// times is a product with such a word.
func (f *form) times(a vec, word operand.Op) vec {
	if m, ok := word.(operand.Mem); ok {
		r := f.reg()
		f.VBROADCASTSD(m, r)
		return f.mul(a, r)
	}
	return f.mul(a, word)
}

// butterfly is that of one register of each part; by is the real and the imaginary
// part of the roots of the second, the first and the third result.
func (f *form) butterfly(re, im reg.GPVirtual, at func(reg.GPVirtual, int) operand.Mem, by []operand.Op) {
	turned := func(ur, ui vec, root, part int) {
		wr, wi := by[2*root], by[2*root+1]
		f.VMOVUPD(f.sub(f.times(ur, wr), f.times(ui, wi)), at(re, part))
		f.VMOVUPD(f.add(f.times(ur, wi), f.times(ui, wr)), at(im, part))
	}
	ar, cr := f.copy(at(re, 0)), f.copy(at(re, 2))
	ai, ci := f.copy(at(im, 0)), f.copy(at(im, 2))
	br, dr := f.copy(at(re, 1)), f.copy(at(re, 3))
	bi, di := f.copy(at(im, 1)), f.copy(at(im, 3))
	pr, qr, pi, qi := f.add(ar, cr), f.sub(ar, cr), f.add(ai, ci), f.sub(ai, ci)
	sr, ti, si, tr := f.add(br, dr), f.sub(dr, br), f.add(bi, di), f.sub(bi, di)
	f.VMOVUPD(f.add(pr, sr), at(re, 0))
	f.VMOVUPD(f.add(pi, si), at(im, 0))
	turned(f.sub(pr, sr), f.sub(pi, si), 1, 1)
	turned(f.add(qr, tr), f.add(qi, ti), 0, 2)
	turned(f.sub(qr, tr), f.sub(qi, ti), 2, 3)
}

// halvings is a stage of radix 2 on blocks of two elements.
func halvings() *kernel {
	return &kernel{
		name: "halvings",
		doc:  "replaces each two elements of 8 numbers by their sum and their difference.",
		sig:  "func(x []float64)",
		code: func(f *form) {
			x := f.address("x")
			left := f.Load(f.Param("x").Len(), f.GP64())
			f.SHRQ(operand.U8(4), left)
			f.JZ(operand.LabelRef("done"))
			f.Label("step")
			for h := range f.halves() {
				first := operand.Mem{Base: x, Disp: f.bytes() * h}
				second := first.Offset(64)
				a, b := f.copy(first), f.copy(second)
				f.VMOVUPD(f.add(a, b), first)
				f.VMOVUPD(f.sub(a, b), second)
			}
			f.ADDQ(operand.U32(128), x)
			f.DECQ(left)
			f.JNZ(operand.LabelRef("step"))
			f.Label("done")
		},
	}
}

// power is |re + i·im|².
func power() *kernel {
	return &kernel{name: "power", doc: "replaces re by re² + im².", in: []string{"im"}, out: []string{"re"}, body: func(l lane, _, _ []vec) {
		re, im := l.load("re"), l.load("im")
		p := l.mul(im, im)
		l.plus(p, re, re)
		l.store(p, "re")
	}}
}
