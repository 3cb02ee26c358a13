// Package glm defines Bayesian generalised linear models as the samplers see
// them: data, priors, the vector operations of a likelihood, and
// the cached linear predictor. The families themselves are values of package family.
//
// It sees float64 slices only; transform makes them from tables.
//
// Read model.go, names.go and dispersion.go for the vocabulary; then
//
//   - target.go, scales.go, smooths.go, length.go: the posterior, and the order of its parameters;
//   - likelihood.go, termwise.go, weights.go: sums over the rows of each form;
//   - point.go, effects.go, cells.go, curve.go, columns.go, piece.go, batch.go, rebased.go, rowcurves.go,
//     rest.go, part.go: a chain's point, the linear predictor that it caches, and its passes;
//   - curvature.go: derivatives;
//   - condense.go, triangle.go: the same posterior on fewer rows;
//   - improper.go, dependence.go, separation.go, meanless.go: what is refused or doubted;
//   - pilot.go, tall.go, solver.go, krylov.go, feasible.go, start.go, modes.go, previous.go: the
//     penalised point, and where chains start;
//   - defaults.go: priors that are left out; pearson.go: whether counts vary more than poisson allows;
//   - limits.go: rows that are censored or truncated;
//   - pointwise.go: single rows, their means and random responses.
package glm
