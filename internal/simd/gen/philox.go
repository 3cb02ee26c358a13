package main

import (
	"math/bits"

	"github.com/mmcloughlin/avo/operand"
)

// The constants of vec's philox.go.
const (
	philoxMultiplier = 0xD2B74407B1CE6E93
	philoxWeyl       = 0x9E3779B97F4A7C15
)

// midpointBlock is the number of draws of a step: those of two registers of counters,
// whose rounds take turns, for each waits for the one before.
func (f *form) midpointBlock() int { return 2 * f.bytes() / 4 }

// midpoints is vec.Midpoint of two words of Philox for each counter.
func midpoints() *kernel {
	return &kernel{
		name: "midpoints", doc: "writes the midpoints of counters (low, line), (low + 1, line), …, two of each, to dst, whose length is a multiple of 16, of 32 for AVX-512.",
		sig: "func(dst []float64, key, low, line uint64)",
		code: func(f *form) {
			dst := f.address("dst")
			steps := f.Load(f.Param("dst").Len(), f.GP64())
			key, line := f.broadcast("key"), f.broadcast("line")
			low := f.addInt(f.broadcast("low"), f.counters())
			f.SHRQ(operand.U8(bits.TrailingZeros(uint(f.midpointBlock()))), steps)
			f.JZ(operand.LabelRef("done"))
			f.Label("step")
			half := uint64(f.midpointBlock() / 4)
			words := f.philox([]vec{low, f.addInt(low, f.bits(half))}, line, key)
			for h, w := range words {
				a, b := f.midpoint(w[0]), f.midpoint(w[1])
				first, second := f.reg(), f.reg()
				f.VUNPCKLPD(b, a, first)
				f.VUNPCKHPD(b, a, second)
				f.VMOVUPD(first, operand.Mem{Base: dst, Disp: 2 * h * f.bytes()})
				f.VMOVUPD(second, operand.Mem{Base: dst, Disp: (2*h + 1) * f.bytes()})
			}
			f.op3(f.VPADDQ, f.VPADDQ_BCST, f.bits(2*half), low, low)
			f.ADDQ(operand.U32(8*f.midpointBlock()), dst)
			f.DECQ(steps)
			f.JNZ(operand.LabelRef("step"))
			f.Label("done")
		},
	}
}

// counters returns the counters of the lanes, less the first: in the order that
// interleaving two words of each makes that of dst.
func (f *form) counters() vec {
	if !f.wide {
		return f.copy(f.pool.row([4]uint64{0, 2, 1, 3}).Mem)
	}
	r, upper := f.reg(), f.K()
	f.VBROADCASTF64X4(f.pool.row([4]uint64{0, 4, 1, 5}).Mem, r)
	mask := f.GP32()
	f.MOVL(operand.U32(0xF0), mask)
	f.KMOVW(mask, upper)
	f.VPADDQ_BCST(f.bits(2).Mem, r, upper, r)
	return r
}

// broadcast returns an integer parameter in all lanes.
func (f *form) broadcast(name string) vec {
	m, err := f.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := f.reg()
	f.VPBROADCASTQ(m.Addr, r)
	return r
}

// philox returns the two words of ten rounds for each register of counters.
func (f *form) philox(low []vec, line, key vec) (words [][2]vec) {
	for _, l := range low {
		words = append(words, [2]vec{l, line})
	}
	key = f.copy(key)
	for round := range 10 {
		if round > 0 {
			f.op3(f.VPADDQ, f.VPADDQ_BCST, f.bits(philoxWeyl), key, key)
		}
		for i, w := range words {
			upper, lower := f.wideProduct(w[0])
			words[i] = [2]vec{f.xor3(upper, key, w[1]), lower}
		}
	}
	return words
}

// wideProduct returns the upper and the lower word of x times the multiplier, from
// four products of halves.
func (f *form) wideProduct(x vec) (upper, lower vec) {
	odd := f.reg()
	f.VPSHUFD(operand.U8(0xF5), x, odd) // upper halves, also where products read
	m, mHigh := f.bits(philoxMultiplier), f.bits(philoxMultiplier>>32)
	ll, hl := f.mulInt(x, m), f.mulInt(odd, m)
	lh, hh := f.mulInt(x, mHigh), f.mulInt(odd, mHigh)
	t := f.addInt(hl, f.right(ll, 32))
	u := f.addInt(lh, f.and(t, f.bits(1<<32-1)))
	upper = f.addInt(f.addInt(hh, f.right(t, 32)), f.right(u, 32))
	return upper, f.or(f.left(u, 32), f.and(ll, f.bits(1<<32-1)))
}

// mulInt returns the products of the lower halves of each word.
func (f *form) mulInt(a vec, b operand.Op) vec {
	return f.op3(f.VPMULUDQ, f.VPMULUDQ_BCST, b, a, f.reg())
}

// addInt adds integers of 64 bits.
func (f *form) addInt(a vec, b operand.Op) vec {
	return f.op3(f.VPADDQ, f.VPADDQ_BCST, b, a, f.reg())
}

// xor3 returns a ^ b ^ c.
func (f *form) xor3(a, b, c vec) vec {
	if !f.wide {
		return f.xor(f.xor(a, b), c)
	}
	r := f.copy(a)
	f.VPTERNLOGQ(operand.U8(0x96), b, c, r)
	return r
}

// midpoint returns (k + ½)·2⁻⁵² of the upper 52 bits k of a word: 1 + k·2⁻⁵² less 1 −
// 2⁻⁵³, which is exact.
func (f *form) midpoint(word vec) vec {
	return f.sub(f.or(f.right(word, 12), f.k(1)), f.k(1-0x1p-53))
}
