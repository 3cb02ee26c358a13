package spool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// markPrefix begins the names of files in a work folder that mark runs in progress.
const markPrefix = "run-"

// Mark records a run before the ledger does: a file in the work folder, locked by the process during the run. A
// kill leaves the file without the lock, so that other processes can distinguish the two, and the next run stores
// it in the ledger.
type Mark struct {
	Run      string    `json:"run"`
	Pipeline string    `json:"pipeline"`
	Started  time.Time `json:"started"`
	// Record holds the facts of the run for the ledger. This package does not read it.
	Record json.RawMessage `json:"record,omitempty"`
	// Private keeps other users of the machine from the file.
	Private bool `json:"-"`
	// Alive reports whether a process holds the mark; of Marks only.
	Alive bool `json:"-"`

	path string
	lock *os.File
}

// Set writes the mark under root, and keeps it locked until Clear or Leave. A work folder that cannot be written, or
// has no locks, is no reason to stop a run.
func (m *Mark) Set(root string) error {
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	m.path = filepath.Join(root, markPrefix+m.Run+".json")
	if old, err := readMark(m.path); err == nil && !old.Alive { // of a shard that was killed: its run has this name too
		_ = os.Remove(m.path)
	}
	mode := os.FileMode(0o644)
	if m.Private {
		mode = 0o600
	}
	var err error
	if m.lock, err = os.OpenFile(m.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err != nil {
		return err
	}
	for { // a reader may hold it for a moment
		if err = syscall.Flock(int(m.lock.Fd()), syscall.LOCK_EX); !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return err
	}
	return m.write()
}

// write replaces the text of the file.
func (m *Mark) write() error {
	text, err := json.Marshal(m)
	if err == nil {
		err = m.lock.Truncate(0)
	}
	if err == nil {
		_, err = m.lock.WriteAt(text, 0)
	}
	return err
}

// Leave keeps the mark for the next run, with another record: the ledger does not have how the run ended.
func (m *Mark) Leave(record []byte) error {
	if m.lock == nil {
		return nil
	}
	m.Record = record
	err := errors.Join(m.write(), m.lock.Close())
	m.lock = nil
	return err
}

// Clear removes the mark, and a work folder that is empty then. The ledger has the run.
func (m *Mark) Clear() {
	if m.lock == nil {
		return
	}
	_ = errors.Join(os.Remove(m.path), m.lock.Close())
	_ = os.Remove(filepath.Dir(m.path)) // fails while fits exist, as it should
}

// Remove removes a mark that no process holds.
func (m *Mark) Remove() error { return os.Remove(m.path) }

// Marks returns the marks under root, by name. Without a root there are none, and no
// error; what is no mark is passed over.
func Marks(root string) (out []Mark, err error) {
	entries, err := os.ReadDir(root)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), markPrefix) || !e.Type().IsRegular() {
			continue
		}
		if m, err := readMark(filepath.Join(root, e.Name())); err == nil {
			out = append(out, m)
		}
	}
	return out, err
}

// readMark reads one mark, and tries its lock for a moment: shared, so that two who
// look do not take each other for the run.
func readMark(path string) (m Mark, err error) {
	f, err := os.Open(path)
	if err != nil {
		return m, err
	}
	defer f.Close() // which gives up the lock
	m.path = path
	m.Alive = errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
	if err := json.NewDecoder(f).Decode(&m); err != nil || m.Run == "" {
		return m, errors.New("it is not a mark")
	}
	return m, nil
}
