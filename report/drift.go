package report

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"glmbatch/report/judge"
)

// insertData stores the summary of a fit's data.
func (s *Session) insertData(id int64, f *Fit) error {
	d := f.Data
	if d == nil {
		return nil
	}
	err := insert(s, dataRow{ofFit: ofFit{id}, Rows: f.Rows, DataSummary: *d})
	if err == nil {
		err = insertEach(s, d.Columns, func(i int, c *ColumnSummary) columnRow {
			return columnRow{ofFit: ofFit{id}, ColumnID: i, ColumnSummary: *c}
		})
	}
	return storing("the summary of the data", err)
}

// judgeDrift completes the verdicts of fits that were just inserted by what their
// gates of drift say: a predecessor is the one that the ledger has now, also
// for a fit that is committed later than it was drawn.
func (s *Session) judgeDrift(ctx context.Context, ids []int64, fits []*Fit) error {
	gated := map[string][]int64{} // by pipeline
	for i, f := range fits {
		if f.Gates.Drift != (judge.DriftGates{}) && f.Status == Complete && f.Replicate <= 1 {
			gated[f.Pipeline] = append(gated[f.Pipeline], ids[i])
		}
	}
	measures := map[int64][]judge.Measure{}
	for pipeline, of := range gated {
		found, err := driftOf(ctx, s.c, pipeline, of)
		if err != nil {
			return err
		}
		maps.Copy(measures, found)
	}
	for i, f := range fits {
		id := ids[i]
		if !slices.Contains(gated[f.Pipeline], id) {
			continue
		}
		v := f.Verdict.Drifted(f.Gates.Drift, measures[id])
		if v.Grade == f.Verdict.Grade && len(v.Reasons) == len(f.Verdict.Reasons) {
			continue
		}
		f.Verdict = v
		for _, q := range []string{"UPDATE fit SET verdict = ?, reasons = ? WHERE fit_id = ?",
			"UPDATE run_fit SET verdict = ?, reasons = ? WHERE fit_id = ? AND run_id = ?"} {
			args := []any{string(v.Grade), list(v.Reasons), id, f.RunID}
			if _, err := s.c.ExecContext(ctx, q, args[:strings.Count(q, "?")]...); err != nil {
				return err
			}
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

// driftOf reads how far each fit lies from the result before it in a pipeline, when it became the result last; nothing
// of those without one. Columns that come or go with a change of the model are no change of the data.
func driftOf(ctx context.Context, c *sql.Conn, pipeline string, ids []int64) (map[int64][]judge.Measure, error) {
	query := "SELECT fit_id"
	values, wheres := make([]sql.NullFloat64, len(driftColumns)), make([]sql.NullString, len(driftColumns))
	var id int64
	into := []any{&id}
	for i, d := range driftColumns {
		query += `, "` + d.name + `"::DOUBLE, ` + d.where + "::VARCHAR"
		into = append(into, &values[i], &wheres[i])
	}
	out := map[int64][]judge.Measure{}
	query += ` FROM (SELECT * REPLACE (CASE WHEN NOT model_changed THEN "columns" END AS "columns") FROM drift_summary)
		WHERE fit_id IN (SELECT unnest(?::BIGINT[])) AND pipeline = ?
		QUALIFY row_number() OVER (PARTITION BY fit_id ORDER BY nth DESC) = 1`
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
	}, ids, pipeline)
	if err != nil {
		return nil, fmt.Errorf("drift of fits: %w", err)
	}
	return out, nil
}

// Drift is a row of the view drift_summary: a fit against the complete fit
// before it. NULL, what cannot be computed, is nil.
type Drift struct {
	Pipeline          string      `json:"pipeline"`
	Dataset           string      `json:"dataset"`
	Group             string      `json:"key,omitempty"`
	Model             string      `json:"model"`
	Sampler           string      `json:"sampler"`
	ID                int64       `json:"fit_id"`
	Previous          int64       `json:"previous_fit_id"`
	Created           time.Time   `json:"created"`
	PreviousCreated   time.Time   `json:"previous_created"`
	Verdict           judge.Grade `json:"verdict"`
	DataChanged       bool        `json:"data_changed"`
	ModelChanged      bool        `json:"model_changed"`
	Compared          int         `json:"parameters_compared"`
	Shift             *float64    `json:"shift"`
	ShiftParameter    *string     `json:"shift_parameter"`
	ShiftRMS          *float64    `json:"shift_rms"`
	ShiftZ            *float64    `json:"shift_z"`
	SDRatio           *float64    `json:"sd_ratio"`
	SDRatioParameter  *string     `json:"sd_ratio_parameter"`
	RowsNow           int64       `json:"rows_now"`
	RowsBefore        int64       `json:"rows_before"`
	Rows              *float64    `json:"rows"`
	ColumnsNow        int64       `json:"columns_now"`
	ColumnsBefore     int64       `json:"columns_before"`
	Columns           *int64      `json:"columns"`
	MissingNow        *float64    `json:"missing_now"`
	MissingBefore     *float64    `json:"missing_before"`
	Missing           *float64    `json:"missing"`
	ResponseNow       *float64    `json:"response_now"`
	ResponseBefore    *float64    `json:"response_before"`
	ResponseShift     *float64    `json:"response_shift"`
	CentreShift       *float64    `json:"centre_shift"`
	CentreShiftColumn *string     `json:"centre_shift_column"`
	ScaleRatio        *float64    `json:"scale_ratio"`
	ScaleRatioColumn  *string     `json:"scale_ratio_column"`
	// Levels are the groupings of both fits whose levels are not the same; the shifts are of those that both have.
	Levels []LevelChange `json:"levels,omitempty" db:"-"`
}

// LevelChange counts the levels of a grouping that came and went, and names the first of them.
type LevelChange struct {
	Grouping  string   `json:"grouping"`
	New       int      `json:"new"`
	Gone      int      `json:"gone"`
	NewNames  []string `json:"new_names"`
	GoneNames []string `json:"gone_names"`
}

// Drifts returns how far the newest fits of each name of a pipeline (of all, if
// it is empty) lie from their predecessors: nights of them, the newest first. A
// ledger that is not there is a *MissingError. Cost: one pass over summary.
func (l *Ledger) Drifts(ctx context.Context, pipeline string, nights int) ([]Drift, error) {
	out := []Drift{}
	err := l.readTables(ctx, func(c *sql.Conn) (err error) {
		if out, err = readDrifts(ctx, c, pipeline, nights); err != nil {
			return err
		}
		var ids []int64
		for i := range out {
			ids = append(ids, out[i].ID, out[i].Previous)
		}
		var fits []Stored
		add := func(f *Stored, _ string) { fits = append(fits, *f) }
		if err = readFits(ctx, c, numberedFits, byName, add, ids); err == nil {
			err = counted(ctx, c, l.path, true, fits)
		}
		return err
	})
	return out, err
}

// readDrifts is Drifts on an open ledger.
func readDrifts(ctx context.Context, c *sql.Conn, pipeline string, nights int) ([]Drift, error) {
	out := []Drift{} // JSON has a list of none as []
	err := read(ctx, c, &out, "SELECT "+columnList(Drift{})+` FROM drift_summary WHERE ? OR pipeline = ?
		QUALIFY row_number() OVER (PARTITION BY pipeline, dataset, key, model, sampler ORDER BY nth DESC) <= ?
		ORDER BY pipeline, dataset, key, model, sampler, nth DESC`, pipeline == "", pipeline, nights)
	if err == nil {
		err = readLevelChanges(ctx, c, out)
	}
	return out, err
}

// readLevelChanges adds which levels of groupings came and went.
func readLevelChanges(ctx context.Context, c *sql.Conn, drifts []Drift) error {
	var at, of []int64
	var now []bool
	for i := range drifts {
		at, of, now = append(at, int64(i), int64(i)), append(of, drifts[i].ID, drifts[i].Previous), append(now, true, false)
	}
	var all []struct {
		I int
		LevelChange
	}
	err := read(ctx, c, &all, `WITH pair AS (
		SELECT unnest(?::BIGINT[]) AS i, unnest(?::BIGINT[]) AS of, unnest(?::BOOLEAN[]) AS now
		), level AS (
		SELECT n.i, p.grouping, p.level, bool_or(n.now) AS now, NOT bool_and(n.now) AS before
		FROM pair n JOIN parameter p ON p.fit_id = n.of AND p.kind = 'group_effect' GROUP BY ALL)
		SELECT i, grouping, count(*) FILTER (NOT before) AS new, count(*) FILTER (NOT now) AS gone,
			coalesce((list(level ORDER BY level) FILTER (NOT before))[:5], []) AS new_names,
			coalesce((list(level ORDER BY level) FILTER (NOT now))[:5], []) AS gone_names
		FROM level GROUP BY ALL HAVING bool_or(now) AND bool_or(before) AND NOT bool_and(now AND before)
		ORDER BY i, grouping`, at, of, now)
	for _, l := range all {
		drifts[l.I].Levels = append(drifts[l.I].Levels, l.LevelChange)
	}
	return err
}
