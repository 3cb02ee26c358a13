package main

// moving is η + δ·x of this register; with[0] is δ.
func (l lane) moving(with []vec) vec {
	t := l.load("eta")
	l.plus(t, with[0], l.load("x"))
	return t
}

func delta(w *walk) []vec { return []vec{w.scalar("delta")} }

// along is a kernel over eta + delta·x and columns before them.
func along(name, doc string, sums []sum, before ...string) *kernel {
	return &kernel{name: name, doc: doc, in: append(before, "eta", "x"), ends: "delta float64", sums: sums, setup: delta}
}

// elementwise is a kernel dst = f(x).
func elementwise(name string, f func(l lane, x vec) vec) *kernel {
	return &kernel{name: name, doc: "writes " + name + " of x to dst.", in: []string{"x"}, out: []string{"dst"},
		body: func(l lane, _, _ []vec) { l.store(f(l, l.load("x")), "dst") }}
}

// kernels lists what is generated, in the order of the files.
func kernels() []*kernel {
	var out []*kernel
	out = append(out, sums()...)
	out = append(out,
		elementwise("exp", func(l lane, x vec) vec { return l.exp(x) }),
		elementwise("log", func(l lane, x vec) vec { return l.log(x) }),
		elementwise("log1p", func(l lane, x vec) vec { return l.log1p(x) }),
		elementwise("log1pExp", func(l lane, x vec) vec { return l.log1pExp(x) }),
		elementwise("logistic", func(l lane, x vec) vec { return l.logistic(x) }),
	)
	out = append(out, passes()...)
	out = append(out, moments()...)
	return append(out, rows()...)
}

// sums are the kernels without elementary functions.
func sums() []*kernel {
	dot := &kernel{name: "dot", doc: "returns Σ x·y.", in: []string{"x", "y"}, sums: []sum{{}}}
	dot.body = func(l lane, s, _ []vec) { l.plus(s[0], l.load("x"), l.load("y")) }

	total := &kernel{name: "sum", doc: "returns Σ x.", in: []string{"x"}, sums: []sum{{}}}
	total.body = func(l lane, s, _ []vec) { l.addTo(s[0], l.load("x")) }

	axpy := &kernel{name: "axpy", doc: "adds a·x to dst.", args: "a float64", in: []string{"x"}, out: []string{"dst"}}
	axpy.setup = func(w *walk) []vec { return []vec{w.scalar("a")} }
	axpy.body = func(l lane, _, with []vec) {
		d := l.load("dst")
		l.plus(d, with[0], l.load("x"))
		l.store(d, "dst")
	}

	rotate := &kernel{name: "rotate", doc: "replaces (x, y) by (c·x − s·y, s·x + c·y).", args: "c, s float64", out: []string{"x", "y"}}
	rotate.setup = func(w *walk) []vec { return []vec{w.scalar("c"), w.scalar("s")} }
	rotate.body = func(l lane, _, with []vec) {
		x, y := l.load("x"), l.load("y")
		first, second := l.negated(l.mul(y, with[1])), l.mul(y, with[0])
		l.plus(first, x, with[0])
		l.plus(second, x, with[1])
		l.store(first, "x")
		l.store(second, "y")
	}

	squares := along("squares", "returns Σ (y − t)², t = eta + delta·x.", []sum{{}}, "y")
	squares.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		d := l.sub(l.load("y"), t)
		l.plus(s[0], d, d)
	}

	weighted := along("weightedSquares", "returns Σ w·(y − t)², t = eta + delta·x.", []sum{{}}, "w", "y")
	weighted.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		d := l.sub(l.load("y"), t)
		l.plus(s[0], l.mul(d, l.load("w")), d)
	}

	slopes := &kernel{name: "slopes", doc: "returns Σ x·first and Σ x²·second.", in: []string{"x", "first", "second"}, sums: []sum{{}, {}}}
	slopes.body = func(l lane, s, _ []vec) {
		x := l.load("x")
		l.plus(s[0], x, l.load("first"))
		l.plus(s[1], l.mul(x, x), l.load("second"))
	}

	minus := &kernel{name: "minus", doc: "writes x − y to dst.", in: []string{"x", "y"}, out: []string{"dst"}}
	minus.body = func(l lane, _, _ []vec) { l.store(l.sub(l.load("x"), l.load("y")), "dst") }
	return []*kernel{dot, total, axpy, rotate, squares, weighted, slopes, minus}
}

// passes are the sums of one term a row.
func passes() []*kernel {
	product := along("product", "returns Π (1 + e^−|t|), t = eta + delta·x, and adds max(t, 0) to the lanes.",
		[]sum{{lanes: true}, {from: 1, times: true}})
	product.args, product.woven = "lanes *[8]float64", true
	product.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.addTo(s[0], l.positive(t))
		y, scale := l.expNegative(l.minusAbs(t))
		l.horner(y, scale, l.form.k(1))
		l.mulTo(s[1], y)
	}

	weighted := along("weightedLog1pExp", "returns Σ m·log(1 + eᵗ), t = eta + delta·x.", []sum{{}}, "m")
	weighted.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.plus(s[0], l.log1pExp(t), l.load("m"))
	}

	exps := along("sumExp", "returns Σ eᵗ, t = eta + delta·x.", []sum{{}})
	exps.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.addTo(s[0], l.exp(t))
	}

	weightedExp := along("weightedExp", "returns Σ m·eᵗ, t = eta + delta·x.", []sum{{}}, "m")
	weightedExp.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.plus(s[0], l.exp(t), l.load("m"))
	}
	return []*kernel{product, weighted, exps, weightedExp}
}

// moments are the sums of f, f′·x and f″·x² in one pass.
func moments() []*kernel {
	three := []sum{{}, {}, {}}

	lanes := []sum{{lanes: true}, {from: 1, times: true}, {lanes: true, at: 1}, {lanes: true, at: 2}}
	logit := along("productMoments", "is product, and adds p·x and w·x², p = 1/(1 + e⁻ᵗ) and w = p(1 − p), to the lanes from 8 and 16.", lanes)
	logit.args = "lanes *[24]float64"
	logit.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.addTo(s[0], l.positive(t))
		e, u := l.expMinusAbs(t)
		l.mulTo(s[1], u)
		p, w := l.tails(t, e, u)
		x := l.load("x") // again: registers are scarce
		l.plus(s[2], p, x)
		l.plus(s[3], l.mul(x, x), w)
	}

	curve := along("productCurve", "is product, and writes p and w of productMoments to first and second.", lanes[:2])
	curve.args, curve.out, curve.woven = "lanes *[8]float64", []string{"first", "second"}, true
	curve.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.addTo(s[0], l.positive(t))
		e, u := l.expMinusAbs(t)
		l.mulTo(s[1], u)
		p, w := l.tails(t, e, u)
		l.store(p, "first")
		l.store(w, "second")
	}

	trials := along("weightedLog1pExpMoments", "returns Σ m·log(1 + eᵗ), Σ m·p·x and Σ m·w·x², t, p and w as in productMoments.", three, "m")
	trials.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		e, u := l.expMinusAbs(t)
		p, w := l.tails(t, e, u)
		x, m := l.load("x"), l.load("m")
		l.plus(s[1], l.mul(m, p), x)
		l.plus(s[2], l.mul(x, x), l.mul(m, w))
		l.plus(s[0], l.add(l.log1pUnit(e, u), l.positive(t)), m)
	}

	exps := along("expMoments", "returns Σ mu, Σ mu·x and Σ mu·x², mu = eᵗ, t = eta + delta·x.", three)
	exps.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.powers(s, l.exp(t))
	}

	weighted := along("weightedExpMoments", "is expMoments with mu = m·eᵗ.", three, "m")
	weighted.body = func(l lane, s, with []vec) {
		t := l.moving(with)
		l.powers(s, l.mul(l.exp(t), l.load("m")))
	}

	expCurve := along("expCurve", "returns Σ eᵗ, t = eta + delta·x, and writes eᵗ to first.", []sum{{}})
	expCurve.out = []string{"first"}
	expCurve.body = func(l lane, s, with []vec) {
		mu := l.exp(l.moving(with))
		l.addTo(s[0], mu)
		l.store(mu, "first")
	}
	return []*kernel{logit, curve, trials, exps, weighted, expCurve}
}

// tails returns p = 1/(1 + e⁻ᵗ) and p(1 − p) from e = e^−|t| and u = 1 + e.
func (l lane) tails(t, e, u vec) (p, w vec) {
	large := l.div(l.is(l.form.k(1)), u) // max(p, 1 − p)
	small := l.mul(large, e)
	return l.choose(l.compare(t, more, l.form.k(0)), large, small), l.mul(large, small)
}

// powers adds mu, mu·x and mu·x².
func (l lane) powers(s []vec, mu vec) {
	x := l.load("x")
	l.addTo(s[0], mu)
	l.plus(s[1], mu, x)
	l.plus(s[2], l.mul(x, x), mu)
}

// rows are the derivatives of a row's log likelihood in eta.
func rows() []*kernel {
	logit := &kernel{name: "logitSlopes", doc: "writes y − 1/(1 + e^−eta) to dst.", in: []string{"y", "eta"}, out: []string{"dst"}}
	logit.body = func(l lane, _, _ []vec) { l.store(l.sub(l.load("y"), l.logistic(l.load("eta"))), "dst") }

	trials := &kernel{name: "trialsSlopes", doc: "writes y − m/(1 + e^−eta) to dst.", in: []string{"y", "m", "eta"}, out: []string{"dst"}}
	trials.body = func(l lane, _, _ []vec) {
		p := l.logistic(l.load("eta"))
		r := l.load("y")
		l.minus(r, p, l.load("m"))
		l.store(r, "dst")
	}

	curve := &kernel{name: "logitCurvatures", doc: "writes p(1 − p), p = 1/(1 + e^−eta), to dst.", in: []string{"eta"}, out: []string{"dst"}}
	curve.body = func(l lane, _, _ []vec) {
		e, u := l.expMinusAbs(l.load("eta"))
		l.store(l.mul(l.div(l.is(l.form.k(1)), u), l.div(e, u)), "dst")
	}

	exps := &kernel{name: "expSlopes", doc: "writes y − e^eta to dst.", in: []string{"y", "eta"}, out: []string{"dst"}}
	exps.body = func(l lane, _, _ []vec) { l.store(l.sub(l.load("y"), l.exp(l.load("eta"))), "dst") }

	all := &kernel{name: "trialsCurves", in: []string{"y", "m", "eta"}, out: []string{"value", "grad", "curv"}}
	all.doc = "writes y·eta − m·log(1 + e^eta), y − m·p and m·p(1 − p), p = 1/(1 + e^−eta)."
	all.body = func(l lane, _, _ []vec) {
		t := l.load("eta")
		e, u := l.expMinusAbs(t)
		v := l.negated(l.mul(l.add(l.log1pUnit(e, u), l.positive(t)), l.load("m")))
		l.plus(v, l.load("y"), t)
		l.store(v, "value")
		p, w := l.tails(t, e, u)
		g := l.load("y")
		l.minus(g, p, l.load("m"))
		l.store(g, "grad")
		l.store(l.mul(w, l.load("m")), "curv")
	}

	odds := &kernel{name: "oddsCurves", in: []string{"y", "eta"}, out: []string{"value", "odds", "grad", "curv"}}
	odds.doc = "writes y·eta − max(0, eta), 1 + e^−|eta|, y − p and p(1 − p), p = 1/(1 + e^−eta)."
	odds.body = func(l lane, _, _ []vec) {
		t := l.load("eta")
		e, u := l.expMinusAbs(t)
		v := l.negated(l.positive(t))
		l.plus(v, l.load("y"), t)
		l.store(v, "value")
		l.store(u, "odds")
		p, w := l.tails(t, e, u)
		l.store(l.sub(l.load("y"), p), "grad")
		l.store(w, "curv")
	}
	return []*kernel{logit, trials, curve, exps, all, odds}
}
