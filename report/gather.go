package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"glmbatch/internal/held"
)

// What Take copies of fits that are known by fingerprint alone, and what it leaves out of those that are not whole:
// large, and asked for only where something is computed anew of a fit.
var (
	knownTables = []string{"fit", "identity", "start", "derived"}
	heavyTables = []string{"draw_piece", "chain_piece", "pointwise", "kfold_pointwise", "variable", "marginal",
		"smooth_curve"}
)

// Taken are fits of another ledger, by number, each in one of four ways: to know that they are there; to compare with
// or start from; to judge anew, with the statistics of their chains; with all that belongs to them.
type Taken struct{ Known, Light, Judged, Whole []int64 }

// of are the fits of which the rows in a table are taken, but for whole ones.
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
	return l.writeBeside(ctx, []*Ledger{from}, func(s *Session) error {
		return s.beside(ctx, from.path, func() error { return s.take(ctx, from.path, t) })
	})
}

func (s *Session) take(ctx context.Context, from string, t Taken) error {
	_, err := s.c.ExecContext(ctx, "INSERT INTO main.run BY NAME SELECT * REPLACE (NULL AS spec) FROM beside.main.run")
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
	if err := s.takeOutside(ctx, from, t.Whole); err != nil {
		return err
	}
	var n int64
	return s.c.QueryRowContext(ctx, "SELECT count(nextval('fit_number')) FROM range((SELECT coalesce(max(fit_id), 0) "+
		"FROM beside.main.fit))").Scan(&n)
}

// writeBeside is Write with an engine that may attach other ledgers.
func (l *Ledger) writeBeside(ctx context.Context, others []*Ledger, fn func(*Session) error) error {
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

// beside calls fn in a transaction, with another ledger attached for reading. Its views are not asked.
func (s *Session) beside(ctx context.Context, path string, fn func() error) error {
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

// Told counts the names of fits that a run tells of, replicates left out.
func (l *Ledger) Told(ctx context.Context, run string) (names int, err error) {
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		return c.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT DISTINCT dataset, key, model, sampler FROM run_fit "+
			"WHERE run_id = ?)", run).Scan(&names)
	})
	return names, err
}

// Gather loads what a run left in ledgers of its own, each of which began with fits that were taken of this one: new
// fits under numbers that they get here, what the run did about fits, and what it computed anew of those that were
// taken; whole are the numbers of these of which all was taken. Each of the ledgers is one transaction. What this one
// has stays: what it was told of the run before, and fits with the same fingerprint of runs that began no earlier.
func (l *Ledger) Gather(ctx context.Context, run *Run, from []*Ledger, whole []int64) error {
	return l.writeBeside(ctx, from, func(s *Session) error {
		if err := sweep(ctx, s.c, l.path); err != nil {
			return err
		}
		if err := s.RunOnce(ctx, run); err != nil {
			return err
		}
		for _, f := range from {
			to := l.outsideOf(run.ID, f.path)
			if err := s.beside(ctx, f.path, func() error { return s.gather(ctx, run.ID, whole, to) }); err != nil {
				return fmt.Errorf("loading %q: %w", f.path, err)
			}
		}
		return nil
	})
}

// What gather prepares: the names of which this ledger has not been told by the run; the new fits among them, with
// their numbers here; and fits taken, which are of other runs, with theirs. ?1 is the run, ?2 what was taken whole.
const (
	gatheredNames = `CREATE OR REPLACE TEMP TABLE gathered_name AS
		SELECT DISTINCT dataset, key, model, sampler FROM beside.main.run_fit WHERE run_id = ?1
		EXCEPT SELECT dataset, key, model, sampler FROM main.run_fit WHERE run_id = ?1`
	gatheredFits = `CREATE OR REPLACE TEMP TABLE gathered_fit AS
		SELECT fit_id AS was, nextval('fit_number') AS id FROM (SELECT f.fit_id FROM beside.main.fit f
		JOIN temp.gathered_name USING (dataset, key, model, sampler)
		WHERE f.run_id = ?1 AND (f.status <> 'complete' OR NOT EXISTS (SELECT 1 FROM main.fit k
			WHERE k.fingerprint = f.fingerprint AND k.status = 'complete' AND k.place >= f.place)) ORDER BY f.fit_id)`
	gatheredOld = `CREATE OR REPLACE TEMP TABLE gathered_old AS
		SELECT b.fit_id AS was, k.fit_id AS id, b.judged > k.judged AND b.run_id <> ?1 AS judged,
			b.run_id <> ?1 AND b.judged >= k.judged AND list_contains(?2::BIGINT[], b.fit_id) AS anew
		FROM beside.main.fit b JOIN temp.gathered_name USING (dataset, key, model, sampler)
		JOIN main.fit k USING (fingerprint)
		WHERE b.status = 'complete' AND k.status = 'complete'`
)

// What gather does with them, besides the tables of fits.
const (
	gatherVerdicts = `UPDATE main.fit SET verdict = b.verdict, reasons = b.reasons, gates = b.gates, judged = b.judged,
		warnings = b.warnings, n_parameters = b.n_parameters
		FROM (SELECT f.*, o.id FROM beside.main.fit f JOIN temp.gathered_old o ON o.was = f.fit_id WHERE o.judged) b
		WHERE fit.fit_id = b.id`
	gatherNotes = `INSERT INTO main.run_fit BY NAME SELECT r.* REPLACE (coalesce(n.id, o.id) AS fit_id)
		FROM beside.main.run_fit r JOIN temp.gathered_name USING (dataset, key, model, sampler)
		LEFT JOIN temp.gathered_fit n ON n.was = r.fit_id LEFT JOIN temp.gathered_old o ON o.was = r.fit_id
		WHERE r.run_id = ?1 ORDER BY r.rowid`
)

func (s *Session) gather(ctx context.Context, run string, whole []int64, to *outside) error {
	do := func(query string, args ...any) error {
		_, err := s.c.ExecContext(ctx, query, args...)
		return err
	}
	err := do(gatheredNames, run)
	if err == nil {
		err = do(gatheredFits, run)
	}
	if err == nil {
		err = do(gatheredOld, run, append([]int64{}, whole...))
	}
	if err != nil {
		return err
	}
	replaced := map[bool][]string{} // by whether they are complete
	err = scanRows(ctx, s.c, "SELECT f.fingerprint, f.status = 'complete' FROM beside.main.fit f "+
		"JOIN temp.gathered_fit n ON n.was = f.fit_id", func(rows *sql.Rows) error {
		var fingerprint string
		var complete bool
		err := rows.Scan(&fingerprint, &complete)
		replaced[complete] = append(replaced[complete], fingerprint)
		return err
	})
	if err == nil {
		err = s.remove(ctx, list(replaced[true]), list(replaced[false]))
	}
	if err != nil {
		return err
	}
	for _, table := range append([]string{"fit"}, fitTables...) {
		insert := "INSERT INTO main." + table + " BY NAME SELECT t.* REPLACE (n.id AS fit_id) FROM beside.main." + table +
			" t "
		if !to.leaves(table) {
			if err := do(insert + "JOIN temp.gathered_fit n ON n.was = t.fit_id"); err != nil {
				return err
			}
		}
		if table == "fit" || len(whole) == 0 {
			continue
		}
		err := do("DELETE FROM main." + table + " WHERE fit_id IN (SELECT id FROM temp.gathered_old WHERE anew)")
		if err == nil && !to.leaves(table) {
			err = do(insert + "JOIN temp.gathered_old n ON n.was = t.fit_id AND n.anew")
		}
		if err != nil {
			return err
		}
	}
	if err := to.store(ctx, s); err != nil {
		return err
	}
	if err := do(gatherVerdicts); err != nil {
		return err
	}
	return do(gatherNotes, run)
}
