package outfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"glmbatch/internal/words"
)

// TempSuffix ends the name of a file while it is being written. A process that is killed leaves one such
// file at most, which the next one to write there uses.
const TempSuffix = ".new"

// Write puts what fill writes at path with the permissions mode, less those of the umask.
//
// Another process that is writing there is waited for, up to 10 s. Where fill fails nothing changes, except in
// a pipe or device.
func Write(path string, mode os.FileMode, fill func(*os.File) error) error {
	to, there, err := Target(path)
	switch {
	case err != nil:
		return err
	case there == nil || there.Mode().IsRegular():
		return byRename(to, mode, fill)
	case there.IsDir():
		return words.Hint(errors.New("it is a folder"), "name a file inside it")
	case there.Mode()&(os.ModeCharDevice|os.ModeNamedPipe) == 0:
		return words.Hint(fmt.Errorf("it is no file to write to, but %s", there.Mode().Type()), "name another file")
	}
	return inPlace(path, fill)
}

// New is Write of a file that must not exist yet, not even as a link: otherwise the error is os.ErrExist.
func New(path string, mode os.FileMode, fill func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if err := errors.Join(fill(f), f.Sync(), f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// Target follows the links at path, whether or not there is anything at their end, and returns where they lead as an
// absolute path, and what is there: nil if nothing is. Links among the folders on the way stay as they are written.
func Target(path string) (to string, there os.FileInfo, err error) {
	if to, err = filepath.Abs(path); err != nil {
		return "", nil, err
	}
	if there, err = os.Stat(to); err == nil && !there.Mode().IsRegular() {
		return to, there, nil // also /dev/stdout, whose link may have no name at its end
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", nil, err // also of links that lead in a circle
	}
	for {
		next, err := os.Readlink(to)
		if err != nil {
			return to, there, nil
		}
		if !filepath.IsAbs(next) {
			// A link counts from the folder that holds it, where .. leads up from the folder itself.
			folder, err := filepath.EvalSymlinks(filepath.Dir(to))
			if err != nil {
				return "", nil, err
			}
			next = filepath.Join(folder, next)
		}
		to = next
	}
}

// inPlace writes to a pipe or device. A pipe without a reader is an error, not a wait.
func inPlace(path string, fill func(*os.File) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return words.Hint(fmt.Errorf("it is a pipe that nobody reads: %w", err), "start its reader first")
	}
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close())
}

// byRename writes a file next to the path to, syncs it and renames it.
func byRename(to string, mode os.FileMode, fill func(*os.File) error) error {
	f, err := alone(to+TempSuffix, mode)
	if err != nil {
		return err
	}
	defer f.Close() // synced before it counts; gives up the lock
	for _, step := range []func() error{
		func() error { return f.Truncate(0) },
		func() error { return f.Chmod(mode &^ umask()) }, // one that a killed process left may have another mode
		func() error { return fill(f) },
		f.Sync,
		func() error { return os.Rename(f.Name(), to) },
	} {
		if err := step(); err != nil {
			return errors.Join(err, os.Remove(f.Name()))
		}
	}
	folder, err := os.Open(filepath.Dir(to))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// umask returns the permissions that new files of this process do not get. Only Linux has it to be read; elsewhere it
// is what it was when the program began.
func umask() os.FileMode {
	text, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(text)) {
		var mask os.FileMode
		if n, _ := fmt.Sscanf(line, "Umask:\t%o", &mask); n == 1 {
			return mask
		}
	}
	return firstUmask
}

var firstUmask = func() os.FileMode {
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	return os.FileMode(mask)
}()

// patience bounds the wait for another process that writes the same file.
const patience = 10 * time.Second

// alone opens a file that no other process writes to, making it if need be. It follows no link.
func alone(path string, mode os.FileMode) (*os.File, error) {
	for start := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, mode)
		if err != nil {
			return nil, err
		}
		// File systems without such locks do without.
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); !errors.Is(err, syscall.EWOULDBLOCK) {
			opened, err := f.Stat()
			if now, serr := os.Lstat(path); err == nil && serr == nil && os.SameFile(opened, now) {
				return f, nil
			}
			// Its writer has put it in its place meanwhile.
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		if time.Since(start) > patience {
			return nil, words.Hint(fmt.Errorf("another process is writing %s", path), "try again when it has ended")
		}
	}
}

// Same has the regular file from at the path to too, as a second name of it where both are on one file system, else as
// a copy with its time of change. An existing file of that size and time stays. Folders are made.
func Same(from, to string) error {
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if there, err := os.Stat(to); err == nil && there.Size() == info.Size() && there.ModTime().Equal(info.ModTime()) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	made := to + TempSuffix
	if err := os.Remove(made); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if os.Link(from, made) == nil {
		return os.Rename(made, to)
	}
	return Write(to, info.Mode().Perm(), func(f *os.File) error {
		source, err := os.Open(from)
		if err != nil {
			return err
		}
		defer source.Close()
		if _, err := io.Copy(f, source); err != nil {
			return err
		}
		return os.Chtimes(f.Name(), info.ModTime(), info.ModTime())
	})
}
