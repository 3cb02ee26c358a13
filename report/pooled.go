package report

import (
	"database/sql/driver"

	"glmbatch/report/record"
)

// insertPooled stores what several imputations say of the parameters of a fit.
func (s *Session) insertPooled(id int64, f *Fit) error {
	err := appendEach(s, "imputation", f.Imputations, func(_ int, v *record.Imputation) []driver.Value {
		return []driver.Value{id, v.Parameter, int32(v.Imputation), v.Name, number(v.Mean), number(v.SD), number(v.Q025),
			number(v.Median), number(v.Q975), number(v.RHat), number(v.ESSBulk), number(v.ESSTail)}
	})
	if err != nil {
		return storing("imputations", err)
	}
	err = appendEach(s, "pooling", f.Pooling, func(i int, p *record.Pooling) []driver.Value {
		return []driver.Value{id, int32(i + 1), p.Parameter, number(p.Within), number(p.Between), number(p.Total),
			number(p.Increase), number(p.Lambda), number(p.DF), number(p.FMI), number(p.Across)}
	})
	return storing("pooled imputations", err)
}
