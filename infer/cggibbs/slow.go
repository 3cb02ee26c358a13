package cggibbs

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
)

// slowDirections are fixed directions of all coefficients that a sweep over single ones
// hardly moves along: each gets a slice update after the sweep, on the posterior's
// density along the line through the point, which leaves the posterior invariant
// whatever the direction. This is Monte Carlo on two grids: single coefficients smooth,
// and the few directions are the coarse grid.
//
// Source: Goodman and Sokal (1989), Multigrid Monte Carlo method, Conceptual
// foundations, doi:10.1103/PhysRevD.40.2035; Liu and Sabatti (2000), Generalised Gibbs
// sampler and multigrid Monte Carlo for Bayesian computation,
// doi:10.1093/biomet/87.2.353.
type slowDirections struct {
	lines []glm.Direction
	// Of the prior's quadratic form along each line: the precisions times the direction,
	// their product with the prior's centre, and the second derivative.
	weighted  [][]float64
	centre    []float64
	curvature []float64
}

// newSlowDirections completes directions beta for a frame without T.
func newSlowDirections(f *basis.Frame, betas [][]float64) *slowDirections {
	n, d := f.Design.Size()
	s := &slowDirections{}
	point := glm.NewPredictor(f.Like)
	for _, beta := range betas {
		line, weighted := glm.Direction{Beta: beta, Eta: make([]float64, n)}, make([]float64, d)
		for j, x := range beta {
			f.Design.Column(j).AddTo(line.Eta, x)
			weighted[j] = float64(f.Precision[j] * x)
		}
		point.Direct(&line)
		s.lines, s.weighted = append(s.lines, line), append(s.weighted, weighted)
		s.centre = append(s.centre, kernels.Dot(weighted, f.Centre))
		s.curvature = append(s.curvature, kernels.Dot(weighted, beta))
	}
	return s
}

// slowLine is the log density along a direction, less the log prior density at the
// point.
type slowLine struct {
	of               *basisKernel
	direction        *glm.Direction
	slope, curvature float64
}

func (l *slowLine) at(x float64) (float64, glm.Value) {
	v := l.of.point.AlongDirection(l.direction, x)
	l.of.touched += l.of.rows()
	return v.LogLik + float64(x*math.FMA(-0.5*l.curvature, x, l.slope)), v
}

// update makes a slice update along the line, within tangents where updates of
// single coefficients are.
func (l *slowLine) update(width float64) (displacement float64, v glm.Value, moved, ok bool) {
	k := l.of
	if k.opts.Update != "tangent" {
		return k.slice.updateStepping(l, k.point.Value().LogLik, width)
	}
	k.slice.evaluations++
	k.touched += k.rows()
	c := k.point.LocalDirection(l.direction)
	return k.slice.updateTangent(l, tangent{c.LogLik, c.Slope + l.slope, c.Curvature + l.curvature}, l.curvature, width)
}

// moveSlow makes one update along each of the directions. Cost: O(n) an evaluation and
// O(n + d) a direction.
func (k *basisKernel) moveSlow() bool {
	s := k.slow
	for i := range s.lines {
		l := slowLine{k, &s.lines[i], s.centre[i] - kernels.Dot(s.weighted[i], k.line.v), s.curvature[i]}
		x, v, moved, ok := l.update(float64(k.opts.Width * basisWidth))
		if !ok {
			return false
		}
		if moved {
			k.point.MoveDirection(l.direction, x, v)
			kernels.Axpy(x, l.direction.Beta, k.line.v)
			k.touched += k.rows()
		}
	}
	return true
}

// findSlow finds slow directions, or says why there are none.
func (s *basisSetup) findSlow() {
	if len(s.frame.Others) > 0 {
		s.words += "; no slow directions: these want normal or flat priors"
		return
	}
	betas, err := findSlow(s.target)
	if err != nil {
		s.words += "; no slow directions: " + err.Error()
		return
	}
	if s.opts.Slow == "nuts" {
		s.laySlow(betas)
		return
	}
	s.follow(betas)
}

// follow lets updates along directions follow each sweep.
func (s *basisSetup) follow(betas [][]float64) {
	s.slow = newSlowDirections(s.frame, betas)
	s.words += fmt.Sprintf(", then %d directions that these hardly move along", len(betas))
}

// The number of slow directions, at most, of a sixteenth of the coefficients, and of
// pairs of sweeps that find them, with an orthonormal basis made anew after some.
const (
	slowCount, slowShare    = 32, 16
	slowRounds, slowBetween = 10, 2
)

// block is some points u, relaxed together by sweeps of Gauss and Seidel on H = XᵀWX +
// ridge, whose errors they are; q = W^½Xu. A row is an entry of each of them.
type block struct {
	x                     design.Matrix
	root, ridge, diagonal []float64
	size                  int
	u, q                  []float64 // d × size, n × size, by rows
	step                  []float64
}

// findSlow returns directions, orthonormal in H, that sweeps over single coefficients
// hardly move along on the normal approximation of the posterior at the penalised
// point: random points, which pairs of sweeps up and down shrink in all directions but
// these (subspace iteration; the pair is self-adjoint in H). Cost: 20 sweeps over what
// the design stores, in products of 32.
//
// It returns fewer where sweeps do not leave 32, or of fewer than 512 coefficients; 8 at
// the least.
//
// Source: Brezina, Falgout, MacLachlan, Manteuffel, McCormick and Ruge (2005), Adaptive
// smoothed aggregation multigrid, doi:10.1137/050626272, for finding what relaxation
// leaves by relaxing.
func findSlow(target *glm.Target) (betas [][]float64, err error) {
	d := target.Cols()
	for size := min(slowCount, d/slowShare); size >= 8; size /= 2 {
		b := newBlock(target, size)
		if b.settle() {
			return b.columns(), nil
		}
	}
	return nil, errors.New("sweeps over single coefficients leave too few slow directions, or there are too few " +
		"coefficients")
}

// newBlock returns random points.
func newBlock(target *glm.Target, size int) *block {
	weights, ridge := curvatureAt(target)
	n, d := len(weights), len(ridge)
	b := &block{x: target.Data().X, root: make([]float64, n), ridge: ridge, diagonal: make([]float64, d), size: size,
		u: make([]float64, d*size), q: make([]float64, n*size), step: make([]float64, size)}
	for i, w := range weights {
		b.root[i] = math.Sqrt(w)
	}
	stream, scratch := infer.NewStream(0, "cggibbs", "slow"), make([]float64, n)
	for j := range d {
		c := weighted(b.root, b.x.Column(j), scratch)
		b.diagonal[j] = kernels.Dot(c.Values, c.Values) + ridge[j]
		if !(b.diagonal[j] > 0) {
			continue
		}
		for i := range size {
			b.step[i] = variate.Normal(stream) / math.Sqrt(b.diagonal[j])
		}
		b.move(j, c)
	}
	return b
}

// move adds step to row j of u; c is the weighted column.
func (b *block) move(j int, c design.Column) {
	kernels.Axpy(1, b.step, b.u[j*b.size:(j+1)*b.size])
	if c.Rows != nil {
		kernels.AddRows(b.step, c.Values, c.Rows, b.q)
		return
	}
	for i, x := range c.Values {
		kernels.Axpy(x, b.step, b.row(i))
	}
}

// row is row i of q.
func (b *block) row(i int) []float64 { return b.q[i*b.size : (i+1)*b.size] }

// relax moves row j of all points to the minimum of their energies along it.
func (b *block) relax(j int, scratch []float64) {
	if !(b.diagonal[j] > 0) {
		return
	}
	c := weighted(b.root, b.x.Column(j), scratch)
	clear(b.step)
	kernels.Axpy(b.ridge[j], b.u[j*b.size:(j+1)*b.size], b.step)
	if c.Rows != nil {
		kernels.SumRows(b.step, c.Values, c.Rows, b.q)
	} else {
		for i, x := range c.Values {
			kernels.Axpy(x, b.row(i), b.step)
		}
	}
	for i, v := range b.step {
		b.step[i] = -v / b.diagonal[j]
	}
	b.move(j, c)
}

// settle makes the sweeps, and reports whether the points stay independent.
func (b *block) settle() bool {
	d, scratch := len(b.ridge), make([]float64, len(b.root))
	for round := range slowRounds {
		for j := range d {
			b.relax(j, scratch)
		}
		for j := range d {
			b.relax(d-1-j, scratch)
		}
		if (round+1)%slowBetween == 0 && !b.orthonormalise() {
			return false
		}
	}
	return true
}

// orthonormalise makes UᵀHU = I by the Cholesky factor of what it is.
func (b *block) orthonormalise() bool {
	m := b.size
	g := make([]float64, m*m)
	add := func(row []float64, weight float64) {
		for i, v := range row {
			kernels.Axpy(float64(weight*v), row[:i+1], g[i*m:i*m+i+1])
		}
	}
	for j, r := range b.ridge {
		add(b.u[j*m:(j+1)*m], r)
	}
	for i := range b.root {
		add(b.q[i*m:(i+1)*m], 1)
	}
	factor, err := linalg.Cholesky(g, m)
	if err != nil {
		return false
	}
	for j := 0; j < len(b.u); j += m {
		factor.SolveLower(b.u[j : j+m])
	}
	for i := 0; i < len(b.q); i += m {
		factor.SolveLower(b.q[i : i+m])
	}
	return true
}

// columns returns the points.
func (b *block) columns() [][]float64 {
	out := make([][]float64, b.size)
	for i := range out {
		out[i] = make([]float64, len(b.ridge))
		for j := range out[i] {
			out[i][j] = b.u[j*b.size+i]
		}
	}
	return out
}
