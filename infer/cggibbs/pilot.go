package cggibbs

import (
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// pilotSweeps is the number of sweeps of the pilot, which has one more for each further turn of moves that follow them.
const pilotSweeps = 8

// dependence estimates how many sweeps over single coefficients are worth one
// independent draw: (1 + ρ)/(1 − ρ), where ρ is what the slowest directions keep
// from one sweep to the next. On a normal posterior the mean of a sweep is one of
// Gauss and Seidel's for its precision (Roberts and Sahu 1997), so ρ is seen without
// sampling, in the energy that a random point loses.
//
// It takes the curvature at the penalised point, and normal densities of equal scale instead of other priors. Cost:
// 8 sweeps over what the design stores, in dot products, or, of at most 48 dense columns, their Gram matrix,
// n·d²/2.
func dependence(target *glm.Target) float64 {
	x, d := target.Data().X, target.Cols()
	if gram := target.PenalisedInformation(); gram != nil && d <= gramLimit {
		return sweepsToDraw(newGramRelaxed(slices.Clone(gram), priorRidge(target)), d, 1)
	}
	weights, ridge := curvatureAt(target)
	var s relaxed
	if dense, ok := x.(*design.Dense); ok && d <= gramLimit {
		gram := make([]float64, d*d)
		linalg.Gram(dense.Values, dense.Rows, d, weights, gram)
		s = newGramRelaxed(gram, ridge)
	} else {
		s = newRowRelaxed(x, weights, ridge)
	}
	return sweepsToDraw(s, d, 1)
}

// dependenceWith is dependence of sweeps that are each followed by updates along
// some of the directions in turn, orthonormal in the curvature at the penalised point.
func dependenceWith(target *glm.Target, slow *directions, each int) float64 {
	weights, ridge := curvatureAt(target)
	s := &corrected{rowRelaxed: newRowRelaxed(target.Data().X, weights, ridge), betas: slow.betas,
		each: each}
	for _, eta := range slow.etas {
		q := slices.Clone(eta)
		for i, root := range s.root {
			q[i] *= root
		}
		s.qs = append(s.qs, q)
	}
	return sweepsToDraw(s, target.Cols(), (len(slow.betas)+each-1)/each)
}

// curvatureAt returns the rows' information at the penalised point, and the curvature
// of the priors.
func curvatureAt(target *glm.Target) (weights, ridge []float64) {
	point := glm.NewPoint(target)
	point.SetUnconstrained(target.Penalised())
	weights = make([]float64, target.Rows())
	target.RowInformation(point.Eta(), point.Dispersions(), weights)
	return weights, priorRidge(target)
}

// priorRidge returns the curvature of normal priors, and of others of their scales.
func priorRidge(target *glm.Target) []float64 {
	ridge := make([]float64, target.Cols())
	for j, p := range target.Model().Coefficients {
		if p.Kind != prior.Flat && p.Scale > 0 {
			ridge[j] = 1 / p.Scale / p.Scale
		}
	}
	return ridge
}

// nothing is the share of a point's energy that rounding may leave.
const nothing = 1e-24

// gramLimit is the number of columns up to which their products are cheaper than
// sweeps over them.
const gramLimit = 48

// relaxed is a point u that is moved to the minimum of ½uᵀHu, one coordinate at a
// time.
type relaxed interface {
	diagonal(j int) float64
	// move adds to a coordinate; slope is the gradient along it.
	move(j int, by float64)
	slope(j int) float64
	energy() float64 // uᵀHu
	// correct moves it along directions, if there are any, after a sweep.
	correct()
}

// sweepsToDraw starts at a random point, makes sweeps until the fast directions have mixed, and compares its
// energies there and after some further sweeps.
func sweepsToDraw(s relaxed, d, apart int) float64 {
	stream := infer.NewStream(0, "cggibbs", "pilot")
	for j := range d {
		if h := s.diagonal(j); h > 0 {
			s.move(j, variate.Normal(stream)/math.Sqrt(h))
		}
	}
	energies := []float64{s.energy()}
	for range pilotSweeps - 1 + apart {
		for j := range d {
			if h := s.diagonal(j); h > 0 {
				s.move(j, -s.slope(j)/h)
			}
		}
		s.correct()
		if energies = append(energies, s.energy()); energies[len(energies)-1] <= nothing*energies[0] {
			break // what comes then is rounding
		}
	}
	last := len(energies) - 1
	apart = min(apart, last)
	before := energies[last-apart]
	rho := math.Sqrt(energies[last] / before)
	if apart > 1 {
		rho = vec.Exp(vec.Log(rho) / float64(apart))
	}
	if !(rho < 1) { // all of it is gone, or nothing
		if before == 0 || math.IsNaN(rho) {
			return 1
		}
		rho = 1
	}
	return (1 + rho) / math.Max(1-rho, 1e-6)
}

// gramRelaxed has H.
type gramRelaxed struct {
	h    []float64 // symmetric
	u, g []float64 // g = Hu
}

// newGramRelaxed takes the lower triangle of XᵀWX, which it makes H.
func newGramRelaxed(gram, ridge []float64) *gramRelaxed {
	d := len(ridge)
	s := &gramRelaxed{h: gram, u: make([]float64, d), g: make([]float64, d)}
	for j, r := range ridge {
		s.h[j*d+j] += r
		for i := range j {
			s.h[i*d+j] = s.h[j*d+i]
		}
	}
	return s
}

func (s *gramRelaxed) diagonal(j int) float64 { return s.h[j*len(s.u)+j] }
func (s *gramRelaxed) slope(j int) float64    { return s.g[j] }
func (s *gramRelaxed) energy() float64        { return kernels.Dot(s.u, s.g) }
func (s *gramRelaxed) correct()               {}
func (s *gramRelaxed) move(j int, by float64) {
	s.u[j] += by
	d := len(s.u)
	kernels.Axpy(by, s.h[j*d:(j+1)*d], s.g)
}

// rowRelaxed has q = W^½Xu.
type rowRelaxed struct {
	x               design.Matrix
	root, ridge     []float64
	diagonals, u, q []float64
	loaded          int
	column          design.Column // W^½x of the loaded one
	scratch         []float64
}

func newRowRelaxed(x design.Matrix, weights, ridge []float64) *rowRelaxed {
	n, d := len(weights), len(ridge)
	s := &rowRelaxed{x: x, root: make([]float64, n), ridge: ridge, diagonals: make([]float64, d), u: make([]float64, d),
		q: make([]float64, n), scratch: make([]float64, n), loaded: -1}
	for i, w := range weights {
		s.root[i] = math.Sqrt(w)
	}
	for j := range d {
		s.load(j)
		s.diagonals[j] = kernels.Dot(s.column.Values, s.column.Values) + ridge[j]
	}
	return s
}

func (s *rowRelaxed) load(j int) {
	if j != s.loaded {
		s.column, s.loaded = weighted(s.root, s.x.Column(j), s.scratch), j
	}
}

func (s *rowRelaxed) diagonal(j int) float64 { return s.diagonals[j] }

func (s *rowRelaxed) slope(j int) float64 {
	s.load(j)
	return math.FMA(s.ridge[j], s.u[j], s.column.Dot(s.q))
}

func (s *rowRelaxed) move(j int, by float64) {
	s.load(j)
	s.u[j] += by
	s.column.AddTo(s.q, by)
}

func (s *rowRelaxed) energy() float64 {
	sum := kernels.Dot(s.q, s.q)
	for j, r := range s.ridge {
		sum = math.FMA(float64(r*s.u[j]), s.u[j], sum)
	}
	return sum
}

func (s *rowRelaxed) correct() {}

// corrected moves along some directions in turn after each sweep.
type corrected struct {
	*rowRelaxed
	betas, qs [][]float64 // qs = W^½X·betas
	each      int
	sweep     int64
}

func (s *corrected) correct() {
	for turn := range s.each {
		i := inTurn(s.sweep, turn, s.each, len(s.betas))
		beta := s.betas[i]
		slope := kernels.Dot(s.qs[i], s.q)
		for j, r := range s.ridge {
			slope = math.FMA(float64(r*s.u[j]), beta[j], slope)
		}
		kernels.Axpy(-slope, beta, s.u)
		kernels.Axpy(-slope, s.qs[i], s.q)
	}
	s.sweep++
}

// weighted returns a column times the rows' weights, in memory of dst.
func weighted(w []float64, c design.Column, dst []float64) design.Column {
	dst = dst[:len(c.Values)]
	for i, x := range c.Values {
		r := i
		if c.Rows != nil {
			r = int(c.Rows[i])
		}
		dst[i] = float64(w[r] * x)
	}
	return design.Column{Rows: c.Rows, Values: dst}
}
