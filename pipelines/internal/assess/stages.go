package assess

import (
	"time"

	"glmbatch/infer"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/report/record"
)

// Prepared is a planned fit whose sampler is set up.
type Prepared struct {
	*plan.Identified
	*plan.Setup
	Kept       []infer.Parameter // those that are looked at, the first of the sampler's
	Stored     int               // how many of these, the first, have their draws in a ledger
	Explained  string            // the choice of the sampler as text; empty if there was none
	Proved     []record.Certificate
	Quantities []Quantity
	Took       time.Duration  // processor time of the set-up
	Forecast   *plan.Forecast // nil if there is none
}

// Drawn is a fit whose chains have their length.
type Drawn struct {
	*Prepared
	Draws     *Draws
	Window    plan.Window // the iterations that count
	Measured  *Measured   // of Window
	Collected plan.Collected
}

// Judged is a fit with its verdict, as a ledger is to keep it.
type Judged struct {
	*plan.Identified
	Record *record.Fit
	// RHatMax and ESSBulkMin are the worst values that gates check; NaN if no gate does.
	RHatMax, ESSBulkMin float64
	Divergences         int
	Parameters          []record.ParameterSummary // derived quantities last; empty if they are unknown
}

// Stamp says which run stores a fit, and when.
type Stamp struct {
	RunID string
	Place int // of the run in its ledger
	Now   func() time.Time
	Began time.Time // when the run began to work on the fit
}
