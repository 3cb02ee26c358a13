package family

import (
	"math"

	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
	"glmbatch/internal/vec"
)

// gamma: y ~ gamma of mean mu and variance mu²/(shape·precision).
var gamma = &Distribution{
	Name:  "gamma",
	Links: []*Link{logLink, inverse},
	Dispersions: []Dispersion{{Name: "shape", Power: 1, Concentrates: true, Default: prior.DefaultShape,
		PrecisionVersion: "2"}}, // 1 was wrong after rows of other precisions than 1
	Support: positives,
	Notation: Notation{Law: "Gamma(μ_i, shape)", LaTeX: `\mathrm{Gamma}(\mu_i, k)`, Mean: "μ_i", TeX: `\mu_i`,
		Of: meanResponse, Note: "variance μ²/shape"},
	Prepare: logs,
	Along: func(l *Link) Likelihood {
		along := ofMean(gammaMean{}, l)
		if !l.Positive {
			along.Concave, along.Cell = true, gammaMean{}
		}
		return along
	},
	Limited:  tailed{terms: gammaMean{}, at: gammaAt, dispersions: 1, power: 1, concave: true}.limited(negativeLogs),
	Constant: negativeLogs,
	Draw: func(s prior.Source, at Row) float64 {
		return math.Min(math.Max(LeastPositive, at.Mean*variate.GammaMean(s, at.Disp[0])), MostPositive)
	},
	CDF:  func(y float64, at Row) float64 { return incompleteGamma(at.Disp[0], float64(at.Disp[0]*(y/at.Mean))) },
	Ends: func(e Evidence) (zero, tail float64) { return e.shapeEnds(e.Rows - e.Flat) },
}

// negativeLogs is the constant −Σ log y.
func negativeLogs(r *Rows) float64 { return -r.sum(func(i int) float64 { return r.LogY[i] }) }

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

// gammaMean has variance mu²/shape: shape·(1 + δ − e^δ) with δ = log(y/mu).
type gammaMean struct{}

func (gammaMean) Terms(r Rows, lambda, dst []float64) {
	var delta, exp Block
	for i, l := range lambda {
		delta[i] = r.LogY[i] - l
	}
	r.Kernels.Exp(exp[:], delta[:len(lambda)])
	for i := range lambda {
		dst[i] = -r.Disp[0] * r.Weight(i) * devianceFrom(delta[i], exp[i])
	}
}

func (gammaMean) Slopes(r Rows, lambda, grad, curv, info []float64) {
	ratios := r.ratios(lambda)
	for i, ratio := range ratios[:len(lambda)] {
		shape := r.Disp[0] * r.Weight(i)
		grad[i], curv[i], info[i] = shape*(ratio-1), shape*ratio, shape
	}
}

func (gammaMean) Norm(r Rows) float64 {
	if r.Precision == nil {
		return -r.Total * vec.LogGammaExcess(r.Disp[0])
	}
	sum := 0.0
	for i, w := range r.Precision {
		sum -= float64(r.Count(i) * vec.LogGammaExcess(r.Disp[0]*w))
	}
	return sum
}

func (gammaMean) Scores(r Rows, lambda []float64) [2]float64 {
	base := vec.Digamma(r.Disp[0]) - vec.Log(r.Disp[0])
	sum := 0.0
	for i, l := range lambda {
		w, own := r.Weight(i), base
		if w != 1 {
			own = vec.Digamma(r.Disp[0]*w) - vec.Log(r.Disp[0]*w)
		}
		sum -= float64(r.Count(i) * w * (deviance(r.LogY[i]-l) + own))
	}
	return [2]float64{sum}
}

func (gammaMean) Width(_ float64, disp [2]float64) float64 {
	return float64(2.5/math.Sqrt(disp[0])) + float64(2.5/disp[0])
}

func (gammaMean) Variance(mean float64, disp [2]float64) float64 { return mean * mean / disp[0] }

func (gammaMean) Follow(_ prior.Source, y, from, to float64, _ [2]float64) (moved float64, exact bool) {
	return float64(y * vec.Exp(to-from)), true
}
