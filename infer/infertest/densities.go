package infertest

import (
	"math"

	"glmbatch/infer/glm"
)

// logDensity returns log likelihood and log prior at theta with all constants,
// by the textbook's formulas and package math: an oracle independent of
// infer/glm. Cost: O(n·d).
func logDensity(data *glm.Data, model *glm.Model, theta []float64) (logLik, logPrior float64) {
	for j, p := range model.Coefficients {
		logPrior += priorDensity(p, theta[j])
	}
	sigma := 1.0
	if model.Family.Name == "gaussian" {
		sigma = theta[data.Cols()]
		logPrior += priorDensity(model.Dispersion, sigma)
	}
	for i, eta := range predictor(data, theta) {
		trials := 1.0
		if data.Trials != nil {
			trials = data.Trials[i]
		}
		logLik += rowDensity(model.Family.Name, data.Y[i], eta, sigma, trials)
	}
	return logLik, logPrior
}

// rowDensity returns log f(y | eta).
func rowDensity(family string, y, eta, sigma, trials float64) float64 {
	switch family {
	case "gaussian":
		z := (y - eta) / sigma
		return -0.5*z*z - math.Log(sigma) - 0.5*math.Log(2*math.Pi)
	case "poisson":
		return y*eta - math.Exp(eta) - logGamma(y+1)
	case "bernoulli":
		return y*eta - math.Max(eta, 0) - math.Log1p(math.Exp(-math.Abs(eta)))
	}
	logit := y*eta - trials*math.Max(eta, 0) - trials*math.Log1p(math.Exp(-math.Abs(eta)))
	return logit + logGamma(trials+1) - logGamma(y+1) - logGamma(trials-y+1)
}

func logGamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// priorDensity returns a prior's log density, 0 for a flat one.
func priorDensity(p glm.Prior, x float64) float64 {
	z := (x - p.Location) / p.Scale
	switch p.Kind {
	case glm.Normal:
		return -0.5*z*z - 0.5*math.Log(2*math.Pi) - math.Log(p.Scale)
	case glm.HalfNormal:
		z = x / p.Scale
		return -0.5*z*z + 0.5*math.Log(2/math.Pi) - math.Log(p.Scale)
	case glm.HalfCauchy:
		z = x / p.Scale
		return math.Log(2/math.Pi) - math.Log(p.Scale) - math.Log1p(z*z)
	}
	return 0
}
