// Package outcome has the result of a run: of each fit a Result, of all fits an Outcome with its exit code, which is
// also the JSON document of the verbs run and commit.
//
// Its types are values that a run fills. It uses the ledger only for its copy and its page.
//
// Read outcome.go.
package outcome
