package report

import (
	"context"
	"database/sql"
	"errors"
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

// Recall reads the posteriors and the summaries of the data of fits. Numbers of no fit are left out. Cost: five
// queries, and a row for each parameter and column.
func (l *Ledger) Recall(ctx context.Context, ids []int64) (map[int64]*Recalled, error) {
	found := make(map[int64]*Recalled, len(ids))
	err := l.readIfThere(ctx, func(c *sql.Conn) error { return recall(ctx, c, ids, found) })
	if err != nil {
		return nil, fmt.Errorf("the posteriors of %d earlier fits: %w", len(ids), err)
	}
	return found, nil
}

// recall is Recall of an open file.
func recall(ctx context.Context, c *sql.Conn, ids []int64, found map[int64]*Recalled) error {
	var fits []ofFit
	var parameters []struct {
		ofFit
		ParameterSummary
	}
	var steps []struct {
		ofFit
		Value float64
	}
	var data []struct {
		ofFit
		DataSummary
	}
	var columns []struct {
		ofFit
		ColumnSummary
	}
	const in = " WHERE fit_id IN (SELECT unnest(?::BIGINT[]))"
	err := errors.Join(
		read(ctx, c, &fits, "SELECT fit_id FROM fit"+in, ids),
		read(ctx, c, &parameters, "SELECT fit_id, kind, "+columnList(judge.Statistic{})+" FROM summary"+in+
			" AND parameter_id IS NOT NULL AND kind <> ? AND kind <> ? ORDER BY fit_id, parameter_id",
			ids, string(infer.LocalScale), string(Derived)),
		read(ctx, c, &steps, "SELECT fit_id, value FROM diagnostic"+in+
			" AND name = 'step_size' AND value IS NOT NULL ORDER BY fit_id, chain", ids),
		read(ctx, c, &data, "SELECT fit_id, rows_missing, response_mean, response_sd FROM data_summary"+in, ids),
		read(ctx, c, &columns, "SELECT fit_id, name, mean, sd FROM column_summary"+in+" ORDER BY fit_id, column_id", ids))
	if err != nil {
		return err
	}
	for _, f := range fits {
		found[f.FitID] = &Recalled{}
	}
	for _, p := range parameters {
		f := found[p.FitID]
		f.Parameters = append(f.Parameters, p.ParameterSummary)
	}
	for _, s := range steps {
		f := found[s.FitID]
		f.StepSizes = append(f.StepSizes, s.Value)
	}
	for _, d := range data {
		found[d.FitID].Data = &d.DataSummary
	}
	for _, s := range columns {
		if d := found[s.FitID].Data; d != nil {
			d.Columns = append(d.Columns, s.ColumnSummary)
		}
	}
	return nil
}
