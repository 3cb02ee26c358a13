package glm

import (
	"math"
	"slices"

	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/internal/simd"
)

// Point is a point theta with its cached linear predictor eta = offset + effects + X·beta, the compute graph that makes
// a change of one coefficient cost O(n) instead of O(n·d), or the number of stored entries if X is sparse. It is the
// only writer of eta, and after each of its methods all caches are those of the values; Value computes the log
// likelihood if a move left it behind. It belongs to one chain.
type Point struct {
	t     *Target
	beta  []float64
	disp  dispersions
	scale scales // of horseshoe priors
	eta   []float64
	value Value
	stale bool   // value is not that of eta
	moves uint64 // counts the changes of eta and of dispersions, from 1
	near  nearby // rows under work
	rest  rest   // of other linear predictors
	// After Give its own target, and that of the set-up; else nil.
	given, whole *Target
	terms        *terms // effects in eta, or nil
	cells        *cells // unseen numbers, or nil
}

// Value is the log likelihood at a point, with what is needed to go there.
type Value struct {
	LogLik      float64
	sum, linear float64 // see Target.logLik
}

// NewPoint returns a point at beta = 0, sigma = 1, other dispersions
// 1 above the lower ends of their supports, and scales 1.
func NewPoint(t *Target) *Point {
	p := &Point{t: t, beta: make([]float64, t.Cols()), disp: t.newDispersions(), scale: t.newScales(),
		eta: make([]float64, t.Rows()), near: nearby{col: -1}, moves: 1}
	copy(p.eta, t.data.Offset)
	p.value = p.valueAt(p.eta)
	return p
}

// SetTheta moves to theta: the coefficients, the dispersions that are
// parameters, then the scales of horseshoe priors.
// Cost: O(n·d).
func (p *Point) SetTheta(theta []float64) {
	copy(p.beta, theta[:len(p.beta)])
	p.t.setTheta(&p.disp, theta[len(p.beta):])
	p.t.scaleLogs(theta[p.t.scaleStart():], p.scale.log)
	p.spread()
	p.Refresh()
}

// SetUnconstrained moves to u, as in Target.Constrain: a coefficient is
// divided by its spread if its prior is a horseshoe. Cost: O(n·d).
func (p *Point) SetUnconstrained(u []float64) {
	p.Predict(u)
	p.revalue()
}

// Predict is SetUnconstrained that leaves the log likelihood behind.
func (p *Point) Predict(u []float64) {
	p.setCentred(u)
	for j, g := range p.t.scaleGroupOf {
		if g >= 0 {
			p.beta[j] *= p.scale.spread[j]
		}
	}
	p.predict()
}

// SetCentred moves to the coefficients themselves, then log(x − Lower) of each
// dispersion x that is a parameter, then the logs of scales. Cost: O(n·d).
func (p *Point) SetCentred(u []float64) {
	p.setCentred(u)
	p.Refresh()
}

// setCentred is SetCentred without the cache.
func (p *Point) setCentred(u []float64) {
	copy(p.beta, u[:len(p.beta)])
	p.t.setUnconstrained(&p.disp, u[len(p.beta):])
	copy(p.scale.log, u[p.t.scaleStart():])
	p.spread()
}

// Theta writes the point to dst, len(dst) = Target.Dim.
func (p *Point) Theta(dst []float64) {
	copy(dst, p.beta)
	for i, k := range p.t.free {
		dst[len(p.beta)+i] = p.disp.at[k]
	}
	p.t.scaleValues(p.scale.log, dst[p.t.scaleStart():])
}

// Unconstrained writes the point as SetUnconstrained reads it.
func (p *Point) Unconstrained(dst []float64) {
	p.Centred(dst)
	for j, g := range p.t.scaleGroupOf {
		if g >= 0 {
			dst[j] /= p.scale.spread[j]
		}
	}
}

// Centred writes the point as SetCentred reads it.
func (p *Point) Centred(dst []float64) {
	copy(dst, p.beta)
	for i, k := range p.t.free {
		dst[len(p.beta)+i] = p.disp.u[k]
	}
	copy(dst[p.t.scaleStart():], p.scale.log)
}

// Beta returns coefficient j.
func (p *Point) Beta(j int) float64 { return p.beta[j] }

// Eta returns the cached linear predictor; it aliases the predictor.
func (p *Point) Eta() []float64 { return p.eta }

// LogDispersion returns log(x − Lower) of the i-th dispersion x that is a
// parameter.
func (p *Point) LogDispersion(i int) float64 { return p.disp.u[p.t.free[i]] }

// Value returns the log likelihood at the point. Cost: O(1), O(n) after a move without a look.
func (p *Point) Value() Value {
	if p.stale {
		p.revalue()
	}
	return p.value
}

// revalue computes the log likelihood from eta.
func (p *Point) revalue() { p.value, p.stale = p.valueAt(p.eta), false }

// moved notes a change of eta or of a dispersion: what was kept of rows is not that of the point any more.
func (p *Point) moved() {
	p.near.reset()
	p.moves++
}

// LogPrior returns the log prior density at the point, as Target.LogPrior.
func (p *Point) LogPrior() float64 {
	sum := p.t.priors.LogDensity(p.beta) + p.t.logDispersionPrior(&p.disp)
	if p.t.scaleGroups != nil {
		sum += p.logScalePrior()
	}
	return sum
}

// Along returns the log likelihood with delta added to coefficient j, in one
// pass over column j. The point stays. Cost: O(n), of a sparse column O(what it
// stores).
func (p *Point) Along(j int, delta float64) Value {
	v := Value{sum: p.sumAlong(j, delta)}
	if p.t.form.Linear() {
		v.linear = math.FMA(delta, p.t.xty[j], p.value.linear)
	}
	v.LogLik = p.t.logLik(v.sum, v.linear, &p.disp)
	return v
}

// AlongUncached returns what Along returns, up to rounding, from a full
// recomputation of X·beta. Cost: O(n·d). It is the sampler without a compute
// graph that the cached one must agree with.
func (p *Point) AlongUncached(j int, delta float64) Value {
	if p.near.fresh == nil {
		p.near.fresh = make([]float64, len(p.eta))
	}
	old := p.beta[j]
	p.beta[j] = old + delta
	p.product(p.near.fresh)
	p.beta[j] = old
	return p.valueAt(p.near.fresh)
}

// Move adds delta to coefficient j and updates the cache. v must be what Along
// or AlongUncached returned for the same change. Cost: as Along.
func (p *Point) Move(j int, delta float64, v Value) {
	p.beta[j] += delta
	c, before := p.near.column, p.value.sum
	if p.near.col != j {
		c = p.t.data.X.Column(j)
	}
	c.AddToBy(p.t.kernels, p.eta, delta)
	p.value = v
	p.moved()
	if c.Rows != nil && lost(before, v.sum, len(p.eta)) {
		p.value = p.valueAt(p.eta)
	}
}

// AlongDispersion returns the log likelihood with log(x − Lower) = u for the
// i-th dispersion x that is a parameter, from the cached eta. Cost: O(1) for
// gaussian(identity), O(n) for others.
func (p *Point) AlongDispersion(i int, u float64) Value {
	v, d := p.value, p.disp
	p.t.setFree(&d, i, u)
	if p.t.form == family.Termwise {
		v.sum = p.t.sum(p.eta, p.eta, 0, d.at)
	}
	v.LogLik = p.t.logLik(v.sum, v.linear, &d)
	return v
}

// MoveDispersion sets what AlongDispersion looked at; v must be what it
// returned.
func (p *Point) MoveDispersion(i int, u float64, v Value) {
	p.t.setFree(&p.disp, i, u)
	p.value = v
	p.moved()
}

// Refresh recomputes the cache from beta, which ends the rounding error that
// moves have left in it. Cost: O(n·d).
func (p *Point) Refresh() {
	p.predict()
	p.revalue()
}

// predict is Refresh that leaves the log likelihood behind.
func (p *Point) predict() {
	if n := p.t.Rows(); len(p.eta) != n { // those of a Part
		p.eta, p.near.fresh = slices.Grow(p.eta[:0], n)[:n], nil
	}
	p.product(p.eta)
	p.stale = true
	p.moved()
}

// Revalue computes the log likelihood from eta, and before it the part that cells decide whatever eta is. Cost: O(n).
func (p *Point) Revalue() {
	p.Begin()
	if p.cells != nil && p.cells.responses {
		p.t.normalise(&p.disp)
	}
	p.revalue()
	p.moved()
}

// SetCoefficients moves the coefficients and not eta, because other terms take the change back or MoveTo follows.
func (p *Point) SetCoefficients(beta []float64) { copy(p.beta, beta) }

// ValueAt returns the log likelihood at another linear predictor. The point stays. Cost: O(n).
func (p *Point) ValueAt(eta []float64) Value { return p.valueAt(eta) }

// MoveTo moves to a linear predictor where ValueAt looked; v must be what it returned. Cost: O(n).
func (p *Point) MoveTo(eta []float64, v Value) {
	copy(p.eta, eta)
	p.value = v
	p.moved()
}

// exchange is MoveTo that keeps the slice eta and returns that of the former linear predictor. Cost: O(1).
func (p *Point) exchange(eta []float64, v Value) []float64 {
	before := p.eta
	p.eta, p.value = eta, v
	p.moved()
	return before
}

// product writes offset + rest + effects + X·beta to dst, term by term and column by column.
func (p *Point) product(dst []float64) {
	if p.t.data.Offset != nil {
		copy(dst, p.t.data.Offset)
	} else {
		clear(dst)
	}
	p.rest.addTo(dst)
	p.terms.addTo(dst)
	p.t.data.X.AddProduct(p.t.kernels, p.beta, dst)
}

// valueAt returns the log likelihood at a linear predictor.
func (p *Point) valueAt(eta []float64) Value {
	v := Value{sum: p.t.sum(eta, eta, 0, p.disp.at)}
	if p.t.form.Linear() {
		v.linear = p.t.kernels.Dot(p.t.counted, eta)
	}
	v.LogLik = p.t.logLik(v.sum, v.linear, &p.disp)
	return v
}

// Cache returns the numbers that a refresh would not restore to the bit: eta,
// then three of the log likelihood. The slice is new.
func (p *Point) Cache() []float64 {
	out, v := make([]float64, 0, len(p.eta)+3), p.Value()
	return append(append(out, p.eta...), v.LogLik, v.sum, v.linear)
}

// SetCache restores what Cache returned, after SetCentred.
func (p *Point) SetCache(cache []float64) {
	copy(p.eta, cache)
	rest := cache[len(p.eta):]
	p.value, p.stale = Value{LogLik: rest[0], sum: rest[1], linear: rest[2]}, false
	p.moved()
}

// Vectorised returns the same posterior with its passes over rows in the
// processor's vector instructions, where it has them: every number that it
// gives has the same bits. A target of NewTarget goes one row at a time: it is
// the reference that speed is measured against. Both may be used at once.
func (t *Target) Vectorised() *Target {
	out := *t
	out.kernels = simd.Vector()
	out.rows.Kernels = out.kernels
	return &out
}

// nearby holds the rows that a sparse column touches: the log likelihood of a move
// along it differs from that of the point by theirs alone. They are gathered once
// for the evaluations of one update.
type nearby struct {
	col    int           // −1 for none
	column design.Column // what is stored of it, if that is not every row
	base   float64       // the family's sum over these rows at the point

	eta, weights []float64
	responded    bool // rows are gathered
	rows         family.Rows
	row          [1]float64  // of RowTerm
	read         int64       // rows, see Point.RowsRead
	numbers      [][]float64 // memory of the gathered numbers
	given        [][]float64 // and of those that are Given
	fresh        []float64   // scratch of AlongUncached
}

// reset discards the rows, because the point has moved.
func (n *nearby) reset() { n.col = -1 }

// gathered writes the entries of v at the rows to n's memory and returns them; nil
// for nil.
func (n *nearby) gathered(k simd.Kernels, slot int, v []float64, at []int32) []float64 {
	if v == nil {
		return nil
	}
	for len(n.numbers) <= slot {
		n.numbers = append(n.numbers, nil)
	}
	if cap(n.numbers[slot]) < len(at) {
		n.numbers[slot] = make([]float64, max(len(at), 2*cap(n.numbers[slot])))
	}
	out := n.numbers[slot][:len(at)]
	k.Gather(out, at, v)
	return out
}

// gather brings p.near to column j. Cost: O(rows), once between moves.
func (p *Point) gather(j int, c design.Column) *nearby {
	if p.near.col != j {
		p.gatherRows(j, c)
		p.near.base = p.sumNear(c, 0)
	}
	return &p.near
}

// gatherRows is gather without the sum at the point.
func (p *Point) gatherRows(j int, c design.Column) {
	n, t := &p.near, p.t
	n.col, n.column, n.responded = j, c, false
	n.eta = n.gathered(t.kernels, 0, p.eta, c.Rows)
	if t.form != family.Termwise && t.weights != nil {
		n.weights = n.gathered(t.kernels, 6, t.weights, c.Rows)
	}
	if !t.form.Linear() { // or their sums do without responses
		p.respond()
	}
}

// respond gathers the responses and what else a row has.
func (p *Point) respond() *family.Rows {
	n, t, at := &p.near, p.t, p.near.column.Rows
	if n.responded {
		return &n.rows
	}
	all := &t.rows
	n.responded, n.rows = true, family.Rows{Kernels: all.Kernels, Total: all.Total}
	n.rows.Y = n.gathered(t.kernels, 1, all.Y, at)
	n.rows.Trials = n.gathered(t.kernels, 2, all.Trials, at)
	n.rows.Frequency = n.gathered(t.kernels, 3, all.Frequency, at)
	n.rows.Precision = n.gathered(t.kernels, 4, all.Precision, at)
	n.rows.Roots = n.gathered(t.kernels, 5, all.Roots, at)
	n.rows.Kind, n.rows.Bounds = n.gathered(t.kernels, 8, all.Kind, at), nil
	if all.Bounds != nil {
		n.rows.Bounds = gather(nil, all.Bounds, at)
	}
	n.rows.Given = n.given[:0]
	for k, given := range all.Given {
		n.rows.Given = append(n.rows.Given, n.gathered(t.kernels, 9+k, given, at))
	}
	n.given = n.rows.Given
	if t.form == family.Termwise {
		n.rows.LogY = n.gathered(t.kernels, 6, all.LogY, at)
		n.rows.Log1Y = n.gathered(t.kernels, 7, all.Log1Y, at)
	}
	return &n.rows
}

// sumNear returns the family's sum over the gathered rows after a move.
func (p *Point) sumNear(c design.Column, delta float64) float64 {
	n := &p.near
	if p.t.form == family.Termwise {
		return p.t.sumTerms(n.rows, n.eta, c.Values, delta, p.disp.at)
	}
	return p.t.sumOf(n.rows.Y, n.weights, n.eta, c.Values, delta)
}

// sumAlong returns the family's sum over all rows with delta added to
// coefficient j. Cost: O(what is stored of column j).
func (p *Point) sumAlong(j int, delta float64) float64 {
	n := &p.near
	if n.col != j {
		c := p.t.data.X.Column(j)
		if c.Rows == nil {
			return p.t.sum(p.eta, c.Values, delta, p.disp.at)
		}
		p.gather(j, c)
	}
	return p.value.sum + (p.sumNear(n.column, delta) - n.base)
}

// lost reports whether a move from one sum to another took so much away that what is
// left is rounding error: the sum must then be computed again. Small errors add up
// until Settle.
func lost(from, to float64, rows int) bool {
	return 0x1p-52*math.Abs(from) > 1e-11*math.Max(math.Abs(to), 1e-3*float64(rows))
}

// Settle computes the log likelihood of a sparse design from the cached eta: its
// moves add differences to it, whose rounding errors end here. Decisions do not
// depend on them, since a move is compared with the point by the rows it touches.
// It does nothing on a dense design. Cost: O(n).
func (p *Point) Settle() {
	if _, sparse := p.t.data.X.(*design.Sparse); sparse {
		p.value = p.valueAt(p.eta)
	}
}
