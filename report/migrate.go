package report

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"glmbatch/internal/words"
)

// A migration brings a ledger from the version before to its own.
type migration struct {
	name string
	sql  []string
}

//go:embed schema/0001_ledger.sql
var ledgerSQL string

//go:embed schema/0001_comments.sql
var commentsSQL string

//go:embed schema/0002_identity.sql
var identitySQL string

//go:embed schema/0003_calibration.sql
var calibrationSQL string

//go:embed schema/0003_scales.sql
var scalesSQL string

//go:embed schema/0003_derive.sql
var deriveSQL string

//go:embed schema/0003_loo.sql
var looSQL string

//go:embed schema/0003_replicates.sql
var replicatesSQL string

//go:embed schema/0003_checks.sql
var checksSQL string

//go:embed schema/0004_conditions.sql
var conditionsSQL string

//go:embed schema/0004_macros.sql
var macrosSQL string

//go:embed schema/0004_drift.sql
var driftSQL string

//go:embed schema/0005_order.sql
var orderSQL string

//go:embed schema/0005_start.sql
var startSQL string

//go:embed schema/0005_comments.sql
var columnCommentsSQL string

//go:embed schema/0006_discrete.sql
var discreteSQL string

// migrations is the history of the schema: entry i leads to version i+1.
// Entries that were released are never changed.
var migrations = []migration{
	{"ledger", []string{ledgerSQL, commentsSQL}},
	{"identity", []string{identitySQL}},
	{"models", []string{calibrationSQL, deriveSQL, looSQL, replicatesSQL, scalesSQL, checksSQL}},
	{"nights", []string{driftSQL, macrosSQL, conditionsSQL}},
	{"looks", []string{orderSQL, startSQL, columnCommentsSQL}},
	{"discrete", []string{discreteSQL}},
}

// createVersions makes the table that tells the schema's version.
const createVersions = `
CREATE TABLE schema_version (version INTEGER NOT NULL, name VARCHAR NOT NULL, applied TIMESTAMP NOT NULL);
COMMENT ON TABLE schema_version IS 'Migrations that this ledger went through; the largest version is its own.'`

// schemaVersion returns the version of the open file: 0 if it has no tables,
// and a *NotLedgerError if it has tables but none that tells a version.
// A version above known is a *VersionError.
func schemaVersion(ctx context.Context, c *sql.Conn, path string, known int) (int, error) {
	var tables, ours int
	err := c.QueryRowContext(ctx, `SELECT count(*), count(*) FILTER (table_name = 'schema_version' AND schema_name = 'main')
		FROM duckdb_tables() WHERE NOT internal AND NOT temporary`).Scan(&tables, &ours)
	if err != nil {
		return 0, err
	}
	if tables == 0 {
		return 0, nil
	}
	if ours == 0 {
		return 0, &NotLedgerError{path, words.Hint(fmt.Errorf("it is a DuckDB file with %d tables of something else", tables),
			"name another database; this file was left as it is")}
	}
	var version int
	err = c.QueryRowContext(ctx, `SELECT coalesce(max(version), 0) FROM main.schema_version`).Scan(&version)
	if err != nil {
		return 0, &NotLedgerError{path, words.Hint(errors.New(engineWords(err)),
			"its table schema_version is not glmbatch's; name another database")}
	}
	if version > known {
		return version, &VersionError{path, version, known}
	}
	return version, nil
}

// migrate brings the open file to the newest version of history, all steps in
// one transaction.
func migrate(ctx context.Context, c *sql.Conn, path string, history []migration) error {
	version, err := schemaVersion(ctx, c, path, len(history))
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
			_, err := c.ExecContext(ctx, `INSERT INTO schema_version VALUES (?, ?, make_timestamp(epoch_us(now())))`, version+i+1, m.name)
			if err != nil {
				return err
			}
		}
		return nil
	})
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
