// Package diag tells how far draws of Markov chains can be trusted:
// rank-normalised split R-hat, effective sample sizes (ESS) and Monte Carlo
// standard errors (MCSE), column by column.
//
// Read summary.go.
package diag
