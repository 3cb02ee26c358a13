// Package record holds what a ledger keeps of a fit, as plain values: whoever draws and judges a fit fills a Fit in,
// and package report stores it. The tags db, doc, since, from and null of a field describe its column.
//
// In a record everything but a Description counts from 0; the ledger counts from 1. A number that cannot be
// computed is NaN, and a further field has the reason.
//
// Read fit.go (what a fit is, what it starts from, what else is computed of it), description.go (how rows follow from
// its draws), pooled.go (of several imputations) and incomplete.go (of missing cells), then stored.go (a fit as it is
// read back).
package record
