package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"glmbatch/internal/outfile"
	"glmbatch/internal/words"
)

// PutError says that no file could be put at To. An earlier file is unchanged.
type PutError struct {
	Key string // of a spec, or the verb: publish, for a copy of the ledger, or report, for a page
	To  string
	Err error // a *words.Hinted where it is known what to do
}

func (e *PutError) Error() string { return fmt.Sprintf("%s %q: %s", e.Key, e.To, e.Err) }

// Unwrap returns the cause.
func (e *PutError) Unwrap() error { return e.Err }

// Publish puts a copy of the ledger at the path to, replacing a file there: for readers that must never meet a
// lock. The copy is checkpointed, synced and opened for a try before an atomic rename, so that a reader finds the
// old file or the new one, whole; who has the old one open keeps it. Files of draws next to the ledger are copied
// too, next to the copy.
//
// Readers of the ledger may have it open meanwhile, writers not: Publish waits for
// them as Options.LockWait allows, and returns a *LockedError after that; all else
// that goes wrong is a *PutError. Cost: the file is read and written once.
func (l *Ledger) Publish(ctx context.Context, to string) error {
	if exists, err := checkFile(l.path); err != nil {
		return err
	} else if !exists {
		return missing(l.path)
	}
	if err := l.checkpointed(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	source, err := l.shared(ctx)
	if err != nil {
		return err
	}
	defer source.Close() // gives up the lock, and nothing was written
	err = l.publish(ctx, source, to)
	var locked *LockedError
	if err == nil || errors.As(err, &locked) {
		return err
	}
	return &PutError{"publish", to, words.Hint(err, putHint("publish", err))}
}

// putHint says what to do where a file could not be written.
func putHint(key string, err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC) && key == "publish":
		return "make room there: the copy is as large as the ledger"
	case errors.Is(err, syscall.ENOSPC):
		return "make room there, or name another folder"
	case errors.Is(err, os.ErrNotExist):
		return "make the folder that it names"
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		return "its folder must be writable"
	}
	return ""
}

// checkpointed adds the log that a killed writer left to the file.
func (l *Ledger) checkpointed(ctx context.Context) error {
	if _, err := os.Stat(l.path + ".wal"); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return l.Write(ctx, func(*Session) error { return nil })
}

// shared opens the file with a lock that keeps writers out and lets readers be. It
// is of the kind that the engine takes.
func (l *Ledger) shared(ctx context.Context) (*os.File, error) {
	f, err := os.Open(l.path)
	if err != nil {
		return nil, err
	}
	start, pause := time.Now(), 5*time.Millisecond
	for {
		err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_RDLCK})
		if err == nil {
			return f, nil
		}
		left := l.opts.LockWait - time.Since(start)
		if left <= 0 {
			return nil, errors.Join(&LockedError{l.path, time.Since(start), err}, f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		case <-time.After(min(pause, left)):
		}
		pause = min(2*pause, 500*time.Millisecond)
	}
}

// publish copies the locked file to where to leads.
func (l *Ledger) publish(ctx context.Context, source *os.File, to string) error {
	info, err := source.Stat()
	if err != nil {
		return err
	}
	leads, there, err := outfile.Target(to)
	if err != nil {
		return err
	}
	if there != nil && (!there.Mode().IsRegular() || os.SameFile(there, info)) {
		return words.Hint(errors.New("it is a folder, a device or the ledger itself"), "name another file")
	}
	if _, err := os.Stat(l.path + ".wal"); err == nil {
		return &LockedError{l.path, 0, errors.New("it was written to just now")}
	}
	tidy := func() error { return nil }
	err = outfile.Write(leads, info.Mode().Perm(), func(f *os.File) error {
		if _, err := io.Copy(f, &cancellable{ctx, source}); err != nil {
			return err
		}
		if err := opens(ctx, f.Name()); err != nil {
			return err
		}
		err := (&Ledger{path: f.Name(), opts: l.opts}).Whole(ctx)
		if err == nil {
			tidy, err = publishDraws(ctx, l.path, f.Name(), leads)
		}
		return err
	})
	if err != nil {
		return err
	}
	return tidy()
}

// opens tries whether a copy is a ledger.
func opens(ctx context.Context, path string) error {
	if err := openable(path); err != nil {
		return err
	}
	l := &Ledger{path: path, opts: Options{Threads: 1, MemoryLimit: "128MB"}}
	db, c, err := l.connect(ctx, true, reach{})
	if err != nil {
		return fmt.Errorf("the copy does not open: %w", err)
	}
	_, err = schemaVersion(ctx, c, path, migrations)
	return errors.Join(err, c.Close(), db.Close())
}

// cancellable reads until its context ends.
type cancellable struct {
	ctx context.Context
	r   io.Reader
}

func (c *cancellable) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}
