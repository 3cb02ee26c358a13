package report

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"glmbatch/internal/held"
)

// The tables that Take copies of fits that are known by fingerprint alone, and those that it leaves out of fits
// that are not whole: large, and needed only if results of a fit are recomputed.
var (
	knownTables = []string{"fit", "identity", "start", "derived"}
	heavyTables = []string{"draw_piece", "chain_piece", "pointwise", "kfold_pointwise", "variable", "marginal",
		"smooth_curve", "allocation", "imputation", "imputed_bin"}
)

// Taken are fits of another ledger, by number, each in one of four ways: to know that they exist; to compare with
// or start from; to judge again, with the statistics of their chains; with all that belongs to them.
type Taken struct {
	Known, Light, Judged, Whole []int64
	// Which, unless nil, says of which names all fits are taken whole.
	Which func(Key) bool
}

// of are the fits, except whole ones, whose rows in a table are taken.
func (t Taken) of(table string) []int64 {
	ids := []int64{}
	if table == "chain_piece" {
		ids = slices.Concat(ids, t.Judged)
	}
	if !slices.Contains(heavyTables, table) {
		ids = slices.Concat(ids, t.Judged, t.Light)
	}
	if slices.Contains(knownTables, table) {
		ids = slices.Concat(ids, t.Known)
	}
	return ids
}

// Take copies fits of another ledger with their numbers, and what runs there were, without the texts of their
// specs, in one transaction. This ledger must have no fits yet; what it stores later has higher numbers.
func (l *Ledger) Take(ctx context.Context, from *Ledger, t Taken) error {
	return l.writeAttached(ctx, []*Ledger{from}, func(s *Session) error {
		return s.attachedOne(ctx, from.path, func() error { return s.take(ctx, from.path, t) })
	})
}

func (s *Session) take(ctx context.Context, from string, t Taken) error {
	_, err := s.c.ExecContext(ctx, "INSERT INTO main.run BY NAME SELECT * REPLACE (NULL AS spec) FROM beside.main.run")
	if err == nil && t.Which != nil {
		err = s.which(ctx, &t)
	}
	if err != nil {
		return err
	}
	for _, table := range append([]string{"fit"}, fitTables...) {
		ids := t.of(table)
		if len(ids)+len(t.Whole) == 0 || table == "draw_outside" {
			continue
		}
		columns := "*"
		if table == "fit" { // whose draws are left behind has none
			columns = "* REPLACE (CASE WHEN fit_id IN (SELECT unnest(?2::BIGINT[])) THEN kept ELSE 'summary' END AS kept)"
		}
		_, err := s.c.ExecContext(ctx, "INSERT INTO main."+table+" BY NAME SELECT "+columns+" FROM beside.main."+table+
			" WHERE fit_id IN (SELECT unnest(?1::BIGINT[])) OR fit_id IN (SELECT unnest(?2::BIGINT[]))", ids,
			append([]int64{}, t.Whole...))
		if err != nil {
			return err
		}
	}
	if err := s.takeNotes(ctx, t); err != nil {
		return err
	}
	if err := s.takeOutside(ctx, from, t.Whole); err != nil {
		return err
	}
	var n int64
	return s.c.QueryRowContext(ctx, "SELECT count(nextval('fit_number')) FROM range((SELECT coalesce(max(fit_id), 0) "+
		"FROM beside.main.fit))").Scan(&n)
}

// takeNotes copies the newest record that runs made of each fit that is taken, for each pipeline: which fit is the
// newest of its name is the same here.
func (s *Session) takeNotes(ctx context.Context, t Taken) error {
	_, err := s.c.ExecContext(ctx, `INSERT INTO main.run_fit BY NAME SELECT * FROM beside.main.run_fit
		WHERE action IN ('computed', 'skipped') AND fit_id IN (SELECT unnest(?::BIGINT[]))
		QUALIFY row_number() OVER (PARTITION BY pipeline, fit_id ORDER BY place DESC, noted DESC, rowid DESC) = 1
		ORDER BY place, noted, rowid`, slices.Concat([]int64{}, t.Known, t.Light, t.Judged, t.Whole))
	return err
}

// which adds the fits whose names are chosen to those that are taken whole.
func (s *Session) which(ctx context.Context, t *Taken) error {
	t.Whole = slices.Clone(t.Whole)
	return scanRows(ctx, s.c, "SELECT fit_id, dataset, key, model, sampler FROM beside.main.fit ORDER BY fit_id",
		func(rows *sql.Rows) error {
			var id int64
			var k Key
			err := rows.Scan(&id, &k.Dataset, &k.Group, &k.Model, &k.Sampler)
			if err == nil && t.Which(k) {
				t.Whole = append(t.Whole, id)
			}
			return err
		})
}

// writeAttached is Write with an engine that may attach other ledgers.
func (l *Ledger) writeAttached(ctx context.Context, others []*Ledger, fn func(*Session) error) error {
	var r reach
	for _, other := range others {
		if exists, err := checkFile(other.path); err != nil {
			return err
		} else if !exists {
			return missing(other.path)
		}
		if err := other.checkpointed(ctx); err != nil {
			return err
		}
		r.beside = append(r.beside, other.path, other.path+".wal")
		r.folders = append(r.folders, drawsFolder(other.path))
	}
	return l.writeWith(ctx, r, fn)
}

// attachedOne calls fn in a transaction, with another ledger attached for reading. Its views are not asked.
func (s *Session) attachedOne(ctx context.Context, path string, fn func() error) error {
	release, err := held.AwaitRead(ctx, path)
	if err != nil {
		return err
	}
	defer release()
	if _, err := s.c.ExecContext(ctx, "ATTACH "+quoteText(path)+" AS beside (READ_ONLY)"); err != nil {
		return err
	}
	err = inTransaction(ctx, s.c, fn)
	_, detach := s.c.ExecContext(context.WithoutCancel(ctx), "DETACH beside")
	return errors.Join(err, detach)
}

// Restart takes back what an attempt at a run noted in its end: the run begins again, with what it has stored.
func (s *Session) Restart(ctx context.Context, run string) error {
	return inTransaction(ctx, s.c, func() error {
		for _, table := range append(slices.Clone(fitTables), "fit") {
			if _, err := s.c.ExecContext(ctx, "DELETE FROM "+table+" WHERE fit_id IN (SELECT fit_id FROM fit "+
				"WHERE run_id = ? AND status <> 'complete')", run); err != nil {
				return err
			}
		}
		_, err := s.c.ExecContext(ctx, "DELETE FROM run_fit WHERE run_id = ? AND action <> ?", run, string(Computed))
		return err
	})
}
