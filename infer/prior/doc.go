// Package prior holds the distributions that may be the prior of a coefficient or of a dispersion: their densities,
// draws and spelling, the horseshoe priors of a group of coefficients, the spike and slab that may leave a
// coefficient out, and the rules of default priors.
//
// It imports no family, data or likelihood: glm.Model assigns priors to parameters, glm.Defaults computes the
// measures of the data that the rules use, and priordraws samples the prior of a whole model.
//
// Read law.go (the density of each kind), kinds.go (the table, draws, what may be
// the prior of what) and parse.go (the spelling); joint.go for the coefficients of
// a model together, group.go for horseshoes and their scales, length.go for Gaussian
// processes, share.go for areas, defaults.go for weakly informative priors.
package prior
