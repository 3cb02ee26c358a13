package cggibbs

import (
	"math"

	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// scaler makes the scale move: all of z is multiplied by e^ℓ about the prior's
// mean 0, with theta_F and the dispersions held, by one slice update of ℓ at 0 on
//
//	r·ℓ + log π(e^ℓ·z),
//
// since the group of scalings c has the Haar measure dc/c = dℓ and c·z the Jacobian
// c^r. Univariate updates need many sweeps to change ‖z‖, which is what posteriors
// of separated data are uncertain about.
//
// Source: Liu and Sabatti (2000), Generalised Gibbs sampler and multigrid Monte
// Carlo for Bayesian computation, doi:10.1093/biomet/87.2.353.
type scaler struct {
	power     float64 // r
	width     float64
	direction glm.Direction
	squares   float64 // ‖z‖²
	point     *glm.Curved
}

// newScaler returns the scaler of a reduction, nil if z is empty.
func newScaler(s *basisSetup) *scaler {
	r := s.reduction.space.Rank
	if r == 0 {
		return nil
	}
	// log χ_r has a standard deviation of about 1/√(2r)
	return &scaler{power: float64(r), width: 3 / math.Sqrt(2*float64(r)), direction: glm.Direction{
		Beta: make([]float64, len(s.frame.Origin)), Eta: make([]float64, s.frame.Like.Rows())}}
}

// scaleRange is the largest |ℓ| that is looked at: beyond it the density
// underflows.
const scaleRange = 300

// update makes the move. Cost: O(n·r + r²) besides O(n) an evaluation.
func (s *scaler) update(k *basisKernel) bool {
	z, kept := k.z(), len(k.reduction.kept)
	d := &s.direction
	clear(d.Beta[:kept])
	copy(d.Beta[kept:], z)
	clear(d.Eta)
	kernels.AxpyColumns(z, k.frame.Design.(*design.Dense).Values[kept*len(d.Eta):], d.Eta)
	if k.frame.T != nil {
		k.frame.T.Solve(d.Beta)
	}
	k.point.Direct(d)
	s.squares, s.point = kernels.SumSquares(z), k.point
	before := k.Evaluations
	l, v, moved, ok := k.slice.updateStepping(s, k.point.Value().LogLik, s.width)
	k.Touched += (k.Evaluations-before)*k.rows() + k.rows()*int64(len(z))
	if ok && moved {
		k.point.MoveDirection(d, vec.Exp(l)-1, v)
	}
	return ok || k.FailAlong("the scale of z")
}

// at implements density in ℓ, less the log prior density at the point.
func (s *scaler) at(l float64) (float64, glm.Value) {
	if math.Abs(l) > scaleRange {
		return math.Inf(-1), glm.Value{}
	}
	c := vec.Exp(l)
	v := s.point.AlongDirection(&s.direction, c-1)
	prior := -0.5 * (float64(c*c) - 1) * s.squares
	return v.LogLik + math.FMA(s.power, l, prior), v
}
