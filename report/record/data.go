package record

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
