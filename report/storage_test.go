package report

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// storedAs gives the file of a ledger another storage version, and another engine that made it.
func storedAs(t *testing.T, path string, storage uint64, writer string) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	head := text[:headerSize]
	binary.LittleEndian.PutUint64(head[storageOffset:], storage)
	copy(head[writerOffset:], writer+"\x00")
	sum := uint64(5381)
	for rest := head[8:]; len(rest) >= 8; rest = rest[8:] {
		sum ^= binary.LittleEndian.Uint64(rest) * 0xbf58476d1ce4e5b9
	}
	binary.LittleEndian.PutUint64(head, sum)
	if !checked(head) {
		t.Fatal("the header has a wrong checksum")
	}
	must(t, os.WriteFile(path, text, 0o600))
}

// A file of a newer DuckDB is refused by every call with who wrote it and how to go back, and is not changed. The newest
// version that is read is the engine's own.
func TestNewerStorage(t *testing.T) {
	l := sampled(t)
	storedAs(t, l.path, newestStorage, "v1.5.6")
	_, err := Open(l.path, Options{})
	must(t, err)
	storedAs(t, l.path, newestStorage+1, "v2.0.0")
	if db, c, err := l.connect(t.Context(), true, reach{}); err == nil {
		must(t, c.Close())
		must(t, db.Close())
		t.Error("the engine reads a newer storage version: raise newestStorage")
	}
	before, err := os.ReadFile(l.path)
	must(t, err)
	later, err := Open(l.path, Options{Later: true})
	if err == nil {
		_, err = later.Stored(t.Context(), nil)
	}
	_, opened := Open(l.path, Options{})
	_, verified := l.Verify(t.Context())
	for verb, err := range map[string]error{"open": opened, "read": err, "verify": verified, "whole": l.Whole(t.Context()),
		"write":   l.Write(t.Context(), func(*Session) error { return nil }),
		"publish": l.Publish(t.Context(), filepath.Join(t.TempDir(), "p.duckdb"))} {
		if err == nil || !IsUnusable(err) || !strings.Contains(err.Error(), "DuckDB v2.0.0 wrote it with storage version 69") ||
			!strings.Contains(err.Error(), "COPY FROM DATABASE old TO new") {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if after, err := os.ReadFile(l.path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
}

// The remedy of the message works: a copy of all tables by the engine is a ledger, which can be written to.
func TestCopiedDatabase(t *testing.T) {
	l := sampled(t)
	db, c, err := start(t.Context(), "", map[string][]string{}, func() {})
	must(t, err)
	path := filepath.Join(t.TempDir(), "copy.duckdb")
	must(t, execute(t.Context(), c, "ATTACH '"+l.path+"' AS old; ATTACH '"+path+"' AS new (STORAGE_VERSION '"+ledgerStorage+
		"'); COPY FROM DATABASE old TO new"))
	must(t, c.Close())
	must(t, db.Close())
	copied, err := Open(path, Options{})
	must(t, err)
	store(t, copied, sampleFit("f2"))
	if stored, err := copied.Stored(t.Context(), nil); err != nil || len(stored) != 2 {
		t.Errorf("%d fits: %v", len(stored), err)
	}
	if lines, _ := parts(t, copied); lines != own {
		t.Error("its parts are not the program's own")
	}
}

// New and pruned ledgers have the storage version that is pinned.
func TestStorageOfLedgers(t *testing.T) {
	l := sampled(t)
	check := func() {
		t.Helper()
		text, err := os.ReadFile(l.path)
		must(t, err)
		if got := binary.LittleEndian.Uint64(text[storageOffset:]); got != 64 {
			t.Errorf("storage version %d", got)
		}
	}
	check()
	again := sampleFit("f2")
	again.Created = again.Created.Add(time.Hour)
	store(t, l, again)
	if pruned, err := l.Prune(t.Context(), "", 1); err != nil || pruned.Removed != 1 {
		t.Fatalf("%+v, %v", pruned, err)
	}
	check()
}
