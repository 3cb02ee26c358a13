// Package prior holds the distributions that may be the prior of a coefficient or of a
// dispersion: their densities, draws and spelling, the horseshoe priors that speak
// of a group of coefficients, the spike and slab that may leave one out, and the
// rules of the priors that a model has where none are given.
//
// It knows no family, no data and no likelihood: glm.Model says which prior is
// whose, glm.Defaults measures the data that the rules speak of, and priordraws
// samples the prior of a whole model.
//
// Read law.go (the density of each kind), kinds.go (the table, draws, what may be
// the prior of what) and parse.go (the spelling); joint.go for the coefficients of
// a model together, group.go for horseshoes and their scales, length.go for Gaussian
// processes, defaults.go for weakly informative priors.
package prior
