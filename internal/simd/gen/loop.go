package main

import (
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// kernel walks over slices of one length, 8 elements a step.
type kernel struct {
	name string
	doc  string
	args string   // parameters before the slices, as Go declares them
	in   []string // slices that are read; the first of all has the length
	out  []string // slices that are written
	ends string   // parameters after the slices
	sums []sum
	// setup returns what the body needs in registers besides.
	setup func(w *walk) []vec
	// body does one register of a step and changes the sums.
	body func(l lane, s []vec, with []vec)

	// A kernel that is no such walk has a signature and writes all of itself.
	sig  string
	code func(f *form)

	// woven interleaves the two halves of a step of AVX2, an instruction of each in turn: while one waits for its
	// numbers the other continues. It wants twice the registers.
	woven bool

	// narrowOnly has the form for AVX2 alone, which AVX-512 also calls.
	narrowOnly bool
}

// sum is an accumulator of 8 lanes. It begins at from and is returned, its lanes added (or multiplied, if times) by
// the tree of vec's reduce; or its lanes are in the array lanes at number at·8, before and after.
type sum struct {
	from  float64
	times bool
	lanes bool
	at    int
}

// walk is one kernel in one form.
type walk struct {
	*form
	k    *kernel
	base map[string]reg.Register
	off  reg.GPVirtual
	with []vec
	sums [][]vec // by half
}

// lane is one register of a step; the last step has a mask, in memory for AVX2
// and in a register for AVX-512.
type lane struct {
	*walk
	half int
	mask *operand.Mem
	bits reg.Register
}

// signature returns the kernel's parameters and results.
func (k *kernel) signature() string {
	if k.code != nil {
		return k.sig
	}
	slices := append(append([]string{}, k.out...), k.in...)
	parts := []string{}
	for _, p := range []string{k.args, strings.Join(slices, ", ") + " []float64", k.ends} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	results := []string{}
	for i, s := range k.sums {
		if !s.lanes {
			results = append(results, "s"+string(rune('0'+i)))
		}
	}
	sig := "func(" + strings.Join(parts, ", ") + ")"
	if len(results) > 0 {
		sig += " (" + strings.Join(results, ", ") + " float64)"
	}
	return sig
}

// suffix names the form.
func (f *form) suffix() string {
	if f.wide {
		return "AVX512"
	}
	return "AVX2"
}

// emit writes the kernel in one form. A kernel of two is joined later: its wide form asks
// first whether it is the one that is wanted.
func (k *kernel) emit(f *form) {
	if !slices.Contains(k.forms(), f.suffix()) {
		return
	}
	f.Function(k.name + f.suffix())
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr("func" + strings.Replace(k.parameters(), " Kernels", " uint8", 1))
	asks := f.wide && k.both()
	if asks {
		asked, err := f.Param("form").Resolve()
		if err != nil {
			panic(err)
		}
		f.CMPB(asked.Addr, operand.U8(avx512))
		f.JNE(operand.LabelRef(narrow))
	}
	if k.code != nil {
		k.code(f)
	} else {
		k.walk(f)
	}
	f.VZEROUPPER()
	f.RET()
	if asks {
		f.Label(narrow)
		f.RET() // join puts the narrow form here
	}
}

// walk goes through the slices.
func (k *kernel) walk(f *form) {
	w := &walk{form: f, k: k, base: map[string]reg.Register{}}
	for _, s := range append(append([]string{}, k.in...), k.out...) {
		w.base[s] = f.Load(f.Param(s).Base(), f.GP64())
	}
	n := f.Load(f.Param(append(append([]string{}, k.in...), k.out...)[0]).Len(), f.GP64())
	if k.setup != nil {
		w.with = k.setup(w)
	}
	w.begin()
	w.off = f.GP64()
	f.XORQ(w.off, w.off)
	steps := f.GP64()
	f.MOVQ(n, steps)
	f.SHRQ(operand.U8(3), steps)
	f.JZ(operand.LabelRef("tail"))
	f.Label("step")
	half := func(h int) { k.body(lane{w, h, nil, nil}, w.sums[h], w.with) }
	if k.woven && !f.wide {
		f.weave(half)
	} else {
		for h := range f.halves() {
			half(h)
		}
	}
	f.ADDQ(operand.U8(64), w.off)
	f.DECQ(steps)
	f.JNZ(operand.LabelRef("step"))
	f.Label("tail")
	f.ANDQ(operand.U8(7), n)
	f.JZ(operand.LabelRef("done"))
	w.tail(n)
	f.Label("done")
	w.end()
}

// tail does the last n < 8 elements: the sums of other lanes stay as they are.
func (w *walk) tail(n reg.Register) {
	if w.wide {
		w.wideTail(n)
		return
	}
	// registers are scarce: the sums wait on the stack. The table of masks has
	// 8 words of ones, then 8 of zeros.
	masks, back := w.GP64(), w.GP64()
	w.LEAQ(operand.NewDataAddr(operand.NewStaticSymbol("masks"), 64), masks)
	w.MOVQ(n, back)
	w.SHLQ(operand.U8(3), back)
	w.SUBQ(back, masks)
	var stack operand.Mem
	if n := len(w.k.sums); n > 0 {
		stack = w.AllocLocal(64 * n)
	}
	place := func(h, i int) operand.Mem { return stack.Offset(64*i + 32*h) }
	w.each(func(h, i int) { w.VMOVUPD(w.sums[h][i], place(h, i)) })
	for h := range w.halves() {
		if h == 1 {
			w.CMPQ(n, operand.U8(4))
			w.JLE(operand.LabelRef("reload"))
		}
		mask := operand.Mem{Base: masks, Disp: 32 * h}
		sums := make([]vec, len(w.k.sums))
		for i := range sums {
			sums[i] = w.copy(place(h, i))
		}
		w.k.body(lane{w, h, &mask, nil}, sums, w.with)
		for i, s := range sums {
			w.VMOVUPD(w.choose(w.copy(mask), s, w.copy(place(h, i))), place(h, i))
		}
	}
	w.Label("reload")
	w.each(func(h, i int) { w.VMOVUPD(place(h, i), w.sums[h][i]) })
}

// each visits the sums of both halves.
func (w *walk) each(visit func(h, i int)) {
	for h := range w.sums {
		for i := range w.sums[h] {
			visit(h, i)
		}
	}
}

// wideTail is tail with one register and a mask register.
func (w *walk) wideTail(n reg.Register) {
	mask := w.firstLanes(n)
	sums := make([]vec, len(w.k.sums))
	for i, s := range w.sums[0] {
		sums[i] = w.copy(s)
	}
	w.k.body(lane{w, 0, nil, mask}, sums, w.with)
	for i, s := range sums {
		w.VMOVAPD(s, mask, w.sums[0][i])
	}
}

// begin sets the sums to where they start.
func (w *walk) begin() {
	w.sums = make([][]vec, w.halves())
	var lanes reg.Register
	for h := range w.sums {
		for _, s := range w.k.sums {
			switch {
			case s.lanes:
				if lanes == nil {
					lanes = w.Load(w.Param("lanes"), w.GP64())
				}
				w.sums[h] = append(w.sums[h], w.copy(operand.Mem{Base: lanes, Disp: 64*s.at + 32*h}))
			case s.from == 0:
				w.sums[h] = append(w.sums[h], w.zero())
			default:
				w.sums[h] = append(w.sums[h], w.is(w.form.k(s.from)))
			}
		}
	}
}

// end stores or reduces the sums.
func (w *walk) end() {
	var lanes reg.Register
	for i, s := range w.k.sums {
		if s.lanes {
			if lanes == nil {
				lanes = w.Load(w.Param("lanes"), w.GP64())
			}
			for h := range w.sums {
				w.VMOVUPD(w.sums[h][i], operand.Mem{Base: lanes, Disp: 64*s.at + 32*h})
			}
			continue
		}
		w.Store(w.reduce(i), w.Return("s"+string(rune('0'+i))))
	}
}

// reduce joins lane k with k + 4, then k with k + 2, then the last two.
func (w *walk) reduce(i int) reg.Register {
	join := w.VADDPD
	last := w.VADDSD
	if w.k.sums[i].times {
		join, last = w.VMULPD, w.VMULSD
	}
	low, high := w.sums[0][i], vec(nil)
	if w.wide {
		high = w.YMM()
		w.VEXTRACTF64X4(operand.U8(1), low, high)
		low = low.AsY().(vec)
	} else {
		high = w.sums[1][i]
	}
	four := w.YMM()
	join(high, low, four)
	half := w.XMM()
	w.VEXTRACTF128(operand.U8(1), four, half)
	join(half, four.AsX(), half)
	odd := w.XMM()
	w.VPERMILPD(operand.U8(1), half, odd)
	last(odd, half, half)
	return half
}

// at is where the lane's elements of a slice lie.
func (l lane) at(slice string) operand.Mem {
	return operand.Mem{Base: l.base[slice], Index: l.off, Scale: 1, Disp: l.half * l.bytes()}
}

// load reads a slice; lanes beyond the mask are 0.
func (l lane) load(slice string) vec {
	r := l.reg()
	switch {
	case l.mask != nil:
		l.VMASKMOVPD(l.at(slice), l.copy(*l.mask), r)
	case l.bits != nil:
		l.VMOVUPD_Z(l.at(slice), l.bits, r)
	default:
		l.VMOVUPD(l.at(slice), r)
	}
	return r
}

// store writes a slice where the mask is set.
func (l lane) store(v vec, slice string) {
	switch {
	case l.mask != nil:
		l.VMASKMOVPD(v, l.copy(*l.mask), l.at(slice))
	case l.bits != nil:
		l.VMOVUPD(v, l.bits, l.at(slice))
	default:
		l.VMOVUPD(v, l.at(slice))
	}
}

// scalar broadcasts a parameter.
func (w *walk) scalar(name string) vec {
	m, err := w.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	r := w.reg()
	w.VBROADCASTSD(m.Addr, r)
	return r
}
