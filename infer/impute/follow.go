package impute

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// following is a proposal of the coefficients of a column's model, which its missing cells follow: what a cell is
// given the rest of its row keeps its place in that law. A cell of a gaussian column keeps its standardised
// residual, a positive number its quotient with the mean, a share the distance of its logit from that of the mean;
// a count is thinned or added to. Cells of later gaussian columns and of later numbers in the row follow too. So
// the ratio of the proposal has the priors, the observed cells of these columns, the states of columns of states,
// and the response.
//
// Source: Yu and Meng (2011), To center or not to center: that is not the question, doi:10.1198/jcgs.2011.203main,
// section 2.3, of the moves along ancillary statistics.
type following struct {
	k     *kernel
	c     *summedChain
	theta []float64 // coefficients
	sigma float64   // logarithm, of a gaussian model
	next  []float64 // states of the rows with cells of the column, one row after the other
	ratio float64

	states, z, old []float64 // of a row
	changed        []bool
	entries        []float64
}

// followKeeps are the shares of the distance from the first fit that proposals keep, in iterations that take turns.
var followKeeps = [...]float64{0, 0.6, 0.95}

// followSpread is the standard deviation of proposals in units of the first fit's.
const followSpread = 1.2

// moveFollowed moves the coefficients of the models whose cells follow.
func (k *kernel) moveFollowed() {
	for _, c := range k.sums {
		if !c.follows {
			continue
		}
		f := c.propose(followKeeps[k.Iteration%int64(len(followKeeps))])
		threshold := vec.Log(1 - k.Stream.Float64())
		f.weighSeen()
		for i, q := range k.cells[c.column] {
			if !(f.ratio > math.Inf(-1)) {
				break
			}
			f.followRow(i, int(q))
		}
		k.Evaluations++
		if threshold < f.ratio {
			f.accept()
		}
	}
}

// propose draws coefficients from a distribution that is reversible about the first fit's normal one, and weighs
// them and their priors.
//
// Source: Neal (1998), Regression and classification using Gaussian process priors, equation 15.
func (c *summedChain) propose(keep float64) *following {
	k := c.k
	f := &following{k: k, c: c, theta: make([]float64, c.d), states: make([]float64, len(k.states)),
		old: make([]float64, len(k.states)), changed: make([]bool, len(k.states)), z: make([]float64, k.system.width),
		next: make([]float64, len(k.cells[c.column])*len(k.states))}
	c.here.theta = c.coefficients(c.here.theta)
	from := make([]float64, c.d)
	for j, x := range c.here.theta {
		from[j] = (x - c.centre[j]) / followSpread
	}
	c.factor.MulUpper(from)
	spread := math.Sqrt(math.FMA(-keep, keep, 1))
	for j, x := range from {
		f.theta[j] = math.FMA(keep, x, float64(spread*variate.Normal(k.Stream)))
	}
	f.ratio = float64(0.5 * (vec.SumSquares(f.theta) - vec.SumSquares(from)))
	c.factor.SolveUpper(f.theta)
	for j := range f.theta {
		f.theta[j] = math.FMA(followSpread, f.theta[j], c.centre[j])
		to, _, _ := c.priorOf(0, j, f.theta[j])
		at, _, _ := c.priorOf(0, j, c.here.theta[j])
		f.ratio += to - at
	}
	if c.linear >= 0 {
		f.proposeSigma(keep, spread)
	}
	return f
}

// proposeSigma draws sigma likewise, by its logarithm.
func (f *following) proposeSigma(keep, spread float64) {
	k, c := f.k, f.c
	m := k.system.models[c.linear]
	here := k.fits[c.linear].logSigma
	f.sigma = here
	if m.sigma.Dispersion.Kind == prior.Constant {
		return
	}
	seen := k.problem.Rows - len(k.cells[c.column])
	sd := followSpread / math.Sqrt(float64(2*seen))
	centre := vec.Log(c.sigma)
	from := (here - centre) / sd
	to := math.FMA(keep, from, float64(spread*variate.Normal(k.Stream)))
	f.sigma = math.FMA(sd, to, centre)
	law := m.sigma.Dispersion
	f.ratio += float64(0.5*to*to) - float64(0.5*from*from)
	f.ratio += law.LogDensityAt(vec.Exp(f.sigma), f.sigma) + f.sigma
	f.ratio -= law.LogDensityAt(vec.Exp(here), here) + here
}

// weighSeen adds the terms of the column's observed states.
func (f *following) weighSeen() {
	k, c := f.k, f.c
	if c.linear >= 0 {
		m, at := k.system.models[c.linear], k.fits[c.linear]
		for row := range k.place {
			if f.lacks(row) {
				continue
			}
			z := k.system.rowOf(k, row, f.z)
			from := (z[m.own] - m.predict(at.alpha, z)) / vec.Exp(at.logSigma)
			to := (z[m.own] - m.predict(f.theta, z)) / vec.Exp(f.sigma)
			f.ratio += float64(0.5*from*from) - float64(0.5*to*to) + (at.logSigma - f.sigma)
		}
		return
	}
	r := c.reader
	n := r.x.Rows
	f.entries = make([]float64, r.x.Cols)
	eta, from, to, scratch := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	r.x.AddProduct(kernels, f.theta, eta)
	target := r.chain.Target()
	target.RowCurves(0, r.point.Eta(), r.disp, from, nil, scratch, scratch)
	target.RowCurves(0, eta, r.disp, to, nil, scratch, scratch)
	for row := range k.place {
		if !f.lacks(row) {
			f.ratio += to[row] - from[row]
		}
	}
}

// lacks reports whether the column misses its cell in a row.
func (f *following) lacks(row int) bool {
	q := f.k.place[row]
	return q >= 0 && f.k.mask[q]>>f.c.column&1 == 1
}

// followRow finds the cells of row q, the ith of those that lack the column, and adds the terms of the rest of the
// row.
func (f *following) followRow(i, q int) {
	k, y := f.k, f.k.system
	k.statesOf(q)
	copy(f.old, k.states)
	copy(f.states, k.states)
	clear(f.changed)
	copy(f.z, k.z[q*y.width:(q+1)*y.width])
	linear := 0
	for column := range k.problem.Columns {
		own := &k.problem.Columns[column]
		at := linear
		if own.linear() {
			linear++
		}
		if column < f.c.column || column > f.c.column && !f.reads(column) {
			continue
		}
		missing := k.mask[q]>>column&1 == 1
		switch {
		case own.linear():
			f.followGaussian(at, column, q, missing)
		case own.binary() || own.Levels != nil:
			f.weighStates(column, q)
		default:
			f.followNumber(column, q, missing)
		}
	}
	main := k.readers[k.main]
	if main.of[q] >= 0 {
		f.ratio += main.at(q, f.etaOf(main, q)) - main.at(q, main.linearAt(q))
	}
	copy(f.next[i*len(f.states):], f.states)
}

// reads reports whether the model of a column reads one whose state has changed.
func (f *following) reads(column int) bool {
	for c, changed := range f.changed {
		if changed && f.k.problem.Columns[column].Coder.Moved(c) != nil {
			return true
		}
	}
	return false
}

// move sets a state from z.
func (f *following) move(column int, state float64) {
	y, own := f.k.system, &f.k.problem.Columns[column]
	z := state - y.centre[column]
	f.z[y.first+column], f.states[column] = z, z+y.centre[column]
	f.changed[column] = true
	y.spell(f.z)
	if !own.inside(f.states[column]) {
		f.ratio = math.Inf(-1)
	}
}

// predict is the mean of a gaussian model at the variables of a row.
func (m *linear) predict(alpha, z []float64) float64 {
	sum := 0.0
	for j, at := range m.at {
		sum = math.FMA(alpha[j], z[at], sum)
	}
	return sum
}

// followGaussian moves the cell of a gaussian column, or weighs it where it is seen.
func (f *following) followGaussian(at, column, q int, missing bool) {
	k, y := f.k, f.k.system
	m, fit := y.models[at], k.fits[at]
	z := k.z[q*y.width : (q+1)*y.width]
	alpha, sigma := fit.alpha, fit.logSigma
	if column == f.c.column {
		alpha, sigma = f.theta, f.sigma
	}
	rest := z[m.own] - m.predict(fit.alpha, z)
	mean := m.predict(alpha, f.z)
	if missing {
		f.move(column, math.FMA(rest, vec.Exp(sigma-fit.logSigma), mean)+y.centre[column])
		own, row := &k.problem.Columns[column], k.rows[q]
		from, precision := own.measured(row, f.old[column])
		to, _ := own.measured(row, f.states[column])
		f.ratio += float64((float64(from*from) - float64(to*to)) / max(2*precision, 1e-300))
		return
	}
	w := vec.Exp(-2 * fit.logSigma)
	to := z[m.own] - mean
	f.ratio = math.FMA(float64(0.5*w), float64(rest*rest)-float64(to*to), f.ratio)
}

// weighStates weighs the state of a column of two or more states.
func (f *following) weighStates(column, q int) {
	k := f.k
	own := k.readers[k.setup.models[column][0]]
	if own.choice == nil {
		f.ratio += own.at(q, f.etaOf(own, q)) - own.at(q, own.linearAt(q))
		return
	}
	h := own.choice
	for l, r := range h.levels {
		h.eta[l] = f.etaOf(r, q)
	}
	f.ratio += h.value(f.states[column])
	for l, r := range h.levels {
		h.eta[l] = r.linearAt(q)
	}
	f.ratio -= h.value(f.old[column])
}

// followNumber moves the cell of a column of counts, positive numbers or shares, or weighs it where it is seen.
func (f *following) followNumber(column, q int, missing bool) {
	k := f.k
	r := k.readers[k.setup.models[column][0]]
	from, to := r.linearAt(q), f.etaOf(r, q)
	if !missing {
		f.ratio += r.at(q, to) - r.at(q, from)
		return
	}
	x, own := f.old[column], &k.problem.Columns[column]
	if own.whole() {
		x = math.Round(x)
	}
	moved, exact := r.cell.Follow(k.Stream, x, from, to, r.dispersions())
	if math.IsNaN(moved) {
		moved, f.ratio = x, math.Inf(-1)
	}
	if !exact {
		f.ratio -= r.densityAt(q, x, from) + own.logSlope(x)
	}
	f.move(column, moved)
	if x := f.states[column]; !exact && f.ratio > math.Inf(-1) {
		f.ratio += r.densityAt(q, x, to) + own.logSlope(x)
	}
}

// etaOf is the linear predictor of row q with the states of f, and with its coefficients where they are of the reader.
func (f *following) etaOf(r *reader, q int) float64 {
	k, at, point := f.k, int(r.of[q]), r.point
	own := r == f.c.reader
	if len(f.entries) < r.x.Cols {
		f.entries = make([]float64, r.x.Cols)
	}
	sum := 0.0
	if !own {
		sum = point.Eta()[at]
	}
	to := f.entries[:r.x.Cols]
	for j := range to {
		to[j] = r.x.Values[j*r.x.Rows+at]
	}
	for c, changed := range f.changed {
		if moved := r.moved[c]; changed && moved != nil {
			r.encode(k.setup, q, c, f.states, r.entries)
			for m, j := range moved {
				to[j] = r.entries[m]
			}
		}
	}
	if own {
		for j, x := range to {
			sum = math.FMA(f.theta[j], x, sum)
		}
		return sum
	}
	for _, j := range r.all {
		sum = math.FMA(point.Beta(j), to[j]-r.x.Values[j*r.x.Rows+at], sum)
	}
	return sum
}

// accept moves coefficients and cells.
func (f *following) accept() {
	k, c, y := f.k, f.c, f.k.system
	if c.linear >= 0 {
		k.fits[c.linear].logSigma = f.sigma
	}
	c.settle(f.theta)
	width := len(f.states)
	for i, q := range k.cells[c.column] {
		z := k.z[int(q)*y.width : int(q+1)*y.width]
		for column, state := range f.next[i*width : (i+1)*width] {
			if k.mask[q]>>column&1 == 1 {
				z[y.first+column] = state - y.centre[column]
			}
		}
		y.spell(z)
	}
	k.rewriteAll()
	k.arriveAll()
}
