package cggibbs

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/basis"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/infer/update"
	"glmbatch/internal/linalg"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// mixtureSetup samples posteriors with many coefficients whose priors are normal given scales: student_t, cauchy,
// laplace and both horseshoes, and normal ones. With X = [F G], F being the columns of flat and uniform priors, and
// the scales S of theta_G given, the prior of G·theta_G is N(G·m, K), K = G·S²·Gᵀ, so that the likelihood depends
// on n numbers at most.
//
// An iteration (mixtureBlocks) draws the scales given theta (drawSpreads); then
// moves theta_F and the z of
//
//	K = RRᵀ,  V = S·Gᵀ·R⁻ᵀ,  z = Vᵀ·S⁻¹(theta_G − m),  eta = offset + F·theta_F + G·m + R·z
//
// by univariate updates in a rotated frame; then draws what the likelihood does not
// see of theta_G given z and the scales; then moves dispersions, and tau, lambda and
// c of horseshoes (surrogate.go, scales.go). theta is the state between iterations,
// as z means another thing under other scales.
//
// Source: Bhattacharya, Chakraborty and Mallick (2016), Fast sampling with Gaussian
// scale mixture priors in high-dimensional regression, doi:10.1093/biomet/asw042,
// whose draw of theta given a normal response is the last step here given z.
type mixtureSetup struct {
	*setup
	x           *design.Dense
	kept, mixed []int     // columns of F and of G
	parts       []part    // of G: the columns of one horseshoe each, the others first
	base        []float64 // offset + G·m
	eta         []float64 // at the penalised point, where the frame takes the rows' information
	negligible  float64   // see negligible
	steps       []mixtureBlock
}

// mixtureBlock is one block of an iteration. It leaves the posterior invariant given
// all that it does not move; false means that a log density was not finite.
type mixtureBlock func(k *mixtureKernel) bool

// mixtureBlocks are those of an iteration in order. K belongs to the scales from
// covariance on until moveScales; surrogates keep it so.
var mixtureBlocks = []mixtureBlock{
	(*mixtureKernel).drawSpreads, (*mixtureKernel).covariance, (*mixtureKernel).moveCoefficients,
	func(k *mixtureKernel) bool { return k.moveDispersions() }, (*mixtureKernel).moveSurrogates,
	func(k *mixtureKernel) bool { return k.moveScales() },
}

// mixtureSweeps is the number of sweeps over (theta_F, z) in an iteration: they cost
// O(n³) where K costs n²·d/2.
const mixtureSweeps = 2

// mixtureStepping bounds stepping out to 2⁵ widths.
const mixtureStepping = 5

// negligible is the pivot, relative to the largest, below which a direction of K is
// left out of z; see moveCoefficients for why the draws are right for any.
const negligible = 1e-10

// newMixed returns the sampler, or the coordinate sampler where it cannot be made.
func newMixed(target *glm.Target, opts Options) (infer.Setup, error) {
	update, err := opts.update(target.Model())
	if err != nil {
		return nil, err
	}
	asked := opts
	asked.Update = update
	s, err := newMixture(newSetup(target, asked))
	if err != nil {
		return instead(target, opts, fmt.Sprintf("mixture cannot be made: %v", err)), nil
	}
	return s, nil
}

// newMixture makes the set-up.
func newMixture(plain *setup) (*mixtureSetup, error) {
	t := plain.target
	s := &mixtureSetup{setup: plain, negligible: negligible, steps: mixtureBlocks}
	data := t.Data()
	n := data.Rows()
	x, dense := data.X.(*design.Dense)
	if smooth(t) {
		return nil, errors.New("the standard deviations of smooths are not moved there")
	}
	if !dense {
		return nil, errors.New("the design is sparse, and K is not")
	}
	s.x = x
	if n > basis.RotateLimit {
		return nil, fmt.Errorf("%d rows make as many coordinates, more than %d", n, basis.RotateLimit)
	}
	s.base = make([]float64, n)
	copy(s.base, data.Offset)
	s.arrange()
	if len(s.mixed) == 0 {
		return nil, errors.New("no coefficient has a prior that is normal given a scale")
	}
	for _, j := range s.mixed {
		kernels.Axpy(t.Model().Coefficients[j].Location, x.Col(j), s.base)
	}
	peak := glm.NewPoint(t)
	peak.SetUnconstrained(t.Penalised())
	s.eta = append([]float64(nil), peak.Eta()...)
	s.opts.RefreshEvery = 1 // eta is recomputed in each iteration at least twice
	s.words = fmt.Sprintf("mixture: %d coefficients by the at most %d numbers that the likelihood sees of them given the "+
		"scales of their priors, which are drawn in each iteration, with %d others; updates: %s", len(s.mixed), n,
		len(s.kept), s.opts.Update)
	return s, nil
}

// part is a run of columns of G whose share of K is kept apart.
type part struct {
	first, last int       // places in mixed
	rows        []float64 // the columns by row
}

// arrange sorts the columns into F and the parts of G.
func (s *mixtureSetup) arrange() {
	t := s.target
	horseshoes := t.Groups()
	for j, law := range t.Model().Coefficients {
		switch {
		case law.Kind == prior.Flat || law.Kind == prior.Uniform:
			s.kept = append(s.kept, j)
		case !law.Kind.Shrinks():
			s.mixed = append(s.mixed, j)
		}
	}
	s.parts = append(s.parts, s.part(0))
	for _, h := range horseshoes {
		first := len(s.mixed)
		s.mixed = append(s.mixed, h.Columns...)
		s.parts = append(s.parts, s.part(first))
	}
}

// part returns that of the columns from place first on.
func (s *mixtureSetup) part(first int) part {
	x, g := s.x, len(s.mixed)-first
	p := part{first, len(s.mixed), make([]float64, x.Rows*g)}
	for c, j := range s.mixed[first:] {
		for i, v := range x.Col(j) {
			p.rows[i*g+c] = v
		}
	}
	return p
}

// Kernel returns one chain at its dispersed start.
func (s *mixtureSetup) Kernel(c infer.Chain) (infer.Kernel, error) {
	k, err := s.setup.Kernel(c)
	if err != nil {
		return nil, err
	}
	g, n := len(s.mixed), s.target.Rows()
	grams := make([][]float64, len(s.parts))
	for i := range grams {
		grams[i] = make([]float64, n*n)
	}
	out := &mixtureKernel{
		kernel: k.(*kernel), mix: s, spread: make([]float64, g), weights: make([]float64, g),
		gram: make([]float64, n*n), epsilon: make([]float64, g), along: make([]float64, g),
		theta: make([]float64, s.target.Dim()), old: make([]float64, s.target.Dim()),
		grams: grams, information: make([]float64, n),
	}
	out.Updates = update.Schedule{Each: update.Moves{out.refresh, out.sweepPlainly}}
	for _, block := range s.steps {
		out.Updates.Each = append(out.Updates.Each, func() bool { return block(out) })
	}
	return out, nil
}

// mixtureKernel is one chain: the coordinate sampler's with another way to move
// the coefficients. Its state is that of the coordinate sampler before a refresh. Cost of an iteration: n²·d/2 for K,
// O(n·d) for the rest of d coefficients, and O(n³).
type mixtureKernel struct {
	*kernel
	mix         *mixtureSetup
	spread      []float64   // prior standard deviations of theta_G given the scales
	weights     []float64   // their squares
	grams       [][]float64 // the share of K of each part of G; lower triangles by rows
	gram        []float64   // K
	information []float64   // of the rows at the penalised point
	epsilon     []float64
	along       []float64
	theta, old  []float64 // of the point, as Centred writes it
}

// sweepPlainly makes a plain sweep when one is due.
func (k *mixtureKernel) sweepPlainly() bool {
	if k.Turn > 0 || !k.opts.plainly(k.Iteration, k.target.Rows()) {
		return true
	}
	return k.sweepAll(0) && k.settle()
}

// moveCoefficients moves theta_F and z, then draws the rest of theta_G.
//
// The moves of z leave the posterior invariant given the rest of theta_G, whatever
// of K is left out of R. The draw of the rest is one from the prior given z. Where R
// is all of K it does not change eta and is always accepted; where directions were
// left out it changes eta by a little, and a Metropolis decision, whose ratio is
// that of the likelihoods, makes it right.
func (k *mixtureKernel) moveCoefficients() bool {
	n, d := k.target.Rows(), k.target.Cols()
	factor := linalg.NewPivoted(k.gram, n, k.mix.negligible)
	k.point.Centred(k.old)
	copy(k.theta, k.old)
	f := k.within(factor)
	if f == nil {
		k.Proposals, k.Accepted = 1, 1
		return true // all of eta is given
	}
	kept := len(k.mix.kept)
	before := append([]float64(nil), f.line.v[kept:]...)
	for range mixtureSweeps {
		for j := range f.line.v {
			if !f.update(j) {
				k.coord = k.mix.mixed[0]
				return k.Fail("", f.Bad)
			}
		}
	}
	f.arrive()
	k.Evaluations += f.Evaluations
	k.Touched += f.Touched
	for i, j := range k.mix.kept {
		k.theta[j] = f.line.v[i]
	}
	z := f.line.v[kept:]
	k.redraw(factor, z)
	threshold := logUniform(k.Stream)
	k.point.SetCentred(k.theta)
	ratio := k.point.Value().LogLik - f.point.Value().LogLik
	if !(threshold < ratio) {
		copy(k.theta[:d], k.old[:d])
		for i, j := range k.mix.kept {
			k.theta[j] = f.line.v[i]
		}
		for i, x := range before {
			before[i] = z[i] - x
		}
		k.shift(factor, before)
		k.point.SetCentred(k.theta)
	}
	k.Touched += 2 * k.entries()
	k.Proposals, k.Accepted = 1, vec.Exp(math.Min(0, ratio)) // of the last one
	return true
}

// covariance makes K from the scales, and the rows' information, in which frames
// and surrogates are measured. Cost: n²·d/2.
func (k *mixtureKernel) covariance() bool {
	n := k.target.Rows()
	clear(k.gram)
	for i, p := range k.mix.parts {
		linalg.Gram(p.rows, p.last-p.first, n, k.weights[p.first:p.last], k.grams[i])
		kernels.Axpy(1, k.grams[i], k.gram)
	}
	k.target.RowInformation(k.mix.eta, k.point.Dispersions(), k.information)
	return true
}

// within returns a chain on (theta_F, z) with all else held.
func (k *mixtureKernel) within(factor *linalg.Pivoted) *basisKernel {
	n, kept := k.target.Rows(), len(k.mix.kept)
	x := k.mix.x
	design := design.NewDense(n, kept+factor.Rank)
	if design.Cols == 0 {
		return nil
	}
	v := make([]float64, design.Cols)
	rest := append([]float64(nil), k.point.Eta()...)
	for i := range rest {
		rest[i] -= k.mix.base[i]
	}
	for i, j := range k.mix.kept {
		copy(design.Col(i), x.Col(j))
		v[i] = k.point.Beta(j)
		kernels.Axpy(-v[i], x.Col(j), rest)
	}
	copy(design.Values[n*kept:], factor.R)
	z := v[kept:]
	factor.Solve(rest, z)
	for i, b := range z {
		kernels.Axpy(-b, design.Col(kept+i), rest)
	}
	kernels.Axpy(1, k.mix.base, rest) // the offset, with what R leaves out
	frame := k.frame(design, rest)
	s := &basisSetup{shared: shared{target: k.target, opts: k.opts, widths: make([]float64, len(v))}, frame: frame}
	for j := range s.widths {
		s.widths[j] = k.opts.Width * basisWidth
	}
	f := &basisKernel{basisSetup: s, point: glm.NewCurved(glm.NewPoint(frame.Like)), line: line{Frame: frame, v: v}}
	f.Stream, f.Iteration = k.Stream, k.Iteration
	f.begin(k.Stream, k.opts.MaxDoublings)
	if k.opts.Update != "doubling" { // one width at a time: the frame's may be far from the slice's
		f.slice.limit = min(f.slice.limit, mixtureStepping)
	}
	f.u = make([]float64, frame.Like.Dim())
	frame.Coordinates(v, f.u[:len(v)])
	k.point.Logs(f.u[len(v):])
	f.point.SetUnconstrained(f.u)
	f.arrive()
	return f
}

// frame rotates (theta_F, z) by the Cholesky factor of the curvature that the rows'
// information at the penalised point gives, at the chain's dispersions.
func (k *mixtureKernel) frame(design *design.Dense, offset []float64) *basis.Frame {
	t, m := k.target, design.Cols
	priors := make([]prior.Prior, m)
	for i := range priors {
		priors[i] = prior.Prior{Kind: prior.Normal, Scale: 1}
	}
	for i, j := range k.mix.kept {
		priors[i] = t.Model().Coefficients[j]
	}
	h := make([]float64, m*m)
	linalg.Gram(design.Values, design.Rows, m, k.information, h)
	for j, p := range priors {
		at := &h[j*m+j]
		switch p.Kind {
		case prior.Flat:
			*at = math.FMA(1e-6, *at, *at+1e-200)
		case prior.Uniform:
			*at += 12 / (p.High - p.Low) / (p.High - p.Low)
		default:
			*at++
		}
	}
	var rotation *linalg.Upper
	if c, err := linalg.Cholesky(h, m); err == nil {
		rotation = c.InverseTransposed()
	}
	return basis.NewFrame(t, design, offset, priors, make([]float64, m), rotation)
}

// redraw writes a draw of theta_G given z and the scales to theta:
// m + S(V·z + (I − VVᵀ)·ε), ε ~ N(0, I). Cost: O(n·d).
func (k *mixtureKernel) redraw(factor *linalg.Pivoted, z []float64) {
	n := k.target.Rows()
	variate.NormalsAt(k.Stream.Uint64(), 0, 0, k.epsilon)
	sum, w := make([]float64, n), make([]float64, factor.Rank)
	for c, e := range k.epsilon {
		k.along[c] = float64(k.spread[c] * e)
	}
	k.accumulate(0, len(k.along), k.along, sum)
	factor.Solve(sum, w)
	for i, x := range w {
		w[i] = z[i] - x
	}
	for c, j := range k.mix.mixed {
		k.theta[j] = math.FMA(k.spread[c], k.epsilon[c], k.target.Model().Coefficients[j].Location)
	}
	k.shift(factor, w)
}

// shift adds S·V·w to theta_G. Cost: O(n·d).
func (k *mixtureKernel) shift(factor *linalg.Pivoted, w []float64) {
	q := make([]float64, k.target.Rows())
	factor.SolveTransposed(w, q)
	k.lift(q)
	for c, j := range k.mix.mixed {
		k.theta[j] = math.FMA(k.weights[c], k.along[c], k.theta[j])
	}
}

// accumulate adds G·x to sum, x for columns first to last−1 of G. Cost: O(n) a column.
func (k *mixtureKernel) accumulate(first, last int, x, sum []float64) {
	k.mix.runs(first, last, func(c, end int, columns []float64) {
		kernels.AxpyColumns(x[c-first:end-first], columns, sum)
	})
}

// lift writes Gᵀ·q to along. Cost: O(n·d).
func (k *mixtureKernel) lift(q []float64) {
	k.mix.runs(0, len(k.along), func(c, end int, columns []float64) {
		kernels.DotColumns(columns, q, k.along[c:end])
	})
}

// runs calls f for each run of neighbouring columns among columns first to last−1
// of G, c to end−1 of them.
func (s *mixtureSetup) runs(first, last int, f func(c, end int, columns []float64)) {
	x := s.x
	for c := first; c < last; {
		j, end := s.mixed[c], c+1
		for end < last && s.mixed[end] == j+end-c {
			end++
		}
		f(c, end, x.Values[j*x.Rows:(j+end-c)*x.Rows])
		c = end
	}
}

// drawSpreads draws the scale of each coefficient of theta_G given it, and takes that of a horseshoe from its own
// scales. A scale does not belong to a chain's state:
//
//	student_t(ν, m, s)   σ² ~ InvGamma(ν/2, ν·s²/2); given δ = beta − m InvGamma((ν + 1)/2, (ν·s² + δ²)/2)
//	laplace(m, b)        σ² ~ Exponential(mean 2b²); given δ 1/σ² ~ InverseGaussian(1/(b·|δ|), 1/b²)
//
// cauchy is student_t with ν = 1. Cost: two uniforms a coefficient or more.
//
// Source: Andrews and Mallows (1974), Scale mixtures of normal distributions;
// Park and Casella (2008), The Bayesian lasso, doi:10.1198/016214508000000337.
func (k *mixtureKernel) drawSpreads() bool {
	priors := k.target.Model().Coefficients
	for c, j := range k.mix.mixed {
		p := priors[j]
		switch {
		case p.Kind.Shrinks():
			k.spread[c] = k.point.Spread(j)
		case p.Kind == prior.Normal:
			k.spread[c] = p.Scale
		default:
			k.spread[c] = math.Sqrt(drawVariance(k.Stream, p, k.point.Beta(j)-p.Location))
		}
		k.weights[c] = float64(k.spread[c] * k.spread[c])
	}
	return true
}

// minDistance replaces a smaller distance from the centre of laplace, in units of its scale: the distribution of
// σ² there has no other limit.
const minDistance = 1e-150

// drawVariance draws σ² given a coefficient's distance δ from its prior's location.
func drawVariance(s variate.Source, p prior.Prior, delta float64) float64 {
	if p.Kind == prior.Laplace {
		at := math.Max(math.Abs(delta/p.Scale), minDistance)
		return float64(p.Scale*p.Scale) / variate.InverseGaussian(s, 1/at, 1)
	}
	df := p.DF
	if p.Kind == prior.Cauchy {
		df = 1
	}
	z := delta / p.Scale
	half := 0.5 * math.FMA(z, z, df)
	return float64(p.Scale*p.Scale) * (half / variate.Gamma(s, 0.5*(df+1)))
}
