package report

import (
	"context"
	"database/sql"
	"fmt"

	"glmbatch/infer"
	"glmbatch/report/judge"
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
		err = read(ctx, c, &p.Parameters, "SELECT kind, "+columnList(judge.Statistic{})+` FROM summary WHERE fit_id = ?
			AND parameter_id IS NOT NULL AND kind <> ? AND kind <> ? ORDER BY parameter_id`, id, string(infer.LocalScale),
			string(Derived))
		if err == nil {
			err = read(ctx, c, &p.StepSizes, "SELECT value FROM diagnostic WHERE fit_id = ? AND name = 'step_size' AND "+
				"value IS NOT NULL ORDER BY chain", id)
		}
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
func dataOf(ctx context.Context, c *sql.Conn, id int64) (*DataSummary, error) {
	var all []DataSummary
	err := read(ctx, c, &all, "SELECT rows_missing, response_mean, response_sd FROM data_summary WHERE fit_id = ?", id)
	if err != nil || all == nil {
		return nil, err
	}
	d := &all[0]
	return d, read(ctx, c, &d.Columns, "SELECT name, mean, sd FROM column_summary WHERE fit_id = ? ORDER BY column_id", id)
}
