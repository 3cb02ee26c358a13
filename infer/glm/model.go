package glm

// Family is a response distribution with its link.
type Family struct {
	Name string // gaussian, bernoulli, binomial, poisson
	Link string // identity, logit, log
}

// Model is a likelihood with its priors, on the scale of the design as sampled.
type Model struct {
	Family Family
	// Coefficients has one prior per column of Data.X, the intercept included.
	Coefficients []Prior
	// Dispersion is the prior of sigma; unused by families without one.
	Dispersion Prior
}
