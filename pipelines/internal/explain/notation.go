package explain

// notation is how a family is written.
type notation struct {
	law, latex string // of the response, given its mean
	mean, tex  string // the mean's letter
	of         string // what the mean is, in words
	note       string // what the letters stand for
	response   string
}

// notations are those of the families.
var notations = map[string]notation{
	"gaussian": {law: "Normal(μ_i, sigma²)", latex: `\mathrm{Normal}(\mu_i, \sigma^2)`, mean: "μ_i",
		tex: `\mu_i`, of: "the mean response"},
	"student_t": {law: "Student_t(nu, μ_i, sigma)", latex: `\mathrm{Student\ t}(\nu, \mu_i, \sigma)`,
		mean: "μ_i", tex: `\mu_i`, of: "the mean response"},
	"bernoulli": {law: "Bernoulli(p_i)", latex: `\mathrm{Bernoulli}(p_i)`, mean: "p_i", tex: "p_i",
		of: "the probability"},
	"binomial": {law: "Binomial(n_i, p_i)", latex: `\mathrm{Binomial}(n_i, p_i)`, mean: "p_i", tex: "p_i",
		of: "the probability"},
	"poisson": {law: "Poisson(μ_i)", latex: `\mathrm{Poisson}(\mu_i)`, mean: "μ_i", tex: `\mu_i`,
		of: "the mean response"},
	"negative_binomial": {law: "NegativeBinomial(μ_i, shape)", latex: `\mathrm{NegativeBinomial}(\mu_i, \phi)`,
		mean: "μ_i", tex: `\mu_i`, of: "the mean response", note: "variance μ + μ²/shape"},
	"gamma": {law: "Gamma(μ_i, shape)", latex: `\mathrm{Gamma}(\mu_i, k)`, mean: "μ_i", tex: `\mu_i`,
		of: "the mean response", note: "variance μ²/shape"},
	"inverse_gaussian": {law: "InverseGaussian(μ_i, shape)", latex: `\mathrm{InverseGaussian}(\mu_i, \lambda)`,
		mean: "μ_i", tex: `\mu_i`, of: "the mean response", note: "variance μ³/shape"},
	"beta": {law: "Beta(μ_i, phi)", latex: `\mathrm{Beta}(\mu_i, \phi)`, mean: "μ_i", tex: `\mu_i`,
		of: "the mean response", note: "variance μ(1 − μ)/(1 + phi)"},
}
