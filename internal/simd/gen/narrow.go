package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The AVX2 forms of tile.go: 16 registers of 4 numbers. The 8 lanes of a sum take two.

// narrowDots takes two vectors and two columns at a time, so that a number that is read
// enters two sums; of an odd number of columns the last goes with four vectors.
func (f *form) narrowDots() {
	d := &dots{form: f, vectors: f.address("vectors"), columns: f.address("columns"), dst: f.address("dst")}
	left := f.Load(f.Param("dst").Len(), f.GP64())
	n := f.Load(f.Param("n"), f.GP64())
	d.stride, d.end, d.masks = f.GP64(), f.GP64(), f.GP64()
	f.MOVQ(n, d.stride)
	f.SHLQ(operand.U8(3), d.stride)
	f.MOVQ(d.stride, d.end)
	f.ANDQ(operand.I32(-64), d.end)
	d.rest = f.GP64()
	f.MOVQ(d.stride, d.rest)
	f.SUBQ(d.end, d.rest)
	f.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("masks"), 64), d.masks)
	f.SUBQ(d.rest, d.masks)
	f.SHRQ(operand.U8(3), left)
	f.Label("pair")
	f.SUBQ(operand.U8(2), left)
	f.JB(operand.LabelRef("odd"))
	d.block("pair", 2, 2)
	f.LEAQ(operand.Mem{Base: d.columns, Index: d.stride, Scale: 2}, d.columns)
	f.ADDQ(operand.U32(128), d.dst)
	f.JMP(operand.LabelRef("pair"))
	f.Label("odd")
	f.ADDQ(operand.U8(2), left)
	f.JZ(operand.LabelRef("done"))
	d.block("odd", 4, 1)
	f.Label("done")
}

// dots are the registers of narrowDots: numbers of bytes, and where the mask of the last lanes begins.
type dots struct {
	*form
	vectors, columns, dst          reg.GPVirtual
	stride, end, rest, masks, each reg.GPVirtual
}

// block writes the sums of all 8 vectors, so many at a time, with one or two columns.
func (d *dots) block(name string, vectors, columns int) {
	from := make([]reg.GPVirtual, vectors+columns) // vectors, then columns
	for i := range from {
		from[i] = d.GP64()
		switch i {
		case 0:
			d.MOVQ(d.vectors, from[i])
		case vectors:
			d.MOVQ(d.columns, from[i])
		default:
			d.LEAQ(operand.Mem{Base: from[i-1], Index: d.stride, Scale: 1}, from[i])
		}
	}
	done := d.GP64() // vectors whose sums are in dst, in bytes
	d.XORQ(done, done)
	d.Label(name + "vectors")
	sums := make([][2]vec, vectors*columns) // number i + vectors·j of vector i and column j
	for i := range sums {
		sums[i] = [2]vec{d.zero(), d.zero()}
	}
	off := d.GP64()
	d.XORQ(off, off)
	d.TESTQ(d.end, d.end)
	d.JZ(operand.LabelRef(name + "tail"))
	d.Label(name + "step")
	d.addProducts(sums, vectors, from, off, false)
	d.ADDQ(operand.U8(64), off)
	d.CMPQ(off, d.end)
	d.JNE(operand.LabelRef(name + "step"))
	d.Label(name + "tail")
	d.TESTQ(d.rest, d.rest)
	d.JZ(operand.LabelRef(name + "reduce"))
	d.addProducts(sums, vectors, from, off, true)
	d.Label(name + "reduce")
	four := d.reduceFour(sums)
	if columns == 1 {
		d.VMOVUPD(four, operand.Mem{Base: d.dst, Index: done, Scale: 1})
	} else {
		d.VMOVUPD(four.AsX(), operand.Mem{Base: d.dst, Index: done, Scale: 1})
		d.VEXTRACTF128(operand.U8(1), four, operand.Mem{Base: d.dst, Index: done, Scale: 1, Disp: 64})
	}
	for _, v := range from[:vectors] {
		d.LEAQ(operand.Mem{Base: v, Index: d.stride, Scale: uint8(vectors)}, v)
	}
	d.ADDQ(operand.U8(8*vectors), done)
	d.CMPQ(done, operand.U8(64))
	d.JNE(operand.LabelRef(name + "vectors"))
}

// addProducts adds 8 rows to the sums. Behind the last row columns are 0 and vectors −0,
// whose product changes no sum, not even −0.
func (d *dots) addProducts(sums [][2]vec, vectors int, from []reg.GPVirtual, off reg.GPVirtual, last bool) {
	for h := range 2 {
		at := func(p reg.GPVirtual) operand.Mem {
			return operand.Mem{Base: p, Index: off, Scale: 1, Disp: 32 * h}
		}
		var mask, behind vec
		if last {
			mask, behind = d.copy(operand.Mem{Base: d.masks, Disp: 32 * h}), d.reg()
			d.VANDNPD(d.bits(1<<63).Mem, mask, behind)
		}
		read := func(p reg.GPVirtual) vec {
			if !last {
				return d.copy(at(p))
			}
			r := d.reg()
			d.VMASKMOVPD(at(p), mask, r)
			return r
		}
		var columns []vec
		for _, p := range from[vectors:] {
			columns = append(columns, read(p))
		}
		for i, p := range from[:vectors] {
			v := read(p)
			if last {
				v = d.or(v, behind)
			}
			for j, c := range columns {
				d.plus(sums[i+vectors*j][h], v, c)
			}
		}
	}
}

// reduceFour returns four sums of 8 lanes each: lane k with k + 4, then with k + 2, then
// the last two.
func (f *form) reduceFour(s [][2]vec) vec {
	var t [4]vec
	for i := range t {
		t[i] = f.add(s[i][0], s[i][1])
	}
	fold := func(a, b vec) vec {
		x, y := f.reg(), f.reg()
		f.VPERM2F128(operand.U8(0x20), b, a, x)
		f.VPERM2F128(operand.U8(0x31), b, a, y)
		return f.add(x, y)
	}
	a, b := fold(t[0], t[2]), fold(t[1], t[3])
	x, y := f.reg(), f.reg()
	f.VUNPCKLPD(b, a, x)
	f.VUNPCKHPD(b, a, y)
	return f.add(x, y)
}

// narrowRegisters is the largest number of registers of dst that narrowTiles keeps at a
// time, and narrowThird that of three strips, which tileRegisters make.
const (
	narrowRegisters = 13
	narrowThird     = (2*tileRegisters + 2) / 3
)

// narrowTiles cuts dst into at most three strips of about as many registers each, and goes
// over the columns for each of them.
func (f *form) narrowTiles() {
	t := &tiles{form: f, a: f.address("a"), columns: f.address("columns"), dst: f.address("dst"), masks: f.GP64()}
	t.count = f.Load(f.Param("a").Len(), f.GP64())
	t.apart = f.Load(f.Param("apart"), f.GP64()).(reg.GPVirtual)
	f.TESTQ(t.count, t.count)
	f.JZ(operand.LabelRef("done"))
	f.SHLQ(operand.U8(3), t.apart)
	left, missing, last := f.GP64(), f.GP64(), f.GP64() // registers, and lanes that the last has not
	n := f.Load(f.Param("dst").Len(), f.GP64())
	f.LEAQ(operand.Mem{Base: n.(reg.GPVirtual), Disp: 3}, left)
	f.SHRQ(operand.U8(2), left)
	f.MOVQ(left, missing)
	f.SHLQ(operand.U8(2), missing)
	f.SUBQ(n, missing)
	f.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("masks"), 32), last)
	f.LEAQ(operand.Mem{Base: last, Index: missing, Scale: 8}, last)
	f.Label("strip")
	m := f.GP64()
	f.MOVQ(left, m)
	f.CMPQ(left, operand.U8(narrowRegisters))
	f.JBE(operand.LabelRef("chosen"))
	f.INCQ(m)
	f.SHRQ(operand.U8(1), m)
	f.CMPQ(left, operand.U8(2*narrowRegisters))
	f.JBE(operand.LabelRef("chosen"))
	f.MOVQ(operand.U32(narrowThird), m)
	f.Label("chosen")
	f.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("masks"), 0), t.masks)
	f.SUBQ(m, left)
	f.JNE(operand.LabelRef("whole"))
	f.MOVQ(last, t.masks)
	f.Label("whole")
	for i := 1; i < narrowRegisters; i++ {
		f.CMPQ(m, operand.U8(i))
		f.JEQ(operand.LabelRef(fmt.Sprint("tile", i)))
	}
	for i := narrowRegisters; i > 0; i-- {
		f.Label(fmt.Sprint("tile", i))
		t.strip(i)
		f.JMP(operand.LabelRef("next"))
	}
	f.Label("next")
	f.SHLQ(operand.U8(5), m)
	f.ADDQ(m, t.dst)
	f.ADDQ(m, t.columns)
	f.TESTQ(left, left)
	f.JNZ(operand.LabelRef("strip"))
	f.Label("done")
}

// tiles are the registers of narrowTiles.
type tiles struct {
	*form
	a, columns, dst, apart, masks reg.GPVirtual
	count                         reg.Register
}

// strip is one strip of m registers, the last one under the mask.
func (t *tiles) strip(m int) {
	loop := fmt.Sprint("columns", m)
	a, column, left, mask := t.GP64(), t.GP64(), t.GP64(), t.copy(operand.Mem{Base: t.masks})
	t.MOVQ(t.a, a)
	t.MOVQ(t.columns, column)
	t.MOVQ(t.count, left)
	sums := make([]vec, m)
	for i := range sums {
		if i < m-1 {
			sums[i] = t.copy(operand.Mem{Base: t.dst, Disp: 32 * i})
		} else {
			sums[i] = t.reg()
			t.VMASKMOVPD(operand.Mem{Base: t.dst, Disp: 32 * i}, mask, sums[i])
		}
	}
	t.Label(loop)
	by, part := t.reg(), t.reg()
	t.VBROADCASTSD(operand.Mem{Base: a}, by)
	t.VMASKMOVPD(operand.Mem{Base: column, Disp: 32 * (m - 1)}, mask, part)
	for i, s := range sums[:m-1] {
		t.VFMADD231PD(operand.Mem{Base: column, Disp: 32 * i}, by, s)
	}
	t.VFMADD231PD(part, by, sums[m-1])
	t.ADDQ(operand.U8(8), a)
	t.ADDQ(t.apart, column)
	t.DECQ(left)
	t.JNZ(operand.LabelRef(loop))
	for i, s := range sums[:m-1] {
		t.VMOVUPD(s, operand.Mem{Base: t.dst, Disp: 32 * i})
	}
	t.VMASKMOVPD(sums[m-1], mask, operand.Mem{Base: t.dst, Disp: 32 * (m - 1)})
}

// narrowSpread does 8 columns: of blocks of 4 × 4 of epsilon.
func (f *form) narrowSpread(dst, stride, along, epsilon, apart reg.GPVirtual, factors [3]reg.GPVirtual) {
	for half := range 2 {
		row := f.GP64()
		f.LEAQ(operand.Mem{Base: epsilon, Disp: 32 * half}, row)
		var lines [2][]vec // 0 to 3, and 4 to 7, of 4 columns
		for i := range lines {
			rows := make([]vec, 4)
			for j := range rows {
				rows[j] = f.copy(operand.Mem{Base: row})
				f.ADDQ(apart, row)
			}
			lines[i] = f.transposeFour(rows)
		}
		for c := range 4 {
			at := 4*half + c
			var by [3]vec // factor, scale, location
			for i, of := range factors {
				by[i] = f.reg()
				f.VBROADCASTSD(operand.Mem{Base: of, Disp: 8 * at}, by[i])
			}
			for i := range lines {
				e := lines[i][c]
				f.VFMADD231PD(operand.Mem{Base: along, Disp: 64*at + 32*i}, by[0], e)
				f.VFMADD213PD(by[2], by[1], e)
				f.VMOVUPD(e, operand.Mem{Base: dst, Disp: 32 * i})
			}
			f.ADDQ(stride, dst)
		}
	}
}

// transposeFour returns the columns of 4 rows.
func (f *form) transposeFour(rows []vec) []vec {
	columns := make([]vec, 4)
	for odd := range 2 {
		var pairs [2]vec // of rows: columns odd and odd + 2
		for i := range pairs {
			pairs[i] = f.reg()
			if odd == 0 {
				f.VUNPCKLPD(rows[2*i+1], rows[2*i], pairs[i])
			} else {
				f.VUNPCKHPD(rows[2*i+1], rows[2*i], pairs[i])
			}
		}
		for second, choice := range []uint8{0x20, 0x31} {
			columns[odd+2*second] = f.reg()
			f.VPERM2F128(operand.U8(choice), pairs[1], pairs[0], columns[odd+2*second])
		}
	}
	return columns
}
