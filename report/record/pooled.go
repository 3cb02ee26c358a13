package record

import "glmbatch/infer/diag"

// Imputations is the Diagnostic of how many imputations a fit has; its note sums up in words how they differ.
const Imputations = "imputations"

// Imputation is what the draws of one imputation say of a parameter.
type Imputation struct {
	Parameter  string
	Imputation int    // 1, 2, …
	Name       string // of its file, or the value of the column that tells imputations apart
	diag.Summary
}

// Pooling is what all imputations say of a parameter by Rubin's rules.
type Pooling struct {
	Parameter string
	diag.Rubin
	Across float64 // R-hat over the chains of all imputations
}
