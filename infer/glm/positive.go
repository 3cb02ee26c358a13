package glm

import (
	"math"

	"glmbatch/internal/vec"
)

// positive is a family with a positive mean mu. The family speaks of λ = log mu
// and the link of λ(eta), so that neither overflows where the other is tame.
type positive struct {
	mean meanLaw
	link positiveLink
}

// meanLaw is a law in λ = log mu instead of eta.
type meanLaw interface{ law }

// positiveLink is λ(eta) with its derivatives. Its domain is every eta or eta > 0.
type positiveLink struct {
	wall   bool    // the domain is eta > 0
	power  float64 // λ = log(eta)/power where there is a wall, eta elsewhere
	slopes func(eta float64) (first, second float64)
	eta    func(mu float64) float64 // the link itself
}

// power returns the link eta = muᵏ on eta > 0: λ = log(eta)/k.
func power(k float64, eta func(mu float64) float64) positiveLink {
	return positiveLink{
		wall:  true,
		power: k,
		slopes: func(eta float64) (first, second float64) {
			first = 1 / (k * eta)
			return first, -first / eta
		},
		eta: eta,
	}
}

// logMu changes the rows' eta to λ.
func (l positiveLink) logMu(r rows, eta []float64) {
	if !l.wall {
		return
	}
	r.kernels.Log(eta, eta)
	for i := range eta {
		eta[i] /= l.power
	}
}

// positiveLinks are the links of positive means.
var positiveLinks = map[string]positiveLink{
	"log": {
		slopes: func(float64) (first, second float64) { return 1, 0 },
		eta:    vec.Log,
	},
	"identity": power(1, func(mu float64) float64 { return mu }),
	"sqrt":     power(0.5, math.Sqrt),
	"inverse":  power(-1, func(mu float64) float64 { return 1 / mu }),
	"1/mu^2":   power(-2, func(mu float64) float64 { return 1 / mu / mu }),
}

func (l positive) terms(r rows, eta, dst []float64) {
	var outside [chunkRows]bool
	for i, e := range eta {
		outside[i] = l.link.wall && !(e > 0)
		dst[i] = e
	}
	l.link.logMu(r, dst)
	l.mean.terms(r, dst, dst)
	for i := range dst {
		if outside[i] {
			dst[i] = math.Inf(-1)
		}
	}
}

func (l positive) slopes(r rows, eta, grad, curv, info []float64) {
	var lambda [chunkRows]float64
	copy(lambda[:], eta)
	l.link.logMu(r, lambda[:len(eta)])
	l.mean.slopes(r, lambda[:len(eta)], grad, curv, info)
	for i, e := range eta {
		first, second := l.link.slopes(e)
		curv[i] = math.FMA(float64(curv[i]*first), first, -float64(grad[i]*second))
		grad[i] *= first
		info[i] = float64(info[i]*first) * first
	}
}

func (l positive) norm(r rows) float64 { return l.mean.norm(r) }

func (l positive) scores(r rows, eta []float64) (total [2]float64) {
	var lambda [chunkRows]float64
	for i := 0; i < len(eta); i += chunkRows {
		n := min(chunkRows, len(eta)-i)
		copy(lambda[:], eta[i:i+n])
		l.link.logMu(r, lambda[:n])
		s := l.mean.scores(r.part(i, i+n), lambda[:n])
		total[0] += s[0]
	}
	return total
}

// poissonMean: y·λ − mu.
type poissonMean struct{}

func (poissonMean) terms(r rows, lambda, dst []float64) {
	var mu block
	r.kernels.Exp(mu[:], lambda)
	for i, l := range lambda {
		dst[i] = math.FMA(r.y[i], l, -mu[i])
	}
}

func (poissonMean) slopes(r rows, lambda, grad, curv, info []float64) {
	r.kernels.Exp(info, lambda)
	for i, mu := range info[:len(lambda)] {
		grad[i], curv[i] = r.y[i]-mu, mu
	}
}

func (poissonMean) norm(rows) float64                 { return 0 }
func (poissonMean) scores(rows, []float64) [2]float64 { return [2]float64{} }

// gaussianMean: −(y − mu)²/2σ², for links other than the identity.
type gaussianMean struct{}

func (gaussianMean) terms(r rows, lambda, dst []float64) {
	r.kernels.Exp(dst, lambda)
	for i, mu := range dst[:len(lambda)] {
		z := (r.y[i] - mu) / r.disp[0] * r.root(i)
		dst[i] = -0.5 * float64(z*z)
	}
}

func (gaussianMean) slopes(r rows, lambda, grad, curv, info []float64) {
	var mus block
	r.kernels.Exp(mus[:], lambda)
	for i, mu := range mus[:len(lambda)] {
		sigma := r.disp[0]
		m := mu / sigma * r.weight(i)
		grad[i] = (r.y[i] - mu) / sigma * m
		curv[i] = (2*mu - r.y[i]) / sigma * m
		info[i] = m * (mu / sigma)
	}
}

func (gaussianMean) norm(r rows) float64 { return -r.total * vec.Log(r.disp[0]) }

func (gaussianMean) scores(r rows, lambda []float64) [2]float64 {
	sum := 0.0
	for i, l := range lambda {
		z := (r.y[i] - vec.Exp(l)) / r.disp[0] * r.root(i)
		sum += float64(r.count(i) * math.FMA(z, z, -1))
	}
	return [2]float64{sum / r.disp[0]}
}

// negativeBinomialMean has variance mu + mu²/shape: y·λ − (y + shape)·log(1 +
// mu/shape) and norm log Γ(y + shape) − log Γ(shape) − y·log(shape).
type negativeBinomialMean struct{}

func (negativeBinomialMean) terms(r rows, lambda, dst []float64) {
	shape := r.disp[0]
	logShape := vec.Log(shape)
	var growth block
	for i, l := range lambda {
		growth[i] = l - logShape
	}
	r.kernels.Log1pExp(growth[:], growth[:len(lambda)])
	for i, l := range lambda {
		dst[i] = math.FMA(r.y[i], l, -float64((r.y[i]+shape)*growth[i]))
	}
}

func (negativeBinomialMean) slopes(r rows, lambda, grad, curv, info []float64) {
	shape := r.disp[0]
	logShape := vec.Log(shape)
	var ps, qs block
	for i, l := range lambda {
		ps[i], qs[i] = l-logShape, logShape-l
	}
	r.kernels.Logistic(ps[:], ps[:len(lambda)])
	r.kernels.Logistic(qs[:], qs[:len(lambda)])
	for i := range lambda {
		p, q := ps[i], qs[i]
		total := r.y[i] + shape
		grad[i] = math.FMA(-total, p, r.y[i])
		curv[i] = total * p * q
		info[i] = shape * p
	}
}

func (negativeBinomialMean) norm(r rows) float64 {
	sum := 0.0
	for i, y := range r.y {
		sum += float64(r.count(i) * vec.LogRising(r.disp[0], y))
	}
	return sum
}

func (negativeBinomialMean) scores(r rows, lambda []float64) [2]float64 {
	shape := r.disp[0]
	logShape, base := vec.Log(shape), vec.Digamma(shape)
	sum := 0.0
	for i, l := range lambda {
		p, q := vec.Logistic(l-logShape), vec.Logistic(logShape-l)
		rising := vec.Digamma(r.y[i]+shape) - base
		sum += float64(r.count(i) * ((rising - vec.Log1pExp(l-logShape)) + math.FMA(-r.y[i]/shape, q, p)))
	}
	return [2]float64{sum}
}

// deviance returns e^δ − 1 − δ ≥ 0, half the unit deviance of a gamma response,
// with a relative error below 1e-14.
func deviance(delta float64) float64 { return devianceFrom(delta, vec.Exp(delta)) }

// devianceFrom returns deviance(delta) from e^delta.
func devianceFrom(delta, exp float64) float64 {
	if math.Abs(delta) > 0.25 {
		return (exp - 1) - delta
	}
	// δ²/2·(1 + δ/3·(1 + δ/4·( … ))): the first term left out is below 1e-17
	sum := 1.0
	for k := 14.0; k >= 3; k-- {
		sum = math.FMA(delta/k, sum, 1)
	}
	return float64(0.5 * delta * delta * sum)
}

// ratios returns y/mu of each row.
func (r rows) ratios(lambda []float64) (out block) {
	for i, l := range lambda {
		out[i] = r.logY[i] - l
	}
	r.kernels.Exp(out[:], out[:len(lambda)])
	return out
}

// gammaMean has variance mu²/shape: shape·(1 + δ − e^δ) with δ = log(y/mu).
type gammaMean struct{}

func (gammaMean) terms(r rows, lambda, dst []float64) {
	var delta, exp block
	for i, l := range lambda {
		delta[i] = r.logY[i] - l
	}
	r.kernels.Exp(exp[:], delta[:len(lambda)])
	for i := range lambda {
		dst[i] = -r.disp[0] * r.weight(i) * devianceFrom(delta[i], exp[i])
	}
}

func (gammaMean) slopes(r rows, lambda, grad, curv, info []float64) {
	ratios := r.ratios(lambda)
	for i, ratio := range ratios[:len(lambda)] {
		shape := r.disp[0] * r.weight(i)
		grad[i], curv[i], info[i] = shape*(ratio-1), shape*ratio, shape
	}
}

func (gammaMean) norm(r rows) float64 {
	if r.precision == nil {
		return -r.total * vec.LogGammaExcess(r.disp[0])
	}
	sum := 0.0
	for i, w := range r.precision {
		sum -= float64(r.count(i) * vec.LogGammaExcess(r.disp[0]*w))
	}
	return sum
}

func (gammaMean) scores(r rows, lambda []float64) [2]float64 {
	base := vec.Digamma(r.disp[0]) - vec.Log(r.disp[0])
	sum := 0.0
	for i, l := range lambda {
		w, own := r.weight(i), base
		if w != 1 {
			own = vec.Digamma(r.disp[0]*w) - vec.Log(r.disp[0]*w)
		}
		sum -= float64(r.count(i) * w * (deviance(r.logY[i]-l) + own))
	}
	return [2]float64{sum}
}

// inverseGaussianMean has variance mu³/shape: −shape/2y·(y/mu − 1)².
type inverseGaussianMean struct{}

func (inverseGaussianMean) terms(r rows, lambda, dst []float64) {
	ratios := r.ratios(lambda)
	for i, ratio := range ratios[:len(lambda)] {
		e := ratio - 1
		dst[i] = -0.5 * (r.disp[0] * r.weight(i) / r.y[i]) * float64(e*e)
	}
}

func (inverseGaussianMean) slopes(r rows, lambda, grad, curv, info []float64) {
	ratios := r.ratios(lambda)
	for i, ratio := range ratios[:len(lambda)] {
		weight := r.disp[0] * r.weight(i) / r.y[i]
		info[i] = weight * ratio
		grad[i] = info[i] * (ratio - 1)
		curv[i] = info[i] * math.FMA(2, ratio, -1)
	}
}

func (inverseGaussianMean) norm(r rows) float64 {
	return 0.5 * r.total * vec.Log(r.disp[0])
}

func (inverseGaussianMean) scores(r rows, lambda []float64) [2]float64 {
	sum := 0.0
	for i, l := range lambda {
		e := vec.Exp(r.logY[i]-l) - 1
		sum += float64(r.count(i) * (0.5/r.disp[0] - float64(0.5*float64(e*e)/r.y[i]*r.weight(i))))
	}
	return [2]float64{sum}
}
