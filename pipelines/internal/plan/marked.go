package plan

import (
	"errors"
	"slices"

	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// unmarked is the error of the first missing cell in a column that a model with mi() does not mark; nil of other
// models, whose missing cells are all drawn.
func unmarked(u *Unit, m *spec.Model, gaps []transform.Gap, unseen []int, response string) error {
	if !m.Marked {
		return nil
	}
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return err
	}
	marks := formula.Marks()
	for _, i := range m.Imputation {
		marks.Columns = append(marks.Columns, i.Name)
		if own, err := transform.ParseFormula(i.Formula); err == nil {
			marks.Columns = append(marks.Columns, own.Marks().Columns...)
		}
	}
	fault := func(column string, row int, as string) error {
		hint := "write " + as + " to have its missing cells drawn, or missing: impute without mi(), which draws all"
		return &transform.ColumnError{Dataset: u.Name(), Column: column, Row: int64(row) + 1, At: u.table.Locate(int64(row)),
			Err: words.Hint(errors.New("the value is missing, and the formula marks other columns by mi() or me()"), hint)}
	}
	if len(unseen) > 0 && !marks.Response {
		return fault(response, unseen[0], transform.QuoteName(response)+" | mi() ~ …")
	}
	for _, g := range gaps {
		if g.Noise == nil && !slices.Contains(marks.Columns, g.Column) {
			return fault(g.Column, g.Rows[0], "mi("+transform.QuoteName(g.Column)+")")
		}
	}
	return nil
}
