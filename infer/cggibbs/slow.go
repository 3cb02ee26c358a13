package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer/basis"
	"glmbatch/infer/glm"
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
	s.follow(betas)
}

// follow lets updates along directions follow each sweep.
func (s *basisSetup) follow(betas [][]float64) {
	s.slow = newSlowDirections(s.frame, betas)
	s.words += fmt.Sprintf(", then %d directions that these hardly move along", len(betas))
}
