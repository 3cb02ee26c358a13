// Package basis makes coordinates in which a posterior is easy to sample: a fixed
// invertible map v = origin + T·u, the likelihood on the design W·T, and the
// choice of T that makes the posterior of u nearly N(0, I).
//
// It knows posteriors and no sampler: cggibbs updates one u at a time, and what
// stands here may serve any other kernel that wants such coordinates. What only
// cggibbs does with them (the prior along a line, coefficients that the likelihood
// does not see, directions that are slow) stays there.
//
// Read frame.go (the map and the priors of v), then rotate.go (T from the curvature
// at the penalised point, by Newton's iteration).
package basis
