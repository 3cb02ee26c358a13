package words

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// TempDir is os.MkdirTemp in the system's folder for temporary files. Its error names that folder and TMPDIR.
func TempDir(pattern string) (dir string, err error) {
	if dir, err = os.MkdirTemp("", pattern); err == nil {
		return dir, nil
	}
	var where *fs.PathError
	if errors.As(err, &where) {
		err = where.Err
	}
	return "", Hint(fmt.Errorf("no folder for temporary files can be made in %q: %w", os.TempDir(), err),
		"make that folder, or name another one by the variable TMPDIR")
}
