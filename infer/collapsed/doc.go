// Package collapsed samples finite mixtures of exponential families with conjugate priors, where the parameters of the
// components can be integrated out: responses without predictors, y ~ 1, one or several in a row.
//
//	y_i ~ Σ_k w_k·f(theta_k),  w ~ Dirichlet(a, …, a)
//	gaussian:            mu, sigma² ~ normal-inverse-gamma
//	poisson:             mean ~ gamma
//	gamma of known shape: mean ~ inverse gamma
//	bernoulli, binomial: probability ~ beta
//	categories, counts of categories: probabilities ~ Dirichlet
//	correlated gaussian: mu, covariances ~ normal-inverse-Wishart
//
// If a row has several responses, each has a family of its own, and all but correlated ones are independent given the
// component: latent classes, whose items may be missing.
//
// The collapsed sampler draws the label of one row after the other given the labels of all others,
//
//	P(z_i = k | z_rest, y) ∝ (a + n_k)·p(y_i | other rows with label k)
//
// from counts and sufficient statistics, O(K) a row, with neither weights nor parameters: these are drawn given the
// labels only to be reported. The plain sampler draws labels given parameters, and parameters given labels. It
// serves as a comparison: if rows are informative, labels determine the parameters and parameters the labels, and
// it hardly moves.
//
// Positions are those of package mixture.
//
// Source: Liu (1994), The collapsed Gibbs sampler in Bayesian computations with applications to a gene regulation
// problem, doi:10.1080/01621459.1994.10476829; Neal (2000), Markov chain sampling methods for Dirichlet process
// mixture models, doi:10.1080/10618600.2000.10474879, algorithm 3, for a fixed number of components.
//
// Read prior.go (priors and their spelling), family.go, gamma.go, dirichlet.go and normals.go (what each family knows
// of its rows), classes.go (several responses), collapsed.go (the set-up), kernel.go (an iteration), state.go and
// simulate.go.
package collapsed
