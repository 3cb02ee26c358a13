package report

import (
	"database/sql/driver"

	"glmbatch/report/record"
)

// insertCurves stores the smooths of a fit.
func (s *Session) insertCurves(id int64, curves []record.Curve) error {
	for i := range curves {
		c := &curves[i]
		err := appendEach(s, "smooth_curve", c.Points, func(k int, p *record.CurvePoint) []driver.Value {
			return []driver.Value{id, c.Smooth, text(c.Level), c.Name, c.X[k], number(p.Mean), number(p.SD), number(p.Q025),
				number(p.Q25), number(p.Median), number(p.Q75), number(p.Q975)}
		})
		if err != nil {
			return storing("curves of smooths", err)
		}
	}
	return nil
}

// insertAllocations stores of which component each row of a mixture is.
func (s *Session) insertAllocations(id int64, rows []record.Allocation) error {
	if len(rows) == 0 {
		return nil
	}
	return storing("allocations of rows", s.appendRows("allocation", func(add func(...driver.Value) error) error {
		for i := range rows {
			for c, p := range rows[i].Of {
				if err := add(id, int64(i+1), int64(rows[i].Row), int32(c+1), number(p)); err != nil {
					return err
				}
			}
		}
		return nil
	}))
}
