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

// markPrefix begins the names of files that stand in a work folder while runs go on.
const markPrefix = "run-"

// Mark says that a run is going on: a file in the work folder that holds the
// run's name, locked by the process. A kill leaves the file without the lock, so
// that anyone can tell the two apart.
type Mark struct {
	Run      string    `json:"run"`
	Pipeline string    `json:"pipeline"`
	Started  time.Time `json:"started"`
	// Alive reports whether a process holds the mark; of Marks only.
	Alive bool `json:"-"`

	path string
	lock *os.File
}

// Set writes the mark under root, and keeps it locked until Clear. A work folder
// that cannot be written, or has no locks, is no reason to stop a run.
func (m *Mark) Set(root string) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	m.path = filepath.Join(root, markPrefix+m.Run+".json")
	if m.lock, err = os.OpenFile(m.path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return err
	}
	err = syscall.Flock(int(m.lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_, err = m.lock.Write(text)
	}
	return err
}

// Clear removes the mark, those that killed runs left, and a work folder that is
// empty then. The ledger has been told how the run ended.
func (m *Mark) Clear() {
	if m.lock == nil {
		return
	}
	root := filepath.Dir(m.path)
	left, _ := Marks(root) // what cannot be read is left where it is
	for _, other := range left {
		if !other.Alive {
			_ = os.Remove(other.path)
		}
	}
	_ = errors.Join(os.Remove(m.path), m.lock.Close())
	_ = os.Remove(root) // fails while fits are there, as it should
}

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
		return m, errors.New("it is no mark")
	}
	return m, nil
}
