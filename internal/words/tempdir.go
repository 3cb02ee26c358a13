package words

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// TempDir is os.MkdirTemp in the system's folder for temporary files. Its error names that folder and TMPDIR.
func TempDir(pattern string) (string, error) {
	dir, err := os.MkdirTemp("", pattern)
	return dir, noTemp("folder", err)
}

// TempFile is os.CreateTemp in that folder, with the same error.
func TempFile(pattern string) (*os.File, error) {
	file, err := os.CreateTemp("", pattern)
	return file, noTemp("file", err)
}

// noTemp explains the error of making a temporary file or folder; nil if there is none.
func noTemp(what string, err error) error {
	if err == nil {
		return nil
	}
	var where *fs.PathError
	if errors.As(err, &where) {
		err = where.Err
	}
	return Hint(fmt.Errorf("no temporary %s can be made in %q: %w", what, os.TempDir(), err),
		"make that folder, or name another one by the variable TMPDIR")
}
