package main

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

// normalQuantile returns Φ⁻¹(p) for p between e⁻²⁵ and 1 − e⁻²⁵, from the centre's
// and the middle's rational functions, whichever is p's.
func (f *form) normalQuantile(p vec) vec {
	q := f.sub(p, f.k(0.5))
	r := f.is(f.k(0.180625))
	f.minus(r, q, q)
	centre := f.mul(q, f.quotient(r, centreNum, centreDen))
	side := f.choose(f.compare(q, more, f.k(0)), f.sub(f.is(f.k(1)), p), p)
	root := f.reg()
	f.VSQRTPD(f.xor(f.log(side), f.bits(1<<63)), root)
	tail := f.quotient(f.sub(root, f.k(1.6)), middleNum, middleDen)
	tail = f.choose(f.compare(q, less, f.k(0)), f.xor(tail, f.bits(1<<63)), tail)
	return f.choose(f.compare(f.and(q, f.bits(1<<63-1)), atMost, f.k(0.425)), centre, tail)
}

// quantile is the kernel of it.
func quantile() *kernel {
	k := elementwise("normalQuantile", func(l lane, p vec) vec { return l.normalQuantile(p) })
	k.doc = "writes the normal quantiles of x, between e⁻²⁵ and 1 − e⁻²⁵, to dst."
	return k
}
