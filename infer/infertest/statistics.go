package infertest

import (
	"math"
	"sort"

	"glmbatch/infer/family"
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

// evaluate returns the functions of (theta, y) whose distributions are compared: each parameter; the score of each
// coefficient over its own standard deviation, x_jᵀ(y − mu)/√(x_jᵀ·W·x_j), and Pearson's statistic Σ (y −
// mu)²/variance, which have nearly fixed distributions for every theta and so show small errors of the likelihood;
// products of neighbouring coefficients; log likelihood; log prior.
func evaluate(target *glm.Target, theta []float64) []float64 {
	data, model := target.Data(), target.Model()
	out := append([]float64(nil), theta...)
	eta := predictor(data, theta)
	residual, weight := make([]float64, len(eta)), make([]float64, len(eta))
	pearson, disp := 0.0, model.DispersionsAt(theta[data.Cols():])
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
	case "gaussian", "student_t", "skew_normal":
		return mu, s * s
	case "exgaussian":
		return mu, s*s + disp[1]*disp[1]
	case "lognormal":
		mu = math.Exp(eta + s*s/2)
		return mu, mu * mu * math.Expm1(s*s)
	case "poisson":
		return mu, mu
	case "negative_binomial":
		return mu, mu + mu*mu/s
	case "gamma":
		return mu, mu * mu / s
	case "exponential":
		return mu, mu * mu
	case "weibull":
		return mu, mu * mu * (math.Exp(logGamma(1+2/s)-2*logGamma(1+1/s)) - 1)
	case "loglogistic", "frechet": // which need not have a variance
		return mu, mu * mu / (s * s)
	case "inverse_gaussian":
		return mu, mu * mu * mu / s
	case "beta":
		return mu, mu * (1 - mu) / (1 + s)
	case "beta_binomial":
		return mu, mu * (1 - mu) * (s + 3) / (1 + s) // at three trials
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

// LogDensity returns what a Conformance compares a target with: log likelihood and log prior at theta, by the textbook.
func LogDensity(target *glm.Target, theta []float64) (logLik, logPrior float64) {
	return logDensity(target.Data(), target.Model(), theta)
}

// logDensity returns log likelihood and log prior at theta with all constants,
// by the textbook's formulas and package math: an oracle independent of
// infer/glm. Cost: O(n·d).
func logDensity(data *glm.Data, model *glm.Model, theta []float64) (logLik, logPrior float64) {
	for j, p := range model.Coefficients {
		logPrior += priorDensity(p, theta[j])
	}
	logPrior += scalesDensity(data, model, theta)
	disp := model.DispersionsAt(theta[data.Cols():])
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
	if f.Limits == family.NoLimits {
		return count * rowDensity(f, data.Y[i], eta, atPrecision(data, f, i, disp), trials)
	}
	of, value := data.Taken([]int{i}), []float64{eta} // compared with R in infer/glm
	p, err := glm.NewPointwise(f, of)
	if err != nil {
		panic(err)
	}
	p.LogLik(0, value, disp[:], value)
	return count * value[0]
}

// atPrecision returns the dispersions of row i: sigma/√w or shape·w for its
// precision w.
func atPrecision(data *glm.Data, f glm.Family, i int, disp [2]float64) [2]float64 {
	switch {
	case data.Precision == nil:
	case f.First().Scale():
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
	case "lognormal":
		z := (math.Log(y) - eta) / s
		return -0.5*z*z - math.Log(s) - 0.5*math.Log(2*math.Pi) - math.Log(y)
	case "skew_normal":
		d := nu / math.Hypot(1, nu)
		omega := s / math.Sqrt(1-2/math.Pi*d*d)
		z := (y-mu)/omega + d*math.Sqrt(2/math.Pi)
		return math.Ln2 - 0.5*z*z - math.Log(omega) - 0.5*math.Log(2*math.Pi) + logNormalCDF(nu*z)
	case "exgaussian":
		r := y - mu + nu
		if t := r/s - s/nu; t < -8 { // the two large terms cancel
			return logNormalCDF(t) + 0.5*t*t - 0.5*r*r/(s*s) - math.Log(nu)
		}
		return 0.5*s*s/(nu*nu) - r/nu - math.Log(nu) + logNormalCDF(r/s-s/nu)
	case "poisson":
		return xlogy(y, mu) - mu - logGamma(y+1)
	case "negative_binomial":
		choose := logGamma(y+s) - logGamma(s) - logGamma(y+1)
		return choose - s*math.Log1p(mu/s) + xlogy(y, mu/(s+mu))
	case "weibull", "exponential":
		if f.Name == "exponential" {
			s = 1
		}
		z := s * (math.Log(y/mu) + logGamma(1+1/s))
		return math.Log(s) - math.Log(y) + z - math.Exp(z)
	case "loglogistic":
		z := s * math.Log(y/mu)
		return math.Log(s) - math.Log(y) - math.Abs(z) - 2*math.Log1p(math.Exp(-math.Abs(z)))
	case "frechet":
		z := -s * (math.Log(y/mu) + logGamma(1-1/s))
		return math.Log(s) - math.Log(y) + z - math.Exp(z)
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
	if f.Name == "beta_binomial" {
		return choose + rising(mu*s, y) + rising((1-mu)*s, trials-y) - rising(s, trials)
	}
	if f.Link == "logit" {
		return choose + y*eta - trials*math.Max(eta, 0) - trials*math.Log1p(math.Exp(-math.Abs(eta)))
	}
	return choose + xlogy(y, mu) + xlogy(trials-y, 1-mu)
}

// rising is log x(x + 1) … (x + k − 1).
func rising(x, k float64) float64 {
	if k == 0 {
		return 0
	}
	return logGamma(x+k) - logGamma(x)
}

// logNormalCDF is log Φ, by the asymptotic series where Φ underflows.
func logNormalCDF(x float64) float64 {
	if x > -20 {
		return math.Log(0.5 * math.Erfc(-x/math.Sqrt2))
	}
	z := 1 / (x * x)
	return -0.5*x*x - 0.5*math.Log(2*math.Pi) - math.Log(-x) + math.Log1p(-z*(1-z*(3-z*(15-105*z))))
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
	case prior.SpikeSlab:
		if x == 0 {
			return math.Log(1 - p.Inclusion)
		}
		return math.Log(p.Inclusion) - 0.5*z*z - 0.5*math.Log(2*math.Pi) - math.Log(p.Scale)
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
	case prior.Beta:
		return logGamma(p.Shape+p.Rate) - logGamma(p.Shape) - logGamma(p.Rate) + (p.Shape-1)*math.Log(x) +
			(p.Rate-1)*math.Log(1-x)
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
