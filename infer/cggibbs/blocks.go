package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// BlocksVersion names the updates of several rotated coordinates at once, and when Auto takes them: another one is
// another sequence of draws.
const BlocksVersion = "blocks/1"

// BlockColumns is the number of coefficients from which Auto updates rotated coordinates in blocks.
const BlockColumns = 64

// A pilot finds the curvature of the posterior where it mostly is in blockSettle and blockSweeps sweeps
// from the penalised point, of which the first do not count, by blocks of blockPilot; then it takes the
// largest block of which it accepts blockAccepted.
//
// Far from where the posterior mostly is such proposals may all be refused. So a chain begins with updates of
// single coordinates; in warm-up it tries blocks every blockTry iterations, and continues with them while
// blockTaken of a sweep's proposals are accepted. After warm-up the choice is fixed; but every blockEvery-th
// iteration updates coordinates by themselves.
const (
	blockSettle, blockSweeps, blockPilot, largestBlock = 3, 5, 8, 64
	blockAccepted                                      = 0.85
	blockTry, blockTaken, blockEvery                   = 4, 0.5, 32
	maxDrift                                           = 4
)

// blocks are rotated coordinates that are updated several at a time, by Metropolis steps. From u the proposal
// is normal about u + g/c with precision c, g being the gradient of the log posterior and c fixed curvatures
// (far out, where g is large and says little of where to stop, about a point maxDrift standard deviations off):
// Gibbs' own law where the posterior is normal and does not turn coordinates into each other, Langevin's with a
// step of that size elsewhere. The design is read three times for each coordinate, and there is one pass with
// exponentials for a block of them.
//
// c does not depend on where a chain is: a pilot finds it at set-up, for all chains.
//
// Source: Roberts and Rosenthal (1998), Optimal scaling of discrete approximations to Langevin diffusions,
// doi:10.1111/1467-9868.00123; Roberts and Tweedie (1996), Exponential convergence of Langevin distributions and
// their discrete approximations, doi:10.2307/3318418, section 1.4.3, of the bound.
type blocks struct {
	size      int
	curvature []float64   // c
	prior     [][]float64 // of each block the second derivatives of the prior along its coordinates, by rows
	accepted  float64     // in the pilot
}

// blockMove is a chain's scratch of them.
type blockMove struct {
	columns         *glm.Columns
	from, to, x     []float64 // slopes at the point and at a proposal, and the way to it
	prior, weighted []float64 // slopes of the prior along coordinates, and along the entries of v
}

// MayBlock reports whether Auto may update coordinates of a posterior of these data in blocks: whether BlocksVersion is
// part of what decides its draws.
func MayBlock(family glm.Family, data *glm.Data) bool {
	_, dense := data.X.(*design.Dense)
	return dense && bounded(family) && data.Cols() >= BlockColumns && data.Rows() > data.Cols()
}

// bounded reports whether the curvature of a row is nowhere much larger than where rows mostly are: steps of
// fixed size overshoot where it is.
func bounded(f glm.Family) bool { return f.Is(family.Softplus) }

// blocked reports whether rotated coordinates can be updated in blocks.
func (s *basisSetup) blocked() bool {
	return s.opts.Update == "matched" && s.opts.Basis == "rotated" && s.opts.Scan == "systematic" && !s.opts.Uncached &&
		bounded(s.target.Model().Family) && len(s.frame.Others) == 0 && s.target.Cols() >= 2
}

// block lets blocks take the place of single updates.
func (s *basisSetup) block() {
	dim := len(s.widths)
	found := &blocks{size: min(blockPilot, dim), curvature: make([]float64, dim)}
	for j := range found.curvature {
		found.curvature[j] = 1
	}
	found.layPrior(s)
	s.blocks = found
	k := s.fresh(infer.NewStream(0, "cggibbs", "blocks"))
	peak := s.target.Penalised()
	k.place(peak[:s.target.Cols()], peak[s.target.Cols():])
	sums := make([]float64, dim)
	for i := range blockSettle + blockSweeps {
		if !k.moveBlocks() {
			s.blocks = nil
			return
		}
		if i <= blockSettle {
			clear(sums)
		}
		k.moving.columns.AddCurvatures(sums)
		for j, sum := range sums {
			found.curvature[j] = sum/float64(max(0, i-blockSettle)+1) + s.frame.Curvature[j]
		}
	}
	for found.size = min(largestBlock, dim); ; found.size /= 2 {
		found.layPrior(s)
		k.Proposals, k.Accepted = 0, 0
		for range 2 {
			if !k.moveBlocks() {
				s.blocks = nil
				return
			}
		}
		if found.accepted = k.Info().Accept; found.accepted >= blockAccepted || found.size <= 2 {
			break
		}
	}
	s.words += fmt.Sprintf("; %d of them proposed at a time, of which a pilot accepted %.2f", found.size, found.accepted)
}

// layPrior sets the second derivatives of the prior along coordinates of a block.
func (b *blocks) layPrior(s *basisSetup) {
	dim := len(b.curvature)
	b.prior = nil
	for first := 0; first < dim; first += b.size {
		m := min(b.size, dim-first)
		q := make([]float64, m*m)
		for i := range m {
			_, one := s.frame.Column(first + i)
			for j := range i + 1 {
				_, other := s.frame.Column(first + j)
				sum := 0.0
				for r, x := range other {
					sum = math.FMA(float64(x*s.frame.Precision[r]), one[r], sum)
				}
				q[i*m+j], q[j*m+i] = sum, sum
			}
		}
		b.prior = append(b.prior, q)
	}
}

// inBlocks reports whether the next sweep is of blocks: after warm-up by what warm-up has left and by the number of
// the iteration.
func (k *basisKernel) inBlocks() bool {
	if k.blocks == nil || k.Iteration%blockEvery == 0 {
		return false
	}
	return k.settled || k.Iteration < k.adapting && k.Iteration%blockTry == 0
}

// sweepBlocks is a sweep of blocks, which settles in warm-up whether others follow.
func (k *basisKernel) sweepBlocks() bool {
	proposals, accepted := k.Proposals, k.Accepted
	if !k.moveBlocks() {
		return false
	}
	if k.Iteration < k.adapting {
		k.settled = k.Accepted-accepted >= blockTaken*float64(k.Proposals-proposals)
	}
	return true
}

// moveBlocks updates all coordinates, block after block. It reports false if a log density was not a number below
// +Inf.
func (k *basisKernel) moveBlocks() bool {
	b, dim := k.blocks, len(k.u)
	if k.moving == nil {
		k.moving = &blockMove{columns: glm.NewColumns(k.point), from: make([]float64, dim), to: make([]float64, dim),
			x: make([]float64, dim), prior: make([]float64, dim), weighted: make([]float64, dim)}
	}
	k.moving.columns.Curved = k.point
	for i, first := 0, 0; first < dim; i, first = i+1, first+b.size {
		if !k.moveBlock(first, min(b.size, dim-first), b.prior[i]) {
			return false
		}
	}
	return true
}

// moveBlock updates coordinates first to first+m−1, q being the prior's second derivatives along them.
func (k *basisKernel) moveBlock(first, m int, q []float64) bool {
	w := k.moving
	v, ratio := k.proposeBlock(first, m, q)
	threshold := logUniform(k.Stream)
	k.Touched += 3 * int64(m) * k.rows()
	if !(v.LogLik <= math.MaxFloat64) {
		return k.Fail("a block of coordinates", v.LogLik)
	}
	k.Tally(min(1, vec.Exp(ratio)))
	if threshold < ratio {
		w.columns.Jump(first, w.x[:m], v)
		for i, x := range w.x[:m] {
			_, col := k.frame.Column(first + i)
			kernels.Axpy(x, col, k.line.v[:len(col)])
		}
	}
	return true
}

// drift is the middle of a proposal: g/c, but no more than maxDrift of its standard deviations.
func drift(g, c float64) float64 {
	most := float64(maxDrift * math.Sqrt(c))
	return max(-most, min(most, g)) / c
}

// proposeBlock draws the way of a block's coordinates to a proposal, and returns the log likelihood there with the log
// of the Metropolis–Hastings ratio.
func (k *basisKernel) proposeBlock(first, m int, q []float64) (v glm.Value, ratio float64) {
	w, c := k.moving, k.blocks.curvature[first:first+m]
	from, to, x, slopes := w.from[:m], w.to[:m], w.x[:m], w.prior[:m]
	w.columns.Here(first, from)
	for i, v := range k.line.v {
		w.weighted[i] = float64(k.frame.Precision[i] * (k.frame.Centre[i] - v))
	}
	for i := range m {
		_, col := k.frame.Column(first + i)
		slopes[i] = kernels.Dot(col, w.weighted[:len(col)])
		from[i] += slopes[i]
		x[i] = math.FMA(variate.Normal(k.Stream), 1/math.Sqrt(c[i]), drift(from[i], c[i]))
	}
	v = w.columns.Along(first, x, to)
	ratio = (v.LogLik - k.point.Value().LogLik) + kernels.Dot(slopes, x)
	for i := range m {
		curve := kernels.Dot(q[i*m:(i+1)*m], x)
		ratio = math.FMA(-0.5*curve, x[i], ratio)
		to[i] += slopes[i] - curve
		there, back := x[i]-drift(from[i], c[i]), x[i]+drift(to[i], c[i])
		ratio = math.FMA(0.5*c[i], math.FMA(there, there, -float64(back*back)), ratio)
	}
	return v, ratio
}
