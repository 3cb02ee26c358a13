package spool

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
)

// claimsName is the file of a work folder of which each fit that a run draws locks a byte, so that fits in memory
// need no folder to be distinguished from those that no run draws. Byte 0 is shared by all who have the file open:
// who removes it has that byte alone.
const claimsName = "claims"

// claimable reports whether the system has locks of bytes that belong to an open file, as Linux has: two runs of one
// process do not share them, and nothing but closing the file gives them up. Elsewhere every fit has a folder.
const claimable = runtime.GOOS == "linux"

// setOpenFileLock is the command of fcntl for such a lock, F_OFD_SETLK of Linux, which package syscall does not name.
const setOpenFileLock = 37

// Claims are the fits that a run draws. Close them in the end.
type Claims struct {
	disk Disk
	root string

	mu   sync.Mutex
	file *os.File // nil until the first fit is claimed
}

// claim is the byte of one fit.
type claim struct {
	of   *Claims
	file *os.File
	at   int64
}

// Claims holds the claims of fits under root; the zero value has none of them.
func (d Disk) Claims(root string) *Claims { return &Claims{disk: d, root: root} }

// take claims the fit with a folder. It returns a *BusyError where another run has it.
func (c *Claims) take(dir string) (*claim, error) {
	if !claimable {
		return nil, nil
	}
	file, err := c.open()
	if err != nil {
		return nil, err
	}
	out := &claim{of: c, file: file, at: place(dir)}
	err = c.disk.ask(OpLock, file.Name())
	if err == nil {
		err = lockByte(file, syscall.F_WRLCK, out.at)
	}
	if errors.Is(err, errLocked) {
		return nil, &BusyError{Dir: dir}
	}
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return out, nil
}

// release gives the fit up; of none it does nothing. The end of all claims gave it up too, and another file may have
// the descriptor since.
func (c *claim) release() {
	if c == nil {
		return
	}
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	if c.of.file == c.file {
		_ = lockByte(c.file, syscall.F_UNLCK, c.at)
	}
}

// open opens the file, if it is not open.
func (c *Claims) open() (*os.File, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.file == nil {
		if err := c.disk.folder(c.root); err != nil {
			return nil, err
		}
		file, err := c.disk.open(filepath.Join(c.root, claimsName))
		if err != nil {
			return nil, err
		}
		err = c.disk.ask(OpLock, file.Name())
		if err == nil {
			err = lockByte(file, syscall.F_RDLCK, 0)
		}
		if err == nil && current(file) {
			c.file = file
			break
		}
		if err := errors.Join(err, file.Close()); err != nil && !errors.Is(err, errLocked) {
			return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
		} // otherwise another process has removed it, or is about to
	}
	return c.file, nil
}

// Close gives all claims up, and removes their file, also that of a run which was killed, unless another run has it
// open.
func (c *Claims) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == nil {
		file, err := os.OpenFile(filepath.Join(c.root, claimsName), os.O_RDWR, 0)
		if err != nil {
			return nil
		}
		c.file = file
	}
	if lockByte(c.file, syscall.F_WRLCK, 0) == nil {
		_ = os.Remove(c.file.Name()) // else the next run's end removes it
	}
	err := c.file.Close()
	c.file = nil
	return err
}

// claimed reports whether a process draws the fit with a folder under root.
func (d Disk) claimed(root, dir string) bool {
	file, err := os.OpenFile(filepath.Join(root, claimsName), os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer file.Close() // which gives up the lock
	return errors.Is(lockByte(file, syscall.F_WRLCK, place(dir)), errLocked)
}

// current reports whether a file is still the one with its name.
func current(file *os.File) bool {
	held, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(file.Name())
	return err == nil && os.SameFile(held, there)
}

// place is the byte of the fit with a folder.
func place(dir string) int64 {
	sum := fnv.New64a()
	_, _ = io.WriteString(sum, filepath.Base(dir)) // never fails
	return 1 + int64(sum.Sum64()>>2)
}

// errLocked is for a byte that another open file has locked.
var errLocked = errors.New("the byte is locked")

// lockByte locks or unlocks one byte of an open file, without waiting.
func lockByte(file *os.File, kind int16, at int64) error {
	lock := syscall.Flock_t{Type: kind, Whence: io.SeekStart, Start: at, Len: 1}
	err := syscall.FcntlFlock(file.Fd(), setOpenFileLock, &lock)
	if errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EACCES) {
		return errLocked
	}
	return err
}
