package report

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"glmbatch/internal/words"
)

// create makes a ledger without fits at l.path, whole or not at all: the engine
// makes its file in several steps, and cannot open one that a kill or a full disk
// has left in between. So it is made beside its place, synced, and renamed, while
// a lock on the folder keeps other processes from doing the same.
func (l *Ledger) create(ctx context.Context) error {
	folder, err := os.Open(filepath.Dir(l.path))
	if err != nil {
		return words.Hint(fmt.Errorf("ledger %q: %w", l.path, err), "make its folder")
	}
	defer folder.Close() // which gives up the lock
	if err := l.alone(ctx, folder); err != nil {
		return err
	}
	if exists, err := checkFile(l.path); exists || err != nil {
		return err // another process was first
	}
	made := &Ledger{path: l.path + ".new", opts: l.opts}
	err = errors.Join(removeIfThere(made.path), removeIfThere(made.path+".wal"))
	if err == nil {
		err = made.fill(ctx)
	}
	if err == nil && l.opts.Private {
		err = os.Chmod(made.path, 0o600)
	}
	if err == nil {
		err = os.Rename(made.path, l.path)
	}
	if err != nil {
		err = errors.Join(err, removeIfThere(made.path), removeIfThere(made.path+".wal"))
		return words.Hint(fmt.Errorf("ledger %q cannot be made: %w", l.path, err),
			"its folder must be writable, and have room")
	}
	l.trusted.Store(true) // what this process has just made
	return folder.Sync()
}

// fill makes the file with its tables, and syncs it.
func (l *Ledger) fill(ctx context.Context) error {
	db, c, err := l.connect(ctx, false, reach{})
	if err != nil {
		return errors.New(engineWords(err))
	}
	err = migrate(ctx, c, l.path, migrations)
	if err == nil {
		_, err = c.ExecContext(ctx, "CHECKPOINT")
	}
	if err := errors.Join(err, c.Close(), db.Close()); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// ownersAlone has files that the engine makes beside a ledger be readable for the owner alone
// where the ledger is, until restore: its log has the same content. Other files that the
// process makes meanwhile are, too.
func ownersAlone(path string) (restore func()) {
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		return func() {}
	}
	old := syscall.Umask(0o077)
	return func() { syscall.Umask(old) }
}

// alone takes the lock of a folder, waiting as long as for a ledger that is held. A
// file system without such locks does without.
func (l *Ledger) alone(ctx context.Context, folder *os.File) error {
	start, pause := time.Now(), 5*time.Millisecond
	for {
		err := syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil
		}
		left := l.opts.LockWait - time.Since(start)
		if left <= 0 {
			return &LockedError{l.path, time.Since(start), errors.New("it is being made")}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(min(pause, left)):
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}
