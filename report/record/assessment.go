package record

// Assessment is what is computed from the draws of a fit besides its summaries,
// at fit time or later.
type Assessment struct {
	LOO    *LOO    // nil: none
	Checks []Check // predictive checks; nil: none
}

// LOO is the leave-one-out result of a fit.
type LOO struct {
	Rows                 []Pointwise
	ELPD, P, WAIC, PWAIC Estimate
	Threshold            float64 // of Pareto k
	Observations         float64 // rows, as often as they count
	High                 int     // rows above it
	Worst                int     // 0-based row with the largest k
	WorstK               float64
	// Outcomes is a hash of the responses, equal for fits that may be compared.
	Outcomes string
	Version  string // of the algorithm
}

// Pointwise is what leave-one-out says about one row, as package loo defines it.
type Pointwise struct {
	ELPD, P, K, WAIC, PWAIC, Efficiency float64
	Frequency                           float64 // equal observations that the row stands for
	Reason                              string  // why the numbers are NaN
}

// Estimate is a sum over rows with its standard error.
type Estimate struct{ Value, SE float64 }

// Check places a statistic of the response among those of replicated data.
type Check struct {
	Statistic, Words     string // short, and as people say it
	Observed             float64
	Mean, SD, Q025, Q975 float64 // of the replicates
	// P is the share of replicates above the observed value, those equal to it by
	// half; NaN if it cannot be computed.
	P          float64
	Replicates int
	Note       string
}
