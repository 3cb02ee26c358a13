package report

import "glmbatch/report/record"

// What the ledger keeps of a fit, as package record has it.
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
	Pointwise        = record.Pointwise
	Estimate         = record.Estimate
	Check            = record.Check
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
