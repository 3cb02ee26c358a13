package report

import "glmbatch/report/record"

// insertIncomplete stores the columns of a fit of which missing cells were drawn, with their values by class.
func (s *Session) insertIncomplete(id int64, columns []record.IncompleteColumn) error {
	err := insertEach(s, columns, func(_ int, c *record.IncompleteColumn) incompleteRow {
		return incompleteRow{ofFit: ofFit{id}, IncompleteColumn: *c}
	})
	for i := range columns {
		c := &columns[i]
		if err == nil {
			err = insertEach(s, c.Bins, func(k int, b *record.CellBin) cellBinRow {
				return cellBinRow{ofFit: ofFit{id}, Variable: c.Variable, Bin: k, CellBin: *b}
			})
		}
	}
	return storing("incomplete columns", err)
}
