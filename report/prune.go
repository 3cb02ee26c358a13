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
	Before, After int64 // bytes of the file, and of draws beside it
}

// Prune keeps the newest keep complete fits of each name and replicate, and as
// many of its errors, and removes what belongs to the others; what runs did about them is
// history and stays. Deletes do not shrink a DuckDB file, so the file is
// written anew beside itself and takes the old one's place by a rename: a
// crash at any moment leaves the one or the other, whole. It needs as much
// free disk as the kept fits take.
//
// Prune returns a *LockedError if another process holds the file, and changes
// nothing then. The other tables and views of the file are copied too.
func (l *Ledger) Prune(ctx context.Context, keep int) (Pruned, error) {
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
			if p, err = s.prune(ctx, keep); err == nil {
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
func (s *Session) prune(ctx context.Context, keep int) (p Pruned, err error) {
	_, err = s.c.ExecContext(ctx, `CREATE OR REPLACE TEMP TABLE pruned AS
		SELECT fit_id FROM main.fit
		QUALIFY row_number() OVER (PARTITION BY dataset, key, model, sampler, replicate, status ORDER BY place DESC,
		created DESC, fit_id DESC) > ?`, keep)
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
	// Held for reading: nobody writes meanwhile.
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
