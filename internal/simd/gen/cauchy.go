package main

import "math"

// Coefficients of vec's atan.go, highest power first.
var (
	atanNum = []float64{-8.750608600031904122785e-01, -1.615753718733365076637e+01, -7.500855792314704667340e+01,
		-1.228866684490136173410e+02, -6.485021904942025371773e+01}
	atanDen = []float64{1, 2.485846490142306297962e+01, 1.650270098316988542046e+02, 4.328810604912902668951e+02,
		4.853903996359136964868e+02, 1.945506571482613964425e+02}
)

// atan is vec.Atan for x ≥ 0 or NaN.
func (f *form) atan(x vec) vec {
	const rest = 6.123233995736765886130e-17 // π/2 less its float64
	small, large := f.compare(x, atMost, f.k(0.66)), f.compare(x, more, f.k(2.41421356237309504880))
	one := f.is(f.k(1))
	top := f.choose(large, one, f.choose(small, x, f.sub(x, f.k(1))))
	bottom := f.choose(large, x, f.choose(small, one, f.add(x, f.k(1))))
	u := f.div(top, bottom)
	z := f.mul(u, u)
	y := f.copy(u)
	f.plus(y, u, f.mul(z, f.quotientOf(z, atanNum, atanDen)))
	upper := f.add(f.sub(f.is(f.k(math.Pi/2)), y), f.k(rest))
	middle := f.add(f.add(y, f.k(math.Pi/4)), f.k(0.5*rest))
	return f.choose(large, upper, f.choose(small, y, middle))
}

// quotientOf is quotient of polynomials of different degrees.
func (f *form) quotientOf(x vec, num, den []float64) vec {
	value := func(c []float64) vec {
		y := f.is(f.k(c[0]))
		for _, v := range c[1:] {
			f.horner(y, x, f.k(v))
		}
		return y
	}
	return f.div(value(num), value(den))
}

// logCauchyCDF is vec.LogCauchyCDF: of |x| > ½ and of x > 0 the arc tangent of 1/|x|
// is taken, of others that of |x|.
func logCauchyCDF() *kernel {
	k := elementwise("logCauchyCDF", func(l lane, x vec) vec {
		size := l.and(x, l.form.bits(1<<63-1))
		inverse := l.div(l.is(l.form.k(1)), size)
		at := l.choose(l.compare(x, atLeast, l.form.k(-0.5)), size, inverse)
		at = l.choose(l.compare(x, more, l.form.k(0)), inverse, at)
		y := l.div(l.atan(at), l.is(l.form.k(math.Pi)))
		x = l.load("x") // again: registers are scarce
		p := l.choose(l.compare(x, less, l.form.k(-0.5)), y, l.sub(l.is(l.form.k(0.5)), y))
		below := l.log(p)
		above := l.log1p(l.form.negated(y))
		return l.choose(l.compare(l.load("x"), more, l.form.k(0)), above, below)
	})
	k.doc = "writes log(½ + atan(x)/π) to dst."
	return k
}
