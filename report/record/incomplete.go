package record

// IncompleteColumn is a column with missing cells that were drawn, or the response where some of its are missing.
type IncompleteColumn struct {
	Variable string `db:"variable VARCHAR NOT NULL" doc:"The column."`
	Formula  string `db:"formula VARCHAR NOT NULL" doc:"Formula of its model; of the response that of the regression."`
	Family   string `db:"family VARCHAR NOT NULL" doc:"Family of its model: multinomial of a column of more than two levels."`
	Response bool   `db:"response BOOLEAN NOT NULL" doc:"Whether it is the response."`
	Observed int    `db:"observed BIGINT NOT NULL" doc:"Cells with a value."`
	Missing  int    `db:"missing BIGINT NOT NULL" doc:"Missing cells."`
	Bins     []CellBin
}

// CellBin is a class of the values of a column, or a level: how many observed cells have it, and the mean and quantiles
// over the draws of how many missing ones have it.
type CellBin struct {
	Level    string  `db:"level VARCHAR" doc:"The value, of columns of levels or of two values; else NULL."`
	Low      float64 `db:"low DOUBLE" doc:"Lower end of the class; NULL: what lies below the observed values, or a level."`
	High     float64 `db:"high DOUBLE" doc:"Upper end; NULL: what lies above them, or a level."`
	Observed int     `db:"observed BIGINT NOT NULL" doc:"Observed cells in it."`
	Mean     float64 `db:"mean DOUBLE" doc:"Mean number of missing cells in it over the draws."`
	Q025     float64 `db:"q025 DOUBLE" doc:"2.5 % quantile of that number."`
	Q25      float64 `db:"q25 DOUBLE" doc:"25 % quantile."`
	Median   float64 `db:"median DOUBLE" doc:"Median."`
	Q75      float64 `db:"q75 DOUBLE" doc:"75 % quantile."`
	Q975     float64 `db:"q975 DOUBLE" doc:"97.5 % quantile."`
}
