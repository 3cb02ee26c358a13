package infertest

import (
	"math"

	"glmbatch/infer/glm"
)

// statistics names what evaluate returns.
func (c Case) statistics() []string {
	names := append([]string(nil), c.Data.Names...)
	if c.Model.Family.Name == "gaussian" {
		names = append(names, "sigma")
	}
	for _, a := range c.Data.Names {
		names = append(names, "score of "+a)
	}
	for i, a := range c.Data.Names[1:] {
		names = append(names, c.Data.Names[i]+" × "+a)
	}
	return append(names, "Pearson's statistic", "log_lik", "log_prior")
}

// evaluate returns the functions of (theta, y) whose laws are compared: each
// parameter; the score of each coefficient over its own standard deviation,
// x_jᵀ(y − mu)/√(x_jᵀ·W·x_j), and Pearson's statistic Σ (y − mu)²/variance, which
// are near a fixed law for every theta and so show small errors of the
// likelihood; products of neighbouring coefficients; log likelihood; log prior.
func evaluate(target *glm.Target, theta []float64) []float64 {
	data, model := target.Data(), target.Model()
	out := append([]float64(nil), theta...)
	eta := predictor(data, theta)
	residual, weight := make([]float64, len(eta)), make([]float64, len(eta))
	pearson := 0.0
	for i, e := range eta {
		mean, variance := meanVariance(model.Family.Name, e, theta[len(theta)-1])
		slope := variance // d mean/d eta of a canonical link
		if model.Family.Name == "gaussian" {
			slope = 1
		}
		if data.Trials != nil {
			mean, variance, slope = mean*data.Trials[i], variance*data.Trials[i], slope*data.Trials[i]
		}
		if variance == 0 { // no trials, or underflow: nothing to see
			continue
		}
		residual[i] = (data.Y[i] - mean) * (slope / variance)
		weight[i] = slope * (slope / variance)
		pearson += (data.Y[i] - mean) * ((data.Y[i] - mean) / variance)
	}
	for j := range data.Cols() {
		score, spread := 0.0, 0.0
		for i, x := range data.X.Col(j) {
			score += x * residual[i]
			spread += x * x * weight[i]
		}
		out = append(out, score/math.Sqrt(math.Max(spread, math.SmallestNonzeroFloat64)))
	}
	for j := 1; j < data.Cols(); j++ {
		out = append(out, theta[j-1]*theta[j])
	}
	logLik, logPrior := logDensity(data, model, theta)
	return append(out, pearson, logLik, logPrior)
}

// meanVariance returns the moments of one observation, of one trial.
func meanVariance(family string, eta, sigma float64) (mean, variance float64) {
	switch family {
	case "gaussian":
		return eta, sigma * sigma
	case "poisson":
		return math.Exp(eta), math.Exp(eta)
	}
	p := 1 / (1 + math.Exp(-eta))
	return p, p / (1 + math.Exp(eta))
}
