package model_test

import (
	"math"

	"glmbatch/infer/family"
	"glmbatch/infer/model"
)

// The densities of the families, from their definitions by package math.

func gaussian(y float64, eta []float64, _ float64) float64 {
	z := (y - eta[0]) / math.Exp(eta[1])
	return -z*z/2 - eta[1] - math.Log(2*math.Pi)/2
}

func lognormal(y float64, eta []float64, _ float64) float64 {
	return gaussian(math.Log(y), eta, 0) - math.Log(y)
}

func student(y float64, eta []float64, nu float64) float64 {
	z := (y - eta[0]) / math.Exp(eta[1])
	return logGamma((nu+1)/2) - logGamma(nu/2) - math.Log(nu*math.Pi)/2 - eta[1] - (nu+1)/2*math.Log(1+z*z/nu)
}

// skewNormal has the mean eta[0] and the standard deviation e^eta[1].
func skewNormal(y float64, eta []float64, alpha float64) float64 {
	d := alpha / math.Sqrt(1+alpha*alpha)
	omega := math.Exp(eta[1]) / math.Sqrt(1-2*d*d/math.Pi)
	z := (y - eta[0] + omega*d*math.Sqrt(2/math.Pi)) / omega
	return math.Log(2/omega) - z*z/2 - math.Log(2*math.Pi)/2 + math.Log(math.Erfc(-alpha*z/math.Sqrt2)/2)
}

func logGamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

func poisson(y, eta, _ float64) float64 { return y*eta - math.Exp(eta) - logGamma(y+1) }

func negativeBinomial(y, eta, s float64) float64 {
	mu := math.Exp(eta)
	return logGamma(y+s) - logGamma(s) - logGamma(y+1) + s*math.Log(s/(s+mu)) + y*math.Log(mu/(s+mu))
}

func gamma(y, eta, s float64) float64 {
	mu := math.Exp(eta)
	return s*math.Log(s/mu) - logGamma(s) + (s-1)*math.Log(y) - s*y/mu
}

// spread is a density whose dispersion has a predictor, the last one, of its logarithm.
func spread(base func(y, eta, disp float64) float64) func(float64, []float64, float64) float64 {
	return func(y float64, eta []float64, _ float64) float64 { return base(y, eta[0], math.Exp(eta[1])) }
}

// dispersion is that of a third predictor, if there is one.
func dispersion(eta []float64, disp float64) float64 {
	if len(eta) > 2 {
		return math.Exp(eta[2])
	}
	return disp
}

// degrees has the degrees of freedom as the last predictor, and sigma may have the one before.
func degrees(y float64, eta []float64, sigma float64) float64 {
	if len(eta) > 2 {
		sigma = math.Exp(eta[1])
	}
	return student(y, []float64{eta[0], math.Log(sigma)}, 1+math.Exp(eta[len(eta)-1]))
}

// skewness has alpha as the second predictor.
func skewness(y float64, eta []float64, sigma float64) float64 {
	return skewNormal(y, []float64{eta[0], math.Log(sigma)}, eta[1])
}

func beta(y, eta, phi float64) float64 {
	a, b := phi*inverseLogit(eta), phi*inverseLogit(-eta)
	return logGamma(phi) - logGamma(a) - logGamma(b) + (a-1)*math.Log(y) + (b-1)*math.Log1p(-y)
}

func weibull(y, eta, s float64) float64 {
	z := s * (math.Log(y) - eta + logGamma(1+1/s))
	return math.Log(s) + z - math.Log(y) - math.Exp(z)
}

// hazards is the log density of a time whose log hazard is eta[0], and eta[0] + eta[k] from break k on; without an event
// it is the log probability of a longer time.
func hazards(y float64, eta []float64, event bool, breaks ...float64) float64 {
	log, low := 0.0, 0.0
	for k, high := range append(breaks, math.Inf(1)) {
		at := eta[0]
		if k > 0 {
			at += eta[k]
		}
		log -= math.Exp(at) * math.Max(0, math.Min(y, high)-low)
		if event && low < y && y <= high {
			log += at
		}
		low = high
	}
	return log
}

// pieces is a study's density of such times, censored at 3.
func pieces(breaks ...float64) func(float64, []float64, float64) float64 {
	return func(y float64, eta []float64, _ float64) float64 { return hazards(y, eta, y < 3, breaks...) }
}

func binomialOf5(y, eta, _ float64) float64 {
	return logGamma(6) - logGamma(y+1) - logGamma(6-y) + y*eta - 5*math.Log(1+math.Exp(eta))
}

func betaBinomialOf5(y, eta, phi float64) float64 {
	a, b := phi/(1+math.Exp(-eta)), phi/(1+math.Exp(eta))
	return logGamma(6) - logGamma(y+1) - logGamma(6-y) + logGamma(y+a) + logGamma(5-y+b) - logGamma(5+phi) + logGamma(phi) -
		logGamma(a) - logGamma(b)
}

func zerosAndOnes(y float64, eta []float64, phi float64) float64 {
	ends, ones := inverseLogit(eta[1]), inverseLogit(eta[2])
	switch y {
	case 0:
		return math.Log(ends * (1 - ones))
	case 1:
		return math.Log(ends * ones)
	}
	return math.Log(1-ends) + beta(y, eta[0], phi)
}

// censored is a density whose responses are known up to a bound: above it with a probability.
func censored(bound float64, density func(float64, []float64, float64) float64,
	above func(eta []float64) float64) func(float64, []float64, float64) float64 {
	return func(y float64, eta []float64, disp float64) float64 {
		if y == bound {
			return math.Log(above(eta))
		}
		return density(y, eta, disp)
	}
}

// inflated adds zeros of the probability whose logit is the second predictor.
func inflated(base func(y, eta, disp float64) float64) func(float64, []float64, float64) float64 {
	return func(y float64, eta []float64, disp float64) float64 {
		share, p := 1/(1+math.Exp(-eta[1])), math.Exp(base(y, eta[0], dispersion(eta, disp)))
		if y == 0 {
			return math.Log(share + (1-share)*p)
		}
		return math.Log((1 - share) * p)
	}
}

// hurdle has zeros of that probability, and responses above 0 else.
func hurdle(base func(y, eta, disp float64) float64, counts bool) func(float64, []float64, float64) float64 {
	return func(y float64, eta []float64, disp float64) float64 {
		share := 1 / (1 + math.Exp(-eta[1]))
		disp = dispersion(eta, disp)
		switch {
		case y == 0:
			return math.Log(share)
		case counts:
			return math.Log(1-share) + base(y, eta[0], disp) - math.Log(-math.Expm1(base(0, eta[0], disp)))
		}
		return math.Log(1-share) + base(y, eta[0], disp)
	}
}

// custom returns a family of a mean mu and of s, a scalar above 0 or a predictor with the link log.
func custom(scalar, density, draw string) family.Family {
	c := family.Custom{Predictors: []family.CustomPredictor{{Name: "mu", Link: "log"}, {Name: "s", Link: "log"}},
		LogDensity: density, Draw: draw}
	if scalar != "" {
		c.Predictors, c.Scalars = c.Predictors[:1], []family.CustomScalar{{Name: scalar, Upper: math.Inf(1)}}
	}
	f, _, err := c.Family()
	if err != nil {
		panic(err)
	}
	return f
}

// ordered returns a family of ordered classes, and discriminating one whose disc has a predictor.
func ordered(name, link string) family.Family {
	f, _ := family.Parse(name, link)
	return f
}

func discriminating(name, link string) family.Family {
	f, _ := ordered(name, link).WithPredictor("disc")
	return f
}

// The inverse links.

func inverseLogit(x float64) float64   { return 1 / (1 + math.Exp(-x)) }
func inverseProbit(x float64) float64  { return math.Erfc(-x/math.Sqrt2) / 2 }
func inverseCloglog(x float64) float64 { return -math.Expm1(-math.Exp(x)) }
func inverseCauchit(x float64) float64 { return 0.5 + math.Atan(x)/math.Pi }

// steps returns disc·(tau − eta) of thresholds.
func steps(eta []float64, cuts int) (x []float64) {
	disc := 1.0
	if len(eta) > cuts+1 {
		disc = math.Exp(eta[1])
	}
	for _, tau := range eta[len(eta)-cuts:] {
		x = append(x, disc*(tau-eta[0]))
	}
	return x
}

// The densities of ordered classes; thresholds are all predictors but the first ones.

type classDensity = func(y float64, eta []float64, cuts float64) float64

func cumulative(inverse func(float64) float64) classDensity {
	return func(y float64, eta []float64, cuts float64) float64 {
		x, upper, lower := steps(eta, int(cuts)), 1.0, 0.0
		if int(y) < len(x) {
			upper = inverse(x[int(y)])
		}
		if y > 0 {
			lower = inverse(x[int(y)-1])
		}
		return math.Log(upper - lower)
	}
}

func stopping(inverse func(float64) float64) classDensity {
	return func(y float64, eta []float64, cuts float64) (sum float64) {
		for k, x := range steps(eta, int(cuts)) {
			switch {
			case k < int(y):
				sum += math.Log(1 - inverse(x))
			case k == int(y):
				sum += math.Log(inverse(x))
			}
		}
		return sum
	}
}

func continuing(inverse func(float64) float64) classDensity {
	return func(y float64, eta []float64, cuts float64) (sum float64) {
		for k, x := range steps(eta, int(cuts)) {
			switch {
			case k < int(y):
				sum += math.Log(inverse(-x))
			case k == int(y):
				sum += math.Log(1 - inverse(-x))
			}
		}
		return sum
	}
}

func adjacent(y float64, eta []float64, cuts float64) float64 {
	height, own, total := 0.0, 0.0, 1.0
	for k, x := range steps(eta, int(cuts)) {
		height -= x
		total += math.Exp(height)
		if k < int(y) {
			own = height
		}
	}
	return own - math.Log(total)
}

// logLik is the log likelihood, by package math.
func (s study) logLik(p *model.Problem, eta [][]float64, disp float64) (logLik float64) {
	for i, row := range eta {
		value := 0.0
		switch {
		case s.density != nil:
			value = s.density(p.Y[i], row, disp)
		case s.counted():
			value = logGamma(s.trials + 1)
			for k, of := range p.Counts {
				value += of[i]*choice(float64(k), row) - logGamma(of[i]+1)
			}
		default:
			value = choice(p.Y[i], row)
		}
		if p.Frequency != nil {
			value *= p.Frequency[i]
		}
		logLik += value
	}
	return logLik
}

// choice is the categorical log density.
func choice(y float64, eta []float64) float64 {
	sum := 1.0
	for _, e := range eta {
		sum += math.Exp(e)
	}
	value := -math.Log(sum)
	if y > 0 {
		value += eta[int(y)-1]
	}
	return value
}
