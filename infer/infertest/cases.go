package infertest

import (
	"errors"
	"fmt"
	"math"

	"glmbatch/infer"
	"glmbatch/infer/design"
	"glmbatch/infer/glm"
	"glmbatch/infer/prior"
	"glmbatch/internal/variate"
)

// Sampler makes the setup of one posterior, as cggibbs.New does.
type Sampler func(target *glm.Target) (infer.Setup, error)

// Case is a small model with proper priors: everything but the response,
// which a check simulates.
type Case struct {
	Name  string
	Data  glm.Data // Y is ignored except for bounds of censored rows; frequencies have no law to simulate
	Model glm.Model
}

// Cases returns a model of every family, with correlated columns, unequal prior
// scales and locations, and an offset.
func Cases() []Case {
	return []Case{
		Gaussian(9, prior.Prior{Kind: prior.HalfCauchy, Scale: 0.7}),
		Gaussian(6, prior.Prior{Kind: prior.HalfNormal, Scale: 1.5}),
		Bernoulli(12),
		Binomial(8),
		Poisson(8),
	}
}

// coefficients are the priors of the cases: three columns.
func coefficients(scale float64) []prior.Prior {
	return []prior.Prior{
		{Kind: prior.Normal, Location: 0.3 * scale, Scale: scale},
		{Kind: prior.Normal, Location: 0, Scale: 0.6 * scale},
		{Kind: prior.Normal, Location: -0.2 * scale, Scale: 1.5 * scale},
	}
}

// newDesign returns an intercept and two correlated columns of n rows, an offset
// and trials; every number is a fixed function of its place.
func newDesign(n int) glm.Data {
	x := design.NewDense(n, 3)
	offset := make([]float64, n)
	for i := range n {
		a := math.Mod(float64(i)*0.618033988749895, 1)*2 - 1
		b := math.Mod(float64(i)*0.754877666246693, 1)*2 - 1
		x.Col(0)[i], x.Col(1)[i], x.Col(2)[i] = 1, a, float64(0.8*a)+float64(0.6*b)
		offset[i] = 0.4 * math.Mod(float64(i)*0.569840290998053, 1)
	}
	return glm.Data{X: x, Names: []string{"(Intercept)", "a", "b"}, Intercept: 0, Offset: offset}
}

// Gaussian returns a gaussian(identity) case of n rows.
func Gaussian(n int, sigma prior.Prior) Case {
	return Case{
		Name: fmt.Sprintf("gaussian/sigma=%s/n=%d", sigma.Kind, n), Data: newDesign(n),
		Model: glm.Model{Family: glm.Family{Name: "gaussian", Link: "identity"},
			Coefficients: coefficients(1), Dispersion: sigma},
	}
}

// Bernoulli returns a bernoulli(logit) case of n rows.
func Bernoulli(n int) Case {
	return Case{Name: fmt.Sprintf("bernoulli/n=%d", n), Data: newDesign(n),
		Model: glm.Model{Family: glm.Family{Name: "bernoulli", Link: "logit"}, Coefficients: coefficients(1.5)}}
}

// Binomial returns a binomial(logit) case of n rows with 0 to 5 trials each.
func Binomial(n int) Case {
	data := newDesign(n)
	data.Trials = make([]float64, n)
	for i := range data.Trials {
		data.Trials[i] = float64(i % 6)
	}
	return Case{Name: fmt.Sprintf("binomial/n=%d", n), Data: data,
		Model: glm.Model{Family: glm.Family{Name: "binomial", Link: "logit"}, Coefficients: coefficients(1.5)}}
}

// Poisson returns a poisson(log) case of n rows.
func Poisson(n int) Case {
	return Case{Name: fmt.Sprintf("poisson/n=%d", n), Data: newDesign(n),
		Model: glm.Model{Family: glm.Family{Name: "poisson", Link: "log"}, Coefficients: coefficients(0.7)}}
}

// Simulate draws theta from the prior and a response given theta, and returns
// both with the posterior of theta. Where the link needs eta > 0 the prior is cut
// off there, as it is in the posterior; pairs whose responses are not plain are
// drawn again, as are those that the design fits perfectly.
func (c Case) Simulate(rng *infer.Stream) (theta []float64, target *glm.Target, err error) {
	for target == nil && err == nil {
		theta = c.drawTheta(rng)
		if c.Model.Family.PositiveEta() && !(lowest(predictor(&c.Data, theta)) > 0) {
			continue
		}
		target, err = c.respond(theta, rng)
	}
	return theta, target, err
}

// respond draws a response given theta and returns the posterior of theta; nil
// if the response is one that Simulate leaves out.
func (c Case) respond(theta []float64, rng *infer.Stream) (*glm.Target, error) {
	data := c.Data
	data.Y = nil
	outcomes, err := glm.NewPointwise(c.Model.Family, &data)
	if err != nil {
		return nil, err
	}
	disp := c.Model.DispersionsAt(theta[data.Cols():])
	y := make([]float64, data.Rows())
	for i, e := range predictor(&data, theta) {
		y[i] = outcomes.Draw(rng, i, e, disp[:])
	}
	if !plain(c.Model.Family, y) {
		return nil, nil
	}
	target, err := glm.NewTarget(c.Data.Responding(y), c.Model)
	var perfect *glm.ImproperError
	if errors.As(err, &perfect) { // the priors are proper: a perfect fit
		return nil, nil
	}
	return target, err
}

// drawTheta draws coefficients, free dispersions and scales from their priors.
func (c Case) drawTheta(rng *infer.Stream) (theta []float64) {
	for _, p := range c.Model.Coefficients {
		x := 0.0 // of a horseshoe or smooth: drawn below
		if !p.Kind.Shrinks() {
			x = drawPrior(p, rng)
		}
		theta = append(theta, x)
	}
	for k, d := range c.Model.Family.Dispersions() {
		p := c.Model.DispersionPrior(k)
		if p.Kind == prior.Constant {
			continue
		}
		x := drawPrior(p, rng)
		for !d.Holds(x) {
			x = drawPrior(p, rng)
		}
		theta = append(theta, x)
	}
	return append(theta, c.drawScales(theta, theta[c.Data.Cols():], rng)...)
}

// lowest returns the smallest of some numbers.
func lowest(x []float64) float64 {
	low := math.Inf(1)
	for _, v := range x {
		low = math.Min(low, v)
	}
	return low
}

// predictor returns offset + X·beta by the textbook's double loop.
func predictor(data *glm.Data, theta []float64) []float64 {
	eta := make([]float64, data.Rows())
	for i := range eta {
		if data.Offset != nil {
			eta[i] = data.Offset[i]
		}
		for j := range data.Cols() {
			eta[i] += data.X.Col(j)[i] * theta[j]
		}
	}
	return eta
}

// FamilyCases returns a case of every family and link beyond those of Cases,
// and of every kind of proper prior, each on some of them.
func FamilyCases() []Case {
	var out []Case
	add := func(family, link string, n int, scale float64, disp, nu prior.Prior) *Case {
		c := Case{Name: family + "(" + link + ")", Data: newDesign(n), Model: glm.Model{
			Family: glm.Family{Name: family, Link: link}, Coefficients: coefficients(scale), Dispersion: disp, Nu: nu}}
		if c.Model.Family.PositiveEta() { // mostly inside the domain, and often at its boundary
			c.Model.Coefficients[0].Location = 1.5
			for j := range c.Model.Coefficients {
				c.Model.Coefficients[j].Scale *= 0.5
			}
		}
		out = append(out, c)
		return &out[len(out)-1]
	}
	none := prior.Prior{}
	shape := prior.Prior{Kind: prior.Gamma, Shape: 3, Rate: 1}
	for _, link := range []string{"probit", "cloglog", "cauchit"} {
		add("bernoulli", link, 12, 1, none, none)
	}
	binomial := add("binomial", "probit", 8, 1, none, none)
	binomial.Data.Trials = []float64{0, 1, 2, 3, 4, 5, 0, 1}
	binomial.Model.Coefficients[1] = prior.Prior{Kind: prior.Laplace, Location: 0.2, Scale: 0.7}
	add("poisson", "sqrt", 8, 1, none, none).Model.Coefficients[2] = prior.Prior{Kind: prior.StudentT, DF: 5, Scale: 0.5}
	add("poisson", "identity", 8, 1, none, none)
	add("gaussian", "log", 9, 0.5, prior.Prior{Kind: prior.InverseGamma, Shape: 3, Scale: 2}, none)
	add("gaussian", "inverse", 9, 1, prior.Prior{Kind: prior.Exponential, Rate: 1.5}, none)
	add("gaussian", "identity", 9, 1, prior.Prior{Kind: prior.Uniform, Low: 0.3, High: 2}, none).Model.Coefficients[1] =
		prior.Prior{Kind: prior.Cauchy, Location: 0.3, Scale: 0.5}
	add("student_t", "identity", 10, 1, prior.Prior{Kind: prior.HalfStudentT, DF: 4, Scale: 1},
		prior.Prior{Kind: prior.Gamma, Shape: 2, Rate: 0.3})
	add("student_t", "identity", 8, 1, prior.Prior{Kind: prior.HalfNormal, Scale: 1},
		prior.Prior{Kind: prior.Constant, Location: 4}).Name = "student_t(nu=4)"
	add("negative_binomial", "log", 10, 0.6, shape, none)
	add("gamma", "log", 9, 0.8, shape, none)
	add("gamma", "inverse", 9, 1, shape, none)
	add("inverse_gaussian", "log", 9, 0.6, shape, none)
	add("inverse_gaussian", "1/mu^2", 9, 1, shape, none)
	add("beta", "logit", 9, 0.7, prior.Prior{Kind: prior.Gamma, Shape: 6, Rate: 0.6}, none)
	return out
}

// SelectionCases returns cases whose coefficients may be left out, by a prior spike_slab: gaussian(identity), where the
// update is a Gibbs draw, and others, of log-concave likelihoods and not.
func SelectionCases() []Case {
	half := prior.Prior{Kind: prior.HalfNormal, Scale: 1}
	shape := prior.Prior{Kind: prior.Gamma, Shape: 3, Rate: 1}
	var out []Case
	for _, m := range []glm.Model{
		{Family: glm.Family{Name: "gaussian", Link: "identity"}, Dispersion: half},
		{Family: glm.Family{Name: "bernoulli", Link: "logit"}},
		{Family: glm.Family{Name: "bernoulli", Link: "cauchit"}},
		{Family: glm.Family{Name: "poisson", Link: "log"}},
		{Family: glm.Family{Name: "poisson", Link: "identity"}},
		{Family: glm.Family{Name: "student_t", Link: "identity"}, Dispersion: half,
			Nu: prior.Prior{Kind: prior.Constant, Location: 4}},
		{Family: glm.Family{Name: "gamma", Link: "log"}, Dispersion: shape},
	} {
		m.Coefficients = coefficients(0.8)
		m.Coefficients[1] = prior.Prior{Kind: prior.SpikeSlab, Inclusion: 0.3, Scale: 0.9}
		m.Coefficients[2] = prior.Prior{Kind: prior.SpikeSlab, Inclusion: 0.6, Scale: 0.5}
		if m.Family.PositiveEta() {
			m.Coefficients[0].Location = 1.5
		}
		out = append(out, Case{Name: m.Family.String() + "/spike_slab", Data: newDesign(9), Model: m})
	}
	return out
}

// WeightedCases returns cases whose rows have precisions.
func WeightedCases() []Case {
	shape := prior.Prior{Kind: prior.Gamma, Shape: 3, Rate: 1}
	var out []Case
	for _, m := range []glm.Model{
		{Family: glm.Family{Name: "gaussian", Link: "identity"}, Dispersion: prior.Prior{Kind: prior.HalfCauchy, Scale: 0.7}},
		{Family: glm.Family{Name: "gaussian", Link: "log"}, Dispersion: prior.Prior{Kind: prior.HalfNormal, Scale: 1}},
		{Family: glm.Family{Name: "student_t", Link: "identity"}, Dispersion: shape,
			Nu: prior.Prior{Kind: prior.Constant, Location: 4}},
		{Family: glm.Family{Name: "gamma", Link: "log"}, Dispersion: shape},
		{Family: glm.Family{Name: "inverse_gaussian", Link: "log"}, Dispersion: shape},
	} {
		m.Coefficients = coefficients(0.6)
		c := Case{Name: m.Family.String() + "/precision", Data: newDesign(9), Model: m}
		c.Data.Precision = []float64{0.2, 1, 5, 25, 0.04, 1, 2, 0.5, 9}
		out = append(out, c)
	}
	return out
}

// drawPrior draws from a proper prior by its definition.
func drawPrior(p prior.Prior, rng *infer.Stream) float64 {
	switch p.Kind {
	case prior.Normal:
		return p.Location + p.Scale*variate.Normal(rng)
	case prior.SpikeSlab:
		if rng.Float64() >= p.Inclusion {
			return 0
		}
		return p.Scale * variate.Normal(rng)
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
	case prior.Beta:
		x := variate.Gamma(rng, p.Shape)
		return x / (x + variate.Gamma(rng, p.Rate))
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
