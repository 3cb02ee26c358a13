package report

import (
	"context"
	"database/sql"
	"slices"

	"glmbatch/report/judge"
)

// States returns the verdict that the newest run of a pipeline with each name took for it: of
// a fit that it computed, skipped, or could not compute, the worst one if
// there are replicates. Without a ledger file there
// are none, and no error.
func (l *Ledger) States(ctx context.Context, pipeline string) (map[Key]judge.Grade, error) {
	return l.grades(ctx, "SELECT dataset, key, model, sampler, verdict FROM attempt WHERE pipeline = ?", pipeline)
}

// NewestIDs returns the numbers of the newest fits of all pipelines, replicates too. Without a ledger file there are
// none, and no error.
func (l *Ledger) NewestIDs(ctx context.Context) (map[int64]bool, error) {
	ids := map[int64]bool{}
	return ids, l.readIfThere(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, "SELECT DISTINCT fit_id FROM newest_fit", func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			ids[id] = true
			return err
		})
	})
}

// LastRun returns the verdicts that the newest run of a pipeline took, runs
// that had nothing to do left out. Without a ledger file or such a run there are none, and no error.
func (l *Ledger) LastRun(ctx context.Context, pipeline string) (map[Key]judge.Grade, error) {
	return l.grades(ctx, `SELECT dataset, key, model, sampler, verdict FROM run_fit
		WHERE run_id = (SELECT run_id FROM run WHERE pipeline = ? AND run_id IN (SELECT run_id FROM run_fit)
			ORDER BY place DESC, started DESC, rowid DESC LIMIT 1)`, pipeline)
}

// grades takes the worst verdict of each name that a query gives.
func (l *Ledger) grades(ctx context.Context, query string, args ...any) (map[Key]judge.Grade, error) {
	found := map[Key]judge.Grade{}
	err := l.readIfThere(ctx, func(c *sql.Conn) error {
		return scanRows(ctx, c, query, func(rows *sql.Rows) error {
			var k Key
			var g judge.Grade
			if err := rows.Scan(keyFields(&k, &g)...); err != nil {
				return err
			}
			if before, ok := found[k]; !ok || worse(g, before) {
				found[k] = g
			}
			return nil
		}, args...)
	})
	return found, err
}

// worse compares grades, as replicates of one name have them.
func worse(a, b judge.Grade) bool {
	order := []judge.Grade{judge.Pass, judge.Warn, judge.Fail, judge.ErrorGrade}
	return slices.Index(order, a) > slices.Index(order, b)
}

// scanRows calls scan for each row of a query.
func scanRows(ctx context.Context, c *sql.Conn, query string, scan func(*sql.Rows) error, args ...any) error {
	rows, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// keyFields are where the columns dataset, key, model and sampler go, and those after them.
func keyFields(k *Key, more ...any) []any {
	return append([]any{&k.Dataset, &k.Group, &k.Model, &k.Sampler}, more...)
}
