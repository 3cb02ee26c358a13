package record

import "glmbatch/infer/diag"

// Imputations is the name of the Diagnostic that holds the number of imputations; its note describes their
// differences.
const Imputations = "imputations"

// Imputation holds the estimates of a parameter from one imputation.
type Imputation struct {
	Parameter  string
	Imputation int    // 1, 2, …
	Name       string // of its file, or the value of the column that identifies the imputation
	diag.Summary
}

// Pooling holds the estimates of a parameter from all imputations by Rubin's rules.
type Pooling struct {
	Parameter string
	diag.Rubin
	Across float64 // R-hat over the chains of all imputations
}
