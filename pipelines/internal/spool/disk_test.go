package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// faulty is a disk on which operation number at fails, and all later ones too if
// it stays broken. seen counts the operations.
type faulty struct {
	at       int
	broken   bool
	patience time.Duration
	seen     int
}

func (f *faulty) disk() Disk {
	return Disk{Patience: f.patience, Before: func(op Op, path string) error {
		f.seen++
		if f.seen == f.at || f.broken && f.seen > f.at {
			return &fs.PathError{Op: string(op), Path: path, Err: syscall.ENOSPC}
		}
		return nil
	}}
}

// fillUp uses a disk as a run does: it opens a fit, resumes its chains, reads them, keeps the record and opens the
// fit again for a commit.
func fillUp(d Disk, root string) (err error) {
	m := manifest()
	m.Chains = 2
	claims := d.Claims(root)
	defer func() { err = errors.Join(err, claims.Close()) }()
	f, err := d.Begin(claims, m, false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, c := range f.Chains {
		if c.State() == nil {
			if err := c.Begin([]float64{1, 2, 3, 4, 5}, "planted", []byte("s0"), 7); err != nil {
				return err
			}
		}
		for c.Draws() < 6 {
			first := c.Draws()
			if err := c.Append(block(first, 2), []byte{'s', byte('1' + first)}, 2*time.Second); err != nil {
				return err
			}
		}
		if err := c.Columns([][]float64{make([]float64, 6)}, 1, 2, 0, 6); err != nil {
			return err
		}
		if _, err := c.Infos(0, 6); err != nil {
			return err
		}
	}
	if err := f.Finish([]byte("record")); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	g, _, record, err := d.OpenFinished(folder(root, m.Fingerprint))
	if err != nil {
		return err
	}
	if string(record) != "record" {
		err = fmt.Errorf("the record is %q", record)
	}
	return errors.Join(err, g.Close())
}

// contents are the files of a fit's folder that count, by name.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range []string{"chain-1.spool", "chain-2.spool", manifestName, finishedName} {
		data, err := os.ReadFile(filepath.Join(folder(root, manifest().Fingerprint), name))
		must(t, err)
		out[name] = string(data)
	}
	return out
}

// memory is a temporary folder on a file system in memory, where there is one:
// there nothing waits for a disk.
func memory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "spool-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// Each operation on the disk is made to fail, once or from then on: the error is reported, and the next run ends
// with the bytes of an undisturbed one, for a fit that is on disk from the beginning, for one that comes there
// while its second chain is drawn, and for one that does in the end.
func TestEveryOperationFails(t *testing.T) {
	for _, patience := range []time.Duration{-1, 8 * time.Second, time.Minute} {
		t.Run(patience.String(), func(t *testing.T) { everyOperationFails(t, patience) })
	}
}

func everyOperationFails(t *testing.T, patience time.Duration) {
	whole := &faulty{patience: patience}
	root := t.TempDir()
	must(t, fillUp(whole.disk(), root))
	want := contents(t, root)
	if fewest := map[bool]int{true: 40, false: 30}[patience < 0]; whole.seen < fewest {
		t.Fatalf("only %d operations: the test does not test", whole.seen)
	}
	for _, broken := range []bool{false, true} {
		for at := 1; at <= whole.seen; at++ {
			root := memory(t)
			f := &faulty{at: at, broken: broken, patience: patience}
			if err := fillUp(f.disk(), root); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("operation %d failed, and the error is %v", at, err)
			}
			if err := fillUp(Disk{}, root); err != nil {
				t.Fatalf("after operation %d failed: %v", at, err)
			}
			for name, data := range contents(t, root) {
				if data != want[name] {
					t.Errorf("after operation %d failed (broken: %v), %s differs from an undisturbed one", at, broken, name)
				}
			}
		}
	}
	t.Logf("%d operations, each failed for once and from then on", whole.seen)
}

// Removing fails at any operation: what is left is removed by the next try.
func TestSweep(t *testing.T) {
	for at := 1; at <= 4; at++ {
		root := filepath.Join(t.TempDir(), "work")
		written(t, root, 2)
		f := &faulty{at: at}
		first := f.disk().Sweep(root, manifest().Fingerprint)
		if at <= f.seen && !errors.Is(first, syscall.ENOSPC) {
			t.Errorf("operation %d of %d failed, and the error is %v", at, f.seen, first)
		}
		if err := (Disk{}).Sweep(root, manifest().Fingerprint); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(root); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("operation %d: the work folder is still there: %v", at, err)
		}
	}
	root := t.TempDir()
	held := open(t, root, manifest())
	if err := (Disk{}).Sweep(root, manifest().Fingerprint); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(held.dir); err != nil {
		t.Errorf("a folder that is held was removed: %v", err)
	}
}

// A lock of a folder that its holder removes in between does not count, whether or not another process has made the
// folder again.
func TestLockOfARemovedFolder(t *testing.T) {
	for _, again := range []bool{false, true} {
		root := t.TempDir()
		first := open(t, root, manifest())
		removed := false
		d := Disk{Before: func(op Op, path string) (err error) {
			if op == OpLock && !removed {
				removed = true
				err = first.Remove()
				if again {
					open(t, root, manifest())
				}
			}
			return err
		}}
		second, err := d.Open(root, manifest())
		if !removed || (err != nil) != again {
			t.Fatalf("removed %v, made again %v, error %v", removed, again, err)
		}
		if err == nil {
			t.Cleanup(func() { second.Close() })
		}
		var busy *BusyError
		if _, err := (Disk{}).Open(root, manifest()); !errors.As(err, &busy) {
			t.Errorf("made again %v: the last one gave %v, want a BusyError", again, err)
		}
	}
}

// Chains whose manifest is gone may be of another shape: they are redrawn.
func TestManifestGone(t *testing.T) {
	root := t.TempDir()
	path := written(t, root, 2)
	must(t, os.Remove(filepath.Join(filepath.Dir(path), manifestName)))
	if n := open(t, root, manifest()).Chains[0].Draws(); n != 0 {
		t.Errorf("a chain without manifest counts with %d draws", n)
	}
}
