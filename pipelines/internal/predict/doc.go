// Package predict makes predictions from the kept draws of one fit of a ledger, for its own data or for new ones.
// Package predictive computes them; this package finds the fit, codes the data and writes rows.
//
// Read predict.go, then groups.go.
package predict
