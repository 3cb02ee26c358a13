package report

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"glmbatch/internal/outfile"
)

// A copy that is published is whole, replaces the one before by a rename, and
// leaves the old one to who reads it.
func TestPublish(t *testing.T) {
	l, ctx := open(t, Options{LockWait: -1}), context.Background()
	to := filepath.Join(t.TempDir(), "copy.duckdb")
	var missing *MissingError
	if err := l.Publish(ctx, to); !errors.As(err, &missing) {
		t.Errorf("without a ledger: %v, want a MissingError", err)
	}
	store(t, l, sampleFit("f1"))
	must(t, l.Publish(ctx, to))
	copied, err := Open(to, Options{Threads: 1})
	must(t, err)
	if got, want := rowCounts(t, copied), rowCounts(t, l); got != want {
		t.Errorf("the copy has\n%s, want\n%s", got, want)
	}
	reader, err := os.Open(to)
	must(t, err)
	defer reader.Close()
	before, err := reader.Stat()
	must(t, err)
	store(t, l, sampleFit("f2"))
	must(t, l.Publish(ctx, to))
	wantInt(t, copied, 2, "SELECT count(*) FROM fit")
	if after, err := os.Stat(to); err != nil || os.SameFile(before, after) {
		t.Errorf("the copy was written over in place: %v", err)
	}
	if left, _ := filepath.Glob(to + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// Links stay, those to a ledger and those to where its copy and its page go; what they lead to is replaced.
func TestLinksStay(t *testing.T) {
	l, ctx, dir := open(t, Options{LockWait: -1}), context.Background(), t.TempDir()
	store(t, l, sampleFit("f1"))
	link := func(name string) string {
		path := filepath.Join(dir, name)
		must(t, os.Symlink(filepath.Join("real", name), path))
		return path
	}
	must(t, os.Mkdir(filepath.Join(dir, "real"), 0o755))
	ledger, copied, page := link("ledger.duckdb"), link("copy.duckdb"), link("page.html")
	must(t, os.Rename(l.path, filepath.Join(dir, "real", "ledger.duckdb")))
	linked, err := Open(ledger, Options{LockWait: -1})
	must(t, err)
	store(t, linked, sampleFit("f2"))
	_, err = linked.Prune(ctx, "", 1)
	must(t, err)
	for range 2 { // made, then replaced
		must(t, linked.Publish(ctx, copied))
		must(t, linked.SavePage(ctx, page, PageOptions{Latest: true}))
	}
	var failed *PutError
	if err := linked.SavePage(ctx, ledger, PageOptions{Latest: true}); !errors.As(err, &failed) ||
		!strings.Contains(err.Error(), "the ledger itself") {
		t.Errorf("a page in place of the ledger that a link names: %v", err)
	}
	for _, path := range []string{ledger, copied, page} {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more: %v", path, err)
		}
	}
	for _, path := range []string{ledger, copied} {
		again, err := Open(path, Options{Threads: 1})
		must(t, err)
		wantInt(t, again, 1, "SELECT count(*) FROM fit")
	}
	for _, folder := range []string{dir, filepath.Join(dir, "real")} {
		entries, err := os.ReadDir(folder)
		must(t, err)
		for _, e := range entries {
			if name := e.Name(); name != "real" && name != "ledger.duckdb" && name != "copy.duckdb" && name != "page.html" {
				t.Errorf("left behind: %s in %s", name, folder)
			}
		}
	}
}

// Where no copy can be made, the one before stays, and the error says what to do.
func TestPublishFails(t *testing.T) {
	l, ctx := open(t, Options{LockWait: -1}), context.Background()
	store(t, l, sampleFit("f1"))
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	must(t, os.WriteFile(file, []byte("x"), 0o600))
	linked := filepath.Join(dir, "linked.duckdb")
	must(t, os.Symlink(file, linked+outfile.TempSuffix)) // which is not written through
	for to, want := range map[string]string{
		dir:                                "it is a folder",
		l.path:                             "the ledger itself",
		filepath.Join(dir, "no", "a.db"):   "hint: make the folder",
		filepath.Join(file, "copy.duckdb"): "not a directory",
		os.DevNull:                         "a device",
		linked:                             "too many levels of symbolic links",
		filepath.Join(dir, "a?b.duckdb"):   "a path with ?",
		filepath.Join(dir, "a#b.duckdb"):   "a path with ?",
	} {
		var failed *PutError
		if err := l.Publish(ctx, to); !errors.As(err, &failed) || !strings.Contains(err.Error(), want) {
			t.Errorf("publish to %s: %v, want a PutError with %q", to, err, want)
		}
	}
	to := filepath.Join(dir, "copy.duckdb")
	must(t, l.Publish(ctx, to))
	release := hold(t, l.path)
	var locked *LockedError
	if err := l.Publish(ctx, to); !errors.As(err, &locked) {
		t.Errorf("while another process writes: %v, want a LockedError", err)
	}
	release()
	stopped, stop := context.WithCancel(ctx)
	stop()
	if err := l.Publish(stopped, to); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	copied, err := Open(to, Options{Threads: 1})
	must(t, err)
	wantInt(t, copied, 1, "SELECT count(*) FROM fit")
}

// On a full disk the error of a copy has its size, and that of a page does not have the size of a ledger.
func TestPutHint(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "p", Err: syscall.ENOSPC}
	for key, want := range map[string]string{"publish": "make room there: the copy is as large as the ledger",
		"report": "make room there, or name another folder"} {
		if got := putHint(key, full); got != want {
			t.Errorf("%s on a full disk: hint %q, want %q", key, got, want)
		}
	}
}
