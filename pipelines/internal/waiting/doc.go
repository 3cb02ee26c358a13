// Package waiting keeps fits that are drawn and judged in the spool while the ledger cannot be written, and commits
// them later, without their data or spec.
//
// Read waiting.go, then load.go.
package waiting
