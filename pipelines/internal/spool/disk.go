package spool

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"glmbatch/internal/words"
)

// Disk is where spools are kept: the file system. Everything that a spool
// changes on it goes through here. The zero value is ready to use.
type Disk struct {
	// Before, if not nil, is asked before each operation: an error that it returns is the operation's, which is
	// then not carried out. A write has written half of its bytes. Tests see with it what a run does that meets a
	// full or broken disk at any moment.
	Before func(op Op, path string) error
	// Patience is how much drawing of a fit may be lost with the process: from then on it is kept in a folder. Zero means
	// a second; negative means that nothing is held in memory.
	Patience time.Duration
}

// patience is Patience with its zero filled in.
func (d Disk) patience() time.Duration { return cmp.Or(d.Patience, time.Second) }

// Op is an operation on the disk that can fail.
type Op string

// The operations of a spool, in the order in which one is filled and removed.
const (
	OpFolder   Op = "make folder"
	OpOpen     Op = "open"
	OpLock     Op = "lock"
	OpWrite    Op = "write"
	OpSync     Op = "sync"
	OpTruncate Op = "truncate"
	OpRename   Op = "rename"
	OpRead     Op = "read"
	OpRemove   Op = "remove"
)

func (d Disk) ask(op Op, path string) error {
	if d.Before == nil {
		return nil
	}
	return d.Before(op, path)
}

func (d Disk) folder(path string) error {
	if err := d.ask(OpFolder, path); err != nil {
		return err
	}
	return os.MkdirAll(path, 0o755)
}

// open opens a file for reading and writing, and makes it if need be.
func (d Disk) open(path string) (*os.File, error) {
	if err := d.ask(OpOpen, path); err != nil {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
}

func (d Disk) writeAt(f *os.File, data []byte, at int64) error {
	if err := d.ask(OpWrite, f.Name()); err != nil {
		_, half := f.WriteAt(data[:len(data)/2], at)
		return errors.Join(err, half)
	}
	_, err := f.WriteAt(data, at)
	return err
}

func (d Disk) sync(f *os.File) error {
	if err := d.ask(OpSync, f.Name()); err != nil {
		return err
	}
	return f.Sync()
}

func (d Disk) truncate(f *os.File, size int64) error {
	if err := d.ask(OpTruncate, f.Name()); err != nil {
		return err
	}
	return f.Truncate(size)
}

func (d Disk) readAt(f *os.File, data []byte, at int64) error {
	if err := d.ask(OpRead, f.Name()); err != nil {
		return err
	}
	_, err := f.ReadAt(data, at)
	return err
}

func (d Disk) readFile(path string) ([]byte, error) {
	if err := d.ask(OpRead, path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

func (d Disk) remove(path string) error {
	if err := d.ask(OpRemove, path); err != nil {
		return err
	}
	return os.Remove(path)
}

func (d Disk) removeAll(path string) error {
	if err := d.ask(OpRemove, path); err != nil {
		return err
	}
	return os.RemoveAll(path)
}

// syncFolder makes a folder's entries durable.
func (d Disk) syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.sync(f), f.Close())
}

// writeWhole writes by way of a synced temporary file and a rename, so that
// the file is whole or absent.
func (d Disk) writeWhole(path string, data []byte) error {
	if err := d.ask(OpOpen, path); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	err = d.writeAt(tmp, data, 0)
	if err == nil {
		err = d.sync(tmp)
	}
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = d.ask(OpRename, path)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(tmp.Name()))
	}
	return d.syncFolder(filepath.Dir(path))
}

// Hint adds to an error of the file system what to do about it.
func Hint(err error) error {
	hint := ""
	switch {
	case errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG):
		hint = "free space on the ledger's disk, then run again: the run resumes from the spooled draws"
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		hint = "the work folder is next to the ledger, and must be writable"
	case errors.Is(err, syscall.EMFILE):
		hint = "allow the process more open files (ulimit -n), or fewer --workers"
	case errors.Is(err, syscall.EIO):
		hint = "the disk reports a fault; what was synced before is used by the next run"
	default:
		return err
	}
	return words.Hint(err, hint)
}
