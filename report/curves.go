package report

import "glmbatch/report/record"

// insertCurves stores the smooths of a fit.
func (s *Session) insertCurves(id int64, curves []record.Curve) error {
	for i := range curves {
		c := &curves[i]
		err := insertEach(s, c.Points, func(k int, p *record.CurvePoint) curveRow {
			return curveRow{ofFit: ofFit{id}, Smooth: c.Smooth, Level: c.Level, Name: c.Name, X: c.X[k], CurvePoint: *p}
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
	return storing("allocations of rows", insertRows(s, func(add func(allocationRow) error) error {
		for i := range rows {
			for c, p := range rows[i].Of {
				err := add(allocationRow{ofFit: ofFit{id}, Observation: i, Row: rows[i].Row, Component: c, Posterior: p})
				if err != nil {
					return err
				}
			}
		}
		return nil
	}))
}
