package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// betaBinomial: y ~ binomial(trials, q) with q ~ beta of mean p and variance p(1 − p)/(1 + phi).
//
// The likelihood is at most a constant times that of a bernoulli row with a success if y > 0, and one with a failure if
// y < trials, for all phi. So flat priors of coefficients are proper where those of binomial are.
var betaBinomial = &Distribution{
	Name:  "beta_binomial",
	Links: []*Link{Logit, Probit, Cloglog, Cauchit},
	Dispersions: []Dispersion{{Name: "phi", Default: overdispersion,
		Limit: "the likelihood does not vanish as phi grows (it becomes that of binomial), so that a flat prior of phi " +
			"never becomes proper",
		Remedy: "give phi a proper prior such as gamma(0.01, 0.01) or half_cauchy(5)"}},
	Support: successes,
	Notation: Notation{Law: "BetaBinomial(n_i, p_i, phi)", LaTeX: `\mathrm{BetaBinomial}(n_i, p_i, \phi)`, Mean: "p_i",
		TeX: "p_i", Of: probability, Note: "variance n·p(1 − p)·(phi + n)/(phi + 1)"},
	Along:    func(l *Link) Likelihood { return Likelihood{Form: Termwise, Terms: mixedSuccesses{binary{*l.tails}}} },
	Constant: choices,
	Draw: func(s prior.Source, at Row) float64 {
		a, b := at.shapes()
		p := variate.Beta(s, a, b)
		return variate.Binomial(s, at.Trials, p, 1-p)
	},
	CDF: func(y float64, at Row) float64 {
		a, b := at.shapes()
		return mixedUpTo(y, at.Trials, a, b)
	},
	Ends: func(Evidence) (zero, tail float64) { return 0, 0 },
}

// shapes are those of the distribution of the probability.
func (r *Row) shapes() (a, b float64) {
	return float64(r.Disp[0] * r.Mean), float64(r.Disp[0] * vec.Exp(r.Link.tails.logQ(r.Eta)))
}

// mixedUpTo adds the probabilities of up to y successes of m, by ratios of neighbours.
func mixedUpTo(y, m, a, b float64) float64 {
	switch y = math.Floor(y); {
	case y < 0:
		return 0
	case y >= m:
		return 1
	}
	const huge = 1e250
	ratio := func(k float64) float64 { return (m - k) / (k + 1) * ((a + k) / (b + m - k - 1)) } // of k + 1 to k
	below, above, term := 1.0, 0.0, 1.0
	for k := y - 1; k >= 0; k-- {
		if term = float64(term / ratio(k)); term > huge {
			return 1 // what is above y has no share
		}
		below += term
	}
	term = 1
	for k := y; k < m; k++ {
		if term = float64(term * ratio(k)); term > huge {
			return 0
		}
		above += term
	}
	return below / (below + above)
}

// mixedSuccesses is the likelihood of beta_binomial: that of binomial times (1 + 1/a)(1 + 2/a)… up to y − 1, with
// a = p·phi, times as much of the failures, over as much of phi and the trials.
type mixedSuccesses struct{ binary }

// maxProduct is up to how many successes products of few numbers are taken, and minShape from which shape on.
const maxProduct, minShape = 16, 1e-6

// part returns log Γ(a + y) − log Γ(a) − y·log phi of y successes, with a = p·phi, without the logarithm of product,
// which is at most 1e110.
func part(y, a, logP, logPhi float64) (sum, product float64) {
	product = 1
	switch {
	case y == 0: // 0·(−Inf) counts nothing
		return 0, 1
	case a < vanishing:
		return logP + vec.LogGamma(y) - float64((y-1)*logPhi), 1
	case y <= 1 || y <= maxProduct && a >= minShape:
		for k := 1.0; k < y; k++ {
			product = float64(product * (1 + k/a))
		}
		return float64(y * logP), product
	}
	return float64(y*logP) + vec.LogRising(a, y), 1
}

// rises returns Σ a/(a + k) and Σ a·k/(a + k)² over k = 0 … y − 1: a·(log Γ(a + y) − log Γ(a))′ and what this is above
// −a²·(…)″.
func rises(a, y float64) (climb, spread float64) {
	switch {
	case y == 0:
		return 0, 0
	case a < vanishing:
		return 1, 0
	case y <= 2*maxProduct:
		for k := range int(y) {
			share := a / (a + float64(k))
			climb += share
			spread += float64(share * (1 - share))
		}
		return climb, spread
	case a < 1e4:
		climb = float64(scaledDigamma(a+y)*(a/(a+y))) - scaledDigamma(a)
		fall := scaledTrigamma(a) - float64(scaledTrigamma(a+y)*(a/(a+y)*(a/(a+y))))
		return climb, climb - fall
	}
	rest := y / (a + y)
	r := 1 - rest
	square, cube := float64(rest*(1+r)), float64(rest*(1+r+float64(r*r)))
	climb = float64(a*vec.Log1p(y/a)) + float64(0.5*rest) + square/(12*a)
	return climb, climb - (float64(a*rest) + float64(0.5*square) + cube/(6*a))
}

func (l mixedSuccesses) Terms(r Rows, eta, dst []float64) {
	scratch, more := Blocks.Get().(*[3]Block), Blocks.Get().(*[3]Block)
	defer Blocks.Put(scratch)
	defer Blocks.Put(more)
	n, phi := len(eta), r.Disp[0]
	logP, logQ := scratch[0][:copy(scratch[0][:], eta)], scratch[1][:copy(scratch[1][:], eta)]
	l.logPs(r.Kernels, logP)
	l.logQs(r.Kernels, logQ)
	p, q, products := more[0][:n], more[1][:n], more[2][:n]
	r.Kernels.Exp(p, logP)
	r.Kernels.Exp(q, logQ)
	logPhi, trials, all := vec.Log(phi), 0.0, 0.0
	for i := range n {
		y, failures := r.Outcomes(i)
		if m := r.Attempts(i); m != trials {
			trials = m
			all = vec.LogRising(phi, m)
		}
		sum, product := part(y, float64(phi*p[i]), logP[i], logPhi)
		other, second := part(failures, float64(phi*q[i]), logQ[i], logPhi)
		products[i], dst[i] = float64(product*second), sum+other-all
	}
	r.Kernels.Log(products, products)
	for i, v := range products {
		dst[i] += v
	}
}

// Slopes has the information of the linear score for Fisher's, which is at least that, and it at one trial.
func (l mixedSuccesses) Slopes(r Rows, eta, grad, curv, info []float64) {
	phi := r.Disp[0]
	for i, e := range eta {
		y, failures := r.Outcomes(i)
		p1, p2 := l.slopeP(e)
		q1, q2 := l.slopeQ(e)
		climb, spread := rises(float64(phi*vec.Exp(l.logP(e))), y)
		fall, other := rises(float64(phi*vec.Exp(l.logQ(e))), failures)
		grad[i] = math.FMA(climb, p1, float64(fall*q1))
		curv[i] = -math.FMA(climb, p2, float64(fall*q2))
		if spread > 0 { // 0·Inf counts nothing
			curv[i] = math.FMA(-spread*p1, p1, curv[i])
		}
		if other > 0 {
			curv[i] = math.FMA(-other*q1, q1, curv[i])
		}
		if m := y + failures; m > 0 {
			info[i] = m * (p1 * -q1) * ((phi + 1) / (phi + m))
		} else {
			info[i] = 0
		}
	}
}

func (l mixedSuccesses) Scores(r Rows, eta []float64) [2]float64 {
	phi, sum := r.Disp[0], 0.0
	for i, e := range eta {
		y, failures := r.Outcomes(i)
		climb, _ := rises(float64(phi*vec.Exp(l.logP(e))), y)
		other, _ := rises(float64(phi*vec.Exp(l.logQ(e))), failures)
		all, _ := rises(phi, y+failures)
		sum += float64(r.Count(i) * (climb + other - all))
	}
	return [2]float64{sum / phi}
}
