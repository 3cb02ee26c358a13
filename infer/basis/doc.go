// Package basis makes coordinates in which a posterior is easy to sample: a fixed
// invertible map v = origin + T·u, the likelihood on the design W·T, and the
// choice of T that makes the posterior of u nearly N(0, I).
//
// It depends on posteriors and on no sampler: cggibbs updates one u at a time, and any other kernel may use the
// same coordinates. Parts that only cggibbs needs (the prior along a line, coefficients that the likelihood does
// not depend on, slow directions) are in cggibbs.
//
// Read frame.go (the map and the priors of v), then rotate.go (T from the curvature
// at the penalised point, by Newton's iteration).
package basis
