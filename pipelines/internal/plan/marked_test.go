package plan

import (
	"strings"
	"testing"
)

// markedProblem codes nhanes2 for one model without missing.
func markedProblem(t *testing.T, model string) (Problem, error) {
	t.Helper()
	return modelProblem(t, strings.ReplaceAll(nhanes2, " ", "\n")+"\n", model, "chains: 4", "method: auto")
}

// mi() of each incomplete column is missing: impute; one that is left out is an error, and so are other keys.
func TestMarkedColumns(t *testing.T) {
	all, err := imputedProblem(t, "formula: chl ~ age + bmi + hyp", "chains: 4", "method: auto")
	must(t, err)
	for _, model := range []string{
		"formula: chl | mi() ~ age + mi(bmi) + mi(hyp)",
		"formula: chl | mi() ~ age + bmi + mi(hyp), imputation: {bmi: {formula: bmi | mi() ~ age + mi(hyp)}}",
	} {
		marked, err := markedProblem(t, model)
		must(t, err)
		a, b := all.(*Imputed), marked.(*Imputed)
		if a.cells != b.cells || a.dataHash != b.dataHash || len(a.columns) != len(b.columns) ||
			a.columns[1].design.Record.Columns[1].Name != b.columns[1].design.Record.Columns[1].Name {
			t.Errorf("%s: %d cells, %q; want %d, %q", model, b.cells, b.models(), a.cells, a.models())
		}
	}
	for model, want := range map[string]string{
		"formula: chl | mi() ~ age + bmi + mi(hyp)":                    `column "bmi", row 1 (line 2 of d.csv): the value is missing`,
		"formula: chl ~ age + mi(bmi) + mi(hyp)":                       `column "chl", row 1 (line 2 of d.csv): the value is missing`,
		"formula: chl | mi() ~ age + mi(bmi) + mi(hyp), missing: drop": "mi() or me() in the formula has cells drawn, and missing is drop",
		"formula: chl | mi() ~ age + mi(bmi) + mi(hyp) + (1 | bmi)":    "bmi in (1 | bmi) is a grouping",
	} {
		if _, err := markedProblem(t, model); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", model, err, want)
		}
	}
}
