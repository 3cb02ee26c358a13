package report

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"

	"glmbatch/internal/outfile"
)

// A checkpoint starts with a marker in the log of the file (.wal), which says where the new root of the file will
// be. On a full disk the checkpoint fails and the marker stays. Engines up to 1.5.5 continued after it, and the
// next checkpoint left a second marker; the engine of this program, 1.5.6, clears a marker that failed, but refuses
// a log with two. All markers but the last are of checkpoints that failed: without them the log is what it should
// be. https://github.com/duckdb/duckdb/pull/24260 has the engine's side.

// Kinds of entries of a log.
const (
	walCheckpoint = 99
	walFlush      = 100
)

// walHead is how a log of the version that is known begins: kind 98, version 2.
var walHead = []byte{0x64, 0, 98, 0x65, 0, 2, 0xff, 0xff}

// oneMarker returns a log without its markers but the last, and whether there were several. A log of another form is
// left alone.
func oneMarker(log []byte) (mended []byte, several bool) {
	if !bytes.HasPrefix(log, walHead) {
		return nil, false
	}
	var ends, starts []int // of the markers, each with the flush behind it
	after := -1            // a marker
	for at := len(walHead); at+16 <= len(log); {
		size := binary.LittleEndian.Uint64(log[at:])
		if size < 3 || size > uint64(len(log)-at-16) {
			break // torn, which the engine knows
		}
		entry := log[at+16:][:size]
		next := at + 16 + int(size)
		switch {
		case entry[0] != 0x64 || entry[1] != 0:
			return nil, false
		case entry[2] == walCheckpoint:
			starts, ends = append(starts, at), append(ends, next)
		case entry[2] == walFlush && at == after:
			ends[len(ends)-1] = next
		}
		if after = -1; entry[2] == walCheckpoint {
			after = next
		}
		at = next
	}
	if len(starts) < 2 {
		return nil, false
	}
	from := 0
	for i, start := range starts[:len(starts)-1] {
		mended = append(mended, log[from:start]...)
		from = ends[i]
	}
	return append(mended, log[from:]...), true
}

// repairLog removes entries from the log for which the engine refuses it, and reports whether it did. No process
// has such a file open: none can. A file under repair is left to its process.
func (l *Ledger) repairLog() (bool, error) {
	wal := l.path + ".wal"
	log, err := os.ReadFile(wal)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	mended, several := oneMarker(log)
	if !several {
		return false, nil
	}
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	if err != nil {
		return false, err
	}
	defer f.Close() // gives up the lock
	info, err := f.Stat()
	if err != nil {
		return false, err
	}
	if err := syscall.FcntlFlock(f.Fd(), syscall.F_SETLK, &syscall.Flock_t{Type: syscall.F_WRLCK}); err != nil {
		return false, &LockedError{l.path, 0, err}
	}
	if now, err := os.ReadFile(wal); err != nil || !bytes.Equal(now, log) {
		return true, err // another process was first
	}
	return true, outfile.Write(wal, info.Mode().Perm(), func(f *os.File) error {
		_, err := f.Write(mended)
		return err
	})
}
