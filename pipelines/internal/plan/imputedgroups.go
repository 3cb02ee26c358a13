package plan

import (
	"fmt"

	"glmbatch/infer/groups"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// checkBars refuses missing cells that group-level effects cannot have: of a grouping, and of a column whose slope
// varies, where a cell would move what the effects of its level are multiplied by.
func checkBars(u *Unit, m *spec.Model, formula *transform.Formula, table transform.Table) error {
	bars, err := formula.Bars(table.Schema())
	if err != nil {
		return err
	}
	for _, b := range bars {
		fault := func(columns []string, err error, hint string) error {
			column, row, found, first := transform.FirstGap(table, columns)
			if first != nil || !found {
				return first
			}
			return &transform.ColumnError{Dataset: u.Name(), Column: column, Row: int64(row) + 1,
				At: u.table.Locate(int64(row)), Err: words.Hint(err, hint)}
		}
		err := fault(b.By, fmt.Errorf("the value is missing, and %s in %s is a grouping, whose levels are not drawn",
			b.Grouping, b.Text), "leave such rows out in sql:, or give them a level of their own")
		if err == nil {
			err = fault(b.Over, fmt.Errorf("the value is missing, and %s lets its slope vary by %s: missing: impute draws "+
				"cells of columns with one slope", b.Text, b.Grouping), fmt.Sprintf("write (1 | %s) in model %q, or take "+
				"missing: drop", b.Grouping, m.Name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// effects counts those of levels, which are the last parameters of a position; missing cells are before them.
func (p *Imputed) effects() int { return levelEffects(p.Data) }

// keepsCells reports whether the draws of missing cells are stored, and not their summaries alone.
func (p *Imputed) keepsCells() bool { return p.cells <= maxEffects }

// keepsEffects reports whether the draws of effects of levels are stored: only where those of cells are.
func (p *Imputed) keepsEffects() bool {
	return p.keepsCells() && keepsEffects(&p.fit.Pipeline.Run.Keep, p.effects())
}

// undrawn counts the effects and cells without draws.
func (p *Imputed) undrawn() (n int) {
	if !p.keepsEffects() {
		n = p.effects()
	}
	if !p.keepsCells() {
		n += p.cells
	}
	return n
}

// identifyGroups adds what group-level effects add to the identity of a fit.
func (p *Imputed) identifyGroups(id *Identity) {
	if p.effects() == 0 {
		return
	}
	id.Versions[spec.Levels.Name] = groups.Version
	if id.Keep != KeepSummary && !p.keepsEffects() {
		id.Keep += effectsSummarised
	}
}

// refuseDraws refuses draws of effects that are asked for and are not stored.
func (p *Imputed) refuseDraws() error {
	if p.effects() == 0 || p.keepsCells() || p.fit.Pipeline.Run.Keep.Groups != "draws" {
		return nil
	}
	return words.Hint(fmt.Errorf("model %q has %d missing cells, of which summaries alone are kept, and of group-level "+
		"effects beside them too", p.fit.Model.Name, p.cells), "leave run: keep: groups: draws out")
}
