// Package model samples posteriors of several linear predictors, as the log odds of each class of a categorical
// response: every predictor has coefficients, smooths and group-level effects of its own.
//
// A family.Several has, as a function of one predictor given the others, the form of a family of one predictor. So an
// iteration moves the predictors in turn, each by a sampler of package groups or cggibbs, at the rest that the others
// leave. If the family has such a direction, it then moves all of them at once. Thresholds between ordered classes move
// together. On many rows all parameters are proposed at once. Hamiltonian samplers take the posterior with its gradient
// from Target. All moves are exact.
//
// Monotonic effects move apart from the predictor that they belong to, whose coefficients lean with them. A family of
// one predictor with such effects is a Several of one.
//
// Several responses of a row are a Several too: joined. A row that misses a response counts 0 times in it. Residuals of
// gaussian responses may be correlated. With effects of one grouping all their coefficients and effects are drawn at
// once, by cross products that are made once.
//
// Read model.go, check.go, predictor.go, alone.go, joined.go, residuals.go, closed.go, order.go, equalrows.go, then
// kernel.go with common.go, joint.go and state.go; cuts.go, shear.go and cutmove.go have the thresholds,
// monotone.go and monotonemove.go monotonic effects, linked.go effects that several predictors have; target.go
// is for Hamiltonian samplers, posterior.go for draws from the prior.
package model
