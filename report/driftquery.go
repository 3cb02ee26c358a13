package report

import (
	"context"
	"database/sql"
	"time"

	"glmbatch/report/judge"
)

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
}

// driftRow names the columns of drift_summary in the order of Drift.fields.
const driftRow = `coalesce(pipeline, ''), dataset, key, model, sampler, fit_id, previous_fit_id, created,
	previous_created, verdict, data_changed, model_changed, parameters_compared, shift, shift_parameter, shift_rms,
	shift_z, sd_ratio, sd_ratio_parameter,
	rows_now, rows_before, "rows", columns_now, columns_before, "columns", missing_now, missing_before, missing,
	response_now, response_before, response_shift, centre_shift, centre_shift_column, scale_ratio, scale_ratio_column`

func (d *Drift) fields() []any {
	return []any{&d.Pipeline, &d.Dataset, &d.Group, &d.Model, &d.Sampler, &d.ID, &d.Previous, &d.Created,
		&d.PreviousCreated, &d.Verdict,
		&d.DataChanged, &d.ModelChanged, &d.Compared, &d.Shift, &d.ShiftParameter, &d.ShiftRMS, &d.ShiftZ, &d.SDRatio,
		&d.SDRatioParameter,
		&d.RowsNow, &d.RowsBefore, &d.Rows, &d.ColumnsNow, &d.ColumnsBefore, &d.Columns, &d.MissingNow, &d.MissingBefore,
		&d.Missing,
		&d.ResponseNow, &d.ResponseBefore, &d.ResponseShift, &d.CentreShift, &d.CentreShiftColumn, &d.ScaleRatio,
		&d.ScaleRatioColumn}
}

// Drifts returns how far the newest fits of each name of a pipeline (of all, if
// it is empty) lie from their predecessors: nights of them, the newest first. A
// ledger that is not there is a *MissingError. Cost: one pass over summary.
func (l *Ledger) Drifts(ctx context.Context, pipeline string, nights int) ([]Drift, error) {
	out := []Drift{}
	err := l.readTables(ctx, func(c *sql.Conn) (err error) {
		out, err = readDrifts(ctx, c, pipeline, nights)
		return err
	})
	return out, err
}

// readDrifts is Drifts on an open ledger.
func readDrifts(ctx context.Context, c *sql.Conn, pipeline string, nights int) ([]Drift, error) {
	out, err := readRows(ctx, c, "SELECT "+driftRow+` FROM (SELECT d.*, f.place FROM drift_summary d
		JOIN fit f USING (fit_id)) WHERE ? OR pipeline = ?
		QUALIFY row_number() OVER (PARTITION BY pipeline, dataset, key, model, sampler ORDER BY place DESC, created DESC,
		fit_id DESC) <= ?
		ORDER BY pipeline, dataset, key, model, sampler, place DESC, created DESC, fit_id DESC`, (*Drift).fields,
		pipeline == "", pipeline, nights)
	return append([]Drift{}, out...), err // JSON has a list of none as []
}
