package report

import "glmbatch/report/record"

// insertPooled stores what several imputations say of the parameters of a fit.
func (s *Session) insertPooled(id int64, f *Fit) error {
	err := insertEach(s, f.Imputations, func(_ int, v *record.Imputation) imputationRow {
		return imputationRow{ofFit: ofFit{id}, Name: v.Parameter, Imputation: v.Imputation, Source: v.Name, Mean: v.Mean,
			SD: v.SD, Q025: v.Q025, Median: v.Median, Q975: v.Q975, RHat: v.RHat, ESSBulk: v.ESSBulk, ESSTail: v.ESSTail}
	})
	if err != nil {
		return storing("imputations", err)
	}
	err = insertEach(s, f.Pooling, func(i int, p *record.Pooling) poolingRow {
		return poolingRow{ofFit: ofFit{id}, Place: i, Name: p.Parameter, Within: p.Within, Between: p.Between,
			Total: p.Total, Increase: p.Increase, Lambda: p.Lambda, DF: p.DF, FMI: p.FMI, Across: p.Across}
	})
	return storing("pooled imputations", err)
}
