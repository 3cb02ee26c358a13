// Package plan determines what a run would draw, in plain values: which fits a spec asks for, on which units of
// data, from which problem, by which method and for how long, and the fingerprint that identifies each of them in a
// ledger. It reads the data, since names, priors and hashes need them; it draws nothing, and knows neither ledger
// nor clock.
//
// A fit goes through stages, each a type that holds the one before: Fit (names), Identified (data read and coded,
// with a fingerprint). Package draw makes its chains, package assess judges them.
//
// A kind of model is a Kind, whose problems are values of one type. The table kinds lists them.
//
// Read fit.go, problem.go, kinds.go and identify.go first; then
//
//   - select.go, choice.go, share.go: which fits a call chooses, and one of several machines;
//   - reader.go, reading.go, unit.go, doubts.go, factored.go, discreteread.go, patience.go, stopwatch.go: units of
//     data; matrix.go: matrices over levels;
//   - regression.go, selection.go, design.go, method.go, groups.go, smooths.go, priors.go, scales.go, focus.go,
//     blocks.go, describe.go: regressions; imputed.go, columns.go, imputedrows.go, incomplete.go, imputedgroups.go,
//     marked.go: those with missing cells, the models of incomplete columns, the rows at a draw, the observed cells
//     of a column, group-level effects, and mi();
//   - pooled.go: regressions on several imputations; mixture.go: mixtures; classes.go, classeswords.go: those
//     of rows with several responses, latent classes;
//   - discrete.go, discretemethod.go, discretechains.go, discretefound.go: discrete systems;
//   - schedule.go: how long chains get; memory.go, work.go: what they may take;
//   - described.go: descriptions of fits, for the ledger and for readers of rows;
//   - identity.go, datahash.go, changes.go: the inputs of their draws, and which of them have changed;
//   - earlier.go, warmstart.go, datasummary.go: starts from the posterior of an earlier fit;
//   - folds.go: rows that k-fold leaves out together;
//   - averages.go, drawnrows.go: rows that derived quantities and effects average over, complete or not;
//   - manifest.go: the units that a sharded run planned, and what a shard lacks of them;
//   - forecast.go: how fast chains are expected to mix;
//   - several.go and linked.go: responses of several linear predictors; joined.go: several responses; monotone.go:
//     priors of monotonic effects;
//   - cases.go, joint.go, survey.go, defaults.go, sizes.go: what check, explain and validate ask.
package plan
