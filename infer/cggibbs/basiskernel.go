package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/internal/vec"
)

// basisKernel is one chain in a basis. v = origin + T·u is recomputed from u at the end of each iteration, so that
// u, which moves, is its state.
type basisKernel struct {
	*basisSetup
	stepper
	reducedParts
	scan  *scan
	point *glm.Curved // u, with eta = eta0 + B·u
	line  line        // v, and the prior along a coordinate of u
	key   uint64

	u, scratch []float64    // u is that of point, between iterations
	plain      *plainSweeps // nil if there are none
	reading    int64        // entries that a pass along the coordinate under update reads
	severalAtOnce
}

// reducedParts are those of a chain in the reduced basis; they are nil in others.
type reducedParts struct {
	scale  *scaler
	hidden *hidden
	warmup int64 // iterations whose rows are not expanded
}

// severalAtOnce are the moves of several coordinates.
type severalAtOnce struct {
	moving   *blockMove // nil until blocks move
	jointly  []*subspaceMove
	rowMove  *rowMove // nil if sweeps are of coordinates
	settled  bool     // sweeps are of blocks
	adapting int64    // iterations in which that may change
}

// Step makes the univariate updates of its iteration, as many as there are coordinates
// unless Options.Focus has a list, after a refresh of the cached linear predictor when one is due; in
// the reduced basis then the scale move; all but the refresh Options.Moves times. See stepper.step.
//
// Cost: O(k·(n + k)) for k coordinates; in the reduced basis after warm-up besides
// O(d·n) for what the likelihood does not see of d coefficients, which LogPrior
// counts. In warm-up it is not made, and LogPrior is NaN.
func (k *basisKernel) Step() (infer.Info, error) {
	return k.step(k, &k.Updates, k.opts.movesIn(k.Iteration, k.scan.first))
}

func (k *basisKernel) ended() { k.arrive() }

func (k *basisKernel) logDensities() (logLik, logPrior float64) {
	logLik, logPrior = k.point.Value().LogLik, math.NaN()
	if k.kept() {
		logPrior = k.LogPrior()
	}
	return logLik, logPrior
}

// sweepNext makes a sweep, from u and v as the sweep before has left them.
func (k *basisKernel) sweepNext() bool {
	if k.Turn > 0 {
		k.renew()
	}
	return k.sweep()
}

// sweep makes the updates of one sweep, and the moves that follow it.
func (k *basisKernel) sweep() bool {
	if k.inBlocks() {
		return k.sweepBlocks()
	}
	if k.rowMove != nil && !(k.Stream.Float64() < sweepShare) {
		return k.sweepRows() && k.sweepEnds()
	}
	for i := range k.scan.updates(k.Iteration) {
		if j := k.scan.coordinate(i, k.Iteration, k.Stream); k.single(j) && !k.update(j) {
			return false
		}
	}
	return k.sweepEnds()
}

// sweepEnds makes the moves that follow a sweep.
func (k *basisKernel) sweepEnds() bool {
	if k.scale != nil && !k.scale.update(k) || k.slow != nil && !k.moveSlow() || !k.moveJointly() {
		return false
	}
	k.point.Settle()
	return true
}

// kept reports whether the draw at the point may be read.
func (k *basisKernel) kept() bool { return k.Iteration > k.warmup || k.warmup == 0 }

// refreshWhenDue recomputes the cached linear predictor in iterations that begin with that.
func (k *basisKernel) refreshWhenDue() bool { return !k.due(k.opts.RefreshEvery) || k.refresh() }

// refresh recomputes the cached linear predictor.
func (k *basisKernel) refresh() bool {
	k.point.Refresh()
	k.Touched += k.entries() + k.point.TermReads()
	return true
}

// entries returns the number of entries of B.
func (k *basisKernel) entries() int64 { return k.frame.Like.Data().X.Entries() }

func (k *basisKernel) rows() int64 { return int64(k.frame.Like.Rows()) }

// read returns how many entries a pass along coordinate j reads.
func (k *basisKernel) read(j int) int64 { return int64(len(k.frame.Like.Data().X.Column(j).Values)) }

// coordinate returns the name of coordinate j of (u, log dispersions).
func (k *basisKernel) coordinate(j int) string {
	if d := j - len(k.line.v); d >= 0 {
		return k.Parameters()[k.target.Cols()+d].Name
	}
	if k.frame.T == nil {
		return k.Parameters()[j].Name
	}
	return fmt.Sprintf("coordinate %d of the basis", j+1)
}

// update makes one update of coordinate j of (u, log dispersions).
func (k *basisKernel) update(j int) bool {
	k.coord = j
	if d := j - len(k.line.v); d >= 0 {
		return k.updateDispersion(d, j)
	}
	k.line.along(j)
	k.reading = k.read(j)
	if k.opts.Update == "matched" && !sliced(k.Stream) {
		return k.match(j)
	}
	return k.sliceUpdate(j)
}

// sliceUpdate moves coordinate j by a slice.
func (k *basisKernel) sliceUpdate(j int) bool {
	current := k.point.Value().LogLik
	var displacement float64
	var v glm.Value
	var moved, ok bool
	switch k.opts.Update {
	case "doubling":
		displacement, v, moved, ok = k.slice.update(k, current, k.widths[j])
	case "tangent":
		here := k.tangentAt(0, k.point.Local(j))
		k.Evaluations++
		k.Touched += k.reading
		displacement, v, moved, ok = k.slice.updateTangent(k, here, k.line.curvature, k.widths[j])
	default:
		slice := k.slice.updateStepping
		if k.fromAfar() {
			slice = k.slice.update
		}
		displacement, v, moved, ok = slice(k, current, k.widths[j])
	}
	if ok && moved {
		k.point.Move(j, displacement, v)
		k.line.move(displacement)
		k.Touched += k.reading
	}
	return ok
}

// fromAfar reports whether a slice may have to reach far beyond its width, so that it doubles: at the start of a chain
// from the prior of tall data, which lies √n widths away. To step there took 12,000 passes over 10⁸ rows, and takes 50.
func (k *basisKernel) fromAfar() bool { return k.Iteration == 0 && glm.Tall(int(k.rows())) }

// updateDispersion moves the log of dispersion d by a slice.
func (k *basisKernel) updateDispersion(d, j int) bool {
	k.coord = j
	here := k.point.LogDispersion(d)
	f := &dispersionLine{k, d, here}
	current := k.point.Value().LogLik + k.frame.Like.LogPriorAlong(j, here)
	displacement, v, moved, ok := k.slice.update(f, current, k.widths[j])
	if ok && moved {
		k.point.MoveDispersion(d, here+displacement, v)
	}
	return ok
}

// at implements density for the coordinate under update, less the log prior
// density at the point.
func (k *basisKernel) at(displacement float64) (float64, glm.Value) {
	var v glm.Value
	if k.opts.Uncached {
		v = k.point.AlongUncached(k.coord, displacement)
		k.Touched += k.entries()
	} else {
		v = k.point.Along(k.coord, displacement)
		k.Touched += k.reading
	}
	return v.LogLik + k.line.at(displacement), v
}

// dispersionLine is the log density along the log of a dispersion.
type dispersionLine struct {
	of   *basisKernel
	d    int
	here float64
}

func (f *dispersionLine) at(displacement float64) (float64, glm.Value) {
	x := f.here + displacement
	v := f.of.point.AlongDispersion(f.d, x)
	return v.LogLik + f.of.frame.Like.LogPriorAlong(len(f.of.line.v)+f.d, x), v
}

// Row writes (theta_F, z), the dispersions, the log density of z, and w.
func (k *basisKernel) Row(dst []float64) {
	dim := len(k.line.v)
	copy(dst, k.line.v)
	free := len(k.u) - dim
	k.dispersions(dst[dim : dim+free])
	dst[dim+free] = k.logDensityOfZ()
	w := dst[dim+free+1:]
	if clear(w); k.kept() {
		k.hidden.settle()
		copy(w, k.hidden.w)
	}
}

// logDensityOfZ returns that of N(0, I_r) at z.
func (k *basisKernel) logDensityOfZ() float64 {
	return -0.5*vec.SumSquares(k.z()) - float64(float64(len(k.z()))*halfLog2Pi)
}

const halfLog2Pi = 0.91893853320467274178 // ½ log 2π
