package glm

import (
	"fmt"
	"math"

	"glmbatch/infer/design"
)

// Effects are a term Z·r of the linear predictor, with numbers r by level and then by column of Z. The point that
// they are attached to is the only writer of r.
type Effects struct {
	*design.Effects
	r []float64
}

// NewEffects returns a term whose numbers are r, for the use of one chain.
func NewEffects(e *design.Effects, r []float64) *Effects { return &Effects{e, r} }

// Numbers returns r, to be read only.
func (e *Effects) Numbers() []float64 { return e.r }

// terms are the effects of a point.
type terms struct {
	list  []*Effects // in the order in which eta is summed
	kept  keptRows
	along Direction // scratch
}

// addTo adds Z·r of all terms to eta.
func (t *terms) addTo(eta []float64) {
	if t == nil {
		return
	}
	for _, e := range t.list {
		e.AddTo(eta, 0, e.r, eta)
	}
}

// Attach adds a term. Eta is summed as offset, terms in the order in which they were attached, X·beta.
func (p *Point) Attach(e *Effects) {
	if p.terms == nil {
		p.terms = &terms{along: Direction{Beta: make([]float64, len(p.beta)), Eta: make([]float64, len(p.eta))}}
	}
	p.terms.list = append(p.terms.list, e)
}

// AddTerms adds the terms of other rows, whose effects have the same levels, to eta.
func (p *Point) AddTerms(of []*design.Effects, eta []float64) {
	if p.terms == nil {
		return
	}
	for i, e := range p.terms.list {
		of[i].AddTo(eta, 0, e.r, eta)
	}
}

// Anew returns a point of the same posterior with the same terms and cells, at the start of NewPoint.
func (p *Point) Anew() *Point {
	out := NewPoint(p.t)
	out.terms, out.cells, out.rest = p.terms, p.cells, p.rest
	return out
}

// Restore goes where another point of the same posterior and terms is, which is not to be used again.
func (p *Point) Restore(from *Point) {
	moves := p.moves
	*p = *from
	p.moves = moves + 1
}

// TermReads is the number of rows that a Refresh reads of terms.
func (p *Point) TermReads() int64 {
	if p.terms == nil {
		return 0
	}
	return int64(len(p.terms.list) * len(p.eta))
}

// RowsRead returns how many rows moves of effects have read and written since it was last called.
func (p *Point) RowsRead() int64 {
	n := p.near.read
	p.near.read = 0
	return n
}

// Assign writes the numbers of a term where eta stays: because other terms or coefficients take the change back, or
// because a Refresh follows.
func (p *Point) Assign(e *Effects, to []float64) { copy(e.r, to) }

// AddEffects adds a step to the numbers of a term, and Z·step to eta. If taken is not nil, it marks the levels whose
// step is not 0 and was looked at by the last RowsAt that kept its rows: these are then known at the point.
// Cost: O(n) for each column of Z.
func (p *Point) AddEffects(e *Effects, step []float64, taken []bool) {
	for i, x := range step {
		e.r[i] += x
	}
	keeps := taken != nil && p.terms.kept.there()
	p.push(e, step)
	if !keeps {
		return
	}
	k := &p.terms.kept
	for i, l := range e.Grouping.Of() {
		if taken[l] {
			k.here[0][i], k.here[1][i], k.here[2][i] = k.next[0][i], k.next[1][i], k.next[2][i]
		}
	}
	k.at = p.moves
}

// SetEffects writes the numbers of a term, which step leads to, and adds Z·step to eta. Cost: as AddEffects.
func (p *Point) SetEffects(e *Effects, to, step []float64) {
	copy(e.r, to)
	p.push(e, step)
}

// push adds Z·step to eta, and leaves the log likelihood behind.
func (p *Point) push(e *Effects, step []float64) {
	e.AddTo(p.eta, 0, step, p.eta)
	p.near.read += int64(len(p.eta))
	p.moved()
	p.stale = true
}

// AddCoefficients adds to the coefficients and to eta, and leaves the log likelihood behind. Cost: one pass over X.
func (p *Point) AddCoefficients(delta []float64) {
	for j, x := range delta {
		p.beta[j] += x
	}
	p.t.data.X.AddProduct(p.t.kernels, delta, p.eta)
	p.moved()
	p.stale = true
}

// EffectStep is a number of a term that moves along a line: by By for each unit.
type EffectStep struct {
	Of *Effects
	At int
	By float64
}

func move(steps []EffectStep, x float64) {
	for _, b := range steps {
		b.Of.r[b.At] = math.FMA(b.By, x, b.Of.r[b.At])
	}
}

// outside is the index of a column under work that is not one of the design.
const outside = -2

// Line is a column of eta that numbers of terms move along, such as that of a level.
type Line struct {
	column design.Column
	linear float64
}

// Line brings the stored rows of a column under work. Cost: O(what it stores).
func (p *Point) Line(c design.Column) Line {
	l := Line{column: c}
	if len(c.Rows) == 0 {
		return l
	}
	p.gatherRows(outside, c)
	p.near.base = p.sumNear(c, 0)
	if p.t.form.Linear() {
		l.linear = c.DotBy(p.t.kernels, p.t.counted)
	}
	return l
}

// AlongLine returns the log likelihood with x times the column added to eta. Cost: O(what the column stores).
func (p *Point) AlongLine(l *Line, x float64) Value {
	if len(l.column.Rows) == 0 {
		return p.Value()
	}
	p.near.read += int64(len(l.column.Rows))
	v := Value{sum: p.value.sum + (p.sumNear(l.column, x) - p.near.base),
		linear: math.FMA(x, l.linear, p.value.linear)}
	v.LogLik = p.t.logLik(v.sum, v.linear, &p.disp)
	return v
}

// MoveLine moves where AlongLine looked, with the numbers of terms; v must be what it returned.
func (p *Point) MoveLine(l *Line, x float64, v Value, steps ...EffectStep) {
	move(steps, x)
	if len(l.column.Rows) == 0 {
		return
	}
	p.near.read += int64(len(l.column.Rows))
	before := p.value.sum
	l.column.AddToBy(p.t.kernels, p.eta, x)
	p.value = v
	p.moved()
	if lost(before, v.sum, len(p.eta)) {
		p.revalue()
	}
}

// DrawLine moves along a line without a look, and leaves the log likelihood behind.
func (p *Point) DrawLine(c design.Column, x float64, steps ...EffectStep) {
	move(steps, x)
	if len(c.Rows) == 0 {
		return
	}
	c.AddTo(p.eta, x)
	p.moved()
	p.stale = true
}

// Stretching prepares a change of column t of a term by a factor, and returns the largest entry of Z_t·r_t, for the
// column of ones that of r_t. Cost: O(n).
func (p *Point) Stretching(e *Effects, t int) (largest float64) {
	of, q, d := e.Grouping.Of(), len(e.Terms), &p.terms.along
	if c := e.Columns[t]; c != nil {
		for i, l := range of {
			d.Eta[i] = float64(c[i] * e.r[int(l)*q+t])
		}
		largest = design.Largest(d.Eta)
	} else {
		for i, l := range of {
			d.Eta[i] = e.r[int(l)*q+t]
		}
		for at := t; at < len(e.r); at += q {
			largest = max(largest, math.Abs(e.r[at]))
		}
	}
	p.near.read += int64(len(of))
	p.Direct(d)
	return largest
}

// AlongFactor returns the log likelihood with the prepared effects c times as large. Cost: O(n).
func (p *Point) AlongFactor(c float64) Value {
	p.near.read += int64(len(p.eta))
	return p.AlongDirection(&p.terms.along, c-1)
}

// MoveFactor moves where AlongFactor looked; v must be what it returned. Cost: O(n).
func (p *Point) MoveFactor(e *Effects, t int, c float64, v Value) {
	p.near.read += int64(len(p.eta))
	p.MoveDirection(&p.terms.along, c-1, v)
	for at := t; at < len(e.r); at += len(e.Terms) {
		e.r[at] = float64(c * e.r[at])
	}
}

// AlongEffects returns the log likelihood with a step added to the numbers of a term. Cost: O(n) for each column of Z.
func (p *Point) AlongEffects(e *Effects, step []float64) Value {
	p.near.read += int64(len(p.eta))
	e.AddTo(p.terms.along.Eta, 0, step, p.eta)
	return p.valueAt(p.terms.along.Eta)
}

// MoveEffects moves where AlongEffects looked; v must be what it returned. Cost: as AlongEffects.
func (p *Point) MoveEffects(e *Effects, step []float64, v Value) {
	p.near.read += int64(len(p.eta))
	e.AddTo(p.eta, 0, step, p.eta)
	for i, x := range step {
		e.r[i] += x
	}
	p.value, p.stale = v, false
	p.moved()
}

// keptRows are log likelihood, slope and curvature of each row, at the point and at a place that was looked at.
type keptRows struct {
	at         uint64 // the moves of the point at which here belongs to eta
	seen       bool   // next is filled
	here, next [3][]float64
	chunk      [5][lookRows]float64
}

// lookRows is the number of rows that RowsAt passes at a time.
const lookRows = 1024

// there reports whether the rows of the last look are kept, and discards them.
func (k *keptRows) there() bool {
	seen := k.seen
	k.seen = false
	return seen
}

// RowsAt passes log likelihood, slope and curvature of the rows, as in RowCurves, to do in chunks of at most 1024: at
// eta, or if step is not nil at eta + Z·step. Odds are passed if they are asked for, and the likelihood has them. If
// keep is true, the numbers are kept for AddEffects or for the next call; then do may get all rows at once.
// Cost: one pass over the rows, with exponentials unless they are kept.
func (p *Point) RowsAt(e *Effects, step []float64, odds, keep bool,
	do func(first int, value, odds, grad, curv []float64),
) {
	k := &p.terms.kept
	if step == nil && k.at == p.moves {
		do(0, k.here[0], nil, k.here[1], k.here[2])
		return
	}
	to := &k.here
	if step != nil {
		to = &k.next
	}
	if keep && to[0] == nil {
		for i := range to {
			to[i] = make([]float64, len(p.eta))
		}
	}
	for first := 0; first < len(p.eta); first += lookRows {
		n := min(lookRows, len(p.eta)-first)
		eta, value, grad, curv := p.eta[first:first+n], k.chunk[1][:n], k.chunk[2][:n], k.chunk[3][:n]
		if keep {
			value, grad, curv = to[0][first:first+n], to[1][first:first+n], to[2][first:first+n]
		}
		if step != nil {
			e.AddTo(k.chunk[0][:n], first, step, eta)
			eta = k.chunk[0][:n]
		}
		var of []float64
		if odds {
			of = k.chunk[4][:n]
		}
		p.t.RowCurves(first, eta, p.Dispersions(), value, of, grad, curv)
		do(first, value, of, grad, curv)
	}
	if step != nil {
		k.seen = keep
	} else if keep {
		k.at = p.moves
	}
	p.near.read += int64(len(p.eta))
}

// SlopesAt passes slope and curvature of the rows, as RowsAt does, to do. Cost: that of RowsAt, and less by the log
// likelihood if the family has terms.
func (p *Point) SlopesAt(e *Effects, step []float64, do func(first int, grad, curv []float64)) {
	k := &p.terms.kept
	for first := 0; first < len(p.eta); first += lookRows {
		n := min(lookRows, len(p.eta)-first)
		eta, grad, curv := k.chunk[0][:n], k.chunk[2][:n], k.chunk[3][:n]
		e.AddTo(eta, first, step, p.eta[first:first+n])
		p.t.rowSlopes(first, eta, p.Dispersions(), k.chunk[1][:n], grad, curv)
		do(first, grad, curv)
	}
	p.near.read += int64(len(p.eta))
}

// Check compares every cache with the values that it is of, for tests. The error names the first number that differs by
// more than 1e-9 of its size. Cost: O(n·d).
func (p *Point) Check() error {
	differ := func(what string, cached, fresh float64) error {
		if math.Abs(cached-fresh) <= 1e-9*(1+math.Abs(fresh)) || cached == fresh || cached != cached && fresh != fresh {
			return nil
		}
		return fmt.Errorf("glm: %s is %v, and %v from the values", what, cached, fresh)
	}
	fresh, n := make([]float64, len(p.eta)), len(p.eta)
	p.product(fresh)
	for i, e := range fresh {
		if err := differ(fmt.Sprintf("eta of row %d", i), p.eta[i], e); err != nil {
			return err
		}
	}
	if !p.stale {
		if err := differ("the log likelihood", p.value.LogLik, p.valueAt(fresh).LogLik); err != nil {
			return err
		}
	}
	if p.terms == nil || p.terms.kept.at != p.moves {
		return nil
	}
	var rows [3][]float64
	for k := range rows {
		rows[k] = make([]float64, n)
	}
	p.t.RowCurves(0, fresh, p.Dispersions(), rows[0], nil, rows[1], rows[2])
	for k, of := range rows {
		for i, v := range of {
			if err := differ(fmt.Sprintf("number %d of row %d", k, i), p.terms.kept.here[k][i], v); err != nil {
				return err
			}
		}
	}
	return nil
}
