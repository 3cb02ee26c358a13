package report

import (
	"time"

	"glmbatch/report/judge"
	"glmbatch/report/record"
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
	Replicate   int    // 0 and 1: the fit itself
	Action      Action
	Verdict     judge.Verdict
	At          time.Time
}

// Verdict is that of package judge.
type Verdict = judge.Verdict

// The records of a fit in the ledger, as in package record.
type (
	Key              = record.Key
	Fit              = record.Fit
	Times            = record.Times
	Parameter        = record.Parameter
	Derivation       = record.Derivation
	Expression       = record.Expression
	ParameterSummary = record.ParameterSummary
	Diagnostic       = record.Diagnostic
	Metric           = record.Metric
	Event            = record.Event
	Action           = record.Action
	Start            = record.Start
	Stored           = record.Stored
	Number           = record.Number
	Recalled         = record.Recalled
	Assessment       = record.Assessment
	LOO              = record.LOO
	KFold            = record.KFold
	Pointwise        = record.Pointwise
	Estimate         = record.Estimate
	Check            = record.Check
	Bin              = record.Bin
	GroupCheck       = record.GroupCheck
	OverBin          = record.OverBin
	PITPoint         = record.PITPoint
	Discrete         = record.Discrete
	Certificate      = record.Certificate
	DataSummary      = record.DataSummary
	ColumnSummary    = record.ColumnSummary
)

// The words of record that queries use.
const (
	Complete    = record.Complete
	Erred       = record.Erred
	Derived     = record.Derived
	Computed    = record.Computed
	Skipped     = record.Skipped
	Failed      = record.Failed
	Uncommitted = record.Uncommitted
)
