package report

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMigrations brings a ledger from one version to the next and further.
func TestMigrations(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	l.trusted.Store(true) // this history is not the program's
	step := func(name string, sql ...string) migration {
		return migration{name: name, sql: func() []string { return sql }}
	}
	history := []migration{
		step("first", "CREATE TABLE fit (fit_id BIGINT); INSERT INTO fit VALUES (7)"),
		step("second", "ALTER TABLE fit ADD COLUMN verdict VARCHAR DEFAULT 'pass'", "CREATE TABLE more (a INT)"),
		step("third", "CREATE VIEW passed AS SELECT * FROM fit WHERE verdict = 'pass'"),
	}
	to := func(history []migration) error {
		db, c, err := l.connect(ctx, false, reach{})
		must(t, err)
		return errors.Join(migrate(ctx, c, l.path, history), c.Close(), db.Close())
	}
	must(t, to(history[:1]))
	must(t, to(history[:1])) // nothing to do
	wantInt(t, l, 1, "SELECT count(*) FROM schema_version")

	broken := append(history[:2:2], step("broken", "CREATE TABLE half (a INT)", "SELECT nonsense"))
	if err := to(broken); err == nil {
		t.Fatal("a broken migration gave no error")
	}
	wantInt(t, l, 1, "SELECT max(version) FROM schema_version")
	wantInt(t, l, 0, "SELECT count(*) FROM duckdb_tables() WHERE table_name IN ('half', 'more')")

	must(t, to(history))
	wantInt(t, l, 3, "SELECT max(version) FROM schema_version")
	wantInt(t, l, 7, "SELECT fit_id FROM passed")

	var newer *VersionError
	if err := to(history[:2]); !errors.As(err, &newer) || newer.Have != 3 || newer.Known != 2 {
		t.Errorf("a newer ledger: %v", err)
	}
}

// TestNewerLedger: a ledger from the future is left alone by every call.
func TestNewerLedger(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	must(t, l.Write(ctx, func(s *Session) error {
		return execute(ctx, s.c, "INSERT INTO schema_version VALUES (99, 'future', TIMESTAMP '2030-01-01')")
	}))
	ran := false
	_, opened := Open(l.path, Options{})
	_, stored := l.Stored(ctx, []string{"f"})
	for name, err := range map[string]error{
		"open": opened, "stored": stored,
		"write": l.Write(ctx, func(*Session) error { ran = true; return nil }),
	} {
		var newer *VersionError
		if !errors.As(err, &newer) || newer.Have != 99 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if ran {
		t.Error("wrote into a newer ledger")
	}
}

// TestUnreleasedLedger: a ledger of a program before the first release is left
// alone by every call, whether its version is known or not, and says what to do.
func TestUnreleasedLedger(t *testing.T) {
	for _, newest := range []int{1, 6} {
		l, ctx := open(t, Options{}), context.Background()
		must(t, l.Write(ctx, func(s *Session) error {
			return execute(ctx, s.c, fmt.Sprintf(`DELETE FROM schema_version;
				INSERT INTO schema_version SELECT v, 'version ' || v, TIMESTAMP '2026-01-01' FROM range(1, %d) t(v)`, newest+1))
		}))
		_, opened := Open(l.path, Options{})
		_, stored := l.Stored(ctx, nil)
		for name, err := range map[string]error{
			"open": opened, "stored": stored, "write": l.Write(ctx,
				func(*Session) error { t.Error("wrote into it"); return nil }),
		} {
			if other, is := errors.AsType[*VersionError](err); !is || other.Name != "version 1" ||
				!strings.Contains(err.Error(), "fits everything again") {
				t.Errorf("version %d, %s: %v", newest, name, err)
			}
		}
	}
}

// TestUnmigrated: reading a DuckDB file without tables finds nothing.
func TestUnmigrated(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	db, c, err := l.connect(ctx, false, reach{})
	must(t, err)
	must(t, errors.Join(execute(ctx, c, "CHECKPOINT"), c.Close(), db.Close()))
	_, err = Open(l.path, Options{})
	must(t, err)
	got, err := l.Stored(ctx, []string{"f"})
	if err != nil || len(got) != 0 {
		t.Errorf("%v, %v", got, err)
	}
	must(t, l.read(ctx, func(c *sql.Conn) error {
		v, err := schemaVersion(ctx, c, l.path, migrations)
		if v != 0 {
			t.Errorf("version %d", v)
		}
		return err
	}))
}

// A ledger of an older program is brought up by whoever opens or reads it; one that cannot be written says so.
func TestOlderLedger(t *testing.T) {
	first := open(t, Options{})
	db, c, err := first.connect(t.Context(), false, reach{})
	must(t, err)
	must(t, errors.Join(migrate(t.Context(), c, first.path, migrations[:1]), execute(t.Context(), c, "CHECKPOINT"),
		c.Close(), db.Close()))
	file, err := os.ReadFile(first.path)
	must(t, err)
	older := func() *Ledger {
		l := open(t, Options{})
		must(t, os.WriteFile(l.path, file, 0o600))
		return l
	}
	const on = "SELECT count(*) FROM latest_on(DATE '2026-11-20')"
	for _, opts := range []Options{{}, {Later: true}, {Restore: true}, {Later: true, Restore: true}} {
		l, err := Open(older().path, opts)
		must(t, err)
		must(t, l.Reading(t.Context(), func() error {
			wantInt(t, l, 0, on)
			return nil
		}))
		wantInt(t, l, len(migrations), "SELECT max(version) FROM schema_version")
	}
	must(t, withFreeBlocks(t, older(), 0).Whole(t.Context()))
	// reading brings it up, and puts bad blocks to use that were free: they are written then
	must(t, withFreeBlocks(t, older(), 1).Whole(t.Context())) // blocks that reading puts to use are written then
	behind := older()                                         // a reader that found the file locked when it was opened
	wantInt(t, behind, 0, on)

	// One that this process may read and not write, as root may both: the files of a thread of its own have another
	// owner.
	closed := older()
	must(t, errors.Join(os.Chmod(filepath.Dir(closed.path), 0o555), os.Chmod(closed.path, 0o444),
		os.Chmod(filepath.Dir(filepath.Dir(closed.path)), 0o755)))
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // which ends with this goroutine
		if os.Geteuid() == 0 {
			must(t, syscall.Setfsuid(65534))
		}
		_, err := Open(closed.path, Options{})
		done <- err
	}()
	var not *NotLedgerError
	if err := <-done; !errors.As(err, &not) || !strings.Contains(err.Error(), "older program") {
		t.Errorf("a ledger that cannot be written: %v", err)
	}
}

// withFreeBlocks makes free blocks in a ledger that do not have their checksums, all bytes fill: 0 as those that were
// never written.
func withFreeBlocks(t *testing.T, l *Ledger, fill byte) *Ledger {
	db, c, err := l.connect(t.Context(), false, reach{})
	must(t, err)
	big, used := map[int64]string{}, map[int64]string{}
	must(t, errors.Join(execute(t.Context(), c, "CREATE TABLE big AS SELECT hash(range) AS h FROM range(500000)"),
		execute(t.Context(), c, "CHECKPOINT"),
		addBlocks(t.Context(), c, big, "", "SELECT block_id FROM pragma_storage_info('big') WHERE persistent"),
		execute(t.Context(), c, "CREATE TABLE behind AS SELECT hash(range) AS h FROM range(500000)"),
		execute(t.Context(), c, "DROP TABLE big"), execute(t.Context(), c, "CHECKPOINT"),
		addBlocks(t.Context(), c, used, "", "SELECT block_id FROM pragma_metadata_info()"), c.Close(), db.Close()))
	f, err := os.OpenFile(l.path, os.O_RDWR, 0)
	must(t, err)
	made := 0
	for b := range big {
		if _, is := used[b]; !is {
			_, err = f.WriteAt(bytes.Repeat([]byte{fill}, 1<<18), headers+b<<18)
			must(t, err)
			made++
		}
	}
	must(t, f.Close())
	if made == 0 {
		t.Fatal("there is no free block")
	}
	return l
}

// The newest fit on a day is the one that a reader of that day saw.
func TestOnADay(t *testing.T) {
	l := open(t, Options{})
	at := func(day int, fingerprint string) {
		f := nightFit(day, unchanged)
		f.Fingerprint, f.Created = fingerprint, time.Date(2026, 11, day, 2, 30, 0, 0, time.UTC)
		store(t, l, f)
	}
	at(17, "first")
	at(19, "second")
	for day, want := range map[string]string{"DATE '2026-11-16'": "", "DATE '2026-11-17'": "first",
		"DATE '2026-11-18'": "first", "TIMESTAMP '2026-11-19 02:00:00'": "first", "DATE '2026-11-19'": "second",
		"'2026-12-01'": "second"} {
		rows := textRows(t, l, "SELECT coalesce(max(fingerprint), '') FROM latest_on("+day+")")
		if got := rows[0][0]; got != want {
			t.Errorf("on %s the newest is %q, want %q", day, got, want)
		}
		rows = textRows(t, l, `SELECT coalesce(max(fingerprint), '') FROM coefficients_on(`+day+`) JOIN fit USING (fit_id)`)
		if got := rows[0][0]; got != want {
			t.Errorf("coefficients on %s are those of %q, want %q", day, got, want)
		}
	}
}
