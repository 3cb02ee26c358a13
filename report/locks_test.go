package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// otherWrites has another process try once to open a ledger for writing.
func otherWrites(path string) (out string, err error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), holdEnv+"="+path, waitEnv+"=-1s")
	text, err := cmd.CombinedOutput()
	return string(text), err
}

// While a reader of this process has the file, other readers that come and go do
// not let a writer of another process in: the locks of files belong to processes,
// and whoever closes any handle of a file gives all of them up.
func TestReadersKeepTheLock(t *testing.T) {
	l := sampled(t)
	ctx := context.Background()
	must(t, l.read(ctx, func(c *sql.Conn) error {
		if out, err := otherWrites(l.path); err == nil || !strings.Contains(out, "held by another process") {
			t.Errorf("before another reader, a writer of another process: %v, %s", err, out)
		}
		must(t, l.read(ctx, func(*sql.Conn) error { return nil }))
		if out, err := otherWrites(l.path); err == nil || !strings.Contains(out, "held by another process") {
			t.Errorf("after another reader, a writer of another process: %v, %s", err, out)
		}
		return c.PingContext(ctx)
	}))
	if out, err := otherWrites(l.path); err != nil {
		t.Errorf("when the readers are gone: %v, %s", err, out)
	}
}

// While this process writes, its readers that are turned away or wait do not let another process in.
func TestWritersKeepTheLock(t *testing.T) {
	l := sampled(t)
	must(t, l.Write(t.Context(), func(*Session) error {
		must(t, l.Reading(t.Context(), func() error { return nil }))
		if _, err := Open(l.path, Options{LockWait: -1}); err != nil {
			t.Error(err)
		}
		if out, err := otherWrites(l.path); err == nil || !strings.Contains(out, "held by another process") {
			t.Errorf("beside a writer, a writer of another process: %v, %s", err, out)
		}
		return nil
	}))
}

// One process that reads a ledger does not write it, by whatever name, nor the other way round: its own locks would
// not keep it from that.
func TestOneProcessReadsOrWrites(t *testing.T) {
	l, ctx := open(t, Options{LockWait: -1}), t.Context()
	store(t, l, sampleFit("f1"))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(filepath.Dir(l.path), link))
	other, err := Open(filepath.Join(link, filepath.Base(l.path)), Options{LockWait: -1, Threads: 1})
	must(t, err)
	nothing := func(*Session) error { return nil }
	look := func(*sql.Conn) error { return nil }
	var locked *LockedError
	must(t, l.read(ctx, func(*sql.Conn) error {
		if err := other.Write(ctx, nothing); !errors.As(err, &locked) {
			t.Errorf("written while it is read: %v", err)
		}
		return other.read(ctx, look)
	}))
	must(t, l.Write(ctx, func(*Session) error {
		if err := other.read(ctx, look); !errors.As(err, &locked) {
			t.Errorf("read while it is written: %v", err)
		}
		if err := other.Write(ctx, nothing); !errors.As(err, &locked) {
			t.Errorf("written twice: %v", err)
		}
		return nil
	}))
	must(t, other.Write(ctx, nothing))
}

// Every writer says how many rows the engine writes as one: a file does not remember it. Pruning rewrites it.
func TestRowGroups(t *testing.T) {
	l := open(t, Options{})
	for i, n := range []int{3000, 300} { // pieces
		f := &Fit{Key: Key{Dataset: "d", Group: fmt.Sprint(i), Model: "m", Sampler: "s"}, Fingerprint: fmt.Sprint("f", i),
			Status: Complete, Chains: 1, Draws: 1, Parameters: make([]Parameter, n), DrawsOf: draws(n, 1, 1, n)}
		store(t, l, f)
	}
	const largest = `SELECT max(n) FROM (SELECT sum(count) AS n FROM pragma_storage_info('draw_piece')
		WHERE column_name = 'fit_id' AND segment_type <> 'VALIDITY' GROUP BY row_group_id)`
	wantInt(t, l, 2048, largest)
	_, err := l.Prune(t.Context(), "", 1)
	must(t, err)
	wantInt(t, l, 2048, largest)
}
