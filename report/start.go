package report

import (
	"context"
	"database/sql"
	"fmt"

	"glmbatch/infer"
)

// insertStart stores where a fit began.
func (s *Session) insertStart(id int64, st *Start) error {
	if st == nil {
		return nil
	}
	row := startRow{ofFit: ofFit{id}, Start: *st}
	if st.From == 0 {
		row.FromFingerprint, row.Known = "", -1
	}
	return storing("where the fit began", insert(s, row))
}

// Recall reads what the fit of that number says. Cost: a row a parameter.
func (l *Ledger) Recall(ctx context.Context, id int64) (p Recalled, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		p.Parameters, err = readRows(ctx, c, `SELECT name, kind, `+summaryColumns+` FROM summary WHERE fit_id = ?
			AND parameter_id IS NOT NULL AND kind <> ? AND kind <> ?
			ORDER BY parameter_id`, func(s *ParameterSummary) []any {
			return summaryInto(&s.Summary, &s.Name, &s.Kind)
		}, id, string(infer.LocalScale), string(Derived))
		if err != nil {
			return err
		}
		p.StepSizes, err = readRows(ctx, c, "SELECT value FROM diagnostic WHERE fit_id = ? AND name = 'step_size' AND "+
			"value IS NOT NULL ORDER BY chain", func(v *float64) []any { return []any{v} }, id)
		if err == nil {
			p.Data, err = dataOf(ctx, c, id)
		}
		return err
	})
	if err != nil {
		return p, fmt.Errorf("the posterior of fit %d: %w", id, err)
	}
	return p, nil
}

// dataOf reads the summary of a fit's data; nil without one.
func dataOf(ctx context.Context, c *sql.Conn, id int64) (d *DataSummary, err error) {
	err = scanRows(ctx, c, "SELECT rows_missing, response_mean, response_sd FROM data_summary WHERE fit_id = ?",
		func(rows *sql.Rows) error {
			d = new(DataSummary)
			return rows.Scan(&d.Missing, (*nullable)(&d.ResponseMean), (*nullable)(&d.ResponseSD))
		}, id)
	if err != nil || d == nil {
		return nil, err
	}
	d.Columns, err = readRows(ctx, c, "SELECT name, mean, sd FROM column_summary WHERE fit_id = ? ORDER BY column_id",
		func(s *ColumnSummary) []any { return []any{&s.Name, (*nullable)(&s.Mean), (*nullable)(&s.SD)} }, id)
	return d, err
}
