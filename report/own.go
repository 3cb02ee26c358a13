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

// own lists the tables, views and macros of the newest schema, a line each: space of names, name, kind and, of views
// and macros, the digest of the definition as this engine prints it. A test writes it anew (make golden).
//
//go:embed schema/own.txt
var own string

// ownOutside are the lines of parts that a ledger has in place of those in own, where it has draws outside.
//
//go:embed schema/own_outside.txt
var ownOutside string

// ownSQL answers with lines as in own, of the open file, and whether a macro has the name of one of the engine's
// functions or operators, which the file's own views would call in its place. So would this query: it names the
// engine's. What was made by the same connection is printed otherwise. Cost: some 20 ms, nearly all for the list of
// functions, which is read once.
const ownSQL = `WITH f AS MATERIALIZED (SELECT internal, schema_name, database_name, function_type, function_name,
		parameters, macro_definition FROM system.main.duckdb_functions()),
	own AS (SELECT 'relation' AS space, table_name AS name, 'table' AS kind, NULL AS definition, false AS shadows
		FROM system.main.duckdb_tables()
		WHERE NOT internal AND NOT temporary AND schema_name = 'main' AND database_name = system.main.current_database()
	UNION ALL
	SELECT 'relation', view_name, 'view', sql, false FROM system.main.duckdb_views()
		WHERE NOT internal AND NOT temporary AND schema_name = 'main' AND database_name = system.main.current_database()
	UNION ALL
	SELECT function_type, function_name, 'macro', system.main.concat_ws(' ', parameters, macro_definition),
		system.main.lower(function_name) IN (SELECT function_name FROM f WHERE internal)
		FROM f WHERE NOT internal AND schema_name = 'main' AND database_name = system.main.current_database())
	SELECT system.main.concat_ws(' ', space, name, kind, system.main.md5(definition)) AS line, name, shadows
	FROM own ORDER BY line`

// A part is a table, view or macro of a ledger. The program's own of that name is an ownKind; a part without one
// shadows a function of the engine.
type part struct{ name, kind, ownKind string }

// shadows tells whether the part takes the place of one of the engine's functions.
func (p part) shadows() bool { return p.ownKind == "" }

// foreign lists the parts of the open file that have the name of one of the program's own and are something else:
// what they say is somebody else's. So it is of macros with names of the engine's functions. Other parts with names of
// their own are left to those who ask them. It returns a *NotLedgerError, as beyondRepair does.
func foreign(ctx context.Context, c *sql.Conn, path string) (parts []part, err error) {
	known, kinds := map[string]bool{}, map[string]string{}
	for line := range strings.Lines(own + ownOutside) {
		words := strings.Fields(line)
		known[strings.Join(words, " ")], kinds[words[0]+words[1]] = true, words[2]
	}
	err = scanRows(ctx, c, ownSQL, func(rows *sql.Rows) error {
		var line, name string
		var shadows bool
		if err := rows.Scan(&line, &name, &shadows); err != nil || known[line] {
			return err
		}
		if shadows {
			parts = append(parts, part{name: name, kind: "macro"})
			return nil
		}
		words := strings.Fields(line) // names of the program's own have no blanks
		if kind, ours := kinds[words[0]+words[1]]; ours {
			parts = append(parts, part{words[1], words[2], kind})
		}
		return nil
	})
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

// restore puts the program's own views and macros in the place of what is not, within a transaction.
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
