package prior

import (
	"math"
	"slices"

	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Group is a prior that is normal given scales, with the coefficients that share the
// global one, tau: a horseshoe prior, or that of the penalised coefficients of a smooth:
//
//	beta_j | tau, lambda_j ~ N(0, spread_j²),  lambda_j ~ C⁺(0, 1),  tau ~ C⁺(0, tau0·unit)
//	smooth:                 spread_j = tau, whose prior is any of a dispersion; see Length and Share of others
//	horseshoe:              spread_j = tau·lambda_j
//	regularised_horseshoe:  1/spread_j² = 1/(tau·lambda_j)² + 1/c²,
//	                        c² ~ InvGamma(slab_df/2, slab_df·slab_scale²/2)
//
// unit is sigma where the model says so, otherwise 1. c and the coefficients are
// never in units of sigma.
//
// Source: Carvalho, Polson and Scott (2010), The horseshoe estimator for sparse
// signals, doi:10.1093/biomet/asq017; Piironen and Vehtari (2017), Sparsity
// information and regularization in the horseshoe, doi:10.1214/17-EJS1337SI.
type Group struct {
	Prior   Prior // of the coefficients of a horseshoe, of tau of a smooth
	Smooth  bool
	Second  Second // of a smooth whose spreads a further parameter divides; nil of others
	Columns []int  // of the design, in increasing order
	// Tau, Slab and Local are indices among the scales, which follow the dispersions in theta: of tau, of c or the
	// parameter of Second (−1 without one), and of the first column's lambda, before those of the other columns (−1
	// without any).
	Tau, Slab, Local int
}

// Second is a second parameter of the spreads of a smooth: *Length or *Share. It is sampled as a number x on the whole
// line.
type Second interface {
	Value(x float64) float64 // of the parameter
	At(value float64) float64
	LogJacobian(x float64) float64
	Start() float64
	Inside(x float64) float64
	Peak(at func(x float64) float64) float64
	Draw(s Source) float64

	logSpread(x float64, i int) float64
	slope(x float64, i int) float64
	logPrior(x float64) float64
	priorSlope(x float64) float64
}

// Shrinks reports whether the prior is one of a group of coefficients with a common
// scale: horseshoe, regularised_horseshoe or penalised.
func (k Kind) Shrinks() bool { return k == Horseshoe || k == RegularisedHorseshoe || k == Penalised }

// OfIntercept reports whether a coefficient's prior may be that of the intercept, which is neither shrunk nor left out.
func (k Kind) OfIntercept() bool { return !k.Shrinks() && k != SpikeSlab }

// Selects reports whether some coefficient may be left out of the model, by a prior spike_slab.
func Selects(coefficients []Prior) bool {
	return slices.ContainsFunc(coefficients, func(p Prior) bool { return p.Kind == SpikeSlab })
}

// Groups returns the horseshoe priors of coefficients by their first column:
// one for each prior with each number in apart, which is nil or has one for each
// coefficient.
func Groups(coefficients []Prior, apart []int) []Group {
	var out []Group
	var groups []int
	group := func(j int) int {
		if apart == nil {
			return 0
		}
		return apart[j]
	}
	scales := 0
	for j, p := range coefficients {
		if !p.Kind.Shrinks() || p.Kind == Penalised {
			continue
		}
		i := 0
		for i < len(out) && (out[i].Prior != p || groups[i] != group(j)) {
			i++
		}
		if i == len(out) {
			h := Group{Prior: p, Tau: scales, Slab: -1}
			scales++
			if p.Kind == RegularisedHorseshoe {
				h.Slab = scales
				scales++
			}
			out, groups = append(out, h), append(groups, group(j))
		}
		out[i].Columns = append(out[i].Columns, j)
	}
	for i := range out {
		out[i].Local = scales
		scales += len(out[i].Columns)
	}
	return out
}

// LogC returns log c, +Inf in the plain form; the number on the whole line of Second.
func (h *Group) LogC(logs []float64) float64 {
	if h.Slab < 0 {
		return math.Inf(1)
	}
	return logs[h.Slab]
}

// Last is the place behind the last scale of the group.
func (h *Group) Last() int {
	if h.Smooth {
		return max(h.Tau, h.Slab) + 1
	}
	return h.Local + len(h.Columns)
}

// LogLambda returns log lambda of the group's column i, 0 in a smooth.
func (h *Group) LogLambda(logs []float64, i int) float64 {
	if h.Local < 0 {
		return 0
	}
	return logs[h.Local+i]
}

// LogSpread returns the log of the prior standard deviation of the group's column i, given logs of its scales; c is the
// result of LogC.
func (h *Group) LogSpread(tau, lambda, c float64, i int) float64 {
	if h.Second != nil {
		return tau + h.Second.logSpread(c, i)
	}
	return LogSpread(tau, lambda, c)
}

// SpreadSlopes returns the derivatives of LogSpread in tau, which is that in lambda too, and in c: with
// w = (tau·lambda)²/((tau·lambda)² + c²), 0 in the plain form, they are 1 − w and w.
func (h *Group) SpreadSlopes(tau, lambda, c float64, i int) (inTau, inC float64) {
	if h.Second != nil {
		return 1, h.Second.slope(c, i)
	}
	w := vec.Logistic(2 * (tau + lambda - c))
	return 1 - w, w
}

// Stretches reports whether c counts in the unit of the coefficients, as tau does.
func (h *Group) Stretches() bool { return h.Slab >= 0 && h.Second == nil }

// LogSlab returns the log prior density of c = e^x, or of the parameter of Second at x, on its own scale.
func (h *Group) LogSlab(x float64) float64 {
	if h.Second == nil {
		return h.Prior.LogSlab(x)
	}
	return h.Second.logPrior(x)
}

// SlabJacobian returns the log of the derivative in x of what LogSlab is the density of.
func (h *Group) SlabJacobian(x float64) float64 {
	if h.Second == nil {
		return x
	}
	return h.Second.LogJacobian(x)
}

// SlabSlope returns the derivative of LogSlab + SlabJacobian in x, without the terms of the spreads.
func (h *Group) SlabSlope(x float64) float64 {
	if h.Second != nil {
		return h.Second.priorSlope(x)
	}
	return math.FMA(2, vec.Exp(math.FMA(-2, x, h.Prior.LogSlabScale())), -h.Prior.DF)
}

// LogTau returns the log prior density of tau = e^x on its own scale; logTau0 is the log of the scale of a horseshoe's.
func (h *Group) LogTau(x, logTau0 float64) float64 {
	switch {
	case !h.Smooth:
		return LogHalfCauchy(x, logTau0)
	case math.Abs(x) > scaleRange:
		return math.Inf(-1)
	}
	return h.Prior.LogDensityAt(vec.Exp(x), x)
}

// TauSlope returns the derivative of LogTau + x in x.
func (h *Group) TauSlope(x, logTau0 float64) float64 {
	if !h.Smooth {
		return LocalSlope(x - logTau0)
	}
	tau := vec.Exp(x)
	return math.FMA(tau, h.Prior.Gradient(tau), 1)
}

// LocalSlope returns the derivative of log C⁺(x; 0, 1) + log x in log x.
func LocalSlope(logX float64) float64 { return math.FMA(-2, vec.Logistic(2*logX), 1) }

// The prior density of a scale counts as 0 if its log is beyond ±scaleRange, and if a half Cauchy one exceeds its
// own scale by e^scaleTop, which has the probability 6e-14: a likelihood without a bound on eta, as under
// separation, is rounding alone far beyond.
const (
	scaleRange = 200
	scaleTop   = 30
)

// LogHalfCauchy returns log C⁺(x; 0, s) of x = e^logX, s = e^logS.
func LogHalfCauchy(logX, logS float64) float64 {
	if math.Abs(logX) > scaleRange || logX-logS > scaleTop {
		return math.Inf(-1)
	}
	return log2OverPi - logS - vec.Log1pExp(2*(logX-logS))
}

// LogSlab returns the log density of c = e^logC, where c² is inverse gamma.
func (p Prior) LogSlab(logC float64) float64 {
	if math.Abs(logC) > scaleRange {
		return math.Inf(-1)
	}
	a, logB := 0.5*p.DF, p.LogSlabScale()
	top := math.FMA(a, logB, log2-vec.LogGamma(a))
	return top - math.FMA(p.DF+1, logC, vec.Exp(math.FMA(-2, logC, logB)))
}

// LogSlabScale returns the log of the scale of c².
func (p Prior) LogSlabScale() float64 { return math.FMA(2, vec.Log(p.Slab), vec.Log(0.5*p.DF)) }

// LogSpread returns the log of a coefficient's prior standard deviation; logC
// is +Inf in the plain form.
func LogSpread(logTau, logLambda, logC float64) float64 {
	wide := logTau + logLambda
	return wide - 0.5*vec.Log1pExp(2*(wide-logC))
}

// LogNormal returns log N(x; 0, e^2·logSD) of z = x/sd.
func LogNormal(z, logSD float64) float64 { return math.FMA(-0.5*z, z, -halfLog2Pi) - logSD }

// DrawSlab draws c from its prior.
func (p Prior) DrawSlab(s Source) float64 {
	return p.Slab * math.Sqrt(0.5*p.DF/variate.Gamma(s, 0.5*p.DF))
}
