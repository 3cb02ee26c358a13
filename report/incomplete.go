package report

import (
	"database/sql/driver"

	"glmbatch/report/record"
)

// insertIncomplete stores the columns of a fit of which missing cells were drawn, with their values by class.
func (s *Session) insertIncomplete(id int64, columns []record.IncompleteColumn) error {
	err := appendEach(s, "incomplete_column", columns, func(_ int, c *record.IncompleteColumn) []driver.Value {
		return []driver.Value{id, c.Variable, c.Formula, c.Family, c.Response, int64(c.Observed), int64(c.Missing)}
	})
	for i := range columns {
		c := &columns[i]
		if err == nil {
			err = appendEach(s, "imputed_bin", c.Bins, func(k int, b *record.CellBin) []driver.Value {
				return []driver.Value{id, c.Variable, int32(k + 1), text(b.Level), number(b.Low), number(b.High),
					int64(b.Observed), number(b.Mean), number(b.Q025), number(b.Q25), number(b.Median), number(b.Q75),
					number(b.Q975)}
			})
		}
	}
	return storing("incomplete columns", err)
}
