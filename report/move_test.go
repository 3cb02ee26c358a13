package report

import (
	"os"
	"path/filepath"
	"testing"
)

// A ledger that is moved is at its new path whole, and replaces a file there, on this file system and on another;
// one that is damaged is not moved.
func TestMove(t *testing.T) {
	other, err := os.MkdirTemp("/dev/shm", "glmbatch-")
	if err != nil {
		other = t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(other) })
	for _, dir := range []string{t.TempDir(), other} {
		l, to := open(t, Options{}), filepath.Join(dir, "moved.duckdb")
		must(t, os.WriteFile(to, []byte("another attempt's"), 0o600))
		store(t, l, sampleFit("f1"))
		whole, err := os.ReadFile(l.path)
		must(t, err)
		broken := append([]byte(nil), whole...)
		for at := headers + 100; at < len(broken); at += 1 << 18 {
			broken[at] ^= 1
		}
		must(t, os.WriteFile(l.path, broken, 0o600))
		if err := l.Move(t.Context(), to); !isDamage(err) {
			t.Errorf("%s: a damaged ledger: %v", dir, err)
		}
		if text, err := os.ReadFile(to); err != nil || string(text) != "another attempt's" {
			t.Errorf("%s: a damaged ledger took the place of %d bytes, %v", dir, len(text), err)
		}
		must(t, os.WriteFile(l.path, whole, 0o644))
		must(t, l.Move(t.Context(), to))
		moved, err := Open(to, Options{Threads: 1})
		must(t, err)
		if v, err := moved.Verify(t.Context()); err != nil || v.Fits != 1 {
			t.Errorf("%s: %+v, %v", dir, v, err)
		}
		if info, err := os.Stat(to); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", dir, info.Mode(), err)
		}
	}
}
