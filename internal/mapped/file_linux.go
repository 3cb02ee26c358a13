package mapped

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Supported reports whether this system has what the package needs.
const Supported = true

// room is an error for a size above the free space of a folder: fallocate would fill the disk before it fails, and
// whoever writes at that moment fails too.
func room(dir string, size int64) error {
	var disk unix.Statfs_t
	if unix.Statfs(dir, &disk) == nil && uint64(size)/uint64(disk.Bsize) >= disk.Bavail {
		return unix.ENOSPC
	}
	return nil
}

// mapFile gives a file its blocks and maps it.
func mapFile(file *os.File, size int64) ([]byte, error) {
	fd := int(file.Fd())
	err := unix.Fallocate(fd, 0, 0, size)
	if errors.Is(err, unix.EOPNOTSUPP) { // then by writing them
		err = write(file, size)
	}
	if err != nil {
		return nil, err
	}
	return unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// write fills a file with zeros.
func write(file *os.File, size int64) error {
	zeros := make([]byte, 1<<20)
	for size > 0 {
		n, err := file.Write(zeros[:min(size, int64(len(zeros)))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}

// remove gives back pages and blocks; where the file system cannot, pages alone until the process ends.
func remove(b []byte) {
	if unix.Madvise(b, unix.MADV_REMOVE) != nil {
		idle(b)
	}
}

// idle gives pages up, which begin at a page.
func idle(b []byte) { _ = unix.Madvise(b, unix.MADV_DONTNEED) } // they stay where that fails
