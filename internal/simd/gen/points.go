package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels over rows of a matrix stored by rows, of 8, 16, 24 or 32 numbers each: a sparse
// column times it, and the outer product of both added to it.

// pointsWidest is the largest number of 8 numbers in a row.
const pointsWidest = 4

func points() []*kernel {
	return []*kernel{
		{
			name: "sumRows", doc: "adds Σ values·q[rows] to dst, a row of q being len(dst) numbers: 8, 16, 24 or 32.",
			sig: "func(dst, values []float64, rows []int32, q []float64)",
			code: func(f *form) {
				f.eachRow("dst", func(dst reg.GPVirtual, regs int, entries func(func(row operand.Mem, value vec))) {
					sums := make([]vec, regs)
					for i := range sums {
						sums[i] = f.copy(operand.Mem{Base: dst, Disp: i * f.bytes()})
					}
					entries(func(row operand.Mem, value vec) {
						for i, s := range sums {
							f.VFMADD231PD(row.Offset(i*f.bytes()), value, s)
						}
					})
					for i, s := range sums {
						f.VMOVUPD(s, operand.Mem{Base: dst, Disp: i * f.bytes()})
					}
				})
			},
		},
		{
			name: "addRows", doc: "adds values·step to q[rows], a row of q being len(step) numbers: 8, 16, 24 or 32.",
			sig: "func(step, values []float64, rows []int32, q []float64)",
			code: func(f *form) {
				f.eachRow("step", func(step reg.GPVirtual, regs int, entries func(func(row operand.Mem, value vec))) {
					steps := make([]vec, regs)
					for i := range steps {
						steps[i] = f.copy(operand.Mem{Base: step, Disp: i * f.bytes()})
					}
					entries(func(row operand.Mem, value vec) {
						for i, s := range steps {
							at := row.Offset(i * f.bytes())
							sum := f.copy(at)
							f.VFMADD231PD(s, value, sum)
							f.VMOVUPD(sum, at)
						}
					})
				})
			},
		},
	}
}

// eachRow emits body for each width of the slice named, with what goes through the
// entries.
func (f *form) eachRow(slice string, body func(at reg.GPVirtual, regs int, entries func(func(row operand.Mem, value vec)))) {
	at := f.address(slice)
	width := f.Load(f.Param(slice).Len(), f.GP64())
	rows, n, bases := f.stored("values", "q")
	values, q := bases[0], bases[1]
	f.TESTQ(n, n)
	f.JZ(operand.LabelRef("done"))
	for eights := 1; eights < pointsWidest; eights++ {
		f.CMPQ(width, operand.U8(8*eights))
		f.JEQ(operand.LabelRef(fmt.Sprint("eights", eights)))
	}
	for eights := pointsWidest; eights > 0; eights-- {
		f.Label(fmt.Sprint("eights", eights))
		body(at, 64*eights/f.bytes(), func(entry func(row operand.Mem, value vec)) {
			loop := fmt.Sprint("entries", eights)
			f.Label(loop)
			row, value := f.GP64(), f.reg()
			f.MOVL(operand.Mem{Base: rows}, row.As32())
			f.IMUL3Q(operand.U8(64*eights/4), row, row)
			f.VBROADCASTSD(operand.Mem{Base: values}, value)
			entry(operand.Mem{Base: q, Index: row, Scale: 4}, value)
			f.ADDQ(operand.U8(4), rows)
			f.ADDQ(operand.U8(8), values)
			f.DECQ(n)
			f.JNZ(operand.LabelRef(loop))
		})
		f.JMP(operand.LabelRef("done"))
	}
	f.Label("done")
}
