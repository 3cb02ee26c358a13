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

// own lists the tables, views and macros of the newest schema, a line each: space of names, name, kind and, of
// views and macros, the digest of the definition as this engine prints it. A test rewrites it (make golden).
//
//go:embed schema/own.txt
var own string

// ownOutside are the lines of parts that replace those in own if a ledger has draws outside.
//
//go:embed schema/own_outside.txt
var ownOutside string

// ownSQL answers with lines as in own, of the open file. It names the engine's functions in full: the file may have
// macros of these names. A definition by the same connection is printed otherwise. Cost: 13 ms of processor time,
// nearly all for the list of functions.
const ownSQL = `WITH own AS (SELECT 'relation' AS space, table_name AS name, 'table' AS kind, NULL AS definition
		FROM system.main.duckdb_tables()
		WHERE NOT internal AND NOT temporary AND schema_name = 'main' AND database_name = system.main.current_database()
	UNION ALL
	SELECT 'relation', view_name, 'view', sql FROM system.main.duckdb_views()
		WHERE NOT internal AND NOT temporary AND schema_name = 'main' AND database_name = system.main.current_database()
	UNION ALL
	SELECT function_type, function_name, 'macro', system.main.concat_ws(' ', parameters, macro_definition)
		FROM system.main.duckdb_functions()
		WHERE NOT internal AND schema_name = 'main' AND database_name = system.main.current_database())
	SELECT system.main.concat_ws(' ', space, name, kind, system.main.md5(definition)) AS line, name, kind
	FROM own ORDER BY line`

// engineSQL lists the engine's own functions and operators. Cost: as ownSQL.
const engineSQL = `SELECT function_name FROM system.main.duckdb_functions() WHERE internal`

// A part is a table, view or macro of a ledger. The program's own of that name is an ownKind; a part without one
// shadows a function of the engine.
type part struct{ name, kind, ownKind string }

// shadows reports whether the part has the name of one of the engine's functions.
func (p part) shadows() bool { return p.ownKind == "" }

// foreign lists the parts of the open file that have the name of one of the program's own and are something else, and
// macros with names of the engine's functions or operators, which the file's own views would call in their place.
// Functions of the engine are listed only if the file has other macros than the program's own. Other parts with names
// of their own are left to those who ask them. It returns a *NotLedgerError, as beyondRepair does.
func foreign(ctx context.Context, c *sql.Conn, path string) (parts []part, err error) {
	known, kinds, macros := map[string]bool{}, map[string]string{}, map[string]string{}
	for line := range strings.Lines(own + ownOutside) {
		words := strings.Fields(line)
		known[strings.Join(words, " ")], kinds[words[0]+words[1]] = true, words[2]
	}
	err = scanRows(ctx, c, ownSQL, func(rows *sql.Rows) error {
		var line, name, kind string
		if err := rows.Scan(&line, &name, &kind); err != nil || known[line] {
			return err
		}
		if kind == "macro" {
			macros[strings.ToLower(name)] = name
		}
		words := strings.Fields(line) // names of the program's own have no blanks
		if kind, ours := kinds[words[0]+words[1]]; ours {
			parts = append(parts, part{words[1], words[2], kind})
		}
		return nil
	})
	if err == nil && len(macros) > 0 {
		err = scanRows(ctx, c, engineSQL, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			if macro, shadows := macros[name]; shadows {
				parts = append(parts, part{name: macro, kind: "macro"})
			}
			return err
		})
	}
	if err == nil {
		err = beyondRepair(parts, path)
	}
	return parts, err
}

// called names parts in a message.
func called(parts []part) string {
	out := make([]string, len(parts))
	for i, p := range parts {
		out[i] = p.kind + " " + p.name
	}
	return strings.Join(out, ", ")
}

// trust returns a *NotLedgerError if the open file has parts that are not the program's own under names of its own.
// They are looked at once.
func (l *Ledger) trust(ctx context.Context, c *sql.Conn) error {
	if l.trusted.Load() {
		return nil
	}
	parts, err := foreign(ctx, c, l.path)
	if err == nil && len(parts) > 0 {
		err = &NotLedgerError{Path: l.path, Err: words.Hint(fmt.Errorf("its %s is not of this program, and would answer as "+
			"somebody else likes", called(parts)), "the next pipeline run or commit on it puts the program's own in place")}
	}
	if err == nil {
		l.trusted.Store(true)
	}
	return err
}

// beyondRepair returns a *NotLedgerError of the first part that a writer does not put right.
func beyondRepair(parts []part, path string) error {
	for _, p := range parts {
		switch {
		case p.shadows():
			return &NotLedgerError{Path: path, Err: words.Hint(
				fmt.Errorf("its macro %q would answer in the place of DuckDB's own function of that name", p.name),
				"drop the macro in DuckDB's shell, restore a copy, or name another database")}
		case p.kind != p.ownKind:
			return &NotLedgerError{Path: path, Err: words.Hint(fmt.Errorf("its %s %s should be a %s", p.kind, p.name, p.ownKind),
				"restore a copy, or name another database")}
		}
	}
	return nil
}

// restore puts the program's own views and macros back, within a transaction.
func restore(ctx context.Context, c *sql.Conn, path string, parts []part) error {
	if len(parts) == 0 {
		return nil
	}
	//sql:ok this program: a part of its schema
	if err := executeAll(ctx, c, definitions()); err != nil {
		return &NotLedgerError{Path: path, Err: words.Hint(errors.New(engineWords(err)),
			"its "+called(parts)+" cannot be put right; restore a copy, or name another database")}
	}
	return restoreOutside(ctx, c, path)
}
