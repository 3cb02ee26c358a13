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
	var from, fingerprint, known, step any
	if st.From > 0 {
		from, fingerprint, known = st.From, st.FromFingerprint, int32(st.Known)
	}
	if st.StepSize > 0 {
		step = st.StepSize
	}
	if err := s.appendRow("start", id, st.Question, from, fingerprint, known, step, st.Note); err != nil {
		return fmt.Errorf("storing where the fit began: %w", err)
	}
	return nil
}

// Recall reads what the fit of that number says. Cost: a row a parameter.
func (l *Ledger) Recall(ctx context.Context, id int64) (p Recalled, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		err := scanRows(ctx, c, `SELECT name, kind, `+summaryColumns+` FROM summary WHERE fit_id = ?
			AND parameter_id IS NOT NULL AND kind <> ? AND kind <> ?
			ORDER BY parameter_id`, func(rows *sql.Rows) error {
			var s ParameterSummary
			into := []any{&s.Name, &s.Kind}
			for _, f := range summaryFields(&s.Summary) {
				into = append(into, (*nullable)(f))
			}
			err := rows.Scan(into...)
			p.Parameters = append(p.Parameters, s)
			return err
		}, id, string(infer.LocalScale), string(Derived))
		if err != nil {
			return err
		}
		err = scanRows(ctx, c, "SELECT value FROM diagnostic WHERE fit_id = ? AND name = 'step_size' AND value IS NOT NULL "+
			"ORDER BY chain", func(rows *sql.Rows) error {
			var v float64
			err := rows.Scan(&v)
			p.StepSizes = append(p.StepSizes, v)
			return err
		}, id)
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
	return d, scanRows(ctx, c, "SELECT name, mean, sd FROM column_summary WHERE fit_id = ? ORDER BY column_id",
		func(rows *sql.Rows) error {
			var s ColumnSummary
			err := rows.Scan(&s.Name, (*nullable)(&s.Mean), (*nullable)(&s.SD))
			d.Columns = append(d.Columns, s)
			return err
		}, id)
}
