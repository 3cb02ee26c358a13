// Package glm defines Bayesian generalised linear models as the samplers see
// them: data, family, link, priors, the vector operations of a likelihood, and
// the cached linear predictor.
//
// It sees float64 slices only; transform makes them from tables.
//
// Read data.go, family.go and model.go for the vocabulary; target.go,
// likelihood.go, predictor.go, nearby.go and batch.go for the posterior, condense.go and group.go
// for the same on fewer rows; pointwise.go for single rows, their means and random responses; improper.go and
// separation.go for what is refused; pilot.go, solver.go and start.go for
// starting points.
package glm
