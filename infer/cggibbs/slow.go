package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
)

// slowDirections are fixed directions of all coefficients that a sweep over single ones
// hardly moves along. After each sweep some of them in turn get a slice update, on the
// posterior's density along the line through the point, which leaves the posterior
// invariant whatever the direction. Which ones these are depends on the iteration alone.
// This is Monte Carlo on two grids: single coefficients smooth, and the few directions
// are the coarse grid.
//
// Source: Goodman and Sokal (1989), Multigrid Monte Carlo method, Conceptual
// foundations, doi:10.1103/PhysRevD.40.2035; Liu and Sabatti (2000), Generalised Gibbs
// sampler and multigrid Monte Carlo for Bayesian computation,
// doi:10.1093/biomet/87.2.353.
type slowDirections struct {
	lines []glm.Direction
	each  int // updates after a sweep; the next sweep continues after the last of these
	// The prior's quadratic form along each line: the precisions times the direction, their product with the
	// prior's centre, and the second derivative.
	weighted  [][]float64
	centre    []float64
	curvature []float64
}

// newSlowDirections completes directions, of which each follow a sweep, for a frame without T.
func newSlowDirections(f *basis.Frame, found *directions, each int) *slowDirections {
	s := &slowDirections{each: each}
	point := glm.NewPoint(f.Like)
	for i, beta := range found.betas {
		line, weighted := glm.Direction{Beta: beta, Eta: found.etas[i]}, make([]float64, len(beta))
		for j, x := range beta {
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
	l.of.Touched += l.of.rows()
	return v.LogLik + float64(x*math.FMA(-0.5*l.curvature, x, l.slope)), v
}

// update makes a slice update along the line, within tangents where updates of
// single coefficients are.
func (l *slowLine) update(width float64) (displacement float64, v glm.Value, moved, ok bool) {
	k := l.of
	if k.opts.Update != "tangent" {
		return k.slice.updateStepping(l, k.point.Value().LogLik, width)
	}
	k.Evaluations++
	k.Touched += k.rows()
	c := k.point.LocalDirection(l.direction)
	return k.slice.updateTangent(l, tangent{c.LogLik, c.Slope + l.slope, c.Curvature + l.curvature}, l.curvature, width)
}

// inTurn returns which of count directions is the i-th to follow a sweep, if each of them follow one and the next
// sweep continues after the last of these. All are counted from 0.
func inTurn(sweep int64, i, each, count int) int {
	return int((sweep%int64(count)*int64(each) + int64(i)) % int64(count))
}

// moveSlow makes an update along each of the directions whose turn it is. Cost: O(n) an
// evaluation and O(n + d) a direction.
func (k *basisKernel) moveSlow() bool {
	s := k.slow
	for turn := range s.each {
		i := inTurn(k.Iteration+int64(k.Turn), turn, s.each, len(s.lines))
		l := slowLine{k, &s.lines[i], s.centre[i] - kernels.Dot(s.weighted[i], k.line.v), s.curvature[i]}
		x, v, moved, ok := l.update(float64(k.opts.Width * basisWidth))
		if !ok {
			return k.FailAlong("a slow direction")
		}
		if moved {
			k.point.MoveDirection(l.direction, x, v)
			kernels.Axpy(x, l.direction.Beta, k.line.v)
			k.Touched += k.rows()
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
	most := slowCount
	if s.opts.Slow == "nuts" {
		most = jointCount
	}
	found, err := findSlow(s.target, most)
	if err != nil {
		s.words += "; no slow directions: " + err.Error()
		return
	}
	if s.opts.Slow == "nuts" {
		s.laySlow(found.betas)
		return
	}
	s.follow(found)
}

// follow lets updates along directions follow each sweep.
func (s *basisSetup) follow(found *directions) {
	c := countsOf(s.target)
	c.slow = len(found.betas)
	s.slow = newSlowDirections(s.frame, found, c.turn())
	s.words += fmt.Sprintf(", then %d directions that these hardly move along", c.slow)
	if s.slow.each < c.slow {
		s.words += fmt.Sprintf(", %d of them in turn", s.slow.each)
	}
}

// SlowVersion names how slow directions are found and followed: other ones are another sequence of draws.
const SlowVersion = "slow/1"

// MayFollow reports whether sweeps of these options over these data may be followed by updates along slow directions:
// whether SlowVersion is part of what decides the draws.
func (o Options) MayFollow(data *glm.Data) bool {
	_, sparse := data.X.(*design.Sparse)
	asked := o.followed() || o.Basis == "auto" && o.Slow != "off" && !o.Uncached && sparse
	return asked && data.Cols() >= slowShare*slowLeast
}
