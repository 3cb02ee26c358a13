package main

import (
	"math"
	"slices"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// form is one instruction set. Its methods return new registers, except those
// whose comment says that they change their first argument.
type form struct {
	*build.Context
	wide bool // AVX-512: 8 doubles a register, otherwise 4
	pool *pool
}

type vec = reg.VecVirtual

// bytes is the length of a register, and halves how many make the 8 lanes.
func (f *form) bytes() int {
	if f.wide {
		return 64
	}
	return 32
}

func (f *form) halves() int { return 64 / f.bytes() }

func (f *form) reg() vec {
	if f.wide {
		return f.ZMM()
	}
	return f.YMM()
}

// konst is a constant in memory; AVX-512 reads 8 bytes and broadcasts them.
type konst struct{ operand.Mem }

// pool collects the constants of the file: 4 words each.
type pool struct{ values [][4]uint64 }

// row returns the address of 4 words.
func (p *pool) row(words [4]uint64) konst {
	at := slices.Index(p.values, words)
	if at < 0 {
		at = len(p.values)
		p.values = append(p.values, words)
	}
	return konst{operand.NewDataAddr(operand.NewStaticSymbol("constants"), 32*at)}
}

// word returns the address of a constant of 64 bits, stored 4 times.
func (p *pool) word(bits uint64) konst { return p.row([4]uint64{bits, bits, bits, bits}) }

func (f *form) k(x float64) konst   { return f.pool.word(math.Float64bits(x)) }
func (f *form) bits(u uint64) konst { return f.pool.word(u) }

// address is that of a slice that is a parameter.
func (f *form) address(name string) reg.GPVirtual {
	return f.Load(f.Param(name).Base(), f.GP64()).(reg.GPVirtual)
}

// is returns a constant in a register.
func (f *form) is(c konst) vec {
	r := f.reg()
	if f.wide {
		f.VBROADCASTSD(c.Mem, r)
	} else {
		f.VMOVUPD(c.Mem, r)
	}
	return r
}

func (f *form) copy(a operand.Op) vec {
	r := f.reg()
	if _, ok := a.(vec); ok {
		f.VMOVAPD(a, r)
	} else {
		f.VMOVUPD(a, r)
	}
	return r
}

func (f *form) zero() vec {
	r := f.reg()
	if f.wide {
		f.VPXORQ(r, r, r)
	} else {
		f.VXORPD(r, r, r)
	}
	return r
}

type three = func(...operand.Op)

// op3 emits plain or its broadcasting twin with second source b, first source
// a, and destination dst.
func (f *form) op3(plain, bcst three, b operand.Op, a operand.Op, dst vec) vec {
	if c, ok := b.(konst); ok {
		if f.wide {
			bcst(c.Mem, a, dst)
			return dst
		}
		b = c.Mem
	}
	plain(b, a, dst)
	return dst
}

func (f *form) add(a vec, b operand.Op) vec { return f.op3(f.VADDPD, f.VADDPD_BCST, b, a, f.reg()) }
func (f *form) sub(a vec, b operand.Op) vec { return f.op3(f.VSUBPD, f.VSUBPD_BCST, b, a, f.reg()) }
func (f *form) mul(a vec, b operand.Op) vec { return f.op3(f.VMULPD, f.VMULPD_BCST, b, a, f.reg()) }
func (f *form) div(a vec, b operand.Op) vec { return f.op3(f.VDIVPD, f.VDIVPD_BCST, b, a, f.reg()) }

// max and min return b where a or b is NaN.
func (f *form) max(a vec, b operand.Op) vec { return f.op3(f.VMAXPD, f.VMAXPD_BCST, b, a, f.reg()) }
func (f *form) min(a vec, b operand.Op) vec { return f.op3(f.VMINPD, f.VMINPD_BCST, b, a, f.reg()) }

// addTo changes s to s + b, mulTo to s·b.
func (f *form) addTo(s vec, b operand.Op) { f.op3(f.VADDPD, f.VADDPD_BCST, b, s, s) }
func (f *form) mulTo(s vec, b operand.Op) { f.op3(f.VMULPD, f.VMULPD_BCST, b, s, s) }

// plus changes s to s + a·b, minus to s − a·b, horner to s·a + c; each rounds once.
func (f *form) plus(s, a vec, b operand.Op)   { f.op3(f.VFMADD231PD, f.VFMADD231PD_BCST, b, a, s) }
func (f *form) minus(s, a vec, b operand.Op)  { f.op3(f.VFNMADD231PD, f.VFNMADD231PD_BCST, b, a, s) }
func (f *form) horner(s, a vec, c operand.Op) { f.op3(f.VFMADD213PD, f.VFMADD213PD_BCST, c, a, s) }

func (f *form) and(a vec, b operand.Op) vec { return f.logic(f.VPANDQ, f.VPANDQ_BCST, f.VANDPD, a, b) }
func (f *form) or(a vec, b operand.Op) vec  { return f.logic(f.VPORQ, f.VPORQ_BCST, f.VORPD, a, b) }
func (f *form) xor(a vec, b operand.Op) vec { return f.logic(f.VPXORQ, f.VPXORQ_BCST, f.VXORPD, a, b) }

// logic emits an operation on bits, which AVX-512F has for whole numbers only.
func (f *form) logic(wide, bcst, narrow three, a vec, b operand.Op) vec {
	if f.wide {
		return f.op3(wide, bcst, b, a, f.reg())
	}
	return f.op3(narrow, nil, b, a, f.reg())
}

func (f *form) left(a vec, n uint64) vec {
	r := f.reg()
	f.VPSLLQ(operand.U8(n), a, r)
	return r
}

func (f *form) right(a vec, n uint64) vec {
	r := f.reg()
	f.VPSRLQ(operand.U8(n), a, r)
	return r
}

// subInt subtracts integers of 64 bits.
func (f *form) subInt(a, b vec) vec {
	r := f.reg()
	f.VPSUBQ(b, a, r)
	return r
}

// Predicates of compare: all but notAtMost are false on NaN.
const (
	equal   = operand.U8(0)
	less    = operand.U8(17) // LT_OQ
	atMost  = operand.U8(18) // LE_OQ
	atLeast = operand.U8(29) // GE_OQ
	more    = operand.U8(30) // GT_OQ

	notAtMost = operand.U8(22) // NLE_UQ
)

// compare returns the mask of a ? b.
func (f *form) compare(a vec, p operand.Op, b operand.Op) reg.Register {
	c, isConst := b.(konst)
	if isConst {
		b = c.Mem
	}
	if !f.wide {
		r := f.reg()
		f.VCMPPD(p, b, a, r)
		return r
	}
	m := f.K()
	if isConst {
		f.VCMPPD_BCST(p, b, a, m)
	} else {
		f.VCMPPD(p, b, a, m)
	}
	return m
}

// choose returns yes where the mask is set and no elsewhere.
func (f *form) choose(m reg.Register, yes operand.Op, no vec) vec {
	c, isConst := yes.(konst)
	if isConst {
		yes = c.Mem
	}
	if !f.wide {
		r := f.reg()
		f.VBLENDVPD(m, yes, no, r)
		return r
	}
	r := f.copy(no)
	if isConst {
		f.VBROADCASTSD(yes, m, r)
	} else {
		f.VMOVAPD(yes, m, r)
	}
	return r
}

// which returns, for each lane, the number of limits (at most 3, ascending) that x
// has reached, as pick reads it.
func (f *form) which(x vec, limits ...float64) vec {
	r := f.is(f.bits(f.lookup(0)))
	for i, limit := range limits {
		r = f.choose(f.compare(x, atLeast, f.k(limit)), f.bits(f.lookup(i+1)), r)
	}
	return r
}

// lookup is the control word of pick: the number of a double, or those of its two
// halves.
func (f *form) lookup(i int) uint64 {
	if f.wide {
		return uint64(i)
	}
	return uint64(2*i) | uint64(2*i+1)<<32
}

// pick returns the i-th of 4 numbers for each lane, i as which returned.
func (f *form) pick(which vec, c [4]float64) vec {
	row := [4]uint64{}
	for i, v := range c {
		row[i] = math.Float64bits(v)
	}
	r := f.reg()
	table := f.pool.row(row).Mem
	if f.wide {
		all := f.reg()
		f.VBROADCASTF64X4(table, all)
		f.VPERMPD(all, which, r)
	} else {
		f.VPERMPS(table, which, r)
	}
	return r
}
