// Package glm defines Bayesian generalised linear models as the samplers see
// them: data, family, link, priors, and the vector operations of a likelihood.
//
// It sees float64 slices only; transform makes them from tables.
//
// Read data.go, then prior.go, then model.go.
package glm
