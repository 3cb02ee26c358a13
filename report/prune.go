package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"glmbatch/internal/words"
)

// Pruned says what Prune did.
type Pruned struct {
	Removed, Kept int   // fits, those that ended in an error counted
	Before, After int64 // bytes of the file, and of its files of draws
}

// Prune keeps the newest keep complete fits of each name and replicate in each pipeline, and as many of its errors,
// in the order of the newest runs that drew or found them, and removes what belongs to the others. If pipeline is
// not empty, fits of other pipelines stay. The actions of runs for removed fits are history and stay. Deletes do
// not shrink a DuckDB file, so a new file is written next to it and replaces it by a rename: a crash at any moment
// leaves the one or the other, whole. It needs as much free disk as the kept fits take.
//
// Prune returns a *LockedError if another process holds the file, and changes
// nothing then. The other tables and views of the file are copied too.
func (l *Ledger) Prune(ctx context.Context, pipeline string, keep int) (Pruned, error) {
	if keep < 1 {
		return Pruned{}, fmt.Errorf("prune: keep %d: at least 1 fit of each name must stay", keep)
	}
	if exists, err := checkFile(l.path); err != nil {
		return Pruned{}, err
	} else if err := l.Empty(); err != nil {
		return Pruned{}, err
	} else if !exists {
		return Pruned{}, missing(l.path)
	}
	var p Pruned
	err := l.Write(ctx, func(s *Session) error {
		err := inTransaction(ctx, s.c, func() (err error) {
			if p, err = s.prune(ctx, pipeline, keep); err == nil {
				err = pruneOutside(ctx, s.c, l.path)
			}
			return err
		})
		if err != nil {
			return err
		}
		p.Before = drawBytes(l.path)
		err = sweep(ctx, s.c, l.path)
		p.After = drawBytes(l.path)
		return err
	})
	if err != nil {
		return p, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	before, after, err := l.rewrite(ctx)
	p.Before, p.After = p.Before+before, p.After+after
	return p, err
}

// prune deletes the rows of the fits that have to go.
func (s *Session) prune(ctx context.Context, pipeline string, keep int) (p Pruned, err error) {
	_, err = s.c.ExecContext(ctx, `CREATE OR REPLACE TEMP TABLE pruned AS
		WITH taken AS (
			SELECT n.pipeline, f.dataset, f.key, f.model, f.sampler, f.replicate, f.status, f.fit_id,
				max((n.place, n.noted, n.rowid)) AS last
			FROM main.run_fit n JOIN main.fit f USING (fit_id) GROUP BY ALL
		), ranked AS (
			SELECT *, row_number() OVER (PARTITION BY pipeline, dataset, key, model, sampler, replicate, status
				ORDER BY last DESC) AS nth FROM taken
		)
		SELECT fit_id FROM ranked GROUP BY fit_id HAVING bool_and(nth > ?1 AND (?2 = '' OR pipeline = ?2))`, keep, pipeline)
	if err != nil {
		return p, err
	}
	for _, table := range fitTables {
		if _, err := s.c.ExecContext(ctx, "DELETE FROM main."+table+
			" WHERE fit_id IN (SELECT fit_id FROM temp.pruned)"); err != nil {
			return p, err
		}
	}
	for _, q := range []string{
		"UPDATE main.run_fit SET fit_id = NULL WHERE fit_id IN (SELECT fit_id FROM temp.pruned)",
		"DELETE FROM main.fit WHERE fit_id IN (SELECT fit_id FROM temp.pruned)",
	} {
		if _, err := s.c.ExecContext(ctx, q); err != nil {
			return p, err
		}
	}
	err = s.c.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM temp.pruned), (SELECT count(*) FROM main.fit)").
		Scan(&p.Removed, &p.Kept)
	return p, err
}

// rewrite copies the file and puts the copy in its place.
func (l *Ledger) rewrite(ctx context.Context) (before, after int64, err error) {
	tmp := l.path + ".prune"
	if err := errors.Join(removeIfThere(tmp), removeIfThere(tmp+".wal")); err != nil {
		return 0, 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeIfThere(tmp), removeIfThere(tmp+".wal"))
		}
	}()
	// Held for reading: no process writes meanwhile.
	db, c, err := l.patiently(ctx, true, reach{files: []string{tmp, tmp + ".wal", tmp + ".wal.checkpoint"}})
	if err != nil {
		return 0, 0, err
	}
	err = errors.Join(copyDatabase(ctx, c, tmp), c.Close())
	old, statErr := os.Stat(l.path)
	if err = errors.Join(err, db.Close(), statErr); err != nil {
		return 0, 0, words.Hint(fmt.Errorf("ledger %q: rewriting: %w", l.path, err),
			"the old file is whole; is the disk full?")
	}
	if err := l.replace(tmp, old); err != nil {
		return 0, 0, err
	}
	info, err := os.Stat(l.path)
	if err != nil {
		return 0, 0, err
	}
	return old.Size(), info.Size(), nil
}

// copyDatabase writes all of the open file to a new one at path, and syncs it.
func copyDatabase(ctx context.Context, c *sql.Conn, path string) error {
	var name string
	if err := c.QueryRowContext(ctx, "SELECT current_database()").Scan(&name); err != nil {
		return err
	}
	for _, q := range []string{
		"ATTACH " + quoteText(path) + " AS pruned_copy (READ_WRITE, ROW_GROUP_SIZE " + rowGroup +
			", STORAGE_VERSION '" + ledgerStorage + "')",
		"COPY FROM DATABASE " + quoteName(name) + " TO pruned_copy",
		"CHECKPOINT pruned_copy", "DETACH pruned_copy",
	} {
		if _, err := c.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// replace renames tmp over the ledger while no other process has it open, and
// only if it is still the file that was copied: the engine's lock, which is of
// the same kind, keeps others out between the two.
func (l *Ledger) replace(tmp string, copied os.FileInfo) error {
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	lock := &syscall.Flock_t{Type: syscall.F_WRLCK}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, lock); err != nil {
		return errors.Join(&LockedError{l.path, 0, err}, f.Close())
	}
	now, err := f.Stat()
	if err == nil && (!os.SameFile(now, copied) || now.Size() != copied.Size() || !now.ModTime().Equal(copied.ModTime())) {
		err = &LockedError{l.path, time.Duration(0), errors.New("it was written to while it was being copied")}
	}
	if err == nil {
		err = os.Chmod(tmp, now.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(tmp, l.path)
	}
	return errors.Join(err, f.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
