package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// exgaussian: y ~ normal(mu − beta, sigma²) plus an exponential of mean beta, as in brms: mu is the mean of y.
var exgaussian = &Distribution{
	Name:  "exgaussian",
	Links: []*Link{identity},
	Dispersions: []Dispersion{
		{Name: "sigma", Power: -2, Concentrates: true},
		{Name: "beta", Power: -2,
			Doc: "Prior of the mean of the exponential part of exgaussian, in units of the response. Left out: " +
				"exponential(1/sd(y)).",
			// Along sigma/beta the density is one of location and scale.
			Tail: func(e Evidence) float64 { return e.Rows - e.Flat },
			Limit: "the likelihood falls only like a power of 1/beta as beta grows, and whether there are rows enough for " +
				"a flat prior is not checked",
			Remedy: "give beta an exponential or half_normal prior"},
	},
	Support: real,
	Notation: Notation{Law: "ExGaussian(μ_i, sigma, beta)", LaTeX: `\mathrm{ExGaussian}(\mu_i, \sigma, \beta)`,
		Mean: "μ_i", TeX: `\mu_i`, Of: meanResponse, Note: "the gaussian part has mean μ − beta"},
	// A convolution of log-concave densities is log-concave.
	Along:    func(*Link) Likelihood { return Likelihood{Form: Termwise, Terms: exgaussianLaw{}, Concave: true} },
	Constant: func(*Rows) float64 { return 0 },
	Draw: func(s prior.Source, at Row) float64 {
		y := math.FMA(at.Disp[0], variate.Normal(s), at.Mean-at.Disp[1])
		return math.FMA(at.Disp[1], variate.Exponential(s), y)
	},
	CDF: func(y float64, at Row) float64 {
		r := y - at.Mean + at.Disp[1]
		return math.Max(0, normalCDF(r/at.Disp[0])-vec.Exp(exgaussianTerm(r, at.Disp)))
	},
	// At 0: given beta the likelihood is bounded and tends to that of an exponential. If the fit is perfect it grows
	// like max(sigma, beta)^−Spare where both vanish, which the power of the prior of sigma alone must outweigh here: a
	// sufficient condition. At ∞: the likelihood of sigma is at most that of max(sigma, beta).
	Ends: func(e Evidence) (zero, tail float64) {
		if e.Perfect && !e.Fixed {
			return -e.Spare, e.Rows - e.Flat
		}
		return 0, e.Rows - e.Flat
	},
}

// exgaussianTerm is the log of beta times the density at r = y − mu + beta. If sigma/beta exceeds r/sigma by more than
// steep, the large terms would cancel, and Mills' ratio gives what is left.
func exgaussianTerm(r float64, disp [2]float64) float64 {
	u, ratio := r/disp[0], disp[0]/disp[1]
	t := u - ratio
	if t < -steep {
		return math.FMA(-0.5*u, u, vec.Log(vec.Mills(-t))-halfLog2Pi)
	}
	return math.FMA(0.5*ratio, ratio, vec.LogNormalCDF(t)-r/disp[1])
}

const steep = 20

// exgaussianLaw: sigma²/2beta² − r/beta + log Φ(t), r = y − eta + beta, t = r/sigma − sigma/beta.
type exgaussianLaw struct{}

func (exgaussianLaw) Terms(r Rows, eta, dst []float64) {
	var rest, t Block
	sigma, beta := r.Disp[0], r.Disp[1]
	ratio := sigma / beta
	for i, e := range eta {
		rest[i] = r.Y[i] - e + beta
		t[i] = rest[i]/sigma - ratio
	}
	var tail Block
	r.Kernels.LogNormalCDF(tail[:], t[:len(eta)])
	for i := range eta {
		if t[i] < -steep {
			dst[i] = exgaussianTerm(rest[i], r.Disp)
			continue
		}
		dst[i] = math.FMA(0.5*ratio, ratio, tail[i]-rest[i]/beta)
	}
}

// Slopes: Fisher's information of a row is E of the curvature, for which the density of r and the hazard make up a
// normal density.
func (exgaussianLaw) Slopes(r Rows, eta, grad, curv, info []float64) {
	sigma, beta := r.Disp[0], r.Disp[1]
	ratio := sigma / beta
	expected := ratio * normalMean(func(u float64) float64 {
		_, excess := normalFall(u - ratio)
		return excess
	})
	for i, e := range eta {
		u := (r.Y[i] - e + beta) / sigma
		fall, excess := normalFall(u - ratio)
		grad[i] = (ratio - fall) / sigma
		if u < ratio {
			grad[i] = (u - excess) / sigma // the same without a difference of large numbers
		}
		curv[i] = float64(fall*excess) / sigma / sigma
		info[i] = expected / sigma / sigma
	}
}

func (exgaussianLaw) Norm(r Rows) float64 { return -r.Total * vec.Log(r.Disp[1]) }

func (exgaussianLaw) Scores(r Rows, eta []float64) [2]float64 {
	sigma, beta := r.Disp[0], r.Disp[1]
	ratio := sigma / beta
	inSigma, inBeta := 0.0, 0.0
	for i, e := range eta {
		u := (r.Y[i] - e + beta) / sigma
		t := u - ratio
		fall, excess := normalFall(t)
		if t < 0 { // fall = excess − t
			inSigma += float64(r.Count(i) * (float64(u*u) - float64(excess*(u+ratio))))
			inBeta += float64(r.Count(i) * (float64(excess*ratio) - 2 + (excess-t)/ratio))
			continue
		}
		inSigma += float64(r.Count(i) * (float64(ratio*ratio) - float64(fall*(u+ratio))))
		inBeta += float64(r.Count(i) * (float64(ratio*t) - 2 + float64(fall*(ratio+1/ratio))))
	}
	return [2]float64{inSigma / sigma, inBeta / beta}
}
