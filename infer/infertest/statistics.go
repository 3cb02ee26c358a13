package infertest

import (
	"math"
	"sort"

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

// twoSample returns the Kolmogorov–Smirnov distance of two samples, which it
// sorts.
func twoSample(a, b []float64) (distance float64) {
	sort.Float64s(a)
	sort.Float64s(b)
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		x := min(a[i], b[j])
		for i < len(a) && a[i] == x {
			i++
		}
		for j < len(b) && b[j] == x {
			j++
		}
		distance = max(distance, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return distance
}

// twoSampleLimit returns the distance of two samples of n that is exceeded
// with probability at most alpha: 2·exp(−n·D²) bounds it for n ≥ 458.
//
// Source: Wei and Dudley (2012), Two-sample Dvoretzky–Kiefer–Wolfowitz
// inequalities, doi:10.1016/j.spl.2011.11.012.
func twoSampleLimit(n int, alpha float64) float64 {
	return math.Sqrt(math.Log(2/alpha) / float64(n))
}

// uniform returns the Kolmogorov–Smirnov distance of u, which it sorts, from
// the uniform law on (0, 1).
func uniform(u []float64) (distance float64) {
	sort.Float64s(u)
	n := float64(len(u))
	for i, v := range u {
		distance = max(distance, v-float64(i)/n, float64(i+1)/n-v)
	}
	return distance
}

// uniformLimit returns the distance that n uniform numbers exceed with
// probability at most alpha, for every n.
//
// Source: Massart (1990), doi:10.1214/aop/1176990746.
func uniformLimit(n int, alpha float64) float64 {
	return math.Sqrt(math.Log(2/alpha) / (2 * float64(n)))
}
