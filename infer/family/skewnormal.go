package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// skewNormal: y of mean mu, standard deviation sigma/√precision and skewness parameter alpha, as in brms.
//
// Source: Azzalini (1985), A class of distributions which includes the normal ones.
var skewNormal = &Distribution{
	Name:  "skew_normal",
	Links: []*Link{identity},
	Dispersions: []Dispersion{
		{Name: "sigma", Power: -2, Concentrates: true},
		{Name: "alpha", Real: true, Default: func(float64) prior.Prior { return prior.Prior{Kind: prior.Normal, Scale: 4} },
			Doc: "Prior of the skewness parameter of skew_normal, which may have either sign; constant(0) makes it " +
				"gaussian. Left out: normal(0, 4).",
			Limit: "the likelihood does not vanish as alpha grows (it becomes that of a half-normal), so that a flat prior " +
				"of alpha never becomes proper",
			Remedy: "give alpha normal(0, 4), or fix it with constant(2)"},
	},
	Support: real,
	Notation: Notation{Law: "SkewNormal(μ_i, sigma, alpha)", LaTeX: `\mathrm{SkewNormal}(\mu_i, \sigma, \alpha)`,
		Mean: "μ_i", TeX: `\mu_i`, Of: meanResponse, Note: "sigma is the standard deviation of y"},
	// log φ and log Φ are concave, and so is the log density along eta.
	Along:    func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: skewNormalLaw{}, Concave: true} },
	Constant: func(r *Rows) float64 { return math.FMA(r.Total, math.Ln2-halfLog2Pi, r.halfLogs()) },
	Draw: func(s prior.Source, at Row) float64 {
		k := skewAt(at.Disp)
		half := math.Abs(variate.Normal(s))
		z := math.FMA(k.delta, half, math.Sqrt((1-k.delta)*(1+k.delta))*variate.Normal(s))
		return math.FMA(k.omega, z-k.shift, at.Mean)
	},
	CDF: func(y float64, at Row) float64 {
		k := skewAt(at.Disp)
		z := (y-at.Mean)/k.omega + k.shift
		return math.Min(1, math.Max(0, normalCDF(z)-2*owen(z, at.Disp[1])))
	},
	// Given alpha the density is at most 2·√(1/(1 − 2/π)) times a normal one whose mean and standard deviation are
	// within constant multiples of sigma of mu and sigma. So the gaussian powers hold, for all alpha alike.
	Ends: scaleEnds,
}

// skew has the parameters of Azzalini: y = mu + omega·(z − shift), z of density 2φ(z)Φ(alpha·z).
type skew struct{ delta, omega, shift float64 }

const rootTwoOverPi = 0.79788456080286535588 // √(2/π)

func skewAt(disp [2]float64) (k skew) {
	k.delta = disp[1] / math.Sqrt(math.FMA(disp[1], disp[1], 1))
	k.shift = float64(rootTwoOverPi * k.delta)
	k.omega = disp[0] / math.Sqrt((1-k.shift)*(1+k.shift))
	return k
}

// skewNormalLaw: −z²/2 + log Φ(alpha·z).
type skewNormalLaw struct{}

func (skewNormalLaw) Terms(r Rows, eta, dst []float64) {
	k := skewAt(r.Disp)
	var z, tail Block
	for i, e := range eta {
		z[i] = math.FMA((r.Y[i]-e)/k.omega, r.Root(i), k.shift)
		tail[i] = r.Disp[1] * z[i]
	}
	r.Kernels.LogNormalCDF(tail[:], tail[:len(eta)])
	for i := range eta {
		dst[i] = math.FMA(-0.5*z[i], z[i], tail[i])
	}
}

// Slopes: Fisher's information needs E of the curvature of log Φ, for which the densities of z and of the hazard make
// up a normal density.
func (skewNormalLaw) Slopes(r Rows, eta, grad, curv, info []float64) {
	k, alpha := skewAt(r.Disp), r.Disp[1]
	spread := math.Sqrt(math.FMA(alpha, alpha, 1))
	excess := normalMean(func(v float64) float64 {
		_, excess := normalFall(float64(alpha / spread * v))
		return excess
	})
	expected := math.FMA(rootTwoOverPi*alpha*k.delta, excess, 1)
	for i, e := range eta {
		scale := k.omega / r.Root(i)
		z := (r.Y[i]-e)/scale + k.shift
		fall, excess := normalFall(float64(alpha * z))
		grad[i] = (z - float64(alpha*fall)) / scale
		curv[i] = math.FMA(alpha*alpha, float64(fall*excess), 1) / scale / scale
		info[i] = expected / scale / scale
	}
}

func (skewNormalLaw) Norm(r Rows) float64 { return -r.Total * vec.Log(skewAt(r.Disp).omega) }

func (skewNormalLaw) Scores(r Rows, eta []float64) [2]float64 {
	k, alpha := skewAt(r.Disp), r.Disp[1]
	spread := math.Sqrt(math.FMA(alpha, alpha, 1))
	turn := rootTwoOverPi / spread / spread / spread // of shift by alpha
	grow := k.shift * turn / ((1 - k.shift) * (1 + k.shift))
	inSigma, inAlpha := 0.0, 0.0
	for i, e := range eta {
		q := float64((r.Y[i] - e) / k.omega * r.Root(i))
		z := q + k.shift
		fall, _ := normalFall(float64(alpha * z))
		slope := float64(alpha*fall) - z // in z
		inSigma += float64(r.Count(i) * -math.FMA(q, slope, 1))
		inAlpha += float64(r.Count(i) * (math.FMA(slope, turn-float64(q*grow), float64(fall*z)) - grow))
	}
	return [2]float64{inSigma / r.Disp[0], inAlpha}
}

// owen is Owen's T(h, a) = 1/2π ∫ exp(−h²(1 + x²)/2)/(1 + x²) from 0 to a, by Simpson's rule on |a| ≤ 1. Absolute
// error: 1e-11.
//
// Source: Owen (1956), Tables for computing bivariate normal probabilities.
func owen(h, a float64) float64 {
	if a < 0 {
		return -owen(h, -a)
	}
	h = math.Abs(h)
	if a > 1 {
		p, q := normalCDF(h), normalCDF(float64(a*h))
		return float64(0.5*(p+q)) - float64(p*q) - owen(float64(a*h), 1/a)
	}
	const n = 256
	f := func(x float64) float64 {
		s := math.FMA(x, x, 1)
		return vec.Exp(-0.5*float64(h*h)*s) / s
	}
	sum := f(0) + f(a)
	for i := 1; i < n; i++ {
		sum += float64(float64(2+2*(i%2)) * f(float64(i)/n*a))
	}
	return sum * a / (3 * n * 2 * math.Pi)
}
