package infertest

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// logDensity returns log likelihood and log prior at theta with all constants,
// by the textbook's formulas and package math: an oracle independent of
// infer/glm. Cost: O(n·d).
func logDensity(data *glm.Data, model *glm.Model, theta []float64) (logLik, logPrior float64) {
	for j, p := range model.Coefficients {
		logPrior += priorDensity(p, theta[j])
	}
	logPrior += scalesDensity(data, model, theta)
	disp := dispersionsAt(model, theta[data.Cols():])
	for k := range model.Family.Dispersions() {
		if p := model.DispersionPrior(k); p.Kind != prior.Constant {
			logPrior += priorDensity(p, disp[k])
		}
	}
	for i, eta := range predictor(data, theta) {
		logLik += countedDensity(data, model.Family, i, eta, disp)
	}
	return logLik, logPrior
}

// countedDensity returns the log density of row i as often as it counts.
func countedDensity(data *glm.Data, f glm.Family, i int, eta float64, disp [2]float64) float64 {
	trials, count := 1.0, 1.0
	if data.Trials != nil {
		trials = data.Trials[i]
	}
	if data.Frequency != nil {
		count = data.Frequency[i]
	}
	return count * rowDensity(f, data.Y[i], eta, atPrecision(data, f, i, disp), trials)
}

// atPrecision returns the dispersions of row i: sigma/√w or shape·w for its
// precision w.
func atPrecision(data *glm.Data, f glm.Family, i int, disp [2]float64) [2]float64 {
	switch {
	case data.Precision == nil:
	case f.Name == "gaussian", f.Name == "student_t":
		disp[0] /= math.Sqrt(data.Precision[i])
	default:
		disp[0] *= data.Precision[i]
	}
	return disp
}

// rowDensity returns log f(y | eta).
func rowDensity(f glm.Family, y, eta float64, disp [2]float64, trials float64) float64 {
	mu, s, nu := mean(f.Link, eta), disp[0], disp[1]
	switch f.Name {
	case "gaussian":
		z := (y - mu) / s
		return -0.5*z*z - math.Log(s) - 0.5*math.Log(2*math.Pi)
	case "student_t":
		z := (y - mu) / s
		top := logGamma((nu+1)/2) - logGamma(nu/2) - 0.5*math.Log(nu*math.Pi) - math.Log(s)
		return top - (nu+1)/2*math.Log1p(z*z/nu)
	case "poisson":
		return xlogy(y, mu) - mu - logGamma(y+1)
	case "negative_binomial":
		choose := logGamma(y+s) - logGamma(s) - logGamma(y+1)
		return choose - s*math.Log1p(mu/s) + xlogy(y, mu/(s+mu))
	case "gamma":
		return s*math.Log(s/mu) - logGamma(s) + (s-1)*math.Log(y) - s*y/mu
	case "inverse_gaussian":
		z := (y - mu) / mu
		return 0.5*math.Log(s/(2*math.Pi)) - 1.5*math.Log(y) - 0.5*s*z*z/y
	case "beta":
		a, b := mu*s, (1-mu)*s
		return logGamma(s) - logGamma(a) - logGamma(b) + (a-1)*math.Log(y) + (b-1)*math.Log1p(-y)
	}
	choose := logGamma(trials+1) - logGamma(y+1) - logGamma(trials-y+1)
	if f.Link == "logit" {
		return choose + y*eta - trials*math.Max(eta, 0) - trials*math.Log1p(math.Exp(-math.Abs(eta)))
	}
	return choose + xlogy(y, mu) + xlogy(trials-y, 1-mu)
}

// xlogy returns x·log y, 0 at x = 0.
func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}

func logGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// priorDensity returns a prior's log density, 0 for a flat one.
func priorDensity(p prior.Prior, x float64) float64 {
	z := (x - p.Location) / p.Scale
	switch p.Kind {
	case prior.Normal:
		return -0.5*z*z - 0.5*math.Log(2*math.Pi) - math.Log(p.Scale)
	case prior.StudentT, prior.HalfStudentT:
		top := logGamma((p.DF+1)/2) - logGamma(p.DF/2) - 0.5*math.Log(p.DF*math.Pi) - math.Log(p.Scale)
		if p.Kind == prior.HalfStudentT {
			top += math.Ln2
		}
		return top - (p.DF+1)/2*math.Log1p(z*z/p.DF)
	case prior.Cauchy:
		return -math.Log(math.Pi*p.Scale) - math.Log1p(z*z)
	case prior.Laplace:
		return -math.Log(2*p.Scale) - math.Abs(z)
	case prior.Exponential:
		return math.Log(p.Rate) - p.Rate*x
	case prior.Gamma:
		return p.Shape*math.Log(p.Rate) - logGamma(p.Shape) + (p.Shape-1)*math.Log(x) - p.Rate*x
	case prior.InverseGamma:
		return p.Shape*math.Log(p.Scale) - logGamma(p.Shape) - (p.Shape+1)*math.Log(x) - p.Scale/x
	case prior.Uniform:
		if x < p.Low || x > p.High {
			return math.Inf(-1)
		}
		return -math.Log(p.High - p.Low)
	case prior.HalfNormal:
		z = x / p.Scale
		return -0.5*z*z + 0.5*math.Log(2/math.Pi) - math.Log(p.Scale)
	case prior.HalfCauchy:
		z = x / p.Scale
		return math.Log(2/math.Pi) - math.Log(p.Scale) - math.Log1p(z*z)
	}
	return 0
}
