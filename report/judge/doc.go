// Package judge checks the evidence about a fit against gates and gives a verdict: a grade and its reasons as text.
//
// It knows no ledger, no SQL and no sampler: evidence arrives as summaries of
// draws, and whoever draws can judge without a database. Package report stores
// gates and verdicts, and reads evidence back.
//
// Read gates.go, then verdict.go with families.go, then advice.go.
package judge
