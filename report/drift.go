package report

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"math"

	"glmbatch/report/judge"
)

// insertData stores the summary of a fit's data.
func (s *Session) insertData(id int64, f *Fit) error {
	d := f.Data
	if d == nil {
		return nil
	}
	err := s.appendRow("data_summary", id, f.Rows, d.Missing, number(d.ResponseMean), number(d.ResponseSD))
	if err == nil {
		err = appendEach(s, "column_summary", d.Columns, func(i int, c *ColumnSummary) []driver.Value {
			return []driver.Value{id, int32(i + 1), c.Name, number(c.Mean), number(c.SD)}
		})
	}
	return storing("the summary of the data", err)
}

// judgeDrift completes the verdicts of fits that were just inserted by what their
// gates of drift say: a predecessor is the one that the ledger has now, also
// for a fit that is committed later than it was drawn.
func (s *Session) judgeDrift(ctx context.Context, ids []int64, fits []*Fit) error {
	var gated []int64
	of := map[int64]*Fit{}
	for i, f := range fits {
		if f.Gates.Drift != (judge.DriftGates{}) && f.Status == Complete && f.Replicate <= 1 {
			gated, of[ids[i]] = append(gated, ids[i]), f
		}
	}
	if len(gated) == 0 {
		return nil
	}
	measures, err := driftOf(ctx, s.c, gated)
	if err != nil {
		return err
	}
	for _, id := range gated {
		f := of[id]
		v := f.Verdict.Drifted(f.Gates.Drift, measures[id])
		if v.Grade == f.Verdict.Grade && len(v.Reasons) == len(f.Verdict.Reasons) {
			continue
		}
		f.Verdict = v
		if _, err := s.c.ExecContext(ctx, "UPDATE fit SET verdict = ?, reasons = ? WHERE fit_id = ?", string(v.Grade),
			list(v.Reasons), id); err != nil {
			return err
		}
	}
	return nil
}

// driftColumns are the gates of drift with the column of the view that names
// the parameter or design column concerned; NULL where there is none.
var driftColumns = []struct{ name, where string }{
	{"shift", "shift_parameter"}, {"sd_ratio", "sd_ratio_parameter"}, {"rows", "NULL"}, {"columns", "NULL"},
	{"missing", "NULL"},
	{"response_shift", "NULL"}, {"centre_shift", "centre_shift_column"}, {"scale_ratio", "scale_ratio_column"},
}

// driftOf reads how far each fit lies from its predecessor; nothing of those without one.
func driftOf(ctx context.Context, c *sql.Conn, ids []int64) (map[int64][]judge.Measure, error) {
	query := "SELECT fit_id"
	values, wheres := make([]sql.NullFloat64, len(driftColumns)), make([]sql.NullString, len(driftColumns))
	var id int64
	into := []any{&id}
	for i, d := range driftColumns {
		query += `, "` + d.name + `"::DOUBLE, ` + d.where + "::VARCHAR"
		into = append(into, &values[i], &wheres[i])
	}
	out := map[int64][]judge.Measure{}
	query += " FROM drift_summary WHERE fit_id IN (SELECT unnest(?::BIGINT[]))"
	err := scanRows(ctx, c, query, func(rows *sql.Rows) error {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, d := range driftColumns {
			m := judge.Measure{Name: d.name, Value: math.NaN(), Where: wheres[i].String}
			if values[i].Valid {
				m.Value = values[i].Float64
			}
			out[id] = append(out[id], m)
		}
		return nil
	}, ids)
	if err != nil {
		return nil, fmt.Errorf("drift of fits: %w", err)
	}
	return out, nil
}

// drift is driftOf on a ledger that is not open.
func (l *Ledger) drift(ctx context.Context, id int64) (out []judge.Measure, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		all, err := driftOf(ctx, c, []int64{id})
		out = all[id]
		return err
	})
	return out, err
}
