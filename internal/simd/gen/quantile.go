package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Coefficients of AS 241 as vec's quantile.go has them, highest power first.
var (
	centreNum = []float64{2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
		1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e0}
	centreDen = []float64{5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
		5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1}
	middleNum = []float64{7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
		3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0}
	middleDen = []float64{1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
		6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1}
)

// quotient returns num(x)/den(x).
func (f *form) quotient(x vec, num, den []float64) vec {
	n, d := f.is(f.k(num[0])), f.is(f.k(den[0]))
	for i := range num[1:] {
		f.horner(n, x, f.k(num[1+i]))
		f.horner(d, x, f.k(den[1+i]))
	}
	return f.div(n, d)
}

// centreQuantile returns Φ⁻¹(½ + q) for |q| ≤ 0.425.
func (f *form) centreQuantile(q vec) vec {
	r := f.is(f.k(0.180625))
	f.minus(r, q, q)
	return f.mul(q, f.quotient(r, centreNum, centreDen))
}

// tailQuantile returns Φ⁻¹(p) for the other p between e⁻²⁵ and 1 − e⁻²⁵, q = p − ½.
func (f *form) tailQuantile(p, q vec) vec {
	side := f.choose(f.compare(q, more, f.k(0)), f.sub(f.is(f.k(1)), p), p)
	root := f.reg()
	f.VSQRTPD(f.xor(f.log(side), f.bits(1<<63)), root)
	tail := f.quotient(f.sub(root, f.k(1.6)), middleNum, middleDen)
	return f.choose(f.compare(q, less, f.k(0)), f.xor(tail, f.bits(1<<63)), tail)
}

// quantileParts are the centre for all, which also gathers the p of the tails, the tails of
// what was gathered, and their way back: three in twenty draws are in the tails, and a
// logarithm and a root for all cost more than to gather those.
func quantileParts() []*kernel {
	tail := elementwise("quantileTail", func(l lane, p vec) vec { return l.tailQuantile(p, l.sub(p, l.form.k(0.5))) })
	tail.doc = "writes the normal quantiles of x, |x − ½| > 0.425 and between e⁻²⁵ and 1 − e⁻²⁵, to dst."
	centre := &kernel{
		name: "quantileCentre",
		doc:  "writes the normal quantiles of p with |p − ½| ≤ 0.425 to dst, and other p one after the other to tails, with room for 8 more than these: count. The length is a multiple of 8.",
		sig:  "func(dst []float64, tails []float64, p []float64) (count int)",
		code: func(f *form) {
			f.overTails("tails", func(p, q vec, tails choice, at, next operand.Mem) {
				f.VMOVUPD(f.centreQuantile(q), at)
				f.VMOVUPD(f.packed(p, tails), next)
			})
		},
	}
	merge := &kernel{
		name: "quantileMerge",
		doc:  "writes tails one after the other to the places of dst whose p quantileCentre has gathered.",
		sig:  "func(dst []float64, tails []float64, p []float64) (count int)",
		code: func(f *form) {
			f.overTails("tails", func(_, _ vec, tails choice, at, next operand.Mem) {
				f.unpack(next, tails, at)
			})
		},
	}
	return []*kernel{tail, centre, merge}
}

// choice is some lanes of a register: a mask, and for AVX2 its bits as an integer.
type choice struct {
	mask reg.Register
	bits reg.GPVirtual
}

// The rows of 8 places of 32 bits that VPERMPS reads: for each choice of 4 lanes the order
// that brings them together, and that which brings them back.
const (
	packing, unpacking = 0, 32 * 16
)

// orders returns the words of both, 4 a row.
func orders() (words []uint64) {
	double := func(i int) uint64 { return uint64(2*i) | uint64(2*i+1)<<32 }
	for _, back := range []bool{false, true} {
		for lanes := range 16 {
			row, n := [4]uint64{}, 0
			for i := range 4 {
				if lanes>>i&1 == 1 {
					if back {
						row[i] = double(n)
					} else {
						row[n] = double(i)
					}
					n++
				}
			}
			words = append(words, row[:]...)
		}
	}
	return words
}

// order returns a row of orders in a register.
func (f *form) order(which int, lanes choice) vec {
	table, row := f.GP64(), f.GP64()
	f.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("orders"), which), table)
	f.MOVQ(lanes.bits, row)
	f.SHLQ(operand.U8(5), row)
	return f.copy(operand.Mem{Base: table, Index: row, Scale: 1})
}

// packed returns the lanes chosen of x one after the other.
func (f *form) packed(x vec, lanes choice) vec {
	r := f.reg()
	if f.wide {
		f.VCOMPRESSPD_Z(x, lanes.mask, r)
	} else {
		f.VPERMPS(x, f.order(packing, lanes), r)
	}
	return r
}

// unpack writes what packed has made to the lanes chosen.
func (f *form) unpack(from operand.Mem, lanes choice, to operand.Mem) {
	r := f.reg()
	if f.wide {
		f.VEXPANDPD_Z(from, lanes.mask, r)
		f.VMOVUPD(r, lanes.mask, to)
		return
	}
	f.VPERMPS(from, f.order(unpacking, lanes), r)
	f.VMOVUPD(f.choose(lanes.mask, r, f.copy(to)), to)
}

// overTails goes over p and dst; next is the place of the next tail of the other slice.
func (f *form) overTails(other string, body func(p, q vec, tails choice, at, next operand.Mem)) {
	dst, tails, from := f.address("dst"), f.address(other), f.address("p")
	steps := f.Load(f.Param("p").Len(), f.GP64())
	count := f.GP64()
	f.XORQ(count, count)
	f.SHRQ(operand.U8(3), steps)
	f.JZ(operand.LabelRef("done"))
	f.Label("step")
	for h := range f.halves() {
		p := f.copy(operand.Mem{Base: from, Disp: 32 * h})
		q := f.sub(p, f.k(0.5))
		found := choice{f.compare(f.and(q, f.bits(1<<63-1)), notAtMost, f.k(0.425)), f.GP64()}
		if f.wide {
			f.KMOVW(found.mask, found.bits.As32())
		} else {
			f.VMOVMSKPD(found.mask, found.bits.As32())
		}
		body(p, q, found, operand.Mem{Base: dst, Disp: 32 * h}, operand.Mem{Base: tails, Index: count, Scale: 8})
		f.POPCNTL(found.bits.As32(), found.bits.As32())
		f.ADDQ(found.bits, count)
	}
	f.ADDQ(operand.U8(64), from)
	f.ADDQ(operand.U8(64), dst)
	f.DECQ(steps)
	f.JNZ(operand.LabelRef("step"))
	f.Label("done")
	f.Store(count, f.Return("count"))
}
