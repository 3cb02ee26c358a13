package infertest

import (
	"glmbatch/infer/glm"

	"glmbatch/infer/prior"
)

// FamilyCases returns a case of every family and link beyond those of Cases,
// and of every kind of proper prior, each on some of them.
func FamilyCases() []Case {
	var out []Case
	add := func(family, link string, n int, scale float64, disp, nu prior.Prior) *Case {
		c := Case{Name: family + "(" + link + ")", Data: newDesign(n), Model: glm.Model{
			Family: glm.Family{Name: family, Link: link}, Coefficients: coefficients(scale), Dispersion: disp, Nu: nu}}
		if c.Model.Family.Walled() { // mostly inside the domain, and often at the wall
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
