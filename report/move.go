package report

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// Move puts the ledger itself at the path to, replacing a file there, as Publish puts a copy: checkpointed, with
// every block as it was written, whole or not at all. The file is readable for its owner alone then. No other
// process may have it open. Where to is on another file system it is a copy, and the ledger stays. Cost: the file
// is read once; of a copy, what Publish costs.
func (l *Ledger) Move(ctx context.Context, to string) error {
	if err := os.Chmod(l.path, 0o600); err != nil {
		return err
	}
	if err := l.checkpointed(ctx); err != nil {
		return err
	}
	if err := l.Whole(ctx); err != nil {
		return err
	}
	err := os.Rename(l.path, to)
	if errors.Is(err, syscall.EXDEV) {
		return l.Publish(ctx, to)
	}
	if err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}
