package glm

import (
	"math"
	"slices"
	"strconv"

	"glmbatch/infer"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// Horseshoe is a horseshoe prior with the coefficients that share its global
// scale:
//
//	beta_j | tau, lambda_j ~ N(0, spread_j²),  lambda_j ~ C⁺(0, 1),  tau ~ C⁺(0, tau0·unit)
//	horseshoe:              spread_j = tau·lambda_j
//	regularised_horseshoe:  1/spread_j² = 1/(tau·lambda_j)² + 1/c²,
//	                        c² ~ InvGamma(slab_df/2, slab_df·slab_scale²/2)
//
// unit is sigma where Model.TauBySigma, otherwise 1. c and the coefficients are
// never in units of sigma.
//
// Source: Carvalho, Polson and Scott (2010), The horseshoe estimator for sparse
// signals, doi:10.1093/biomet/asq017; Piironen and Vehtari (2017), Sparsity
// information and regularization in the horseshoe, doi:10.1214/17-EJS1337SI.
type Horseshoe struct {
	Prior   Prior
	Columns []int // of the design, in increasing order
	// Tau, Slab and Local are places among the scales, which stand behind the
	// dispersions in theta: of tau, of c (−1 without one), and of the first
	// column's lambda, which the others follow.
	Tau, Slab, Local int
}

// Shrinks tells whether the prior is one of a group of coefficients with a common
// scale: horseshoe or regularised_horseshoe.
func (k PriorKind) Shrinks() bool { return k == HorseshoePrior || k == RegularisedHorseshoe }

// Horseshoes returns the horseshoe priors by their first column: one for each
// prior in each of Model.Groups.
func (m *Model) Horseshoes() []Horseshoe {
	var out []Horseshoe
	var groups []int
	group := func(j int) int {
		if m.Groups == nil {
			return 0
		}
		return m.Groups[j]
	}
	scales := 0
	for j, p := range m.Coefficients {
		if !p.Kind.Shrinks() {
			continue
		}
		i := 0
		for i < len(out) && (out[i].Prior != p || groups[i] != group(j)) {
			i++
		}
		if i == len(out) {
			h := Horseshoe{Prior: p, Tau: scales, Slab: -1}
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

// TauBySigma tells whether the tau0 of horseshoe priors counts in units of
// sigma: where eta has the unit of the response and sigma is its noise.
func (m *Model) TauBySigma() bool {
	return m.Family.Link == "identity" && (m.Family.Name == "gaussian" || m.Family.Name == "student_t")
}

// Scales returns the number of scales of horseshoe priors, the last entries of
// theta.
func (t *Target) Scales() int { return t.scaleCount }

// Horseshoes returns what Model.Horseshoes does; it must not be changed.
func (t *Target) Horseshoes() []Horseshoe { return t.shoes }

// layScales lays the scales out behind the dispersions.
func (t *Target) layScales() {
	t.shoes = t.model.Horseshoes()
	for g, h := range t.shoes {
		if t.shoeOf == nil {
			t.shoeOf = make([]int, t.Cols())
			for j := range t.shoeOf {
				t.shoeOf[j] = -1
			}
		}
		for _, j := range h.Columns {
			t.shoeOf[j] = g
		}
		t.scaleCount = h.Local + len(h.Columns)
	}
}

// scaleStart is the place of the first scale in theta.
func (t *Target) scaleStart() int { return t.Cols() + len(t.free) }

// scaleParameters describes the scales: tau and c, from the second prior on with
// its number, lambda with the name of its coefficient. A coefficient's own name
// wins: the scale beside it is called prior.tau.
func (t *Target) scaleParameters(coefficients []infer.Parameter) []infer.Parameter {
	out := make([]infer.Parameter, t.scaleCount)
	for g, h := range t.shoes {
		name := func(s string) string {
			if g > 0 {
				s += strconv.Itoa(g + 1)
			}
			for slices.ContainsFunc(coefficients, func(p infer.Parameter) bool { return p.Name == s }) {
				s = "prior." + s
			}
			return s
		}
		out[h.Tau] = infer.Parameter{Name: name("tau"), Kind: infer.Scale}
		if h.Slab >= 0 {
			out[h.Slab] = infer.Parameter{Name: name("c"), Kind: infer.Scale}
		}
		for i, j := range h.Columns {
			out[h.Local+i] = infer.Parameter{Name: "lambda[" + coefficients[j].Name + "]", Kind: infer.LocalScale}
		}
	}
	return out
}

// The prior density of a scale counts as 0 where its log is beyond ±scaleRange,
// and where a half Cauchy one exceeds its own scale by e^scaleTop, which has the
// probability 6e-14: a likelihood without a bound on eta, as under separation, is
// rounding alone far beyond.
const (
	scaleRange = 200
	scaleTop   = 30
)

// logHalfCauchy returns log C⁺(x; 0, s) of x = e^logX, s = e^logS.
func logHalfCauchy(logX, logS float64) float64 {
	if math.Abs(logX) > scaleRange || logX-logS > scaleTop {
		return math.Inf(-1)
	}
	return log2OverPi - logS - vec.Log1pExp(2*(logX-logS))
}

// logSlab returns the log density of c = e^logC, where c² is inverse gamma.
func (p Prior) logSlab(logC float64) float64 {
	if math.Abs(logC) > scaleRange {
		return math.Inf(-1)
	}
	a, logB := 0.5*p.DF, p.logSlabScale()
	top := math.FMA(a, logB, log2-vec.LogGamma(a))
	return top - math.FMA(p.DF+1, logC, vec.Exp(math.FMA(-2, logC, logB)))
}

// logSlabScale returns the log of the scale of c².
func (p Prior) logSlabScale() float64 { return math.FMA(2, vec.Log(p.Slab), vec.Log(0.5*p.DF)) }

// logSpread returns the log of a coefficient's prior standard deviation; logC
// is +Inf in the plain form.
func logSpread(logTau, logLambda, logC float64) float64 {
	wide := logTau + logLambda
	return wide - 0.5*vec.Log1pExp(2*(wide-logC))
}

// logNormal returns log N(x; 0, e^2·logSD) of z = x/sd.
func logNormal(z, logSD float64) float64 { return math.FMA(-0.5*z, z, -halfLog2Pi) - logSD }

// drawSlab draws c from its prior.
func (p Prior) drawSlab(s Source) float64 {
	return p.Slab * math.Sqrt(0.5*p.DF/variate.Gamma(s, 0.5*p.DF))
}
