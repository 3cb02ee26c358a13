package report

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The reads in Reading share one engine: the file stays open from the first to the last, and is free then. A file that
// is not there is left to the reads.
func TestReadingSharesOneEngine(t *testing.T) {
	ctx := t.Context()
	l, err := Open(filepath.Join(t.TempDir(), "l.duckdb"), Options{})
	must(t, err)
	free := func() bool { // an engine that writes wants the file for itself
		db, c, err := l.connect(ctx, false, reach{})
		if err != nil {
			return false
		}
		return errors.Join(c.Close(), db.Close()) == nil
	}
	nothing := func(*sql.Conn) error { return nil }
	err = l.Reading(ctx, func() error { return l.read(ctx, nothing) })
	if _, missing := errors.AsType[*MissingError](err); !missing {
		t.Errorf("a file that is not there: %v", err)
	}
	must(t, l.Write(ctx, func(*Session) error { return nil }))
	err = l.Reading(ctx, func() error {
		for range 2 {
			if err := l.read(ctx, nothing); err != nil {
				return err
			}
			if free() {
				t.Error("the engine of a read has ended before Reading")
			}
		}
		return os.ErrClosed
	})
	if !errors.Is(err, os.ErrClosed) || !free() {
		t.Errorf("after Reading: %v, and the file is free: %t", err, free())
	}
}

// What Open says of a file, the first read says where it is looked at later.
func TestLaterSaysWhatOpenSays(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	make := func(name, statement string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("duckdb", path)
		must(t, err)
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
		must(t, db.Close())
		return path
	}
	version := versions.changes(1, false)[0] + ";\nINSERT INTO schema_version VALUES "
	for _, path := range []string{
		make("other.duckdb", "CREATE TABLE t (i INTEGER)"),
		make("newer.duckdb", version+"(1, 'first', now()::TIMESTAMP), (2, 'second', now()::TIMESTAMP)"),
		make("unreleased.duckdb", version+"(1, 'zeroth', now()::TIMESTAMP)"),
	} {
		_, want := Open(path, Options{})
		l, err := Open(path, Options{Later: true})
		if err != nil || want == nil {
			t.Fatalf("%s: opening it later: %v; now: %v", path, err, want)
		}
		called := func(*sql.Conn) error { t.Errorf("%s was read", path); return nil }
		if err := l.read(ctx, called); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: read says %v, Open says %v", path, err, want)
		}
		if err := l.Write(ctx, func(*Session) error { t.Errorf("%s was written", path); return nil }); err == nil || err.Error() != want.Error() {
			t.Errorf("%s: Write says %v, Open says %v", path, err, want)
		}
	}
}
