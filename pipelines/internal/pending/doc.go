// Package pending keeps fits that are drawn and judged in the spool while the ledger cannot be written, and commits
// them later, without their data or spec.
//
// Read pending.go, then load.go; marks.go has the runs that did not come to write to it.
package pending
