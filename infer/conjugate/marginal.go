package conjugate

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/vec"
)

// marginal is the posterior density of ell = log sigma with the coefficients
// integrated out, relative to its value at a reference point ref:
//
//	log p(ell) = ell + log prior(e^ell) − noise·ell − rss/(2·sigma²)
//	             − Σ_k [½·log(sigma² + s_k²) + w_k²/(2(sigma² + s_k²))] + const.
//
// Every term is formed as a difference from its value at ref through expm1 and
// log1p, because the terms are of size n·ell and their differences near the
// mode of size 1: at n = 5 million plain subtraction would lose eight digits.
type marginal struct {
	p     *reduction
	ref   float64
	share []float64 // sigma0²/(sigma0² + s_k²)
	fit   []float64 // w_k²/(2(sigma0² + s_k²))
}

// centre moves the reference point.
func (m *marginal) centre(ref float64) {
	m.ref = ref
	variance := vec.Exp(2 * ref)
	for k, s := range m.p.s {
		total := math.FMA(s, s, variance)
		m.share[k] = variance / total
		m.fit[k] = m.p.w[k] * m.p.w[k] / (2 * total)
	}
}

// at returns log p(ell) − log p(ref). Cost: O(r).
func (m *marginal) at(ell float64) float64 {
	p := m.p
	u := ell - m.ref
	growth := expm1(2 * u) // sigma²/sigma0² − 1
	variance, variance0 := vec.Exp(2*ell), vec.Exp(2*m.ref)
	sum := m.prior(growth, variance0)
	sum = math.FMA(float64(1-p.noise), u, sum)
	if p.noise > 0 {
		sum = math.FMA(-0.5*(p.rss/variance0), expm1(-2*u), sum)
	}
	for k, share := range m.share {
		s := p.s[k]
		x := share * growth
		ratio := math.FMA(s, s, variance) / math.FMA(s, s, variance0) // 1 + x
		logRatio := 0.0
		if math.Abs(x) < 0.5 {
			logRatio = vec.Log1p(x)
		} else {
			logRatio = vec.Log(ratio)
		}
		sum = math.FMA(-0.5, logRatio, sum)
		sum = math.FMA(m.fit[k], x/ratio, sum)
	}
	return sum
}

// prior returns log prior(sigma) − log prior(sigma0).
func (m *marginal) prior(growth, variance0 float64) float64 {
	scale := m.p.sigma.Scale
	switch m.p.sigma.Kind {
	case prior.HalfNormal:
		return -0.5 * (variance0 / scale / scale) * growth
	case prior.HalfCauchy:
		x := variance0 / scale / scale
		return -vec.Log1p(float64(x / (1 + x) * growth))
	case prior.Exponential: // sigma/sigma0 − 1 without its cancellation
		return -m.p.sigma.Rate * math.Sqrt(variance0) * (growth / (1 + math.Sqrt(1+growth)))
	}
	return 0
}

// slope returns the derivative of log p at ell. Cost: O(r), no logarithm.
func (p *reduction) slope(ell float64) float64 {
	variance := vec.Exp(2 * ell)
	sum := float64(1 - p.noise)
	if p.noise > 0 {
		sum += p.rss / variance
	}
	x := variance / p.sigma.Scale / p.sigma.Scale
	switch p.sigma.Kind {
	case prior.HalfNormal:
		sum -= x
	case prior.HalfCauchy:
		sum -= 2 * x / (1 + x)
	case prior.Exponential:
		sum -= float64(p.sigma.Rate * math.Sqrt(variance))
	}
	for k, s := range p.s {
		total := math.FMA(s, s, variance)
		w := p.w[k]
		sum = math.FMA(variance/total, math.FMA(w/total, w, -1), sum)
	}
	return sum
}

// expm1 returns e^x − 1 to a few units in the last place.
func expm1(x float64) float64 {
	if math.Abs(x) > 0.35 {
		return vec.Exp(x) - 1
	}
	// Taylor: the first term left out is below x·0.35^14/15! < 1e-18·x.
	sum := 1.0
	for k := 14; k >= 2; k-- {
		sum = math.FMA(x/float64(k), sum, 1)
	}
	return x * sum
}

// logRange bounds the logarithms of sigma that are looked at: sigma² and 1/sigma²
// stay finite, with room for products.
const logRange = 340

// logScales returns the logarithms of the smallest and the largest scale at
// which the density of log sigma bends, one unit wider at both ends.
func (p *reduction) logScales() (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	add := func(scale float64) {
		if scale > 0 {
			l := min(max(vec.Log(scale), -logRange), logRange)
			lo, hi = min(lo, l-1), max(hi, l+1)
		}
	}
	for k := range p.s {
		add(p.s[k])
		add(math.Abs(p.w[k]))
	}
	if p.noise > 0 {
		add(math.Sqrt(p.rss / float64(p.noise)))
	}
	switch p.sigma.Kind {
	case prior.HalfNormal, prior.HalfCauchy:
		add(p.sigma.Scale)
	case prior.Exponential:
		add(1 / p.sigma.Rate)
	}
	return lo, hi
}

// modes returns the local maxima of log p in ascending order. Terms of log p
// bend over about one unit of ell, so that a grid of sixteenths sees each
// maximum that stands out.
func (p *reduction) modes() ([]float64, error) {
	lo, hi := p.logScales()
	for lo > -logRange && !(p.slope(lo) > 0) {
		lo--
	}
	for hi < logRange && !(p.slope(hi) < 0) {
		hi++
	}
	var modes []float64
	const step = 1.0 / 16
	left, rising := lo, p.slope(lo) > 0
	for left < hi {
		right := left + step
		if up := p.slope(right) > 0; up != rising {
			if rising {
				modes = append(modes, p.bisect(left, right))
			}
			rising = up
		}
		left = right
	}
	if len(modes) == 0 || rising {
		return nil, &NumericError{Err: errRange}
	}
	return modes, nil
}

// bisect returns the point of [left, right] where the slope falls through 0.
func (p *reduction) bisect(left, right float64) float64 {
	for range 60 {
		mid := 0.5 * (left + right)
		if p.slope(mid) > 0 {
			left = mid
		} else {
			right = mid
		}
	}
	return 0.5 * (left + right)
}

// drop is how far, in natural logarithms, the density has fallen at the ends
// of the range that is integrated: e^−45 < 3e-20.
const drop = 45

// newMarginal returns the density centred at its highest mode, and breakpoints
// of its range: its ends and its modes.
func newMarginal(p *reduction) (m *marginal, breaks []float64, err error) {
	modes, err := p.modes()
	if err != nil {
		return nil, nil, err
	}
	m = &marginal{p: p, share: make([]float64, p.r()), fit: make([]float64, p.r())}
	best := modes[0]
	m.centre(best)
	height := 0.0
	for _, mode := range modes[1:] {
		if h := m.at(mode); h > height {
			best, height = mode, h
		}
	}
	m.centre(best)

	const step = 0.25
	left := modes[0]
	for ; m.at(left) > -drop; left -= step {
		if left < -logRange {
			return nil, nil, &NumericError{Err: errRange}
		}
	}
	// To the right sigma² times the density must have fallen too, where it
	// falls at all.
	tilt := 0.0
	if p.varianceFinite() {
		tilt = 2
	}
	right := modes[len(modes)-1]
	for ; math.FMA(tilt, right-m.ref, m.at(right)) > -drop; right += step {
		if right > logRange {
			return nil, nil, &NumericError{Err: errRange}
		}
	}
	breaks = append(append(append(breaks, left), modes...), right)
	return m, breaks, nil
}

// tailIndex returns a such that the density of sigma falls as sigma^−a.
func (p *reduction) tailIndex() float64 {
	a := float64(p.rows - p.f())
	switch p.sigma.Kind {
	case prior.HalfCauchy:
		return a + 2
	case prior.HalfNormal, prior.Exponential:
		return math.Inf(1)
	}
	return a
}

// varianceFinite reports whether sigma has a variance.
func (p *reduction) varianceFinite() bool { return p.tailIndex() > 3 }
