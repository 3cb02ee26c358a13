package glm

import (
	"math"

	"glmbatch/infer/design"
)

// Newton's iteration for the penalised point of many rows begins on few of them: on one piece of rows in stride,
// then in stride/coarsening, and so on to all. A point of m of n rows is about √(n/m) standard deviations from that
// of all, so that one step leads to within a small part of a standard deviation of the point of coarsening times as
// many rows.
const (
	coarsening  = 8
	coarseRows  = 1 << 13 // no level has fewer,
	coarseShare = 40      // nor fewer than this many for each coefficient
	coarseSteps = 12      // of the first level; one that needs more is not a start
	tallEnd     = 1e-2    // gain in log density below which a step is the last
)

// tall reports whether the penalised point is found by levels of rows.
func (p *pilot) tall() bool {
	_, dense := p.t.data.X.(*design.Dense)
	return dense && Tall(p.t.Rows()) && p.t.Cols() <= denseLimit && len(p.walls) == 0
}

// local is a log likelihood with its derivatives in the coefficients at a point.
type local struct {
	rows        int     // that were looked at
	sum, linear float64 // see Target.logLik
	gradient    []float64
	gram        []float64 // lower triangle of XᵀWX by rows, W being Fisher's information
}

// expand returns the likelihood at beta over one piece of rows in stride, in one reading of these: parts side
// by side, and added in their order.
func (p *pilot) expand(stride int) local {
	t, d := p.t, p.t.Cols()
	count, size := t.parts()
	parts := make([]local, count)
	t.by.Each(count, func(i int) {
		s := newSummer(t)
		for first := i * size; first < min((i+1)*size, t.Rows()); first += pieceRows {
			if first/pieceRows%stride == 0 {
				s.add(first, (i+1)*size, p)
			}
		}
		parts[i] = s.local
	})
	out := local{gradient: make([]float64, d), gram: make([]float64, d*d)}
	for _, q := range parts {
		out.rows += q.rows
		out.sum += q.sum
		out.linear += q.linear
		passes.Axpy(1, q.gradient, out.gradient)
		passes.Axpy(1, q.gram, out.gram)
	}
	return out
}

// summer adds up the likelihood of pieces.
type summer struct {
	local
	piece                    *piece
	slopes, weights, product []float64 // of a piece's rows
	sums                     []float64 // of its columns
}

func newSummer(t *Target) *summer {
	d := t.Cols()
	return &summer{local: local{gradient: make([]float64, d), gram: make([]float64, d*d)}, piece: newPiece(t),
		slopes: make([]float64, pieceRows), weights: make([]float64, pieceRows), product: make([]float64, pieceRows),
		sums: make([]float64, d)}
}

// add adds rows first to last−1, pieceRows of them at most.
func (s *summer) add(first, last int, at *pilot) {
	p, d, disp := s.piece, len(at.beta), at.disp.at
	p.load(first, last)
	p.predict(at.beta)
	m := len(p.eta)
	slopes, weights, product := s.slopes[:m], s.weights[:m], s.product[:m]
	s.rows += m
	s.sum += p.part.sum(p.eta, p.eta, 0, disp)
	if at.t.form.Linear() {
		s.linear += passes.Dot(at.t.counted[first:first+m], p.eta)
	}
	p.part.RowGradient(p.eta, disp[:], slopes)
	p.part.RowInformation(p.eta, disp[:], weights)
	passes.DotColumns(p.columns, slopes, s.sums)
	passes.Axpy(1, s.sums, s.gradient)
	for i := range d {
		for r, x := range p.columns[i*m : (i+1)*m] {
			product[r] = float64(weights[r] * x)
		}
		passes.DotColumns(p.columns[:(i+1)*m], product, s.sums[:i+1])
		passes.Axpy(1, s.sums[:i+1], s.gram[i*d:i*d+i+1])
	}
}

// ascend runs Newton's iteration from beta, on few rows first unless it was run before. It reports false, and leaves
// beta, where there is no likelihood there.
func (p *pilot) ascend() bool {
	n, start := p.t.Rows(), append([]float64(nil), p.beta...)
	stride, steps := 1, coarseSteps
	for least := max(coarseRows, coarseShare*len(start)); p.gram == nil && n/(stride*coarsening) >= least; {
		stride *= coarsening
	}
	for ; stride > 1; stride, steps = stride/coarsening, 1 {
		if !p.climb(stride, steps, 0.5*float64(len(start))) {
			copy(p.beta, start)
			break
		}
	}
	limit, _ := p.solver.limit()
	if !p.climb(1, limit, tallEnd) {
		copy(p.beta, start)
		if !p.climb(1, limit, tallEnd) {
			copy(p.beta, start)
			p.gram = nil
		}
	}
	p.known = false
	return p.gram != nil
}

// climb takes Newton steps on the rows of a stride, halved while the penalised likelihood falls, until one gains less
// than enough, which it takes too, and at most limit of them. It reports whether there is a likelihood at beta, and
// whether the last step gained less than enough where limit is more than 1 and rows are left out.
func (p *pilot) climb(stride, limit int, enough float64) bool {
	before, step := append([]float64(nil), p.beta...), make([]float64, len(p.beta))
	value, size := math.Inf(-1), 1.0
	for steps := 0; steps < limit && size > 1e-12; {
		q := p.expand(stride)
		q.scale(float64(p.t.Rows()) / float64(q.rows))
		logLik := p.t.logLik(q.sum, q.linear, &p.disp)
		at := logLik - p.penalty(p.beta)
		if !(at >= math.FMA(-1e-13, math.Abs(value), value)) || math.IsInf(at, 0) {
			if steps == 0 {
				return false
			}
			size /= 2
			copy(p.beta, before)
			passes.Axpy(size, step, p.beta)
			continue
		}
		value, size, p.logLik = at, 1, logLik
		gain := p.newton(q, step)
		if !(gain < math.MaxFloat64) {
			return false
		}
		copy(before, p.beta)
		passes.Axpy(1, step, p.beta)
		if steps++; gain <= enough {
			return true
		}
	}
	if size <= 1e-12 {
		copy(p.beta, before)
	}
	return stride == 1 || limit == 1
}

// scale multiplies all sums.
func (q *local) scale(by float64) {
	q.sum *= by
	q.linear *= by
	for i := range q.gram {
		q.gram[i] *= by
	}
	for j := range q.gradient {
		q.gradient[j] *= by
	}
}

// newton writes the step from where the likelihood is q, and returns what it gains in log density where that is a
// parabola.
func (p *pilot) newton(q local, step []float64) float64 {
	d := len(step)
	p.slopes(0, q.gradient)
	h := append([]float64(nil), q.gram...)
	for j, r := range p.ridge {
		h[j*d+j] += r
	}
	s := p.solver.(*primal)
	s.factor, p.gram = mustFactor(h, d), q.gram
	s.step(q.gradient, step)
	return 0.5 * passes.Dot(q.gradient, step)
}

// PenalisedInformation returns XᵀWX, its lower triangle by rows, within a small part of a standard deviation of the
// penalised point, W being Fisher's information of the rows there; nil if it was not needed. It must not be
// changed.
func (t *Target) PenalisedInformation() []float64 {
	if t.pilot == nil || t.pilot.t.data != t.data {
		return nil
	}
	return t.pilot.gram
}
