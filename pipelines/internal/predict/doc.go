// Package predict makes predictions from the kept draws of one fit of a ledger, for its own data or for new ones, and
// effects: means of the response at values of variables, and how they differ.
// Package predictive computes them; this package finds the fit, codes the data and writes rows.
//
// Read predict.go and data.go, then groups.go and rows.go (observations, for export); then axes.go (the values that an
// effect goes through), effects.go, and store.go, which a run has the effects stored by that its models ask for;
// classes.go: of which latent class rows are.
package predict
