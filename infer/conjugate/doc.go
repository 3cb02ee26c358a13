// Package conjugate draws independently and exactly from the posterior of the
// gaussian(identity) model with normal or flat priors on the coefficients. It
// is the sampler of choice there, and the oracle of every other one.
//
// With y = offset + X·beta + sigma·noise the coefficients are normal given
// sigma, and sigma has a one-dimensional marginal that costs O(r) per
// evaluation after one decomposition of rank r ≤ min(n, d). So a draw is
// log sigma by inversion of its distribution function, then beta | sigma: n
// drops out after the set-up, and successive draws are independent.
//
// Limits: family gaussian with identity link only; dispersion prior flat,
// half_normal or half_cauchy. A posterior that is improper is refused with the
// reason.
//
// Read reduce.go (from data to sufficient statistics), then marginal.go (the
// density of log sigma), quadrature.go (its distribution function and inverse),
// and kernel.go (the draws, and what is refused);
// selection.go has the models in which coefficients are left out, each of them by the same way.
package conjugate
