package cggibbs

import (
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/update"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// drifting moves all coefficients of a model with smooths at once if a part of eta changes between iterations, so
// that no fixed approximation of the likelihood serves. The proposal is normal about a Newton step from the chain's
// position, with the curvature of the form, which ignores the other part, and the prior's; the reverse one is that
// from the proposal. Standard deviations move given the coefficients, and with them.
//
// Source: Gamerman (1997), Sampling from the posterior distribution in generalized linear mixed models,
// doi:10.1023/A:1018509429360, with a curvature that stays.
type drifting struct {
	*kernel
	form  *smoothSetup
	moves update.Schedule
	count int   // proposals in an iteration
	every int64 // iterations from one sweep to the next
	// The curvature is that with the other part as it is, at the coefficients of the form's mode.
	follows bool

	priors                    *normals
	beta, slope, rows, eta, z []float64
}

// drifts is the number of proposals in an iteration, of which one in driftEvery, and the first sweptFirst, are sweeps
// of the coordinate sampler.
const drifts, driftEvery = 2, 8

// tallDriftEvery is driftEvery of many rows whose entries are rewritten: a sweep reads them some ten times as often.
const tallDriftEvery = 32

// proposedEvery is driftEvery of NewProposed, and minProposed the least number of coefficients that it proposes: of 14
// coefficients and 354 rows of zero-inflated counts two proposals take a sixth of the time of a sweep.
const proposedEvery, minProposed = 16, 4

func newDrifting(form *smoothSetup, k *kernel) *drifting {
	d, n := k.target.Cols(), k.target.Rows()
	f := &drifting{kernel: k, form: form, count: drifts, every: driftEvery,
		priors: newNormals(d), beta: make([]float64, d), slope: make([]float64, d),
		rows: make([]float64, n), eta: make([]float64, n), z: make([]float64, d)}
	f.moves = update.Schedule{First: update.Moves{k.refreshWhenDue, k.moveDispersions}, Each: update.Moves{f.propose},
		Last: update.Moves{k.moveScales, f.moveProcesses, k.settle}}
	return f
}

// drifting words the moves.
func (b *Coefficients) drifting() string {
	if b.form == nil {
		return ""
	}
	if b.rewritten || b.proposed {
		return "; coefficients proposed at once, a sweep over them now and then"
	}
	return fmt.Sprintf("; coefficients with smooths proposed at once, a sweep over them in every %dth iteration",
		driftEvery)
}

// swept reports whether the next iteration is a sweep of the coordinate sampler.
func (f *drifting) swept() bool { return f.Iteration < sweptFirst || f.Iteration%f.every == 0 }

// step is never called on its own.
func (f *drifting) step() (infer.Info, error) { return f.kernel.step(f, &f.moves, f.count) }

// propose proposes all coefficients. Cost: O(n·d + d³).
func (f *drifting) propose() bool {
	accepted, ok := f.jump()
	f.Tally(accepted)
	return ok
}

// jump proposes all coefficients. It returns the probability that the proposal was accepted with, and false if the
// log likelihood was not a number below +Inf.
func (f *drifting) jump() (accepted float64, ok bool) {
	for j := range f.beta {
		f.beta[j] = f.point.Beta(j)
	}
	others := f.priors.lay(f.target.Model().Coefficients, f.point.Spread)
	factor, err := f.curvature(f.information())
	if err != nil { // of a rank that rounding has lost: no move
		return 0, true
	}
	from := append([]float64(nil), f.beta...)
	f.newton(factor, from, f.point.Eta())
	for j := range f.z {
		f.z[j] = variate.Normal(f.Stream)
	}
	forward := vec.SumSquares(f.z)
	threshold := logUniform(f.Stream)
	step := f.z
	factor.SolveUpper(step)
	to := append([]float64(nil), from...)
	kernels.Axpy(1, step, to)
	for j := range step {
		step[j] = to[j] - f.beta[j]
	}
	copy(f.eta, f.point.Eta())
	f.target.Data().X.AddProduct(kernels, step, f.eta)
	v := f.point.ValueAt(f.eta)
	ratio := (v.LogLik - f.point.Value().LogLik) + (f.logPrior(to, others) - f.logPrior(f.beta, others))
	f.Touched += 4*f.entries() + 3*int64(len(f.eta))
	if math.IsNaN(ratio) || v.LogLik > math.MaxFloat64 {
		f.coord = 0
		return 0, f.Fail("", v.LogLik)
	}
	if math.IsInf(ratio, -1) {
		return 0, true
	}
	back := append([]float64(nil), to...)
	f.newton(factor, back, f.eta)
	for j := range back {
		back[j] = f.beta[j] - back[j]
	}
	factor.MulUpper(back)
	ratio = math.FMA(0.5, forward-vec.SumSquares(back), ratio)
	if threshold < ratio {
		f.point.SetCoefficients(to)
		f.point.MoveTo(f.eta, v)
	}
	return vec.Exp(min(0, ratio)), true
}

// information returns the curvature of the form at the dispersions, scale·gram. Other linear predictors change the
// weights of the rows and so the form: then its curvature is recomputed, at the mode of the set-up. Cost: O(1), and
// then n·d²/2.
func (f *drifting) information() (scale float64, gram []float64) {
	d := len(f.beta)
	scale, gram = f.form.scale(f.point.Dispersions()), f.form.form.gram
	at := f.form.eta
	if f.follows {
		at = f.eta
		copy(at, f.point.Eta())
		for j, b := range f.beta {
			f.z[j] = f.form.mode[j] - b
		}
		f.target.Data().X.AddProduct(kernels, f.z, at)
	}
	given := f.point.RowInformation(at, f.rows)
	if f.follows && !given {
		f.target.RowInformation(at, f.point.Dispersions(), f.rows)
	}
	if given || f.follows {
		scale, gram = 1, make([]float64, d*d)
		design.WeightedGram(f.target.Data().X, f.rows, f.eta, gram)
		f.Touched += f.entries() * int64(d) / 2
	}
	return scale, gram
}

// curvature factorises scale·gram with the curvature of the priors. Cost: O(d³).
func (f *drifting) curvature(scale float64, gram []float64) (*linalg.Chol, error) {
	d := len(f.beta)
	a := make([]float64, d*d)
	for i := range d {
		for j := range i + 1 {
			a[i*d+j] = float64(scale * gram[i*d+j])
		}
		a[i*d+i] += f.priors.precision[i]
	}
	return linalg.Cholesky(a, d)
}

// newton adds a Newton step to b, where eta is the linear predictor.
func (f *drifting) newton(factor *linalg.Chol, b, eta []float64) {
	f.point.RowGradient(eta, f.rows)
	design.Transposed(f.target.Data().X, f.rows, f.slope)
	for j, x := range b {
		f.slope[j] = math.FMA(f.priors.precision[j], f.priors.centre[j]-x, f.slope[j])
	}
	factor.Solve(f.slope)
	kernels.Axpy(1, f.slope, b)
}

// logPrior returns the log prior density of coefficients given all scales, up to a constant.
func (f *drifting) logPrior(b []float64, others []int) float64 {
	sum := f.priors.logDensity(b)
	for _, j := range others {
		e := b[j] - f.priors.centre[j]
		sum = math.FMA(float64(0.5*f.priors.precision[j]*e), e, sum+f.target.LogPriorAlong(j, b[j]))
	}
	return sum
}
