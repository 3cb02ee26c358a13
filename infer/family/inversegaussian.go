package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// inverseGaussian: y ~ inverse gaussian of mean mu and variance mu³/(shape·precision).
var inverseGaussian = &Distribution{
	Name:  "inverse_gaussian",
	Links: []*Link{logLink, inverseSquare},
	Dispersions: []Dispersion{{Name: "shape", Power: 1, Unit: true, Concentrates: true,
		Default: prior.DefaultShape}},
	Support: positives,
	Notation: Notation{Law: "InverseGaussian(μ_i, shape)", LaTeX: `\mathrm{InverseGaussian}(\mu_i, \lambda)`, Mean: "μ_i",
		TeX: `\mu_i`, Of: meanResponse, Note: "variance μ³/shape"},
	Prepare: logs,
	Along: func(l *Link) Likelihood {
		along := ofMean(inverseGaussianMean{}, l)
		if !l.Positive {
			along.OneWay = "the density of an inverse gaussian response does not vanish as its mean grows"
		}
		return along
	},
	Constant: func(r *Rows) float64 {
		logs := r.sum(func(i int) float64 { return r.LogY[i] })
		return r.halfLogs() + math.FMA(-1.5, logs, -r.Total*halfLog2Pi)
	},
	Draw: func(s prior.Source, at Row) float64 {
		return math.Min(math.Max(LeastPositive, variate.InverseGaussian(s, at.Mean, at.Disp[0])), MostPositive)
	},
	CDF: func(y float64, at Row) float64 {
		r := math.Sqrt(at.Disp[0] / y)
		far := vec.LogNormalCDF(-r * (y/at.Mean + 1))
		return normalCDF(r*(y/at.Mean-1)) + vec.Exp(math.FMA(2, at.Disp[0]/at.Mean, far))
	},
	// Each row has the root of shape as a factor at 0, where coefficients spread over 1/shape if eta is above 0.
	Ends: func(e Evidence) (zero, tail float64) {
		if e.Link.Positive {
			return e.shapeEnds(float64(0.5*e.Rows) - e.Flat)
		}
		return e.shapeEnds(0.5 * e.Rows)
	},
}

// inverseGaussianMean has variance mu³/shape: −shape/2y·(y/mu − 1)².
type inverseGaussianMean struct{}

func (inverseGaussianMean) Terms(r Rows, lambda, dst []float64) {
	ratios := r.ratios(lambda)
	for i, ratio := range ratios[:len(lambda)] {
		e := ratio - 1
		dst[i] = -0.5 * (r.Disp[0] * r.Weight(i) / r.Y[i]) * float64(e*e)
	}
}

func (inverseGaussianMean) Slopes(r Rows, lambda, grad, curv, info []float64) {
	ratios := r.ratios(lambda)
	for i, ratio := range ratios[:len(lambda)] {
		weight := r.Disp[0] * r.Weight(i) / r.Y[i]
		info[i] = weight * ratio
		grad[i] = info[i] * (ratio - 1)
		curv[i] = info[i] * math.FMA(2, ratio, -1)
	}
}

func (inverseGaussianMean) Norm(r Rows) float64 {
	return 0.5 * r.Total * vec.Log(r.Disp[0])
}

func (inverseGaussianMean) Scores(r Rows, lambda []float64) [2]float64 {
	sum := 0.0
	for i, l := range lambda {
		e := vec.Exp(r.LogY[i]-l) - 1
		sum += float64(r.Count(i) * (0.5/r.Disp[0] - float64(0.5*float64(e*e)/r.Y[i]*r.Weight(i))))
	}
	return [2]float64{sum}
}
