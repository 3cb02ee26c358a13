// Package impute samples generalised linear models of incomplete data: missing cells of covariates are latent variables
// in addition to the coefficients, and missing responses are drawn from their predictive distribution.
//
// Each incomplete column has a model of its own, gaussian(identity), bernoulli(logit), a multinomial logit of several
// levels, poisson, negative_binomial, gamma or beta, given columns that are complete and columns before it, so that the
// joint density is
//
//	prior · Π_k p(column k | columns before it) · p(response | columns)
//
// An iteration draws coefficients and dispersions of all models given the cells, then the cells given these. A cell
// moves the linear predictors of its own row alone. Missing cells of a row in gaussian columns are proposed at once
// from their normal distribution given the rest of the row, tilted by the slope of the models that depend on them.
// Where a fifth of a column is missing, coefficients move together with its cells too: with cells of states and of
// counts summed out, and with those of numbers following the coefficients. All moves are exact.
//
// Package groups moves the group-level effects of the regression. They are part of the cached linear predictor that
// the moves of cells use.
//
// It uses float64 slices only; package transform determines which entries of a design a cell moves. Source:
// Ibrahim, Chen, Lipsitz and Herring (2005), Missing-data methods for generalized linear models,
// doi:10.1198/016214504000001844, section 4, of the sequence of models.
//
// Read problem.go and check.go for the model, setup.go, then linear.go (gaussian models of columns), reader.go (all
// other models), patterns.go and rows.go (cells of gaussian columns at once), curved.go (one at a time), binary.go
// (cells of two states), levels.go (of more states), numbers.go (counts, positive numbers and shares), kernel.go
// and state.go; then, for moves of coefficients and cells together, summed.go (rows with cells summed out),
// summedlaw.go and summedslope.go (their densities and slopes), summedfit.go (first fits and starts), summedmove.go
// (columns of states), counts.go and follow.go (of numbers). simulate.go draws from the prior.
package impute
