package record

// Start says where the chains of a fit began that was asked to start from an
// earlier one.
type Start struct {
	Question        string // the fingerprint without an earlier fit
	From            int64  // the fit that it started from; 0: it started as usual
	FromFingerprint string
	Known           int     // parameters that From knew, by name
	StepSize        float64 // that warm-up began with; 0: none
	Note            string  // in words
}

// Recalled is what a stored fit says of its posterior and of its data.
type Recalled struct {
	Parameters []ParameterSummary // without local scales
	StepSizes  []float64          // of nuts and hmc, by chain
	Data       *DataSummary       // nil: not known
}

// Mixed reports whether the chains of all parameters found each other: no R-hat
// above limit. What has none, since it does not move, counts as mixed.
func (p *Recalled) Mixed(limit float64) (worst string, ok bool) {
	for _, s := range p.Parameters {
		if s.Summary.RHat > limit {
			return s.Name, false
		}
	}
	return "", true
}

// DataSummary is what the data of a fit look like, for the next fit of its name
// to be compared with.
type DataSummary struct {
	Missing int64 // rows that were left out for missing cells
	// ResponseMean and ResponseSD are of the response, rows counted by
	// frequency; of proportions, weighted by their trials, for binomial.
	ResponseMean, ResponseSD float64
	Columns                  []ColumnSummary // of the design, in order
}

// ColumnSummary is a column of the design in the units of the data.
type ColumnSummary struct {
	Name     string
	Mean, SD float64
}
