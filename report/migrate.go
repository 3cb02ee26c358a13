package report

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"glmbatch/internal/words"
)

// A migration brings a ledger from the version before to its own.
type migration struct {
	name string
	sql  []string
}

//go:embed schema/0001_fits.sql
var fitsSQL string

//go:embed schema/0001_views.sql
var viewsSQL string

//go:embed schema/0001_drift.sql
var driftSQL string

//go:embed schema/0001_assessment.sql
var assessmentSQL string

//go:embed schema/0001_calibration.sql
var calibrationSQL string

//go:embed schema/0001_discrete.sql
var discreteSQL string

//go:embed schema/0001_groups.sql
var groupsSQL string

//go:embed schema/0001_macros.sql
var macrosSQL string

//go:embed schema/0002_outside.sql
var outsideSQL string

//go:embed schema/0002_dates.sql
var datesSQL string

//go:embed schema/0002_loo.sql
var looSQL string

//go:embed schema/0002_kfold.sql
var kfoldSQL string

//go:embed schema/0002_smooths.sql
var smoothsSQL string

//go:embed schema/0002_sensitivity.sql
var sensitivitySQL string

//go:embed schema/0002_effects.sql
var effectsSQL string

//go:embed schema/0002_imputed.sql
var imputedSQL string

//go:embed schema/0002_pooled.sql
var pooledSQL string

//go:embed schema/0002_page.sql
var pageSQL string

//go:embed schema/0002_checks.sql
var checksSQL string

//go:embed schema/0002_mixtures.sql
var mixturesSQL string

//go:embed schema/0002_forecasts.sql
var forecastsSQL string

//go:embed schema/0003_newest.sql
var newestSQL string

//go:embed schema/0003_macros.sql
var namesSQL string

// migrations is the history of the schema: entry i leads to version i+1. Entries
// that were released are never changed: what comes later is the next entry, in which a view or macro that an earlier
// one made is CREATE OR REPLACE. Readers know the newest alone: see bringUp.
var migrations = []migration{
	{"0.1.0", []string{fitsSQL, viewsSQL, driftSQL, assessmentSQL, calibrationSQL, discreteSQL, groupsSQL, macrosSQL}},
	{"0.2.0", []string{outsideSQL, datesSQL, looSQL, kfoldSQL, sensitivitySQL, effectsSQL, smoothsSQL, imputedSQL, pageSQL,
		checksSQL, mixturesSQL, forecastsSQL, pooledSQL}},
	{"newest", []string{newestSQL, namesSQL}},
}

// createVersions makes the table that tells the schema's version.
const createVersions = `
CREATE TABLE schema_version (version INTEGER NOT NULL, name VARCHAR NOT NULL, applied TIMESTAMP NOT NULL);
COMMENT ON TABLE schema_version IS 'Migrations that this ledger went through; the largest version is its own.';
COMMENT ON COLUMN schema_version.version IS '1, 2, … in the order in which they were applied.';
COMMENT ON COLUMN schema_version.name IS 'What the version brought, in a word.';
COMMENT ON COLUMN schema_version.applied IS 'When this ledger went through it, UTC.'`

// schemaVersion returns the version of the open file: 0 if it has no tables. It
// is a *NotLedgerError if the file has tables but none that tells a version, or
// if it went through other migrations than those of history, as ledgers of
// unreleased programs did. A version beyond history is a *VersionError.
func schemaVersion(ctx context.Context, c *sql.Conn, path string, history []migration) (int, error) {
	var tables, ours int
	// The file's own macros are not looked at yet.
	err := c.QueryRowContext(ctx, `SELECT system.main.count(*), system.main.count(*) FILTER (table_name = 'schema_version'
		AND schema_name = 'main')
		FROM system.main.duckdb_tables() WHERE NOT internal AND NOT temporary`).Scan(&tables, &ours)
	if err != nil {
		return 0, err
	}
	if tables == 0 {
		return 0, nil
	}
	if ours == 0 {
		return 0, &NotLedgerError{Path: path, Err: words.Hint(
			fmt.Errorf("it is a DuckDB file with %d tables of something else", tables),
			"name another database; this file was left as it is")}
	}
	version, unknown := 0, false
	err = scanRows(ctx, c, "SELECT version, name FROM main.schema_version ORDER BY version", func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&version, &name)
		if 1 <= version && version <= len(history) && name != history[version-1].name {
			unknown = true
		}
		return err
	})
	switch {
	case err != nil:
		return 0, &NotLedgerError{Path: path, Err: words.Hint(errors.New(engineWords(err)),
			"its table schema_version is not glmbatch's; name another database")}
	case unknown:
		return 0, &NotLedgerError{Path: path, Err: words.Hint(errors.New("an unreleased program made it, with other tables"),
			"move the file away or name another database, and the next run computes its fits anew; "+
				"the program that made it still reads it")}
	case version > len(history):
		return version, &VersionError{path, version, len(history)}
	}
	return version, nil
}

// migrate brings the open file to the newest version of history, all steps in
// one transaction.
func migrate(ctx context.Context, c *sql.Conn, path string, history []migration) error {
	version, err := schemaVersion(ctx, c, path, history)
	if err != nil || version == len(history) {
		return err
	}
	return inTransaction(ctx, c, func() error {
		if version == 0 {
			if _, err := c.ExecContext(ctx, createVersions); err != nil {
				return err
			}
		}
		for i, m := range history[version:] {
			for _, text := range m.sql {
				if _, err := c.ExecContext(ctx, text); err != nil {
					return fmt.Errorf("ledger %q: migration %d (%s): %w", path, version+i+1, m.name, err)
				}
			}
			_, err := c.ExecContext(ctx, `INSERT INTO schema_version VALUES (?, ?, make_timestamp(epoch_us(now())))`,
				version+i+1, m.name)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// oldError says that a ledger has the schema of an older program.
type oldError struct{ have int }

func (e *oldError) Error() string { return fmt.Sprintf("it has schema version %d", e.have) }

// current returns an *oldError if the open file has tables of an older schema, and what schemaVersion does.
func (l *Ledger) current(ctx context.Context, c *sql.Conn) error {
	version, err := schemaVersion(ctx, c, l.path, migrations)
	if err == nil && version > 0 && version < len(migrations) {
		err = &oldError{version}
	}
	return err
}

// bringUp migrates the ledger and puts the program's own views in place.
func (l *Ledger) bringUp(ctx context.Context) error {
	err := l.Write(ctx, func(*Session) error { return nil })
	if errors.Is(err, fs.ErrPermission) || err != nil && strings.Contains(engineText(err), "ermission denied") {
		return &NotLedgerError{Path: l.path, Err: words.Hint(errors.New("it is of an older program, and this one may not "+
			"write to it"), "open it once as somebody who may write, or read a copy: the schema is brought up then")}
	}
	return err
}

// inTransaction commits what fn did, or undoes all of it if fn fails, panics
// or ctx ends.
func inTransaction(ctx context.Context, c *sql.Conn, fn func() error) (err error) {
	if _, err := c.ExecContext(ctx, "BEGIN TRANSACTION"); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			_, undo := c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
			if undo != nil && !strings.Contains(engineText(undo), "no transaction is active") {
				err = errors.Join(err, fmt.Errorf("undoing the transaction: %w", undo))
			}
			err = roomHint(err)
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := c.ExecContext(context.WithoutCancel(ctx), "COMMIT"); err != nil {
		return err
	}
	done = true
	return nil
}
