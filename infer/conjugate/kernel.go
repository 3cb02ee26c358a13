package conjugate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"glmbatch/infer"
	"glmbatch/infer/family"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/linalg"
	"glmbatch/internal/state"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
	"glmbatch/internal/words"
)

// Version names the algorithm: it changes whenever the same stream gives other
// bits.
const Version = "conjugate/1"

// setup is the decomposed posterior that the chains of a fit share.
type setup struct {
	target *glm.Target
	red    *reduction
	law    *scaleDensity
}

// New decomposes the posterior of target. Its kernels draw theta (the
// coefficients on the scale of the design as sampled, then sigma)
// independently at every Step.
//
// It returns an *UnsupportedError for another family or prior, an
// *glm.ImproperError if the posterior has no finite integral, and a *NumericError
// if it is too extreme for float64.
//
// Cost: about n·d² + 15·min(n, d)³ multiplications; a step then costs
// O(d·min(n, d)), whatever n is.
func New(target *glm.Target) (infer.Setup, error) {
	return newSetup(target)
}

func newSetup(target *glm.Target) (*setup, error) {
	if err := supported(target.Model()); err != nil {
		return nil, err
	}
	red, err := reduce(target.Data(), target.Model())
	if err != nil {
		return nil, err
	}
	l, err := newLaw(red)
	if err != nil {
		return nil, err
	}
	return &setup{target: target, red: red, law: l}, nil
}

// supported refuses models without a conjugate form.
func supported(model *glm.Model) error {
	if !model.Family.Is(family.Squares) {
		return unsupported("family "+model.Family.String(), "use method cggibbs")
	}
	for _, p := range model.Coefficients {
		if p.Kind == prior.SpikeSlab {
			return unsupported("the coefficient prior "+p.String(), "use method cggibbs, herded or gibbs")
		}
		if p.Kind != prior.Flat && p.Kind != prior.Normal {
			return unsupported("the coefficient prior "+p.String(), "use a normal or flat prior, or method cggibbs")
		}
	}
	switch model.Dispersion.Kind {
	case prior.Flat, prior.HalfNormal, prior.HalfCauchy, prior.Exponential:
		return nil
	}
	return unsupported("the sigma prior "+model.Dispersion.String(),
		"use a half_cauchy, half_normal, exponential or flat prior")
}

func (s *setup) Parameters() []infer.Parameter { return s.target.Parameters() }

// Kernel returns a chain whose start is itself a draw from the posterior.
func (s *setup) Kernel(c infer.Chain) (infer.Kernel, error) {
	if c.Stream == nil {
		return nil, errors.New("conjugate: the chain has no random stream")
	}
	p := s.red
	k := &kernel{
		setup: s, rng: c.Stream, theta: make([]float64, len(p.flat)+len(p.normal)+1),
		z: make([]float64, p.g()), c: make([]float64, p.r()), b: make([]float64, p.f()),
	}
	k.Saver = state.NewSaver("conjugate", stateVersion, k.list)
	k.draw()
	return k, nil
}

// kernel is one chain of independent draws.
type kernel struct {
	*setup
	state.Saver
	rng   *infer.Stream
	theta []float64 // coefficients in the order of the columns, then sigma

	z, c, b []float64 // scratch: z, Vᵀz, beta_F
}

// Start says how the first position was drawn.
func (k *kernel) Start() string { return "exact draw from the posterior" }

// Position writes the current draw.
func (k *kernel) Position(dst []float64) { copy(dst, k.theta) }

// Step makes an independent draw. It allocates nothing. Cost: g·r + f·g + f²/2 + d multiplications, times 2 where
// the normal part has lower rank than columns.
func (k *kernel) Step() (infer.Info, error) {
	logSigma, rss := k.draw()
	sigma := k.theta[len(k.theta)-1]
	n := float64(k.red.rows)
	ratio := rss / sigma / sigma
	return infer.Info{
		LogLik:   math.FMA(-n, math.FMA(0.5, log2Pi, logSigma), -0.5*ratio) + k.red.halfLogs,
		LogPrior: k.target.LogPrior(k.theta),
		Accept:   1,
	}, nil
}

const log2Pi = 1.83787706640934548356

// draw overwrites theta with a draw from the posterior. It returns log sigma
// and the residual sum of squares, in the rotated rows of the reduction, where
// it costs O(r + f) and loses no digits.
func (k *kernel) draw() (logSigma, rss float64) {
	p := k.red
	logSigma = k.law.quantile(k.rng.Float64())
	sigma := vec.Exp(logSigma)
	k.theta[len(k.theta)-1] = sigma
	rss = p.rss + k.drawNormal(sigma)
	rss += k.drawFlat(sigma)
	return logSigma, rss
}

// drawNormal draws z | sigma and beta_G = m + S·z. Vᵀz has independent
// components N(s·w/(sigma² + s²), sigma²/(sigma² + s²)); orthogonally to V, z
// keeps its prior. It returns Σ (w_k − s_k·(Vᵀz)_k)².
func (k *kernel) drawNormal(sigma float64) (rss float64) {
	p := k.red
	g := p.g()
	free := p.r() < g // the data do not identify some direction of z
	clear(k.z)
	if free {
		for i := range k.z {
			k.z[i] = variate.Normal(k.rng)
		}
	}
	for j, s := range p.s {
		total := linalg.Hypot(sigma, s)
		small, large := sigma/total, s/total
		noise, w := variate.Normal(k.rng), p.w[j]
		k.c[j] = math.FMA(large, w/total, float64(small*noise))
		residual := small * math.FMA(small, w, -float64(s*noise))
		rss = math.FMA(residual, residual, rss)
	}
	if free { // all inner products before z moves
		for j := range p.s {
			k.c[j] -= vec.Dot(p.v[j*g:(j+1)*g], k.z)
		}
	}
	for j := range p.s {
		vec.Axpy(k.c[j], p.v[j*g:(j+1)*g], k.z)
	}
	for i, j := range p.normal {
		k.theta[j] = math.FMA(p.scale[i], k.z[i], p.location[i])
	}
	return rss
}

// drawFlat draws beta_F | z, sigma from R_F·beta_F = y_F − A_F·z − noise and
// returns the squared noise.
func (k *kernel) drawFlat(sigma float64) (rss float64) {
	p := k.red
	f := p.f()
	copy(k.b, p.yF)
	for i, z := range k.z {
		vec.Axpy(-z, p.aF[i*f:(i+1)*f], k.b)
	}
	for i := range k.b {
		noise := sigma * variate.Normal(k.rng)
		k.b[i] -= float64(noise)
		rss = math.FMA(noise, noise, rss)
	}
	p.solveFlat(k.b)
	for i, j := range p.flat {
		k.theta[j] = k.b[i]
	}
	return rss
}

// solveFlat overwrites b with R_F⁻¹·b.
func (p *reduction) solveFlat(b []float64) {
	f := p.f()
	for i := f - 1; i >= 0; i-- {
		col := p.rF[i*f : (i+1)*f]
		b[i] /= col[i]
		vec.Axpy(-b[i], col[:i], b[:i])
	}
}

// stateVersion leads the state of a chain.
const stateVersion = 1

// list lists the state of the chain. The number of parameters has four bytes.
func (k *kernel) list(c *state.Codec) {
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(k.theta)))
	c.Demand(slices.Equal(c.Bytes(size), size), "the model has %d parameters", len(k.theta))
	theta := make([]float64, len(k.theta))
	for i, v := range k.theta {
		theta[i] = c.Float(v)
		c.Demand(!math.IsNaN(theta[i]) && !math.IsInf(theta[i], 0), "parameter %d is %v", i, theta[i])
	}
	c.Rest(k.rng)
	c.Then(func() { copy(k.theta, theta) })
}

// UnsupportedError gives the reason why the model has no conjugate form.
type UnsupportedError struct{ What string } // the family or prior at fault

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("conjugate: %s has no exact sampler", e.What)
}

// unsupported returns an *UnsupportedError with what to do.
func unsupported(what, hint string) error { return words.Clause(&UnsupportedError{what}, hint) }

// improper returns a *glm.ImproperError. glm.NewTarget refuses most of these
// posteriors before; the decomposition decides again, at its own accuracy.
func improper(format string, args ...any) error {
	return words.Clause(&glm.ImproperError{Reason: fmt.Sprintf(format, args...)},
		"give the coefficients normal priors and sigma a half_cauchy or half_normal prior, or leave columns out")
}

// NumericError reports that the posterior is proper but outside the range of float64.
type NumericError struct{ Err error }

func (e *NumericError) Error() string {
	return "conjugate: " + e.Err.Error() + "; scale the columns and the response to magnitudes near 1"
}

func (e *NumericError) Unwrap() error { return e.Err }

var (
	errNotFinite = errors.New("sums of squares overflow")
	errRange     = errors.New("the posterior of log sigma could not be bracketed")
	errAccuracy  = errors.New("the posterior of log sigma could not be integrated to 1e-10")
)
