package report

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"glmbatch/internal/words"
)

// A migration brings a ledger from the version before to its own.
type migration struct {
	name string
	sql  func() []string // statements: what the version has of tables, and what becomes of the rows
	// then is called after sql; nil: nothing.
	then func(ctx context.Context, c *sql.Conn, path string) error
}

//go:embed schema/0003.sql
var pipelinesOfFits string

// migrations is the history of the schema: entry i leads to version i+1. An entry of a release, or of a landing on the
// main branch, never changes (TestSchemaVersions). To change the schema, add an entry. The tag since of its tables and
// columns is its number: see schema.go. Move putViews to it: ledgers have the views, macros and comments of the newest
// version only. Readers read no other version: see bringUp.
var migrations = []migration{
	{name: "0.1.0", sql: func() []string { return append(tableChanges(1, false), "CREATE SEQUENCE fit_number") }},
	{name: "0.2.0", sql: func() []string { return tableChanges(2, false) }},
	{name: "newest", sql: func() []string { return append(tableChanges(3, false), pipelinesOfFits) }},
	{name: "described", sql: func() []string { return tableChanges(4, false) }, then: putViews},
}

// putViews comments on the tables, and puts the program's own views and macros in place.
func putViews(ctx context.Context, c *sql.Conn, path string) error {
	//sql:ok this program: a part of its schema
	if err := executeAll(ctx, c, append(tableComments(), definitions()...)); err != nil {
		return err
	}
	return restoreOutside(ctx, c, path)
}

// schemaVersion returns the version of the open file: 0 if it has no tables. It
// is a *NotLedgerError if the file has tables but none of them is schema_version. It is a *VersionError if the
// version is beyond history, or if a migration of the file has another name than in history.
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
	version, other := 0, (*VersionError)(nil)
	err = scanRows(ctx, c, "SELECT version, name FROM main.schema_version ORDER BY version", func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&version, &name)
		if 1 <= version && version <= len(history) && name != history[version-1].name && other == nil {
			other = &VersionError{path, version, len(history), name, history[version-1].name}
		}
		return err
	})
	switch {
	case err != nil:
		return 0, &NotLedgerError{Path: path, Err: words.Hint(errors.New(engineWords(err)),
			"its table schema_version is not glmbatch's; name another database")}
	case other != nil:
		return 0, other
	case version > len(history):
		return version, &VersionError{Path: path, Have: version, Known: len(history)}
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
			//sql:ok this program: a part of its schema
			if err := executeAll(ctx, c, versions.changes(1, false)); err != nil {
				return err
			}
		}
		if version == inPlace {
			if err := complete(ctx, c, path); err != nil {
				return err
			}
		}
		for i, m := range history[version:] {
			//sql:ok this program: a part of its schema
			err := executeAll(ctx, c, m.sql())
			if err == nil && m.then != nil {
				err = m.then(ctx, c, path)
			}
			if err != nil {
				return fmt.Errorf("ledger %q: migration %d (%s): %w", path, version+i+1, m.name, err)
			}
			_, err = c.ExecContext(ctx, `INSERT INTO schema_version VALUES (?, ?, make_timestamp(epoch_us(now())))`,
				version+i+1, m.name)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// inPlace is the version that builds before version 3 changed in place, by additions only.
const inPlace = 2

// complete adds to the open file, which has the version inPlace, the tables and columns of it that it lacks, and keeps
// what it has. Cost: one query if nothing is missing; 0.1 s otherwise.
func complete(ctx context.Context, c *sql.Conn, path string) error {
	have := map[string]bool{}
	err := scanRows(ctx, c, `SELECT system.main.concat_ws('.', table_name, column_name) FROM system.main.duckdb_columns()
		WHERE NOT internal AND schema_name = 'main'`, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		have[name] = true
		return err
	})
	missing := func(t *table) bool {
		return slices.ContainsFunc(t.columns, func(c column) bool {
			return max(c.since, t.since) <= inPlace && !have[t.name+"."+c.name]
		})
	}
	if err != nil || !slices.ContainsFunc(tables, missing) {
		return err
	}
	for v := range inPlace {
		//sql:ok this program: a part of its schema
		if err := executeAll(ctx, c, tableChanges(v+1, true)); err != nil {
			return fmt.Errorf("ledger %q: adding what it lacks: %w", path, err)
		}
	}
	return nil
}

// executeAll executes statements, and stops at the first error.
func executeAll(ctx context.Context, c *sql.Conn, statements []string) error {
	for _, text := range statements {
		if _, err := c.ExecContext(ctx, text); err != nil {
			return err
		}
	}
	return nil
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
			err = memoryHint(err)
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
