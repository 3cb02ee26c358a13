package spool

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// begun begins a fit of two chains under root.
func begun(t *testing.T, d Disk, claims *Claims, fingerprint string) *Fit {
	t.Helper()
	m := manifest()
	m.Fingerprint, m.Chains = fingerprint, 2
	f, err := d.Begin(claims, m, false)
	must(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// extend draws so many blocks of two draws on a chain, each of which took so long.
func extend(t *testing.T, c *Chain, blocks int, took time.Duration) {
	t.Helper()
	if c.State() == nil {
		must(t, c.Begin([]float64{1, 2, 3, 4, 5}, "planted", []byte("s0"), 7))
	}
	for range blocks {
		first := c.Draws()
		must(t, c.Append(block(first, 2), []byte{'s', byte('1' + first)}, took))
	}
}

// A fit of less than a second touches the disk for its claim alone, and can be read. A longer or larger one comes
// from memory to its folder, with the bytes of one that was on disk from the beginning, and continues there.
func TestShortFitsAreHeldInMemory(t *testing.T) {
	var operations []string
	d := Disk{Before: func(op Op, path string) error {
		operations = append(operations, string(op)+" "+filepath.Base(path))
		return nil
	}}
	root := t.TempDir()
	claims := d.Claims(root)
	defer claims.Close()
	f := begun(t, d, claims, "a")
	for _, c := range f.Chains {
		extend(t, c, 3, d.patience()/7)
		checkColumns(t, c, 1, 5)
	}
	want := []string{"make folder " + filepath.Base(root), "open claims", "lock claims", "lock claims"}
	if !reflect.DeepEqual(operations, want) {
		t.Errorf("six sevenths of a second of drawing: %q, want %q", operations, want)
	}
	if bytes, files := f.Held(); bytes == 0 || files != 0 {
		t.Errorf("%d bytes and %d files are held", bytes, files)
	}
	extend(t, f.Chains[1], 1, d.patience()/7)
	if bytes, files := f.Held(); bytes != 0 || files != 3 {
		t.Errorf("after a second %d bytes and %d files are held", bytes, files)
	}
	extend(t, f.Chains[0], 1, d.patience()/7)
	eager := Disk{Patience: -1}
	other := begun(t, eager, eager.Claims(t.TempDir()), "a")
	if _, files := other.Held(); files != 3 {
		t.Error("a disk without patience holds a fit in memory")
	}
	for i, c := range other.Chains {
		extend(t, c, 4, d.patience()/7)
		checkColumns(t, f.Chains[i], 1, 7)
		got, err := os.ReadFile(f.chainPath(i))
		must(t, err)
		want, err := os.ReadFile(other.chainPath(i))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("the file of chain %d differs from one that was there from the beginning (%v)", i+1, err)
		}
	}
	large := begun(t, d, claims, "b")
	extend(t, large.Chains[0], HeldBytes/(3*infoSize), 0)
	if bytes, _ := large.Held(); bytes > HeldBytes {
		t.Errorf("%d bytes are held", bytes)
	}
	if _, files := large.Held(); files == 0 {
		t.Error("a large fit is held in memory")
	}
}

// The draws of a short fit outlive the process if it is kept; nothing is left of one that was not.
func TestHeldFitsAreKept(t *testing.T) {
	root := t.TempDir()
	for _, keep := range []bool{false, true} {
		claims := Disk{}.Claims(root)
		f := begun(t, Disk{}, claims, manifest().Fingerprint)
		extend(t, f.Chains[0], 2, 0)
		if keep {
			must(t, f.Keep())
		}
		must(t, errors.Join(f.Close(), claims.Close()))
		if got := Holds(root, manifest().Fingerprint); got != keep {
			t.Errorf("kept %v: the folder holds it: %v", keep, got)
		}
	}
	claims := Disk{}.Claims(root)
	defer claims.Close()
	if f := begun(t, Disk{}, claims, manifest().Fingerprint); f.Chains[0].Draws() != 4 || f.Chains[1].Draws() != 0 {
		t.Errorf("%d and %d draws are kept, want 4 and 0", f.Chains[0].Draws(), f.Chains[1].Draws())
	} else if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	m := manifest()
	m.Chains = 2
	f, err := Disk{}.Begin(claims, m, true)
	if err != nil || f.Chains[0].Draws() != 0 || Holds(root, m.Fingerprint) {
		t.Errorf("begun anew: %v, %d draws, the folder is there: %v", err, f.Chains[0].Draws(), Holds(root, m.Fingerprint))
	}
}

// A fit that one run draws, in memory or on disk, is turned away from another, of this process or not, until it is
// given up; others are not.
func TestClaims(t *testing.T) {
	root := t.TempDir()
	first, second := Disk{}.Claims(root), Disk{}.Claims(root)
	f := begun(t, Disk{}, first, "a")
	if !(Disk{}).Busy(root, "a") || (Disk{}).Busy(root, "b") {
		t.Error("the fit is not busy, or another one is")
	}
	m := manifest()
	m.Fingerprint = "a"
	var busy *BusyError
	for _, kept := range []bool{false, true} {
		if kept {
			extend(t, f.Chains[0], 1, 2*time.Second)
		}
		if _, err := (Disk{}).Begin(second, m, false); !errors.As(err, &busy) {
			t.Errorf("kept %v: the second gets %v, want a BusyError", kept, err)
		}
	}
	begun(t, Disk{}, second, "b")
	must(t, f.Remove())
	if (Disk{}).Busy(root, "a") {
		t.Error("a fit that was given up is busy")
	}
	begun(t, Disk{}, second, "a")
	must(t, first.Close())
	if !(Disk{}).Busy(root, "a") || !(Disk{}).Busy(root, "b") {
		t.Error("the end of one run ends the claims of another")
	}
	must(t, second.Close())
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("the last run leaves %v, %v", left, err)
	}
}

// The claims that a killed run leaves are removed by the end of the next, which may have claimed nothing.
func TestClaimsOfAKilledRun(t *testing.T) {
	root := t.TempDir()
	killed := Disk{}.Claims(root)
	begun(t, Disk{}, killed, "a")
	next := Disk{}.Claims(root)
	if err := next.Close(); err != nil || !(Disk{}).Busy(root, "a") {
		t.Errorf("%v; the end of another run takes claims away", err)
	}
	if err := killed.file.Close(); err != nil { // as a kill does
		t.Fatal(err)
	}
	if err := next.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(root); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A file of claims that its last run removes while another one opens it does not count.
func TestClaimsInARemovedFile(t *testing.T) {
	root := t.TempDir()
	first := Disk{}.Claims(root)
	begun(t, Disk{}, first, "a")
	removed := false
	d := Disk{Before: func(op Op, path string) (err error) {
		if op == OpLock && !removed {
			removed = true
			err = first.Close()
		}
		return err
	}}
	second, third := d.Claims(root), Disk{}.Claims(root)
	begun(t, d, second, "a")
	if _, err := third.take(folder(root, "a")); !removed || !errors.As(err, new(*BusyError)) {
		t.Errorf("removed %v: the third gets %v, want a BusyError", removed, err)
	}
	must(t, errors.Join(third.Close(), second.Close()))
}

// Runs that begin and end at the same time, each of which removes the file of claims if it can, never have one fit
// together.
func TestClaimsOfRunsThatComeAndGo(t *testing.T) {
	root := t.TempDir()
	var holders, had atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				claims := Disk{}.Claims(root)
				mine, err := claims.take(folder(root, "a"))
				if err == nil {
					if holders.Add(1) > 1 {
						t.Error("two have the fit")
					}
					had.Add(1)
					holders.Add(-1)
					mine.release()
				} else if !errors.As(err, new(*BusyError)) {
					t.Error(err)
				}
				if err := claims.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if had.Load() < 200 {
		t.Errorf("only %d claims of 800: the test does not test", had.Load())
	}
}

// Chains that are drawn side by side come to the folder whole, whichever of them uses up the patience.
func TestChainsAreKeptTogether(t *testing.T) {
	d := Disk{Patience: 10 * time.Second}
	claims := d.Claims(t.TempDir())
	defer claims.Close()
	f := begun(t, d, claims, "a")
	var all sync.WaitGroup
	for _, c := range f.Chains {
		all.Go(func() { extend(t, c, 20, 400*time.Millisecond) })
	}
	all.Wait()
	if _, files := f.Held(); files != 3 {
		t.Fatalf("%d files", files)
	}
	for _, c := range f.Chains {
		checkColumns(t, c, 0, 40)
	}
}
