package infertest

import (
	"math"

	"glmbatch/infer"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// drawPrior draws from a proper prior by its definition.
func drawPrior(p prior.Prior, rng *infer.Stream) float64 {
	switch p.Kind {
	case prior.Normal:
		return p.Location + p.Scale*variate.Normal(rng)
	case prior.StudentT:
		return p.Location + p.Scale*student(p.DF, rng)
	case prior.Cauchy:
		return p.Location + p.Scale*math.Tan(math.Pi*(rng.Float64()-0.5))
	case prior.Laplace: // the difference of two exponentials
		return p.Location + p.Scale*(variate.Exponential(rng)-variate.Exponential(rng))
	case prior.HalfNormal:
		return p.Scale * math.Abs(variate.Normal(rng))
	case prior.HalfStudentT:
		return p.Scale * math.Abs(student(p.DF, rng))
	case prior.HalfCauchy:
		return p.Scale * math.Tan(math.Pi/2*rng.Float64())
	case prior.Exponential:
		return variate.Exponential(rng) / p.Rate
	case prior.Gamma:
		return variate.Gamma(rng, p.Shape) / p.Rate
	case prior.InverseGamma:
		return p.Scale / variate.Gamma(rng, p.Shape)
	case prior.Uniform:
		return p.Low + (p.High-p.Low)*rng.Float64()
	}
	panic("infertest: a case needs proper priors, not " + p.String())
}

// student draws Student's t as a normal over a root of a gamma.
func student(df float64, rng *infer.Stream) float64 {
	return variate.Normal(rng) / math.Sqrt(variate.Gamma(rng, df/2)/(df/2))
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
