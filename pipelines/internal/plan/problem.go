package plan

import (
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/infer/glm"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/report/record"
	"glmbatch/transform"
)

// Problem is the posterior of a fit: one model on the data of one unit, by one method. The table kinds lists the
// kinds. Code that carries a fit out asks this interface and its Capabilities, not which kind it is.
//
// A Problem is made once for a fit and read by several goroutines.
type Problem interface {
	Facts() Facts
	Method() *Method
	// Lengths fits the schedule of a run to the method.
	Lengths(Schedule, *spec.Run) Schedule
	// Need estimates the memory of the fit.
	Need(chains, workers int) Need
	// Identify adds to an identity what decides the draws besides names, lengths and seed.
	Identify(*Identity)
	// Setup makes what the chains of the fit share. from is the posterior to start from, nil for none. It computes
	// as long as a factorisation of the design takes, parts of that side by side where by has workers.
	Setup(by infer.Parallel, s Schedule, from *Previous) (*Setup, error)
	// ToData takes a point of a chain to the units of the data, in place.
	ToData(theta []float64)
	// Gating determines the quantities that gates check, as far as it is known without a set-up.
	Gating() Gating
	// Description describes rows by parameters of the fit, the first of a position.
	Description(params []infer.Parameter) (*record.Description, error)
	// Bind looks up what a derived quantity names among parameters of the fit, the first of a position.
	Bind(d *spec.Derivation, params []infer.Parameter) (*transform.Quantity, error)
	// Describe fills in what a ledger keeps of the problem besides its Facts; rec has the parameters of params.
	Describe(rec *record.Fit, params []infer.Parameter) error
	// Capabilities are the questions that only some problems answer.
	Capabilities() Capabilities
	// inCase fills a Case in, or returns why there is none.
	inCase(*Case) error
}

// Capabilities are the questions that only some problems answer. A field is nil or zero if this one does not.
type Capabilities struct {
	Rows       Rowwise           // a likelihood that is a product over rows
	Labels     Labelled          // rows that are each of a component
	Cells      *Imputed          // cells that are drawn
	Regression *Regression       // one linear predictor, and one table
	Smooths    *transform.Record // smooths, each with one curve
	// Imputations are several tables, whose draws are pooled.
	Imputations *Pooled
	Solve       func() (*Solution, error) // finds the answer of a method without chains
	Preview     func() string             // what the method would choose at its set-up; empty if it has no choice
	Undrawn     int                       // parameters, the last, of which summaries are stored and no draws
	// Anew is why chains gain nothing from an earlier posterior. recall weighs an earlier fit, and returns why it is no
	// start.
	Anew   string
	recall func(e record.Stored, past record.Recalled, now Identity) (p *Previous, why string)
}

// Facts are the facts of a problem for users, the ledger and the log.
type Facts struct {
	Family, Link, Formula string
	Rows, Columns         int // of the design; of a discrete system variables and edges
	DataHash              string
	Warnings              []string // of the data and the model
	Notes                 []string // how the data were coded, and what was seen while they were read
	Observations          float64  // the sum of frequency weights; 0 if there are none
}

// Gating says which quantities of a fit gates look at.
type Gating struct {
	// Off is the reason why no gate checks the fit; empty if gates do.
	Off string
	// Parameters alone are gated: statistics such as log_lik have no part in the draws.
	Parameters bool
	// Constants are quantities that never move in any chain, as a discrete functional may, and are not judged;
	// quantities with ties are judged by their bulk effective sample size.
	Constants bool
	// Focused scans draw some variables only, so that log_lik says nothing.
	Focused bool
	// NoPrior says that there is no log_prior to be stored.
	NoPrior bool
}

// Need is an estimate of a fit's memory, with the words of its refusal.
type Need struct {
	Bytes  int64
	What   string // subject and verb: "12 rows × 3 columns with 4 chains need"
	Remedy string // besides more memory
}

// Setup is a sampler that is set up, with what is known of its draws beforehand.
type Setup struct {
	Sampler infer.Setup
	// Cautions are warnings; Doubts the parameters, in the units of the data, whose means may not exist.
	Cautions []string
	Doubts   []glm.Doubt
	Gating   Gating
	// Collect sums up the counts of kernels, apart from their draws, in a window; nil if they count nothing.
	Collect func(kernels []infer.Kernel, w Window) Collected
}

// Collected holds the results of a fit apart from its draws.
type Collected interface {
	Warnings() []string
	// Describe adds it to what a ledger keeps of the fit.
	Describe(rec *record.Fit)
}

// Solution is the answer of a method without chains.
type Solution struct {
	Collected
	Explained  string // how it was found
	Parameters []infer.Parameter
	Means      []diag.Summary // of the parameters; nil if none are known
	LogLik     *diag.Summary  // nil if Means is
	Took       time.Duration
}
