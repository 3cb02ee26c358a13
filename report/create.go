package report

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"glmbatch/internal/words"
)

// create makes a ledger without fits at l.path, whole or not at all: the engine cannot open a file that a kill or a
// full disk has left half written. So it is made next to its path, synced, and renamed, while a lock on the folder
// keeps other processes from doing the same.
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
	made := l.path + ".new"
	err = errors.Join(removeIfThere(made), removeIfThere(made+".wal")) // which older programs left
	if err == nil {
		err = l.copyEmpty(made)
	}
	if err == nil {
		err = os.Rename(made, l.path)
	}
	if err != nil {
		err = errors.Join(err, removeIfThere(made))
		return words.Hint(fmt.Errorf("ledger %q cannot be made: %w", l.path, err),
			"its folder must be writable, and have room")
	}
	l.trusted.Store(true) // what this process has just made
	return folder.Sync()
}

// empty is a ledger of the newest schema without fits, compressed. To make it by SQL takes a tenth of a second:
// every comment on a column rebuilds its table. A test compares it with that SQL, and rewrites it (make golden).
//
//go:embed schema/empty.duckdb.gz
var empty []byte

// copyEmpty makes a file of the empty ledger, and syncs it.
func (l *Ledger) copyEmpty(path string) error {
	from, err := gzip.NewReader(bytes.NewReader(empty))
	if err != nil {
		return err
	}
	mode := os.FileMode(0o666)
	if l.opts.Private {
		mode = 0o600
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// ownersAlone makes files that the engine creates next to a ledger readable for the owner alone if the ledger is,
// until restore: its log has the same content. Other files that the process makes meanwhile are, too.
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
