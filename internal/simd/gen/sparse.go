package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Kernels over a sparse column as stored: values, and their rows. They trust the rows: whoever calls them has
// checked the first and the last. One form serves both: the loads of scattered numbers are the work.

func sparse() []*kernel {
	return []*kernel{
		{
			name: "gatheredDot", doc: "returns Σ values·v[rows], in 4 lanes.",
			sig: "func(values []float64, rows []int32, v []float64) (s0 float64)", code: gatheredDot, narrowOnly: true,
		},
		{
			name: "scatteredAxpy", doc: "adds a·values to dst[rows].",
			sig: "func(a float64, values []float64, rows []int32, dst []float64)", code: scatteredAxpy, narrowOnly: true,
		},
		{
			name: "gather", doc: "writes v[rows] to dst.",
			sig: "func(dst []float64, rows []int32, v []float64)", code: gather, narrowOnly: true,
		},
		{
			name: "gatheredDots", doc: "writes gatheredDot of each column to dst; column j has the entries from starts[j] − starts[0] to starts[j + 1] − starts[0].",
			sig: "func(dst []float64, starts []int, values []float64, rows []int32, v []float64)", code: gatheredDots, narrowOnly: true,
		},
		{
			name: "scatteredAxpys", doc: "adds a[j] times column j to dst[rows], one after the other; columns as in gatheredDots.",
			sig: "func(a []float64, starts []int, values []float64, rows []int32, dst []float64)", code: scatteredAxpys, narrowOnly: true,
		},
	}
}

// stored loads what all have: the rows' address, their number, and a slice's address.
func (f *form) stored(slices ...string) (rows reg.GPVirtual, n reg.Register, bases []reg.GPVirtual) {
	for _, s := range slices {
		bases = append(bases, f.address(s))
	}
	return f.address("rows"), f.Load(f.Param("rows").Len(), f.GP64()), bases
}

// by emits body for entries in steps of 4, then one at a time: entry i of a step.
func (f *form) by(n reg.Register, rows reg.GPVirtual, moving []reg.GPVirtual, body func(i int, row reg.GPVirtual)) {
	left := f.GP64()
	f.MOVQ(n, left)
	step := func(size int) {
		for i := range size {
			row := f.GP64()
			f.MOVL(operand.Mem{Base: rows, Disp: 4 * i}, row.As32())
			body(i, row)
		}
		f.ADDQ(operand.U8(4*size), rows)
		for _, m := range moving {
			f.ADDQ(operand.U8(8*size), m)
		}
	}
	f.SHRQ(operand.U8(2), left)
	f.JZ(operand.LabelRef("tail"))
	f.Label("step")
	step(4)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("step"))
	f.Label("tail")
	f.ANDQ(operand.U8(3), n)
	f.JZ(operand.LabelRef("done"))
	f.Label("single")
	step(1)
	f.DECQ(n)
	f.JNZ(operand.LabelRef("single"))
	f.Label("done")
}

func scatteredAxpy(f *form) {
	rows, n, at := f.stored("values", "dst")
	f.scatter(f.Load(f.Param("a"), f.XMM()), at[0], rows, n, at[1])
}

// scatter adds a·values to dst[rows], n of them, and moves values and rows behind them.
func (f *form) scatter(a reg.Register, values, rows reg.GPVirtual, n reg.Register, dst reg.GPVirtual) {
	f.by(n, rows, []reg.GPVirtual{values}, func(i int, row reg.GPVirtual) {
		x, to := f.XMM(), operand.Mem{Base: dst, Index: row, Scale: 8}
		f.VMOVSD(operand.Mem{Base: values, Disp: 8 * i}, x)
		f.VFMADD213SD(to, a, x)
		f.VMOVSD(x, to)
	})
}

func scatteredAxpys(f *form) {
	rows, _, at := f.stored("values", "dst")
	by := f.address("a")
	f.columns("a", func(n reg.Register) {
		a := f.XMM()
		f.VMOVSD(operand.Mem{Base: by}, a)
		f.scatter(a, at[0], rows, n, at[1])
		f.ADDQ(operand.U8(8), by)
	})
}

// columns emits body, which takes the number of entries, for each column, as many as a slice has.
func (f *form) columns(slice string, body func(n reg.Register)) {
	starts := f.address("starts")
	left := f.Load(f.Param(slice).Len(), f.GP64())
	f.TESTQ(left, left)
	f.JZ(operand.LabelRef("none"))
	f.Label("column")
	n := f.GP64()
	f.MOVQ(operand.Mem{Base: starts, Disp: 8}, n)
	f.SUBQ(operand.Mem{Base: starts}, n)
	f.ADDQ(operand.U8(8), starts)
	body(n)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("column"))
	f.Label("none")
}

func gather(f *form) {
	rows, n, at := f.stored("dst", "v")
	dst, v := at[0], at[1]
	f.by(n, rows, []reg.GPVirtual{dst}, func(i int, row reg.GPVirtual) {
		x := f.GP64()
		f.MOVQ(operand.Mem{Base: v, Index: row, Scale: 8}, x)
		f.MOVQ(x, operand.Mem{Base: dst, Disp: 8 * i})
	})
}

func gatheredDot(f *form) {
	rows, n, at := f.stored("values", "v")
	f.Store(f.dot(at[0], rows, n, at[1]), f.Return("s0"))
}

func gatheredDots(f *form) {
	rows, _, at := f.stored("values", "v")
	dst := f.address("dst")
	f.columns("dst", func(n reg.Register) {
		f.VMOVSD(f.dot(at[0], rows, n, at[1]).(reg.VecVirtual), operand.Mem{Base: dst})
		f.ADDQ(operand.U8(8), dst)
	})
}

// dot returns Σ values·v[rows] over n entries, and moves values and rows behind them. Entry
// i is in lane i mod 4; lane k is joined with k + 2, then the last two.
func (f *form) dot(values, rows reg.GPVirtual, n reg.Register, v reg.GPVirtual) reg.Register {
	sum := f.YMM()
	f.VXORPD(sum, sum, sum)
	ones, left := f.YMM(), f.GP64()
	f.VPCMPEQD(ones, ones, ones)
	f.MOVQ(n, left)
	f.SHRQ(operand.U8(2), left)
	f.JZ(operand.LabelRef("tail"))
	f.Label("step")
	index, x, mask := f.XMM(), f.YMM(), f.YMM()
	f.VMOVDQU(operand.Mem{Base: rows}, index)
	f.VMOVAPD(ones, mask)
	f.VXORPD(x, x, x)
	f.VGATHERDPD(mask, operand.Mem{Base: v, Index: index, Scale: 8}, x)
	f.VFMADD231PD(operand.Mem{Base: values}, x, sum)
	f.ADDQ(operand.U8(16), rows)
	f.ADDQ(operand.U8(32), values)
	f.DECQ(left)
	f.JNZ(operand.LabelRef("step"))
	f.Label("tail")
	// the last entries go to lanes 0, 1 and 2
	low, odd, high := f.XMM(), f.XMM(), f.XMM()
	f.VEXTRACTF128(operand.U8(1), sum, high)
	f.VMOVAPD(sum.AsX(), low)
	f.VPERMILPD(operand.U8(1), low, odd)
	f.ANDQ(operand.U8(3), n)
	for _, lane := range []reg.VecVirtual{low, odd, high} {
		f.JZ(operand.LabelRef("done"))
		row, x := f.GP64(), f.XMM()
		f.MOVL(operand.Mem{Base: rows}, row.As32())
		f.VMOVSD(operand.Mem{Base: v, Index: row, Scale: 8}, x)
		f.VFMADD231SD(operand.Mem{Base: values}, x, lane)
		f.ADDQ(operand.U8(4), rows)
		f.ADDQ(operand.U8(8), values)
		f.DECQ(n)
	}
	f.Label("done")
	// (low + high) + (odd + lane 3)
	last := f.XMM()
	f.VPERMILPD(operand.U8(1), high, last)
	f.VADDSD(high, low, low)
	f.VADDSD(last, odd, odd)
	f.VADDSD(odd, low, low)
	return low
}
