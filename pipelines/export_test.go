package pipelines

import (
	"path/filepath"

	"glmbatch/pipelines/internal/spool"
)

// Spool has a run keep its draws on disk from the first block on, as it does with those of long fits: tests see with
// it what a kill or a full disk leaves of short ones.
func (o *RunOptions) Spool() { o.disk.Patience = -1 }

// Pass has a run call pass before each operation on its spool, with the name of the operation and of the file.
func (o *RunOptions) Pass(pass func(point string)) {
	o.disk.Before = func(op spool.Op, path string) error {
		pass(string(op) + " " + filepath.Base(path))
		return nil
	}
}
