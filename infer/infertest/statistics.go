package infertest

import (
	"math"

	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
)

// statistics names what evaluate returns.
func (c Case) statistics() []string {
	names := append([]string(nil), c.Data.Names...)
	for k, d := range c.Model.Family.Dispersions() {
		if c.Model.DispersionPrior(k).Kind != prior.Constant {
			names = append(names, d.Name)
		}
	}
	names = append(names, c.scaleNames()...)
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
	pearson, disp := 0.0, dispersionsAt(model, theta[data.Cols():])
	for i, e := range eta {
		mean, variance := meanVariance(model.Family, e, atPrecision(data, model.Family, i, disp))
		slope := meanSlope(model.Family.Link, e)
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

// meanVariance returns the moments of one observation, of one trial; for
// student_t its squared scale, as the variance need not exist.
func meanVariance(f glm.Family, eta float64, disp [2]float64) (mu, variance float64) {
	mu = mean(f.Link, eta)
	s := disp[0]
	switch f.Name {
	case "gaussian", "student_t":
		return mu, s * s
	case "poisson":
		return mu, mu
	case "negative_binomial":
		return mu, mu + mu*mu/s
	case "gamma":
		return mu, mu * mu / s
	case "inverse_gaussian":
		return mu, mu * mu * mu / s
	case "beta":
		return mu, mu * (1 - mu) / (1 + s)
	}
	if f.Link == "logit" {
		return mu, mu / (1 + math.Exp(eta))
	}
	return mu, mu * (1 - mu)
}
