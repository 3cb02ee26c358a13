package cggibbs

import (
	"math"
	"slices"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// processDensity is the density of the standard deviation and the length of a Gaussian process under a quadratic form,
// given the scales of the other smooths, with all coefficients integrated out.
type processDensity struct {
	group     *prior.Group
	own, pull []float64 // of the likelihood of its coefficients, the others integrated out: curvature, slope at 0
}

// at returns the log density at the logs of the scales, up to a constant. With the spreads S of the coefficients:
//
//	log p(sd, ℓ) + log sd + log ℓ + ½·pullᵀS·(I + S·own·S)⁻¹·S·pull − ½·log |I + S·own·S|
//
// Cost: O(columns³).
func (l *processDensity) at(x smoothScales) float64 {
	h := l.group
	value := h.LogTau(x.sd, 0) + h.LogSlab(x.length)
	if math.IsInf(value, -1) {
		return value
	}
	m := len(h.Columns)
	spread, a, side := make([]float64, m), make([]float64, m*m), make([]float64, m)
	for i := range m {
		spread[i] = vec.Exp(h.LogSpread(x.sd, 0, x.length, i))
		side[i] = float64(spread[i] * l.pull[i])
		for k := range i + 1 {
			a[i*m+k] = float64(spread[i] * spread[k] * l.own[i*m+k])
		}
		a[i*m+i]++
	}
	factor, err := linalg.Cholesky(a, m)
	if err != nil {
		return math.Inf(-1)
	}
	factor.SolveLower(side)
	return value + x.sd + l.group.SlabJacobian(x.length) + float64(0.5*(kernels.Dot(side, side)-factor.LogDet()))
}

// move makes a slice update of the log sd, then one of the log of the length.
func (l *processDensity) move(s *slicer, here smoothScales) (to smoothScales, ok bool) {
	if here.sd, ok = slicedAlong(s, here.sd, func(x float64) float64 { return l.at(smoothScales{x, here.length}) }); !ok {
		return here, false
	}
	here.length, ok = slicedAlong(s, here.length, func(x float64) float64 { return l.at(smoothScales{here.sd, x}) })
	return here, ok
}

// peakStep is how far peak looks along the log of a standard deviation.
const peakStep = 3

// peak returns scales with a higher density than those given, one after the other.
func (l *processDensity) peak(at smoothScales) smoothScales {
	at.length = l.group.Second.Peak(func(x float64) float64 { return l.at(smoothScales{at.sd, x}) })
	at.sd = golden(at.sd-peakStep, at.sd+peakStep, func(x float64) float64 { return l.at(smoothScales{x, at.length}) })
	return at
}

// sliceLength makes a slice update of the log of the length of a Gaussian process, with each coefficient at its number
// of prior standard deviations. Cost: O(n·columns) an evaluation.
func sliceLength(k *kernel, g int) bool {
	h := &k.target.Groups()[g]
	k.coord = k.swept + h.Slab
	here, eta := k.point.LogScale(h.Slab), make([]float64, k.target.Rows())
	along := function(func(x float64) (float64, glm.Value) {
		k.Touched += int64(k.target.Rows()) * int64(len(h.Columns))
		return k.point.AlongLength(g, here+x, eta)
	})
	current, _ := along(0)
	displacement, _, moved, ok := k.slice.update(along, current, k.widths[k.coord])
	if ok && moved {
		_, v := along(displacement) // writes eta
		k.point.MoveLength(g, here+displacement, eta, v)
	}
	return ok
}

// Steps of the logs of the scales in a proposal of them with all coefficients: one of the two, by the toss of a coin.
const shortStep, longStep = 0.4, 1.2

// moveProcesses proposes the scales of each Gaussian process by a step of both logs, with all coefficients: these are
// normal about a Newton step from where each coefficient of the process keeps its number of standard deviations, with
// the curvature of the form. The reverse proposal is that from there. Cost: O(n·d + d³) for each process.
//
// Source: Knorr-Held and Rue (2002), On block updating in Markov random field models for disease mapping,
// doi:10.1111/1467-9469.00308.
func (f *drifting) moveProcesses() bool {
	groups := f.target.Groups()
	for g := range groups {
		if h := &groups[g]; h.Second != nil && !f.rescale(h) {
			return false
		}
	}
	return true
}

// rescale proposes the scales of one process.
func (f *drifting) rescale(h *prior.Group) bool {
	step := shortStep
	if f.Stream.Float64() < 0.5 {
		step = longStep
	}
	now := scalesAt(f.point, h)
	next := smoothScales{sd: math.FMA(step, variate.Normal(f.Stream), now.sd)}
	next.length = math.FMA(step, variate.Normal(f.Stream), now.length)
	threshold := logUniform(f.Stream)
	ratio := scalesPrior(h, next) - scalesPrior(h, now)
	if math.IsInf(ratio, -1) {
		return true
	}
	for j := range f.beta {
		f.beta[j] = f.point.Beta(j)
	}
	others := f.priors.lay(f.target.Model().Coefficients, f.point.Spread)
	before := f.logPrior(f.beta, others)

	scale, gram := f.information()
	f.priors.spreadBy(h, next)
	there, err := f.carry(h, scale, gram, f.beta, f.point.Eta(), now, next)
	if err != nil { // of a rank that rounding has lost: no move
		return true
	}
	to, forward := there.draw(f.Stream, f.z)
	eta := f.linearAt(to)
	v := f.point.ValueAt(eta)
	ratio += v.LogLik - f.point.Value().LogLik + f.logPrior(to, others) - before - forward
	if math.IsInf(v.LogLik, -1) || math.IsInf(ratio, -1) {
		return true
	}
	f.priors.spreadBy(h, now)
	back, err := f.carry(h, scale, gram, to, eta, next, now)
	if err != nil {
		return true
	}
	backward := back.logDensity(f.beta)
	f.Touched += 6*f.entries() + 4*int64(len(eta))
	if !(math.Abs(backward) <= math.MaxFloat64) { // no Newton step leads back
		return true
	}
	ratio += backward
	if math.IsNaN(ratio) || v.LogLik > math.MaxFloat64 {
		f.coord = f.kernel.swept + h.Tau
		return f.Fail("", v.LogLik)
	}
	if threshold < ratio {
		f.point.SetCoefficients(to)
		setScales(f.point, h, next)
		f.point.MoveTo(eta, v)
	}
	return true
}

// scalesPrior returns the log prior density of the logs of the scales of a process, less the logs of the spreads of its
// coefficients.
func scalesPrior(h *prior.Group, x smoothScales) float64 {
	sum := h.LogTau(x.sd, 0) + h.LogSlab(x.length) + x.sd + h.SlabJacobian(x.length)
	for i := range h.Columns {
		sum -= h.LogSpread(x.sd, 0, x.length, i)
	}
	return sum
}

// A landing is a normal distribution of coefficients: its mean, and the factor of its precision.
type landing struct {
	mean   []float64
	factor *linalg.Chol
}

// draw returns a draw, in the slice of the mean, and its log density. It overwrites z.
func (l *landing) draw(s variate.Source, z []float64) (to []float64, logDensity float64) {
	for j := range z {
		z[j] = variate.Normal(s)
	}
	logDensity = float64(0.5 * (l.factor.LogDet() - vec.SumSquares(z)))
	l.factor.SolveUpper(z)
	kernels.Axpy(1, z, l.mean)
	return l.mean, logDensity
}

// logDensity returns the log density at x. It overwrites the mean.
func (l *landing) logDensity(x []float64) float64 {
	for j, m := range l.mean {
		l.mean[j] = x[j] - m
	}
	l.factor.MulUpper(l.mean)
	return float64(0.5 * (l.factor.LogDet() - vec.SumSquares(l.mean)))
}

// carry returns the distribution of coefficients given scales of a process, that the priors have already. It begins at
// coefficients that belong to other scales. Scale and gram are those of information.
func (f *drifting) carry(h *prior.Group, scale float64, gram, beta, eta []float64, from, to smoothScales) (landing,
	error) {
	factor, err := f.curvature(scale, gram)
	if err != nil {
		return landing{}, err
	}
	mean := slices.Clone(beta)
	for i, j := range h.Columns {
		mean[j] *= vec.Exp(h.LogSpread(to.sd, 0, to.length, i) - h.LogSpread(from.sd, 0, from.length, i))
	}
	moved := slices.Clone(eta)
	f.addMove(moved, beta, mean)
	f.newton(factor, mean, moved)
	return landing{mean, factor}, nil
}

// linearAt returns the linear predictor at other coefficients.
func (f *drifting) linearAt(to []float64) []float64 {
	eta := slices.Clone(f.point.Eta())
	f.addMove(eta, f.beta, to)
	return eta
}

// addMove adds X·(to − from) to eta.
func (f *drifting) addMove(eta, from, to []float64) {
	step := make([]float64, len(to))
	for j := range step {
		step[j] = to[j] - from[j]
	}
	f.target.Data().X.AddProduct(kernels, step, eta)
}
