package html

// Incomplete is a column of which missing cells were drawn, or the response where some of its are missing.
type Incomplete struct {
	Variable string    `json:"variable"`
	Formula  string    `json:"formula"` // of its model; of the response that of the regression
	Family   string    `json:"family"`
	Response bool      `json:"response,omitempty"`
	Observed int64     `json:"observed"`
	Missing  int64     `json:"missing"`
	RHat     Number    `json:"rhat"`     // the largest of its cells
	Bulk     Number    `json:"ess_bulk"` // the least
	Bins     []CellBin `json:"bins,omitempty"`
	Cells    []Cell    `json:"cells,omitempty"` // some of the missing ones, by row
}

// CellBin is a class of values, or a level: observed cells in it, and how many missing ones over the draws.
type CellBin struct {
	Level     string    `json:"level,omitempty"` // of columns of levels
	Low       Number    `json:"low"`             // null: unbounded
	High      Number    `json:"high"`
	Observed  int64     `json:"observed"`
	Mean      Number    `json:"mean"`
	Quantiles [5]Number `json:"quantiles"` // 2.5, 25, 50, 75 and 97.5 %
}

// Cell is a missing cell: mean and quantiles of a number, or its most probable level and the probability of that.
type Cell struct {
	Row       int64     `json:"row"`
	Level     string    `json:"level,omitempty"`
	Mean      Number    `json:"mean"`
	Quantiles [5]Number `json:"q"` // 2.5, 25, 50, 75 and 97.5 %
	RHat      Number    `json:"rhat"`
}

// Pooled holds the estimates from several imputations of the data.
type Pooled struct {
	Words       string      `json:"words"`       // how they differ
	Count       int         `json:"count"`       // of imputations
	Imputations []string    `json:"imputations"` // names of those that rows have intervals of
	Rows        []PooledRow `json:"rows"`
}

// PooledRow is a parameter by Rubin's rules: standard deviations within an imputation, between the means of
// imputations, and of both together.
type PooledRow struct {
	Name    string    `json:"name"`
	Mean    Number    `json:"mean"`
	Within  Number    `json:"within"`
	Between Number    `json:"between"`
	Total   Number    `json:"total"`
	DF      Number    `json:"df"`
	RIV     Number    `json:"riv"` // relative increase of the variance
	FMI     Number    `json:"fmi"`
	RHat    Number    `json:"rhat"`   // the largest of an imputation
	Across  Number    `json:"across"` // R-hat over the chains of all imputations
	Of      [5]Number `json:"of"`     // 2.5, 25, 50, 75 and 97.5 % of all draws
	// Each has, of some parameters, 2.5, 50 and 97.5 % of each of Pooled.Imputations.
	Each [][3]Number `json:"each,omitempty"`
}
