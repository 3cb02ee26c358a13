package record

import (
	"iter"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// Key names one fit of a pipeline: a data set, a group or file of it (Group is
// empty without each: or by:), a model and a sampler.
type Key struct {
	Dataset string `json:"dataset"`
	Group   string `json:"key,omitempty"`
	Model   string `json:"model"`
	Sampler string `json:"sampler"`
}

// String is dataset/group/model/sampler without empty parts.
func (k Key) String() string {
	s := k.Dataset
	for _, part := range []string{k.Group, k.Model, k.Sampler} {
		if part != "" {
			s += "/" + part
		}
	}
	return s
}

// Status reports whether a fit was computed to its end.
type Status string

// A complete fit has draws or summaries and a verdict; an erred one has Error.
const (
	Complete Status = "complete"
	Erred    Status = "error"
)

// Fit is one finished fit, or one that ended in an error, with all that is
// stored about it. Slices and iterators that a fit does not have stay nil.
type Fit struct {
	Key
	// Replicate is 1, also where it is 0, for the fit itself; 2, 3, … for repetitions with other seeds.
	Replicate                     int
	Fingerprint                   string // identity; a complete fit with the same one is replaced
	RunID, Pipeline               string
	Method, Family, Link, Formula string
	Rows                          int64 // of the design matrix
	Columns                       int   // of the design matrix
	Chains, Warmup, Draws         int   // Warmup and Draws are per chain
	Iterations                    int   // per chain, warm-up and discarded ones counted
	DataHash                      string
	ModelHash                     string            // equal for all samplers of one posterior
	AlgorithmVersions             map[string]string // algorithm → version
	Starts                        []string          // per chain, how its start was drawn

	Status   Status
	Verdict  judge.Verdict
	Gates    judge.Gates
	Warnings []string
	Error    string // Erred only
	Times    Times
	Created  time.Time
	Place    int // of the run that drew it, see Ledger.NextPlace; 0: the next one

	Parameters  []Parameter
	DrawsOf     iter.Seq2[*infer.Columns, error]    // all parameters in order; nil: draws are not kept
	StatsOf     iter.Seq2[*infer.Iterations, error] // per-iteration statistics; nil: none
	Summaries   []diag.Summary                      // one a parameter, in order
	Statistics  []judge.Statistic                   // log_lik and other scalars of a draw
	Diagnostics []Diagnostic
	Metrics     []Metric // of nuts and hmc, by chain and iterations
	Design      []byte   // JSON record from which new data are coded alike
	Identity    []byte   // JSON object whose hash the fingerprint is
	Events      []Event
	Data        *DataSummary // nil: unknown
	Start       *Start       // where chains began; nil: no earlier posterior was asked for
	Assessment               // what else was computed from the draws
	// Certificates are what is proved of the sampler; those of Discrete stand there.
	Certificates []Certificate
	Discrete     *Discrete // of models of kind mrf; nil for others
	Action       Action    // what the run did; empty means Computed, or Failed for Erred
}

// Times are seconds: the first three summed over chains as one core would
// need, Wall as a clock on the wall showed. NaN means unknown.
type Times struct {
	Setup, Warmup, Sampling, Wall float64
	// ToESS100 is Setup plus the part of Warmup and Sampling until the median
	// or minimum bulk ESS over parameters, or that of log_lik, was 100.
	ToESS100Median, ToESS100Min, ToESS100LogLik float64
}

// Parameter describes one column of the draws.
type Parameter struct {
	Name          string
	Kind          infer.ParameterKind
	Prior         string
	Center, Scale float64   // of its design column under standardize; 0 and 1 without
	Starts        []float64 // per chain, on the scale of the design as sampled
	// Derivation says how a parameter of kind Derived is computed; nil for others.
	// Derived parameters come last.
	Derivation *Derivation
}

// Derived is the kind of a parameter that is computed from others.
const Derived infer.ParameterKind = "derived"

// Derivation is how a derived parameter is computed, and how often it has no
// finite value.
type Derivation struct {
	Expression    string
	NaN, Infinite int    // draws
	At            string // the first part of Expression without a finite value; empty if there is none
}

// Expression is a derived quantity as it was asked for.
type Expression struct {
	Name string `json:"name"`
	Text string `json:"expression"`
}

// ParameterSummary is a stored summary with the name of its parameter.
type ParameterSummary struct {
	Name    string
	Kind    infer.ParameterKind
	Summary diag.Summary
}

// Diagnostic is one number about a fit or one of its chains.
type Diagnostic struct {
	Name  string
	Chain int // 0-based; −1: the whole fit
	Value float64
	Note  string // the reason when Value is NaN, or words in its stead
}

// Metric is what a chain's metric was worth after a window of its warm-up.
type Metric struct {
	Chain      int     // 0-based
	Iterations int     // of warm-up before it was taken
	Condition  float64 // effective condition number
	Note       string  // the reason when Condition is NaN
}

// Event is something worth telling that happened in a run.
type Event struct {
	At             time.Time
	Level, Message string
}

// Action is what a run did about a fit.
type Action string

// The actions of a run.
const (
	Computed    Action = "computed"
	Skipped     Action = "skipped"
	Failed      Action = "error"
	Uncommitted Action = "uncommitted"
)
