// Package groups samples generalised linear models with group-level effects, y ~ x + (1 + x | g): the effects of
// every level, and their standard deviations and correlations, in addition to the coefficients and dispersions.
//
// The linear predictor with the part of the effects is cached, so that a sweep over all levels of a grouping reads each
// row a fixed number of times, whatever the number of levels. Coefficients and dispersions are sampled by package
// cggibbs on that predictor. All moves are exact.
//
// It sees float64 slices; transform makes them, report stores the draws. Model:
//
//	eta = offset + X·beta + Σ Z·r,  r of a level ~ N(0, D·C·D),  D = diag(sd),  C ~ LKJ
//
// Read groups.go, check.go, propriety.go and order.go for what is sampled; scales.go for sds and correlations, with
// residuals.go for those of rows, and block.go for the passes over the rows of levels, with small.go for matrices of a
// level; then kernel.go for a sweep, and its moves:
//
//   - gaussian.go: the coefficients of a closed gaussian;
//   - levels.go: the effects of every level;
//   - moves.go, carried.go, carriedterms.go: sds and correlations;
//   - shift.go, shiftable.go: coefficients against effects, and which have such a shift;
//   - linked.go, linkedlevels.go: effects that several linear predictors have under one distribution;
//   - closed.go, closedchain.go, closedposition.go: gaussian responses by cross products, without the other moves;
//   - nested.go: effects of nested groupings against each other; nest.go: their sds, and effects given their sums;
//
// last start.go, previous.go and state.go, model.go, the model at a position and its prior, and sampler.go, chains of
// one linear predictor for the packages that move other parts of a model.
//
// Samplers that move all parameters at once, as package nuts, take the posterior with its gradients from target.go,
// gradient.go, centring.go and linkedtarget.go. rates.go predicts how fast Gibbs samplers are.
package groups
