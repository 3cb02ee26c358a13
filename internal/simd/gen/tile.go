package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Products of matrices in tiles of one side, sums standing in registers. AVX2, which has
// half as many registers of half the length, goes its own way to the same sums: narrow.go.

// product is dst[8j + i] = Σ vectors[i]·columns[j], with dot's lanes and tree in
// each: each column is read once for 8 vectors, and the 8 sums of a column are
// reduced together.
func product() *kernel {
	return &kernel{
		name: "dots8",
		doc:  "writes Σ v·c for 8 vectors v of n elements and each column c, 8 sums a column, to dst.",
		sig:  "func(vectors []float64, n int, columns []float64, dst []float64)",
		code: func(f *form) {
			if !f.wide {
				f.narrowDots()
				return
			}
			columns, dst := f.address("columns"), f.address("dst")
			left := f.Load(f.Param("dst").Len(), f.GP64())
			n := f.Load(f.Param("n"), f.GP64())
			// vectors 0 to 3 from low, 4 to 7 from high, strides apart
			low, high, stride, three := f.address("vectors"), f.GP64(), f.GP64(), f.GP64()
			f.LEAQ(operand.Mem{Base: n.(reg.GPVirtual), Index: n, Scale: 1}, three)
			f.ADDQ(n, three)
			f.MOVQ(n, stride)
			f.SHLQ(operand.U8(3), stride)
			f.SHLQ(operand.U8(3), three)
			f.LEAQ(operand.Mem{Base: low, Index: stride, Scale: 4}, high)
			rest := f.GP64()
			f.MOVQ(n, rest)
			f.ANDQ(operand.U8(7), rest)
			mask := f.firstLanes(rest)
			f.SHRQ(operand.U8(3), left)
			f.JZ(operand.LabelRef("done"))
			f.Label("column")
			sums := make([]vec, 8)
			for i := range sums {
				sums[i] = f.zero()
			}
			p, q, steps := f.GP64(), f.GP64(), f.GP64()
			f.MOVQ(low, p)
			f.MOVQ(high, q)
			at := func(i int) operand.Mem {
				base := p
				if i > 3 {
					base = q
				}
				switch i % 4 {
				case 0:
					return operand.Mem{Base: base}
				case 1:
					return operand.Mem{Base: base, Index: stride, Scale: 1}
				case 2:
					return operand.Mem{Base: base, Index: stride, Scale: 2}
				}
				return operand.Mem{Base: base, Index: three, Scale: 1}
			}
			f.MOVQ(n, steps)
			f.SHRQ(operand.U8(3), steps)
			f.JZ(operand.LabelRef("tail"))
			f.Label("step")
			v := f.reg()
			f.VMOVUPD(operand.Mem{Base: columns}, v)
			for i, s := range sums {
				f.VFMADD231PD(at(i), v, s)
			}
			for _, pointer := range []reg.GPVirtual{p, q, columns} {
				f.ADDQ(operand.U8(64), pointer)
			}
			f.DECQ(steps)
			f.JNZ(operand.LabelRef("step"))
			f.Label("tail")
			f.TESTQ(rest, rest)
			f.JZ(operand.LabelRef("reduce"))
			f.VMOVUPD_Z(operand.Mem{Base: columns}, mask, v)
			for i, s := range sums {
				f.VFMADD231PD(at(i), v, mask, s)
			}
			f.LEAQ(operand.Mem{Base: columns, Index: rest, Scale: 8}, columns)
			f.Label("reduce")
			f.VMOVUPD(f.reduceEight(sums), operand.Mem{Base: dst})
			f.ADDQ(operand.U8(64), dst)
			f.DECQ(left)
			f.JNZ(operand.LabelRef("column"))
			f.Label("done")
		},
	}
}

// firstLanes returns the mask of the first n < 8 lanes.
func (f *form) firstLanes(n reg.Register) reg.Register {
	ones, mask := f.GP32(), f.K()
	f.MOVL(operand.U32(255), ones)
	f.BZHIL(n.(reg.GPVirtual).As32(), ones, ones)
	f.KMOVW(ones, mask)
	return mask
}

// reduceEight returns the sums of the lanes of 8 registers: lane k with k + 4, then
// with k + 2, then the last two.
func (f *form) reduceEight(s []vec) vec {
	fold := func(a, b vec, low, high uint8) vec {
		x, y := f.reg(), f.reg()
		f.VSHUFF64X2(operand.U8(low), b, a, x)
		f.VSHUFF64X2(operand.U8(high), b, a, y)
		return f.add(x, y)
	}
	// interleaving the two registers of four at the end makes this the order of dst
	a := fold(fold(s[0], s[2], 0x44, 0xEE), fold(s[4], s[6], 0x44, 0xEE), 0x88, 0xDD)
	b := fold(fold(s[1], s[3], 0x44, 0xEE), fold(s[5], s[7], 0x44, 0xEE), 0x88, 0xDD)
	x, y := f.reg(), f.reg()
	f.VUNPCKLPD(b, a, x)
	f.VUNPCKHPD(b, a, y)
	return f.add(x, y)
}

// tileRegisters is the largest number of registers that tiled keeps: columns of up to
// 8 times as many rows.
const tileRegisters = 16

// tiled is axpy of any number of short columns, dst standing in registers.
func tiled() *kernel {
	return &kernel{
		name: "axpysTile",
		doc:  fmt.Sprintf("adds Σ a·c for each column c to dst, one after the other; dst has at most %d elements, and one at least.", 8*tileRegisters),
		sig:  "func(a []float64, columns []float64, apart int, dst []float64)",
		code: func(f *form) {
			if !f.wide {
				f.narrowTiles()
				return
			}
			a := f.address("a")
			left := f.Load(f.Param("a").Len(), f.GP64())
			columns := f.address("columns")
			dst := f.address("dst")
			n := f.Load(f.Param("dst").Len(), f.GP64())
			stride := f.Load(f.Param("apart"), f.GP64())
			count, rest := f.GP64(), f.GP64()
			f.SHLQ(operand.U8(3), stride)
			f.LEAQ(operand.Mem{Base: n.(reg.GPVirtual), Disp: -1}, count)
			f.MOVQ(count, rest)
			f.ANDQ(operand.U8(7), rest)
			f.INCQ(rest) // of the last register: 1 to 8
			f.SHRQ(operand.U8(3), count)
			mask := f.firstLanes(rest)
			f.TESTQ(left, left)
			f.JZ(operand.LabelRef("done"))
			for m := range tileRegisters - 1 {
				f.CMPQ(count, operand.U8(m))
				f.JEQ(operand.LabelRef(fmt.Sprint("tile", m)))
			}
			for m := tileRegisters - 1; m >= 0; m-- {
				f.Label(fmt.Sprint("tile", m))
				f.tile(m, a, left, columns, dst, stride, mask)
				f.JMP(operand.LabelRef("done"))
			}
			f.Label("done")
		},
	}
}

// tile is tiled with m registers and one under the mask.
func (f *form) tile(m int, a reg.GPVirtual, left reg.Register, columns, dst reg.GPVirtual, stride, mask reg.Register) {
	loop := fmt.Sprint("columns", m)
	sums := make([]vec, m)
	for i := range sums {
		sums[i] = f.copy(operand.Mem{Base: dst, Disp: 64 * i})
	}
	last, by := f.reg(), f.reg()
	f.VMOVUPD_Z(operand.Mem{Base: dst, Disp: 64 * m}, mask, last)
	f.Label(loop)
	f.VBROADCASTSD(operand.Mem{Base: a}, by)
	for i, s := range sums {
		f.VFMADD231PD(operand.Mem{Base: columns, Disp: 64 * i}, by, s)
	}
	f.VFMADD231PD(operand.Mem{Base: columns, Disp: 64 * m}, by, mask, last)
	f.ADDQ(operand.U8(8), a)
	f.ADDQ(stride, columns)
	f.DECQ(left)
	f.JNZ(operand.LabelRef(loop))
	for i, s := range sums {
		f.VMOVUPD(s, operand.Mem{Base: dst, Disp: 64 * i})
	}
	f.VMOVUPD(last, mask, operand.Mem{Base: dst, Disp: 64 * m})
}

// spread is dst[c·stride + i] = scale[c]·(factor[c]·along[8c + i] + epsilon[i·apart + c]) +
// location[c] for 8 lines i: a block of 8 × 8 of epsilon is transposed on the way.
func spread() *kernel {
	return &kernel{
		name: "spread",
		doc:  "writes scale·(factor·along + epsilon) + location for 8 lines and each column to dst; the length of factor is a multiple of 8.",
		sig:  "func(dst []float64, stride int, along, epsilon []float64, apart int, factor, scale, location []float64)",
		code: func(f *form) {
			dst, along, epsilon := f.address("dst"), f.address("along"), f.address("epsilon")
			factor, scale, location := f.address("factor"), f.address("scale"), f.address("location")
			stride := f.Load(f.Param("stride"), f.GP64()).(reg.GPVirtual)
			apart := f.Load(f.Param("apart"), f.GP64()).(reg.GPVirtual)
			left := f.Load(f.Param("factor").Len(), f.GP64())
			f.SHLQ(operand.U8(3), stride)
			f.SHLQ(operand.U8(3), apart)
			f.SHRQ(operand.U8(3), left)
			f.JZ(operand.LabelRef("done"))
			f.Label("step")
			if f.wide {
				f.wideSpread(dst, stride, along, epsilon, apart, factor, scale, location)
			} else {
				f.narrowSpread(dst, stride, along, epsilon, apart, [3]reg.GPVirtual{factor, scale, location})
			}
			f.ADDQ(operand.U32(512), along)
			for _, pointer := range []reg.GPVirtual{epsilon, factor, scale, location} {
				f.ADDQ(operand.U8(64), pointer)
			}
			f.DECQ(left)
			f.JNZ(operand.LabelRef("step"))
			f.Label("done")
		},
	}
}

// wideSpread does 8 columns.
func (f *form) wideSpread(dst, stride, along, epsilon, apart, factor, scale, location reg.GPVirtual) {
	row := f.GP64()
	f.MOVQ(epsilon, row)
	rows := make([]vec, 8)
	for i := range rows {
		rows[i] = f.copy(operand.Mem{Base: row})
		f.ADDQ(apart, row)
	}
	for c, e := range f.transpose(rows) {
		v, by := f.copy(operand.Mem{Base: along, Disp: 64 * c}), f.reg()
		f.VFMADD231PD_BCST(operand.Mem{Base: factor, Disp: 8 * c}, v, e)
		f.VBROADCASTSD(operand.Mem{Base: scale, Disp: 8 * c}, by)
		f.VFMADD213PD_BCST(operand.Mem{Base: location, Disp: 8 * c}, by, e)
		f.VMOVUPD(e, operand.Mem{Base: dst})
		f.ADDQ(stride, dst)
	}
}

// transpose returns the columns of 8 rows.
func (f *form) transpose(rows []vec) []vec {
	blocks := func(a, b vec, choice uint8) vec {
		r := f.reg()
		f.VSHUFF64X2(operand.U8(choice), b, a, r)
		return r
	}
	columns := make([]vec, 8)
	for odd := range 2 {
		pairs := make([]vec, 4) // of rows: column odd, odd + 2, odd + 4, odd + 6
		for i := range pairs {
			pairs[i] = f.reg()
			if odd == 0 {
				f.VUNPCKLPD(rows[2*i+1], rows[2*i], pairs[i])
			} else {
				f.VUNPCKHPD(rows[2*i+1], rows[2*i], pairs[i])
			}
		}
		for second := range 2 {
			choice := []uint8{0x88, 0xDD}
			a, b := blocks(pairs[0], pairs[1], choice[second]), blocks(pairs[2], pairs[3], choice[second])
			columns[odd+2*second] = blocks(a, b, 0x88)
			columns[odd+2*second+4] = blocks(a, b, 0xDD)
		}
	}
	return columns
}
