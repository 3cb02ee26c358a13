package cggibbs

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// RowsVersion names the updates of the basis reduced by rows, and when they serve: another one is another sequence of
// draws.
const RowsVersion = "rows/1"

// A sweep of rows goes over them rowPasses times; with probability sweepShare, drawn before anything is looked at, a
// sweep is one of the coordinates of the basis instead.
//
// Rows serve if a pass keeps at most rowKept of the slowest direction in the normal approximation at the penalised
// point, and if no row is more than rowTail standard deviations from its prediction by the prior and the other
// rows: the proposals of an update come from there.
const (
	rowPasses, sweepShare = 2, 1. / 32
	rowKept, rowTail      = 0.95, 8
	rowRounds             = 20 // of the power iteration that finds what is kept
)

// rowDirections are the directions in which one row's linear predictor moves and no other's, where there are as
// many directions as rows: eta = eta0 + A·z, and z moves by the columns of A⁻¹. In eta the prior is normal with
// precision Q = (AAᵀ)⁻¹, and the likelihood of an update that of its row alone: a look at a place is O(1) and a
// move O(n). Separated data bound z for each row; along such a direction there is one of these bounds.
type rowDirections struct {
	precision []float64 // Q, by column
	kept      float64   // see rowKept
}

// MayMoveRows reports whether sweeps of these options over these data may be of rows: whether RowsVersion is part of
// what decides the draws.
func (o Options) MayMoveRows(data *glm.Data) bool {
	_, dense := data.X.(*design.Dense)
	return (o.Basis == "auto" || o.Basis == "reduced") && (o.Update == "" || o.Update == "rows") && dense &&
		data.Cols() >= data.Rows()
}

// moveByRows makes sweeps those of rows where they serve, else of coordinates, whose slices are stepped out.
func (s *basisSetup) moveByRows() {
	var err error
	if s.byRow, err = s.rowDirections(); err != nil {
		s.opts.Update = "stepping_out"
		s.words += "; not by rows, for " + err.Error()
	}
}

// rowDirections returns those of the basis, or why they do not serve.
func (s *basisSetup) rowDirections() (*rowDirections, error) {
	p, n := s.reduction, s.frame.Like.Rows()
	switch {
	case len(p.kept) > 0:
		return nil, fmt.Errorf("%d coefficients have no normal prior", len(p.kept))
	case s.target.Dim() > s.target.Cols():
		return nil, errors.New("a dispersion is sampled")
	case p.sparse != nil || p.space.Explicit() || p.space.Rank != n:
		return nil, errors.New("rows are dependent, nearly so, or sparse")
	case s.opts.Scan != "systematic" || s.opts.Uncached:
		return nil, errors.New("the scan is random, or nothing is cached")
	}
	r := &rowDirections{precision: make([]float64, n*n)}
	unit, z := make([]float64, n), make([]float64, n)
	for i := range n {
		unit[i] = 1
		p.space.Lowered(unit, z)
		p.space.Lifted(z, r.column(i))
		unit[i] = 0
	}
	at := make([]float64, n)
	p.space.Lifted(s.frame.Origin, at)
	for i, x := range at {
		if far := math.Abs(x) / math.Sqrt(r.column(i)[i]); !(far <= rowTail) {
			return nil, fmt.Errorf("row %d stands %.3g standard deviations from what the prior and others say", i+1, far)
		}
	}
	if r.kept = r.keeps(s.frame.Like); !(r.kept <= rowKept) {
		return nil, fmt.Errorf("a pass over the rows would keep %.3g of what is slowest", r.kept)
	}
	return r, nil
}

// column returns column i of Q.
func (r *rowDirections) column(i int) []float64 {
	n := int(math.Sqrt(float64(len(r.precision))))
	return r.precision[i*n : (i+1)*n]
}

// keeps returns which share of its distance from the mode, in the metric of the precision, a pass keeps of the slowest
// direction, where the posterior is normal with the curvature of the origin of like. Cost: O(n²) a round.
func (r *rowDirections) keeps(like *glm.Target) (share float64) {
	n, at := like.Rows(), glm.NewPoint(like)
	x, g, w := make([]float64, n), make([]float64, n), make([]float64, n)
	like.RowInformation(at.Eta(), at.Dispersions(), w)
	for i := range x {
		x[i] = float64(1 - 2*(i%2))
	}
	for range rowRounds {
		clear(g)
		kernels.AxpyColumns(x, r.precision, g)
		for i := range g {
			g[i] = math.FMA(w[i], x[i], g[i])
		}
		before := kernels.Dot(x, g)
		for i := range x {
			q := r.column(i)
			move := -g[i] / (q[i] + w[i])
			x[i] += move
			kernels.Axpy(move, q, g)
			g[i] = math.FMA(move, w[i], g[i])
		}
		share = math.Sqrt(kernels.Dot(x, g) / before)
	}
	return share
}

// rowMove is a chain's scratch of sweeps of rows.
type rowMove struct {
	*rowDirections
	slopes    []float64     // Q·(eta − eta0), which is how fast the prior falls
	direction glm.Direction // of all that a sweep moves
	row       int           // under update
	eta       float64       // of it
	terms     []float64     // of the log likelihood, of rows that this sweep has been at
	point     *glm.Curved
}

// newRowMove returns the scratch for directions, which may be nil.
func newRowMove(s *basisSetup) *rowMove {
	if s.byRow == nil {
		return nil
	}
	n := s.frame.Like.Rows()
	return &rowMove{rowDirections: s.byRow, slopes: make([]float64, n), terms: make([]float64, n),
		direction: glm.Direction{Beta: make([]float64, n), Eta: make([]float64, n)}}
}

// sweepRows goes over the rows.
func (k *basisKernel) sweepRows() bool {
	m, d, space := k.rowMove, &k.rowMove.direction, k.reduction.space
	m.point = k.point
	space.Lifted(k.z(), m.slopes)
	eta, before := d.Eta, k.Evaluations
	copy(eta, k.point.Eta())
	for pass := range rowPasses {
		for i := range eta {
			m.row, m.eta = i, eta[i]
			if pass == 0 {
				m.terms[i] = k.point.RowTerm(i, m.eta)
			}
			q := m.column(i)
			x, at, moved, ok := k.slice.updateWithin(m, m.terms[i], -m.slopes[i], q[i])
			if !ok {
				return k.FailAlong(fmt.Sprintf("the linear predictor of row %d", i+1))
			}
			if moved {
				eta[i], m.terms[i] = m.eta+x, at.LogLik
				kernels.Axpy(x, q, m.slopes)
			}
		}
	}
	kernels.Axpy(-1, k.point.Eta(), eta)
	space.Lowered(eta, d.Beta)
	kernels.Axpy(1, d.Beta, k.line.v)
	if k.frame.T != nil {
		k.frame.T.Solve(d.Beta)
	}
	k.point.Direct(d)
	k.point.MoveDirection(d, 1, k.point.AlongDirection(d, 1))
	k.Touched += k.Evaluations - before + (rowPasses+4)*k.entries()
	return true
}

// at implements density for the row under update: its log likelihood.
func (m *rowMove) at(x float64) (float64, glm.Value) {
	v := m.point.RowTerm(m.row, m.eta+x)
	return v, glm.Value{LogLik: v}
}

// updateWithin is update for a density that is f times a normal density, which at a displacement x is slope·x −
// ½·curvature·x² larger in logarithms than at the point. It is a slice update of f alone: proposals are drawn from
// the normal distribution, between the points that were rejected on either side, so that no end is searched for. If
// f is constant where the normal distribution has most of its mass, the update is a draw of that distribution.
//
// Source: Neal (2003), Slice sampling, section 4, doi:10.1214/aos/1056562461, on the interval (0, 1) of the law's
// probabilities; Heiner, Johnson, Christensen and Dahl (2024), Quantile slice sampling, arXiv:2407.12608.
func (s *slicer) updateWithin(f density, current, slope, curvature float64) (displacement float64, v glm.Value, moved,
	ok bool) {
	s.bad, s.Bad = !(current <= math.MaxFloat64), current
	s.level = current - variate.Exponential(s.source)
	root := math.Sqrt(curvature)
	centre, unit := slope/root, 1/root // of the law, in its standard deviations from the point
	if centre < 0 {
		centre, unit = -centre, -unit // the point is below the centre, where probabilities are precise
	}
	here := vec.NormalTail(centre)
	for low, high := 0.0, 1.0; !s.bad; {
		p := math.FMA(s.source.Float64(), high-low, low)
		if p == here || !(low < p && p < high) {
			return 0, v, false, true
		}
		x := float64((vec.NormalQuantile(p) + centre) * unit)
		value, v := s.eval(f, x)
		if !s.bad && s.level < value {
			return x, v, true, true
		}
		if p < here {
			low = p
		} else {
			high = p
		}
	}
	return 0, v, false, false
}
