package main

// logNormalCDF is vec.LogNormalCDF for |x| < 39.
func logNormalCDF() *kernel {
	k := elementwise("logNormalCDF", func(l lane, x vec) vec {
		m := l.mills(x)
		x = l.load("x") // again: registers are scarce
		exponent := l.is(l.form.k(-halfLogTwoPi))
		l.plus(exponent, l.mul(x, l.form.k(-0.5)), x)
		above := l.log1p(l.form.negated(l.mul(m, l.exp(exponent))))
		below := l.sub(l.log(m), l.form.k(halfLogTwoPi))
		x = l.load("x")
		l.plus(below, l.mul(x, l.form.k(-0.5)), x)
		return l.choose(l.compare(x, atLeast, l.form.k(0)), above, below)
	})
	k.doc = "writes log Φ(x), |x| < 39, to dst."
	return k
}

// negated returns −x.
func (f *form) negated(x vec) vec { return f.xor(x, f.bits(1<<63)) }

// mills is vec.Mills at |x| for |x| < 39: one of four rational functions, whose
// coefficients are looked up by the interval.
func (l lane) mills(x vec) vec {
	x = l.and(x, l.form.bits(1<<63-1))
	t := l.mul(x, l.form.k(rootHalf))
	which := l.which(t, 0.84375, 1.25, 1/0.35)
	near, middle := l.compare(t, less, l.form.k(1.25)), l.compare(t, less, l.form.k(0.84375))
	square := l.mul(t, t)
	z := l.choose(near, l.sub(t, l.form.k(1)), l.div(l.is(l.form.k(1)), square))
	z = l.choose(middle, square, z)
	p := l.div(l.rational(which, z, erfNear[:], erfMid[:], erfcNear[:], erfcFar[:]),
		l.rational(which, z, erfNearDen[:], erfMidDen[:], erfcNearDen[:], erfcFarDen[:]))
	erf := l.copy(t)
	l.plus(erf, t, p)
	factor := l.sub(l.is(l.form.k(1-erfOne)), p)
	factor = l.choose(middle, l.sub(l.is(l.form.k(1)), erf), factor)
	factor = l.choose(near, factor, l.is(l.form.k(rootHalfPi)))
	power := l.choose(near, l.mul(l.mul(x, l.form.k(0.5)), x), l.sub(p, l.form.k(0.5625)))
	m := l.mul(l.exp(power), factor)
	return l.choose(near, l.mul(m, l.form.k(rootHalfPi)), l.div(m, t))
}

// rational evaluates by Horner's rule; missing coefficients are leading zeros,
// which change no bit.
func (f *form) rational(which, z vec, tables ...[]float64) vec {
	degree := 0
	for _, c := range tables {
		degree = max(degree, len(c)-1)
	}
	at := func(i int) (row [4]float64) {
		for j, c := range tables {
			if i < len(c) {
				row[j] = c[i]
			}
		}
		return row
	}
	y := f.pick(which, at(degree))
	for i := degree - 1; i >= 0; i-- {
		f.horner(y, z, f.pick(which, at(i)))
	}
	return y
}

const (
	rootHalf   = 0.70710678118654752440 // √½
	rootHalfPi = 1.25331413731550025121 // √(π/2)

	halfLogTwoPi = 0.91893853320467274178
)

// Coefficients of FreeBSD's s_erf.c (Sun Microsystems, 1993), lowest first.
const erfOne = 8.45062911510467529297e-01

var (
	erfNear = [...]float64{
		1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02, -5.77027029648944159157e-03,
		-2.37630166566501626084e-05,
	}
	erfNearDen = [...]float64{
		1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
		1.32494738004321644526e-04, -3.96022827877536812320e-06,
	}
	erfMid = [...]float64{
		-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01, 3.18346619901161753674e-01,
		-1.10894694282396677476e-01, 3.54783043256182359371e-02, -2.16637559486879084300e-03,
	}
	erfMidDen = [...]float64{
		1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
		1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02,
	}
	erfcNear = [...]float64{
		-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01, -6.23753324503260060396e+01,
		-1.62396669462573470355e+02, -1.84605092906711035994e+02, -8.12874355063065934246e+01, -9.81432934416914548592e+00,
	}
	erfcNearDen = [...]float64{
		1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
		6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00,
		-6.04244152148580987438e-02,
	}
	erfcFar = [...]float64{
		-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01, -1.60636384855821916062e+02,
		-6.37566443368389627722e+02, -1.02509513161107724954e+03, -4.83519191608651397019e+02,
	}
	erfcFarDen = [...]float64{
		1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
		3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02, -2.24409524465858183362e+01,
	}
)
