package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestMigrations brings a ledger from one version to the next and further.
func TestMigrations(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	history := []migration{
		{"first", []string{"CREATE TABLE fit (fit_id BIGINT); INSERT INTO fit VALUES (7)"}},
		{"second", []string{"ALTER TABLE fit ADD COLUMN verdict VARCHAR DEFAULT 'pass'", "CREATE TABLE more (a INT)"}},
		{"third", []string{"CREATE VIEW passed AS SELECT * FROM fit WHERE verdict = 'pass'"}},
	}
	to := func(history []migration) error {
		db, c, err := l.connect(ctx, false, reach{})
		must(t, err)
		return errors.Join(migrate(ctx, c, l.path, history), c.Close(), db.Close())
	}
	must(t, to(history[:1]))
	must(t, to(history[:1])) // nothing to do
	wantInt(t, l, 1, "SELECT count(*) FROM schema_version")

	broken := append(history[:2:2], migration{"broken", []string{"CREATE TABLE half (a INT)", "SELECT nonsense"}})
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
			var not *NotLedgerError
			if !errors.As(err, &not) || !strings.Contains(err.Error(), "unreleased") ||
				!strings.Contains(hintOf(not), "computes its fits anew") {
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
