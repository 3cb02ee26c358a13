package report

import (
	"context"
	"database/sql"
	"os"
	"os/exec"
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
	l := open(t, Options{})
	store(t, l, sampleFit("f1"))
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
