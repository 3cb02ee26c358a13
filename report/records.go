package report

import (
	"time"

	"glmbatch/report/judge"
)

// Run is one call of the program on one pipeline.
type Run struct {
	ID, Pipeline   string
	SpecHash, Spec string            // Spec is the whole text
	Vars           map[string]string // resolved variables
	Seed           uint64
	Started        time.Time
	Finished       time.Time // zero while running
	ExitCode       int       // counts once Finished is set
	Program        string    // version and build of the program
	Engine         string    // empty: the ledger writes the DuckDB version
	Host           map[string]string
	Place          int // see Ledger.NextPlace; 0: the next one
}

// statisticKind marks a row of summary that belongs to no parameter.
const statisticKind = "statistic"

// RunFit notes what a run did about a fit that it did not compute.
type RunFit struct {
	Key
	RunID       string
	Fingerprint string // of the stored fit, if there is one
	Action      Action
	Verdict     judge.Verdict
	At          time.Time
}
