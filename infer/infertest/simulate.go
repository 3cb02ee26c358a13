package infertest

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/glm"
	"glmbatch/infer/internal/variate"
)

// drawPrior draws from a proper prior by its definition.
func drawPrior(p glm.Prior, rng *infer.Stream) float64 {
	switch p.Kind {
	case glm.Normal:
		return p.Location + p.Scale*variate.Normal(rng)
	case glm.StudentT:
		return p.Location + p.Scale*student(p.DF, rng)
	case glm.Cauchy:
		return p.Location + p.Scale*math.Tan(math.Pi*(rng.Float64()-0.5))
	case glm.Laplace: // the difference of two exponentials
		return p.Location + p.Scale*(variate.Exponential(rng)-variate.Exponential(rng))
	case glm.HalfNormal:
		return p.Scale * math.Abs(variate.Normal(rng))
	case glm.HalfStudentT:
		return p.Scale * math.Abs(student(p.DF, rng))
	case glm.HalfCauchy:
		return p.Scale * math.Tan(math.Pi/2*rng.Float64())
	case glm.Exponential:
		return variate.Exponential(rng) / p.Rate
	case glm.Gamma:
		return variate.Gamma(rng, p.Shape) / p.Rate
	case glm.InverseGamma:
		return p.Scale / variate.Gamma(rng, p.Shape)
	case glm.Uniform:
		return p.Low + (p.High-p.Low)*rng.Float64()
	}
	panic("infertest: a case needs proper priors, not " + p.String())
}

// student draws Student's t as a normal over a root of a gamma.
func student(df float64, rng *infer.Stream) float64 {
	return variate.Normal(rng) / math.Sqrt(variate.Gamma(rng, df/2)/(df/2))
}

// response draws one observation.
func response(f glm.Family, eta float64, disp [2]float64, trials float64, rng *infer.Stream) float64 {
	mu, s := mean(f.Link, eta), disp[0]
	switch f.Name {
	case "gaussian":
		return mu + s*variate.Normal(rng)
	case "student_t":
		return mu + s*student(disp[1], rng)
	case "poisson":
		return count(mu, rng)
	case "negative_binomial": // poisson with a gamma mean
		return count(mu*variate.Gamma(rng, s)/s, rng)
	case "gamma":
		return mu * variate.Gamma(rng, s) / s
	case "inverse_gaussian":
		return inverseGaussian(mu, s, rng)
	case "beta":
		a, b := variate.Gamma(rng, mu*s), variate.Gamma(rng, (1-mu)*s)
		return a / (a + b)
	case "bernoulli", "binomial":
		successes := 0.0
		for range int(trials) {
			if rng.Float64() < mu {
				successes++
			}
		}
		return successes
	}
	panic("infertest: no responses of family " + f.Name)
}

// count draws a poisson number by waiting times: as many as fit into the mean.
// A mean far beyond what plain allows is given instead.
func count(mu float64, rng *infer.Stream) float64 {
	if !(mu < 1e7) {
		return mu
	}
	n := -1.0
	for time := 0.0; time < mu; n++ {
		time += variate.Exponential(rng)
	}
	return math.Max(n, 0)
}

// inverseGaussian draws by the method of Michael, Schucany and Haas (1976),
// doi:10.1080/00031305.1976.10479147: the smaller root x of shape·(x − mu)² =
// mu²·x·χ² with probability mu/(mu + x), else mu²/x.
func inverseGaussian(mu, shape float64, rng *infer.Stream) float64 {
	z := variate.Normal(rng)
	c := mu * z * z / (2 * shape)
	x := mu / (1 + c + math.Sqrt(c*(2+c))) // its difference form cancels
	if rng.Float64() > mu/(mu+x) {
		x = mu * (mu / x)
	}
	return x
}

// walled tells whether a link needs eta > 0.
func walled(f glm.Family) bool {
	switch f.Link {
	case "sqrt", "inverse", "1/mu^2":
		return true
	}
	return f.Name == "poisson" && f.Link == "identity"
}

// mean is the inverse of a link by the textbook.
func mean(link string, eta float64) float64 {
	switch link {
	case "log":
		return math.Exp(eta)
	case "sqrt":
		return eta * eta
	case "inverse":
		return 1 / eta
	case "1/mu^2":
		return 1 / math.Sqrt(eta)
	case "logit":
		return 1 / (1 + math.Exp(-eta))
	case "probit":
		return 0.5 * math.Erfc(-eta/math.Sqrt2)
	case "cloglog":
		return -math.Expm1(-math.Exp(eta))
	case "cauchit":
		return 0.5 + math.Atan(eta)/math.Pi
	}
	return eta
}

// meanSlope is the derivative of mean.
func meanSlope(link string, eta float64) float64 {
	switch link {
	case "log":
		return math.Exp(eta)
	case "sqrt":
		return 2 * eta
	case "inverse":
		return -1 / (eta * eta)
	case "1/mu^2":
		return -0.5 / (eta * math.Sqrt(eta))
	case "logit":
		return 1 / (1 + math.Exp(-eta)) / (1 + math.Exp(eta))
	case "probit":
		return math.Exp(-eta*eta/2) / math.Sqrt(2*math.Pi)
	case "cloglog":
		return math.Exp(eta - math.Exp(eta))
	case "cauchit":
		return 1 / (math.Pi * (1 + eta*eta))
	}
	return 1
}
