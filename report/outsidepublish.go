package report

import (
	"context"
	"database/sql"
	"os"

	"glmbatch/internal/outfile"
)

// publishDraws puts files of draws into the folder of a copy of the ledger that will be at to, and is at made until
// then: a link to the file where both are on one file system, which costs nothing and outlives what prune removes,
// else a copy. Existing files stay. It returns what removes files that neither this copy nor the one before names:
// who has the one before open still finds all of it.
func publishDraws(ctx context.Context, ledger, made, to string) (tidy func() error, err error) {
	files, err := filesOf(ctx, made)
	before, unknown := filesOf(ctx, to)
	if err != nil || len(files)+len(before) == 0 {
		return func() error { return nil }, err
	}
	keep := map[string]bool{noDraws: true}
	for _, f := range append(before, files...) {
		keep[f.path] = true
	}
	none := drawFile{path: noDraws}
	if info, err := os.Stat(none.where(ledger)); err == nil {
		none.bytes = info.Size()
		files = append(files, none)
	}
	for _, f := range files {
		if f.lost(ledger) != "" { // so it is for the copy
			continue
		}
		if err := outfile.Same(f.where(ledger), f.where(to)); err != nil {
			return nil, err
		}
	}
	return func() error {
		if unknown != nil {
			return nil
		}
		return removeStrays(to, keep)
	}, nil
}

// filesOf lists the files of draws that the ledger at path names; none if there is no ledger.
func filesOf(ctx context.Context, path string) (files []drawFile, err error) {
	l := &Ledger{path: path, opts: Options{Threads: 1, MemoryLimit: "128MB", LockWait: -1}}
	err = l.readIfThere(ctx, func(c *sql.Conn) error {
		files, err = drawFiles(ctx, c, ownTables)
		return err
	})
	return files, err
}
