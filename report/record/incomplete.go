package record

// IncompleteColumn is a column with missing cells that were drawn, or the response where some of its are missing.
type IncompleteColumn struct {
	Variable          string
	Formula, Family   string // of its model; of the response those of the regression
	Response          bool
	Observed, Missing int
	Bins              []CellBin
}

// CellBin is a class of the values of a column, or a level: how many observed cells have it, and the mean and quantiles
// over the draws of how many missing ones have it.
type CellBin struct {
	Level                        string  // empty of numbers
	Low, High                    float64 // NaN: unbounded, and of levels
	Observed                     int
	Mean                         float64
	Q025, Q25, Median, Q75, Q975 float64
}
