package spec

import (
	"errors"

	"glmbatch/infer/prior"
	"glmbatch/internal/words"
	"glmbatch/transform"
)

// parsePrior reads a prior; hint may be empty.
func parsePrior(text string) (p prior.Prior, message, hint string) {
	p, err := prior.Parse(text)
	var fault *prior.ParseError
	switch {
	case err == nil:
		return p, "", ""
	case errors.As(err, &fault):
		_, hint := words.Parts(err)
		return prior.Prior{}, quote(text) + ": " + fault.Reason, hint
	}
	return prior.Prior{}, err.Error(), ""
}

// checkFormula reads a formula; offset is where in text the fault stands.
func checkFormula(text string) (offset int, message, hint string) {
	_, err := transform.ParseFormula(text)
	var fault *transform.FormulaError
	switch {
	case err == nil:
		return 0, "", ""
	case errors.As(err, &fault):
		message, hint = words.Parts(fault.Err)
		return min(fault.Pos, len(text)), "formula: " + message, hint
	}
	return 0, "formula: " + err.Error(), ""
}
