package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
)

// The functions below do word for word what package vec does, on a register.
// Constants are those of vec's exp.go and log.go.
const (
	log2e = 1.44269504088896338700e+00
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10
)

// taylor are the coefficients of (eʳ − 1 − r)/r², highest first.
var taylor = []float64{1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5}

// expCore returns eʳ, k and a word whose low 12 bits are k + bias, with x =
// k·ln 2 + r. The bias does not move the rounding: x·log2e is no half integer.
func (f *form) expCore(x vec, bias float64) (y, k, word vec) {
	word = f.is(f.k(0x1.8p52 + bias))
	f.plus(word, x, f.k(log2e))
	k = f.sub(word, f.k(0x1.8p52+bias))
	hi := f.copy(x)
	f.minus(hi, k, f.k(ln2Hi))
	r := f.copy(hi)
	f.minus(r, k, f.k(ln2Lo))
	lost := f.sub(hi, r)
	f.minus(lost, k, f.k(ln2Lo))
	q := f.is(f.k(taylor[0]))
	for _, c := range taylor[1:] {
		f.horner(q, r, f.k(c))
	}
	f.horner(q, f.mul(r, r), lost)
	y = f.add(r, q)
	return f.add(y, f.k(1)), k, word
}

// exp returns eˣ. Beyond the clamps the result is +Inf or 0 already.
func (f *form) exp(x vec) vec {
	x = f.min(f.is(f.k(710)), f.max(f.is(f.k(-746)), x))
	if f.wide {
		y, k, _ := f.expCore(x, 0)
		r := f.reg()
		f.VSCALEFPD(k, y, r)
		return r
	}
	y, scale := f.factors(x)
	return f.mul(y, scale)
}

// expMinusAbs returns e = e^−|t| and u = 1 + e. AVX2 has u of e's two factors in one
// rounding, with the same bits: their product is exact where u sees it.
func (f *form) expMinusAbs(t vec) (e, u vec) {
	x := f.max(f.is(f.k(-746)), f.minusAbs(t))
	if f.wide {
		y, k, _ := f.expCore(x, 0)
		e = f.reg()
		f.VSCALEFPD(k, y, e)
		return e, f.add(e, f.k(1))
	}
	y, scale := f.factors(x)
	u = f.copy(y)
	f.horner(u, scale, f.k(1))
	return f.mul(y, scale), u
}

// factors returns y and s with eˣ = y·s, between the clamps.
func (f *form) factors(x vec) (y, s vec) {
	// 2ᵏ in two factors of half the exponent: the first product is exact
	y, _, word := f.expCore(x, 2046)
	half := f.right(word, 1)
	y = f.mul(y, f.left(half, 52))
	return y, f.left(f.subInt(word, half), 52)
}

// expNegative returns y and s with eᵗ = y·s, for t ≤ 0 or NaN; e⁻⁶⁴ below −64.
func (f *form) expNegative(t vec) (y, s vec) {
	y, _, word := f.expCore(f.max(f.is(f.k(-64)), t), 1023)
	return y, f.left(word, 52)
}

// minusAbs returns −|t|.
func (f *form) minusAbs(t vec) vec { return f.or(t, f.bits(1<<63)) }

// positive returns max(t, 0), 0 for NaN.
func (f *form) positive(t vec) vec { return f.max(t, f.k(0)) }

// logCore returns k·ln 2 + log(1 + r) + c.
func (f *form) logCore(r, k, c vec) vec {
	s := f.div(r, f.add(r, f.k(2)))
	z := f.mul(s, s)
	p := f.is(f.k(1.479819860511658591e-01))
	for _, l := range []float64{1.531383769920937332e-01, 1.818357216161805012e-01, 2.222219843214978396e-01,
		2.857142874366239149e-01, 3.999999999940941908e-01, 6.666666666666735130e-01} {
		f.horner(p, z, f.k(l))
	}
	half := f.mul(f.mul(r, r), f.k(0.5))
	f.horner(p, z, half)
	tail := f.copy(c)
	f.plus(tail, k, f.k(ln2Lo))
	f.plus(tail, s, p)
	sum := f.sub(r, f.sub(half, tail))
	f.plus(sum, k, f.k(ln2Hi))
	return sum
}

// split returns m in [√½, √2) and k with x = m·2ᵏ for positive finite x, and
// anything for others.
func (f *form) split(x vec) (m, k vec) {
	if f.wide {
		m, k = f.reg(), f.reg()
		f.VGETMANTPD(operand.U8(0), x, m)
		f.VGETEXPPD(x, k)
	} else {
		small := f.compare(x, less, f.k(0x1p-1022)).(vec)
		x = f.choose(small, f.mul(x, f.k(0x1p54)), x)
		k = f.or(f.right(x, 52), f.bits(0x433<<52)) // 2⁵² + exponent
		k = f.sub(k, f.k(0x1p52+1023))
		k = f.sub(k, f.and(small, f.k(54)))
		m = f.or(f.and(x, f.bits(1<<52-1)), f.bits(1023<<52))
	}
	upper := f.compare(m, atLeast, f.k(math.Sqrt2))
	k = f.choose(upper, f.add(k, f.k(1)), k)
	return f.choose(upper, f.mul(m, f.k(0.5)), m), k
}

// special returns x where it is +Inf or NaN, NaN below the least argument, −Inf
// at it, and r elsewhere.
func (f *form) special(r, x vec, least float64) vec {
	r = f.choose(f.compare(x, atMost, f.k(math.MaxFloat64)), r, x)
	r = f.choose(f.compare(x, less, f.k(least)), f.bits(0x7ff8000000000001), r)
	return f.choose(f.compare(x, equal, f.k(least)), f.k(math.Inf(-1)), r)
}

func (f *form) log(x vec) vec {
	m, k := f.split(x)
	return f.special(f.logCore(f.sub(m, f.k(1)), k, f.zero()), x, 0)
}

func (f *form) log1p(x vec) vec {
	u := f.add(x, f.k(1))
	lost := f.sub(x, f.sub(u, f.k(1)))
	above := f.sub(f.is(f.k(1)), f.sub(u, x))
	lost = f.choose(f.compare(x, more, f.k(1)), above, lost)
	m, k := f.split(u)
	r, c, zero := f.sub(m, f.k(1)), f.div(lost, u), f.zero()
	low, high := f.compare(x, more, f.k(-0.2928)), f.compare(x, less, f.k(0.4142))
	r = f.choose(low, f.choose(high, x, r), r)
	k = f.choose(low, f.choose(high, zero, k), k)
	c = f.choose(low, f.choose(high, zero, c), c)
	// the result has the sign of x, which the core loses at −0
	sum := f.or(f.logCore(r, k, c), f.and(x, f.bits(1<<63)))
	return f.special(sum, x, -1)
}

// log1pUnit is log1p on [0, 1] and NaN; u is 1 + e.
func (f *form) log1pUnit(e, u vec) vec {
	c := f.div(f.sub(e, f.sub(u, f.k(1))), u)
	upper := f.compare(u, atLeast, f.k(math.Sqrt2))
	zero := f.zero()
	k := f.choose(upper, f.k(1), zero)
	r := f.sub(f.choose(upper, f.mul(u, f.k(0.5)), u), f.k(1))
	centre := f.compare(e, less, f.k(0.4142))
	return f.logCore(f.choose(centre, e, r), k, f.choose(centre, zero, c))
}

// log1pExp returns log(1 + eᵗ).
func (f *form) log1pExp(t vec) vec {
	e, u := f.expMinusAbs(t)
	return f.add(f.log1pUnit(e, u), f.positive(t))
}

// logistic returns 1/(1 + e⁻ᵗ).
func (f *form) logistic(t vec) vec {
	e, u := f.expMinusAbs(t)
	return f.div(f.choose(f.compare(t, atLeast, f.k(0)), f.k(1), e), u)
}
