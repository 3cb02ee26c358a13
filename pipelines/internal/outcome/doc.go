// Package outcome holds what a run says: of each fit a Result, of all of them an Outcome with its exit code, which is
// also the JSON document of the verbs run and commit.
//
// Its types are values that a run fills. It knows the ledger only to put its copy and its page where the spec says.
//
// Read outcome.go.
package outcome
