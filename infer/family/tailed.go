package family

import (
	"math"

	"glmbatch/internal/vec"
)

// tailed is the likelihood along the location, or the logarithm of the mean, of rows that may be censored or truncated,
// by the distribution function of a family. Bounds of counts belong to their intervals.
type tailed struct {
	terms       Terms // of observed rows
	at          func(y, eta float64, disp [2]float64) edge
	dispersions int
	power       float64 // of the first one, see Dispersion.Power
	whole       bool
	concave     bool
}

// edge has the logarithms of the probabilities up to a number and above it, and of the slope, the negative derivative
// of the first one in eta, whose logarithm has the derivative bend.
type edge struct{ below, above, slope, bend float64 }

// The edges of the support.
var (
	bottom = edge{below: math.Inf(-1), slope: math.Inf(-1)}
	top    = edge{above: math.Inf(-1), slope: math.Inf(-1)}
)

// limited are the Limited of a family whose Terms along the default link these are, with its constant.
func (l tailed) limited(constant func(r *Rows) float64) *Limited {
	return &Limited{
		Along: func(k *Link) Likelihood {
			if k.Positive {
				return Likelihood{}
			}
			return Likelihood{Form: Termwise, Terms: l, Concave: l.concave}
		},
		Constant: func(r *Rows) float64 {
			rows := r.onlyObserved()
			return constant(&rows)
		},
	}
}

// onlyObserved returns rows of which those that are not observed count 0 times.
func (r *Rows) onlyObserved() Rows {
	out := *r
	if r.Kind == nil {
		return out
	}
	out.Frequency, out.Total = make([]float64, len(r.Y)), 0
	for i := range out.Frequency {
		if r.observed(i) {
			out.Frequency[i] = r.Count(i)
			out.Total += out.Frequency[i]
		}
	}
	return out
}

// limitedRow reports whether row i is censored or truncated.
func (r *Rows) limitedRow(i int) bool {
	return !r.observed(i) || r.Bounds != nil && r.Bounds[i].Truncates()
}

// probability returns what the limits of a row add to its log density, with derivatives in eta.
func (l tailed) probability(r *Rows, i int, eta float64, disp [2]float64) (out strip) {
	b := Bound{Low: math.Inf(-1), High: math.Inf(1)}
	if r.Bounds != nil {
		b = r.Bounds[i]
	}
	if w := r.Weight(i); l.power < 0 {
		disp[0] /= r.Root(i)
	} else {
		disp[0] *= w
	}
	y, low, high := r.located()[i], b.Low, b.High
	if l.whole {
		y, low, high, b.Upper = math.Floor(y), math.Ceil(low)-1, math.Floor(high), math.Floor(b.Upper)
	}
	kind := Observed
	if r.Kind != nil {
		kind = r.Kind[i]
	}
	switch kind {
	case Above:
		out.add(l.between(y, high, eta, disp), 1)
	case Below:
		out.add(l.between(low, y, eta, disp), 1)
	case Within:
		out.add(l.between(y, b.Upper, eta, disp), 1)
	}
	if b.Truncates() {
		out.add(l.between(low, high, eta, disp), -1)
	}
	return out
}

// between returns the log probability of an interval, whose lower end does not belong to it.
func (l tailed) between(from, to, eta float64, disp [2]float64) (out strip) {
	a, b := bottom, top
	if !(from < to) {
		return strip{value: math.Inf(-1)}
	}
	if !math.IsInf(from, -1) {
		a = l.at(from, eta, disp)
	}
	if !math.IsInf(to, 1) {
		b = l.at(to, eta, disp)
	}
	const half = -0.7
	switch { // the smaller tails do not cancel
	case math.IsInf(b.above, -1):
		out.value = a.above
	case math.IsInf(a.below, -1):
		out.value = b.below
	case b.below < half:
		out.value = b.below + l.rest(a.below-b.below, b.below)
	case a.above < half:
		out.value = a.above + l.rest(b.above-a.above, a.above)
	default:
		out.value = vec.Log1p(-vec.Exp(a.below) - vec.Exp(b.above))
	}
	if !l.whole && out.value < max(a.slope, b.slope)-20 && to-from < 1e-6 { // a difference that is rounding
		out.value = float64(0.5*(a.slope+b.slope)) + vec.Log(to-from)
	}
	atA, atB := vec.Exp(a.slope-out.value), vec.Exp(b.slope-out.value)
	out.move = atA - atB
	out.curv = math.FMA(atA, a.bend, -float64(atB*b.bend)) - float64(out.move*out.move)
	return out
}

// rest is the logarithm of what a smaller probability leaves of one whose logarithm is whole, by that of their ratio.
// Counts so far from their mean that the ratio is rounding are all at the end that is nearer to it.
func (l tailed) rest(ratio, whole float64) float64 {
	if l.whole && !(ratio < 1e-14*whole) {
		return 0
	}
	return logRest(ratio)
}

func (l tailed) Terms(r Rows, eta, dst []float64) {
	var own Block
	copy(own[:], eta)
	l.terms.Terms(r, own[:len(eta)], dst)
	for i := range dst {
		if !r.limitedRow(i) {
			continue
		}
		if !r.observed(i) {
			dst[i] = 0
		}
		if dst[i] += l.probability(&r, i, own[i], r.Disp).value; !(dst[i] < math.Inf(1)) {
			dst[i] = math.Inf(-1) // probabilities are beyond float64
		}
	}
}

// Slopes: the information of a row that is not observed, or truncated, is its own curvature.
func (l tailed) Slopes(r Rows, eta, grad, curv, info []float64) {
	l.terms.Slopes(r, eta, grad, curv, info)
	for i, e := range eta {
		if !r.limitedRow(i) {
			continue
		}
		if !r.observed(i) {
			grad[i], curv[i] = 0, 0
		}
		if s := l.probability(&r, i, e, r.Disp); math.Abs(s.move) < 1e150 && math.Abs(s.curv) < 1e300 {
			grad[i] += s.move
			curv[i] -= s.curv
		}
		info[i] = max(curv[i], 1e-9*info[i])
	}
}

func (l tailed) Norm(r Rows) float64 { return l.terms.Norm(r.onlyObserved()) }

// Scores of rows with limits are differences of the fourth order, with a relative error of about 1e-10.
func (l tailed) Scores(r Rows, eta []float64) [2]float64 {
	sum := l.terms.Scores(r.onlyObserved(), eta)
	for i, e := range eta {
		for k := 0; k < l.dispersions && r.limitedRow(i); k++ {
			step := float64(0.002 * r.Disp[k])
			rise := func(by float64) float64 {
				up, down := r.Disp, r.Disp
				up[k], down[k] = up[k]+by, down[k]-by
				return l.probability(&r, i, e, up).value - l.probability(&r, i, e, down).value
			}
			slope := math.FMA(8, rise(step), -rise(2*step)) / (12 * step)
			sum[k] += float64(r.Count(i) * slope)
		}
	}
	return sum
}

// logGammaTails returns the logarithms of the regularised incomplete gamma function P(a, x), of 1 − P, and of
// x^a·e^−x/Γ(a), by log x.
//
// Source: Press et al. (2007), Numerical Recipes, 6.2.
func logGammaTails(a, logX float64) (p, q, front float64) {
	x, delta := vec.Exp(logX), logX-vec.Log(a)
	front = -math.FMA(a, deviance(delta), vec.LogGammaExcess(a))
	if x < a+1 && !(x > 1 && a < 1) {
		p = front + vec.Log(gammaSeries(a, x, 1e-17))
		return p, logRest(p), front
	}
	q = front + vec.Log(gammaFraction(a, x))
	return logRest(q), q, front
}

// gammaEdge is that of a gamma distribution of shape a, whose x is e^logX and falls like the mean grows.
func gammaEdge(a, logX float64) edge {
	p, q, front := logGammaTails(a, logX)
	return edge{below: p, above: q, slope: front, bend: vec.Exp(logX) - a}
}

// gammaAt is the edge of gamma responses at log y.
func gammaAt(logY, lambda float64, disp [2]float64) edge {
	return gammaEdge(disp[0], vec.Log(disp[0])+logY-lambda)
}

// poissonAt is the edge of poisson counts: a count up to y is a gamma variable of shape y + 1 above the mean.
func poissonAt(y, lambda float64, _ [2]float64) edge {
	if y < 0 {
		return bottom
	}
	e := gammaEdge(y+1, lambda)
	return edge{below: e.above, above: e.below, slope: e.slope, bend: -e.bend}
}

// logBetaTails returns the logarithms of the regularised incomplete beta function at x, of 1 − that, and of
// x^a·(1 − x)^b/B(a, b), by the logarithms of x and 1 − x.
//
// Source: Press et al. (2007), Numerical Recipes, 6.4.
func logBetaTails(a, b, logX, logRestX float64) (p, q, front float64) {
	front = vec.LogRising(a, b) + math.FMA(b, vec.Log(a)+logRestX, math.FMA(a, logX, -vec.LogGamma(b)))
	if x := vec.Exp(logX); x < (a+1)/(a+b+2) {
		p = front + vec.Log(betaFraction(a, b, x)/a)
		return p, logRest(p), front
	}
	q = front + vec.Log(betaFraction(b, a, vec.Exp(logRestX))/b)
	return logRest(q), q, front
}

// maxFraction is the largest shape at which the continued fraction takes less than some hundred terms.
const maxFraction = 1e4

// countTails is logBetaTails of a count with a large shape s, by sums of probabilities.
func countTails(s, y, odds float64) (p, q, front float64) {
	share := vec.Logistic(odds) // mu/(s + mu)
	front = vec.LogRising(s, y+1) + math.FMA(y+1, vec.Log(s)-vec.Log1pExp(-odds), -float64(s*vec.Log1pExp(odds))) -
		vec.LogGamma(y+1)
	own := front - vec.Log((s+y)*share) // log probability of y
	term, sum := 1.0, 0.0
	if y < s*vec.Exp(odds) {
		for k := y; k >= 0 && term > 1e-17*sum; k-- {
			sum += term
			term = float64(term * (k / ((k - 1 + s) * share)))
		}
		p = own + vec.Log(sum)
		return p, logRest(p), front
	}
	for k := y; k < y+termsMost && (k == y || term > 1e-17*sum); k++ {
		term = float64(term * ((k + s) / (k + 1) * share))
		sum += term
	}
	q = own + vec.Log(sum)
	return logRest(q), q, front
}

// negativeBinomialAt is the edge of negative_binomial counts.
func negativeBinomialAt(y, lambda float64, disp [2]float64) edge {
	if y < 0 {
		return bottom
	}
	odds := lambda - vec.Log(disp[0])
	var p, q, front float64
	if disp[0] > maxFraction {
		p, q, front = countTails(disp[0], y, odds)
	} else {
		p, q, front = logBetaTails(disp[0], y+1, -vec.Log1pExp(odds), -vec.Log1pExp(-odds))
	}
	bend := math.FMA(y+1, vec.Logistic(-odds), -float64(disp[0]*vec.Logistic(odds)))
	return edge{below: p, above: q, slope: front, bend: bend}
}

// studentAt is the edge of student_t responses.
func studentAt(y, eta float64, disp [2]float64) (out edge) {
	const normalFrom = 1e9 // degrees of freedom
	sigma, nu := disp[0], disp[1]
	z := (y - eta) / sigma
	square := float64(z * z)
	tail := vec.LogNormalCDF(-math.Abs(z))
	if nu < normalFrom {
		tail, _, _ = logBetaTails(0.5*nu, 0.5, -vec.Log1p(square/nu), -vec.Log1p(nu/square))
		tail -= math.Ln2
	}
	out.below, out.above = tail, logRest(tail)
	if z > 0 {
		out.below, out.above = out.above, tail
	}
	out.slope = vec.LogRising(0.5*nu, 0.5) - halfLog2Pi - vec.Log(sigma) - float64(0.5*(nu+1)*vec.Log1p(square/nu))
	out.bend = (nu + 1) * (z / (nu + square)) / sigma
	return out
}
