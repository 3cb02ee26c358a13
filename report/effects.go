package report

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"glmbatch/report/html"
)

// Effect is a row of an effect: the mean of the response at values of variables, or how two of them differ.
type Effect struct {
	ID                           int    // of the effect in its fit, from 1
	Effect, Kind, Variable       string // Variable is empty where rows are averaged as they are
	Level, Given                 string
	X                            float64 // NaN of what is no number
	Mean, SD, Q025, Median, Q975 float64
	Direction                    float64 // NaN of predictions
}

// Effects replaces the effects of a complete fit, in one transaction.
func (s *Session) Effects(ctx context.Context, fit int64, rows []Effect) error {
	return storing("effects", inTransaction(ctx, s.c, func() error {
		if _, err := s.c.ExecContext(ctx, "DELETE FROM effect WHERE fit_id = ?", fit); err != nil {
			return err
		}
		return appendEach(s, "effect", rows, func(_ int, e *Effect) []driver.Value {
			return []driver.Value{fit, int32(e.ID), e.Effect, e.Kind, text(e.Variable), text(e.Level), number(e.X),
				text(e.Given), number(e.Mean), number(e.SD), number(e.Q025), number(e.Median), number(e.Q975),
				number(e.Direction)}
		})
	}))
}

// EffectsOf are the effects that fits of the ledger have, by fit, as they are asked for, in order.
func (l *Ledger) EffectsOf(ctx context.Context, fits []int64) (map[int64][]string, error) {
	out := map[int64][]string{}
	err := l.readTables(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, `SELECT fit_id, first(effect) FROM effect WHERE fit_id IN (SELECT unnest(?::BIGINT[]))
			GROUP BY fit_id, effect_id ORDER BY fit_id, effect_id`, func(rows *sql.Rows) error {
			var fit int64
			var name string
			err := rows.Scan(&fit, &name)
			out[fit] = append(out[fit], name)
			return err
		}, fits)
	})
	return out, err
}

// pageRows bounds the rows of effects that the page of a fit shows.
const pageRows = 2000

// effects reads what the pictures of effects show.
func (r *pageReader) effects(f *html.Fit) (err error) {
	f.Detail.Effects, err = readRows(r.ctx, r.c, `SELECT effect, kind, coalesce(variable, ''), coalesce(level, ''), x,
		coalesce(given, ''), mean, q025, q975 FROM effect WHERE fit_id = ? ORDER BY effect_id, rowid LIMIT ?`,
		func(e *html.Effect) []any {
			return []any{&e.Effect, &e.Kind, &e.Variable, &e.Level, (*nullable)(&e.X), &e.Given, (*nullable)(&e.Mean),
				(*nullable)(&e.Q025), (*nullable)(&e.Q975)}
		}, f.ID, pageRows)
	return err
}
