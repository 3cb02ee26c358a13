package cggibbs

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// SelectVersion names the update of coefficients under spike_slab: draws of different versions may differ in bits.
const SelectVersion = "select/1"

// newSelecting returns the coordinate sampler of a posterior in which coefficients have the prior spike_slab.
func newSelecting(target *glm.Target, opts Options) (infer.Setup, error) {
	const only = ` where a prior is spike_slab: one coefficient after the other is left out or taken in`
	switch {
	case opts.Basis != "coordinate" && opts.Basis != "auto":
		return nil, &OptionError{"basis", opts.Basis, `"coordinate" or "auto"` + only}
	case opts.Update != "" && opts.Update != "doubling":
		return nil, &OptionError{"update", opts.Update, `"doubling"` + only}
	case opts.Joint != "" && opts.Joint != "off" && opts.Joint != "auto":
		return nil, &OptionError{"joint", opts.Joint, `"off"` + only}
	case opts.followed():
		return nil, &OptionError{"slow", opts.Slow, `"off"` + only}
	case opts.Blocks != nil:
		return nil, &OptionError{"blocks", opts.Blocks, "none" + only}
	case opts.Focus != nil:
		return nil, &OptionError{"focus", opts.Focus, "none" + only}
	case opts.Uncached:
		return nil, &OptionError{"uncached", opts.Uncached, "false" + only}
	}
	s := newSetup(target, opts)
	for j, p := range target.Model().Coefficients {
		if p.Kind == prior.SpikeSlab {
			s.chosen = append(s.chosen, j)
		}
	}
	s.words = "coordinate: the prior of a coefficient is spike_slab, and each such coefficient is drawn together with " +
		"its indicator"
	return s, nil
}

// withIndicators appends the indicators to parameters.
func (s *setup) withIndicators(out []infer.Parameter) []infer.Parameter {
	for _, j := range s.chosen {
		out = append(out, infer.Parameter{Name: infer.InclusionName(out[j].Name), Kind: infer.Inclusion, Term: out[j].Name})
	}
	return out
}

// selects reports whether coordinate j is a coefficient under spike_slab.
func (s *setup) selects(j int) bool {
	return s.chosen != nil && j < s.target.Cols() && s.target.Model().Coefficients[j].Kind == prior.SpikeSlab
}

// indicate writes the indicators behind theta, as far as dst reaches.
func (k *kernel) indicate(dst []float64) {
	behind := dst[len(k.widths):]
	for i := range min(len(behind), len(k.chosen)) {
		behind[i] = 0
		if k.point.Beta(k.chosen[i]) != 0 {
			behind[i] = 1
		}
	}
}

// Proposals under spike_slab: the degrees of freedom of the slab's, which then has heavier tails than what it is made
// for; the least probability of either component; the Newton iterations of a mode, and how near it they come, in its
// standard deviations.
const (
	slabDF    = 10
	minChoice = 0.02
	modeSteps = 12
	modeNear  = 0.02
)

// proposal is a distribution of (indicator, coefficient) that depends on all other parameters and on no value of
// these two.
type proposal struct {
	in         float64 // probability of the slab
	mode, sd   float64 // of the slab's coefficient
	normal     bool    // it is normal; otherwise student_t(slabDF, mode, sd)
	logIn, out float64 // log in, log(1 − in)
}

// logSlab returns the log density of the slab's part at b, with log in.
func (q *proposal) logSlab(b float64) float64 {
	law := prior.Prior{Kind: prior.StudentT, DF: slabDF, Location: q.mode, Scale: q.sd}
	if q.normal {
		law.Kind = prior.Normal
	}
	return q.logIn + law.LogDensity(b)
}

// draw draws a coefficient, 0 for the spike.
func (q *proposal) draw(s *infer.Stream) float64 {
	if !(s.Float64() < q.in) {
		return 0
	}
	if q.normal {
		return math.FMA(q.sd, variate.Normal(s), q.mode)
	}
	return math.FMA(q.sd, variate.StudentT(s, slabDF), q.mode)
}

// choose draws coefficient j and its indicator together, given all else: a Metropolis and Hastings step whose
// proposal does not depend on them. Given the others the distribution of b = beta_j is
//
//	(1 − w)·L(0) at b = 0,    w·L(b)·N(b; 0, s²) elsewhere,
//
// with the likelihood L along the column. The proposal has the Laplace approximation of the second part around its
// mode, found by Newton's iteration from b = 0. For gaussian(identity) that is exact, every proposal is accepted,
// and the step is a Gibbs draw with the coefficient integrated out of the indicator's distribution (George and
// McCulloch 1997, Approaches for Bayesian variable selection, Statistica Sinica 7, section 4). For other families
// proposals have heavier tails than the normal approximation at the mode, and the acceptance makes the step exact.
//
// Cost: O(n), two passes for gaussian(identity) and about five for others.
func (k *kernel) choose(j int) bool {
	if k.curved == nil {
		k.curved = glm.NewCurved(k.point)
	}
	old, here := k.point.Beta(j), k.point.Value()
	law := k.target.Model().Coefficients[j]
	q, empty := k.propose(j, old, law)
	b := q.draw(k.Stream)
	k.Proposals++
	if b == 0 && old == 0 {
		k.Accepted++
		return true
	}
	v := empty
	if b != 0 {
		v = k.point.Along(j, b-old)
		k.passed(j)
	}
	if math.IsNaN(v.LogLik) || math.IsInf(v.LogLik, 1) {
		return k.Fail("", v.LogLik)
	}
	accept := vec.Exp(math.Min(0, q.weight(law, b, v.LogLik)-q.weight(law, old, here.LogLik)))
	k.Accepted += accept
	if k.Stream.Float64() < accept {
		k.point.Move(j, b-old, v)
	}
	return true
}

// weight returns the log of the target's density over the proposal's at b.
func (q *proposal) weight(law prior.Prior, b, logLik float64) float64 {
	if b == 0 {
		return logLik + law.LogDensity(0) - q.out
	}
	return logLik + law.LogDensity(b) - q.logSlab(b)
}

// passed counts a pass along column j.
func (k *kernel) passed(j int) {
	k.Evaluations++
	k.Touched += k.read(j)
}

// propose returns the proposal for coefficient j, which is old now, and the log likelihood without it. Where Newton's
// iteration meets a number that is not finite, the proposal is the prior.
func (k *kernel) propose(j int, old float64, law prior.Prior) (proposal, glm.Value) {
	ridge := 1 / law.Scale / law.Scale
	look := func(b float64) (glm.Curve, float64) {
		c := k.curved.AlongCurve(j, b-old)
		k.passed(j)
		return c, math.FMA(float64(-0.5*ridge*b), b, c.LogLik)
	}
	at, height := look(0)
	empty, b := at.Value, 0.0
	slope, curvature := at.Slope, max(at.Curvature, 0)+ridge
	for range modeSteps {
		step := slope / curvature
		if !(math.Abs(step)*math.Sqrt(curvature) > modeNear) {
			break
		}
		next, top := look(b + step)
		for halved := 0; !(top >= height) && halved < modeSteps; halved++ {
			step = float64(step / 2)
			next, top = look(b + step)
		}
		b, height = b+step, top
		slope, curvature = math.FMA(-ridge, b, next.Slope), max(next.Curvature, 0)+ridge
	}
	step := slope / curvature
	height = math.FMA(float64(0.5*slope), step, height)
	normal := k.target.ClosedGaussian()
	logOdds := vec.Log(law.Inclusion) - vec.Log1p(-law.Inclusion) + (height - empty.LogLik) -
		float64(0.5*vec.Log(curvature)) - vec.Log(law.Scale)
	q := proposal{in: vec.Logistic(logOdds), mode: b + step, sd: 1 / math.Sqrt(curvature), normal: normal}
	switch {
	case !(math.Abs(logOdds) <= math.MaxFloat64) || !(math.Abs(q.mode) <= math.MaxFloat64) || !(q.sd > 0):
		q = proposal{in: law.Inclusion, sd: law.Scale, normal: true}
	case normal: // in and 1 − in by themselves, however near 0 one of them is
		q.logIn, q.out = -vec.Log1pExp(-logOdds), -vec.Log1pExp(logOdds)
		return q, empty
	default:
		q.in = min(max(q.in, minChoice), 1-minChoice)
	}
	q.logIn, q.out = vec.Log(q.in), vec.Log1p(-q.in)
	return q, empty
}
