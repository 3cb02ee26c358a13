package cggibbs

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// quadratic is a log likelihood that is a quadratic form in the coefficients, scale·(linearᵀb − ½·bᵀ·gram·b): that
// of a closed gaussian with scale 1/sigma², or an approximation of another. Under it, and priors that are normal
// given scales, coefficients have a normal distribution, and can be integrated out of the distribution of a
// smooth's standard deviation.
type quadratic struct {
	d      int
	gram   []float64 // symmetric, by rows
	linear []float64
}

// normals are the normal priors of coefficients given all scales; a flat one has precision 0.
type normals struct{ precision, centre []float64 }

func newNormals(d int) *normals { return &normals{make([]float64, d), make([]float64, d)} }

// spread sets the precision of some coefficients with centre 0 and one standard deviation.
func (p *normals) spread(columns []int, logSD float64) {
	precision := vec.Exp(-2 * logSD)
	for _, j := range columns {
		p.precision[j] = precision
	}
}

// spreadBy sets the precisions of the coefficients of a smooth.
func (p *normals) spreadBy(h *prior.Group, at smoothScales) {
	if h.Second == nil {
		p.spread(h.Columns, at.sd)
		return
	}
	for i, j := range h.Columns {
		p.precision[j] = vec.Exp(-2 * h.LogSpread(at.sd, 0, at.length, i))
	}
}

// smoothScales are the logs of the standard deviation of a smooth, and of the length of a Gaussian process.
type smoothScales struct{ sd, length float64 }

// minCurve is the part of the largest curvature along coefficients of a smooth below which the data do not
// identify a direction.
const minCurve = 1e-12

// marginal is the distribution of the standard deviation of a smooth given the standard deviations of the others,
// with all coefficients integrated out.
type marginal struct {
	group        *prior.Group
	curve, pulls []float64 // of the likelihood of its coefficients, the others integrated out, along its axes
	process      *processDensity
}

// at returns the log density at log sd = x, up to a constant:
//
//	log p(sd) + x + ½ Σ [pull²·sd²/(1 + curve·sd²) − log(1 + curve·sd²)]
func (m *marginal) at(x float64) float64 {
	value := m.group.LogTau(x, 0)
	if math.IsInf(value, -1) {
		return value
	}
	v, sum := vec.Exp(2*x), 0.0
	for i, c := range m.curve {
		a := math.FMA(v, c, 1)
		sum += float64(m.pulls[i]*v)/a - vec.Log(a)
	}
	return value + math.FMA(0.5, sum, x)
}

// sdWidth is the width of slices along the log of a standard deviation.
const sdWidth = 1

// move makes a slice update of the log sd, and one of the log of the length.
func (m *marginal) move(s *slicer, here smoothScales) (to smoothScales, ok bool) {
	if m.process != nil {
		return m.process.move(s, here)
	}
	here.sd, ok = slicedAlong(s, here.sd, m.at)
	return here, ok
}

// slicedAlong makes a slice update of a number with the log density at.
func slicedAlong(s *slicer, here float64, at func(x float64) float64) (to float64, ok bool) {
	along := function(func(x float64) (float64, glm.Value) { return at(here + x), glm.Value{} })
	displacement, _, moved, ok := s.update(along, at(here), sdWidth)
	if !ok || !moved {
		return here, ok
	}
	return here + displacement, true
}

// marginal returns the distribution of the standard deviation of a smooth; nil if rounding has lost the rank of the
// others. Cost: O(d³).
func (q *quadratic) marginal(h *prior.Group, p *normals, scale float64) *marginal {
	m, rest := len(h.Columns), q.others(h.Columns)
	r := len(rest)
	a, side := make([]float64, r*r), make([]float64, r)
	for i, j := range rest {
		for k, l := range rest[:i+1] {
			a[i*r+k] = float64(scale * q.gram[j*q.d+l])
		}
		a[i*r+i] += p.precision[j]
		side[i] = math.FMA(scale, q.linear[j], float64(p.precision[j]*p.centre[j]))
	}
	factor, err := linalg.Cholesky(a, r)
	if err != nil {
		return nil
	}
	factor.SolveLower(side)
	cross, own, pull := make([]float64, m*r), make([]float64, m*m), make([]float64, m)
	for i, j := range h.Columns {
		row := cross[i*r : (i+1)*r]
		for k, l := range rest {
			row[k] = float64(scale * q.gram[j*q.d+l])
		}
		factor.SolveLower(row)
		pull[i] = math.FMA(scale, q.linear[j], -kernels.Dot(row, side))
		for k, l := range h.Columns[:i+1] {
			x := math.FMA(scale, q.gram[j*q.d+l], -kernels.Dot(row, cross[k*r:(k+1)*r]))
			own[i*m+k], own[k*m+i] = x, x
		}
	}
	if h.Second != nil {
		return &marginal{group: h, process: &processDensity{group: h, own: own, pull: pull}}
	}
	curve, axes, err := linalg.SymEigen(own, m)
	if err != nil {
		return nil
	}
	out := &marginal{group: h}
	for i, c := range curve {
		if !(c > minCurve*curve[0]) {
			break
		}
		e := kernels.Dot(axes[i*m:(i+1)*m], pull)
		out.curve, out.pulls = append(out.curve, c), append(out.pulls, float64(e*e))
	}
	return out
}

// others returns the places of coefficients but some, which are in increasing order.
func (q *quadratic) others(columns []int) []int {
	out := make([]int, 0, q.d-len(columns))
	for j := range q.d {
		if len(columns) > 0 && columns[0] == j {
			columns = columns[1:]
			continue
		}
		out = append(out, j)
	}
	return out
}

// peak returns the scales with the highest density, or better ones than those that a process is at.
func (m *marginal) peak(from smoothScales) smoothScales {
	switch {
	case m.process != nil:
		return m.process.peak(from)
	case len(m.curve) == 0:
		return smoothScales{}
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, c := range m.curve {
		lo, hi = min(lo, -0.5*vec.Log(c)), max(hi, 0.5*vec.Log((m.pulls[i]/c+1)/c))
	}
	const points = 64
	lo, hi = lo-3, hi+3
	step := float64((hi - lo) / points)
	best, value := lo, m.at(lo)
	for i := range points {
		x := math.FMA(step, float64(i+1), lo)
		if v := m.at(x); v > value || math.IsInf(value, -1) {
			best, value = x, v
		}
	}
	return smoothScales{sd: golden(best-step, best+step, m.at)}
}

// golden returns about the largest value between lo and hi of a function with one maximum there.
func golden(lo, hi float64, at func(x float64) float64) float64 {
	const ratio = 0.61803398874989484820
	for range 20 {
		left, right := math.FMA(-ratio, hi-lo, hi), math.FMA(ratio, hi-lo, lo)
		if at(left) < at(right) {
			lo = left
		} else {
			hi = right
		}
	}
	return 0.5 * (lo + hi)
}

// conditional returns the Cholesky factor of the precision of the normal distribution of coefficients, its mean; nil if
// rounding has lost a rank. Cost: d³/6.
func (q *quadratic) conditional(p *normals, scale float64) (factor *linalg.Chol, mean []float64) {
	a, mean := make([]float64, q.d*q.d), make([]float64, q.d)
	for i := range q.d {
		for j := range i + 1 {
			a[i*q.d+j] = float64(scale * q.gram[i*q.d+j])
		}
		a[i*q.d+i] += p.precision[i]
		mean[i] = math.FMA(scale, q.linear[i], float64(p.precision[i]*p.centre[i]))
	}
	factor, err := linalg.Cholesky(a, q.d)
	if err != nil {
		return nil, nil
	}
	factor.Solve(mean)
	return factor, mean
}

// draw draws the coefficients; nil if rounding has lost a rank.
func (q *quadratic) draw(s variate.Source, p *normals, scale float64) []float64 {
	factor, b := q.conditional(p, scale)
	if factor == nil {
		return nil
	}
	z := make([]float64, q.d)
	for i := range z {
		z[i] = variate.Normal(s)
	}
	factor.SolveUpper(z)
	kernels.Axpy(1, z, b)
	return b
}

// value returns the log likelihood up to a constant. Cost: d².
func (q *quadratic) value(b []float64, scale float64) float64 {
	sum := 0.0
	for i, x := range b {
		sum = math.FMA(x, q.linear[i]-float64(0.5*kernels.Dot(q.gram[i*q.d:(i+1)*q.d], b)), sum)
	}
	return float64(scale * sum)
}

// expand makes the quadratic form that has slope and information of a likelihood at b, where eta is the linear
// predictor. Cost: n·d²/2.
func expand(t *glm.Target, b, eta, disp []float64) *quadratic {
	n, d := t.Rows(), t.Cols()
	q := &quadratic{d: d, gram: make([]float64, d*d), linear: make([]float64, d)}
	rows, weights := make([]float64, n), make([]float64, n)
	t.RowInformation(eta, disp, weights)
	design.WeightedGram(t.Data().X, weights, rows, q.gram)
	t.RowGradient(eta, disp, rows)
	design.Transposed(t.Data().X, rows, q.linear)
	for i := range d {
		for j := range i {
			q.gram[j*d+i] = q.gram[i*d+j]
		}
	}
	for i := range d {
		q.linear[i] += kernels.Dot(q.gram[i*d:(i+1)*d], b)
	}
	return q
}
