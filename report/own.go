package report

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"slices"
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

// ownSQL answers with lines as in own, of the open file. What was made by the same connection is printed otherwise.
const ownSQL = `SELECT concat_ws(' ', space, name, kind, md5(definition)) AS line FROM (
	SELECT 'relation' AS space, table_name AS name, 'table' AS kind, NULL AS definition FROM duckdb_tables()
	WHERE NOT internal AND NOT temporary AND schema_name = 'main' AND database_name = current_database()
	UNION ALL
	SELECT 'relation', view_name, 'view', sql FROM duckdb_views()
	WHERE NOT internal AND NOT temporary AND schema_name = 'main' AND database_name = current_database()
	UNION ALL
	SELECT function_type, function_name, 'macro', concat_ws(' ', parameters, macro_definition) FROM duckdb_functions()
	WHERE NOT internal AND schema_name = 'main' AND database_name = current_database())
	ORDER BY line`

// A part is a table, view or macro of a ledger.
type part struct{ name, kind, ownKind string }

// foreign lists the parts of the open file that have the name of one of the program's own and are something else:
// what they say is somebody else's. Parts with names of their own are left to those who ask them.
func foreign(ctx context.Context, c *sql.Conn) (parts []part, err error) {
	known, kinds := map[string]bool{}, map[string]string{}
	for line := range strings.Lines(own + ownOutside) {
		words := strings.Fields(line)
		known[strings.Join(words, " ")], kinds[words[0]+words[1]] = true, words[2]
	}
	err = scanRows(ctx, c, ownSQL, func(rows *sql.Rows) error {
		var line string
		if err := rows.Scan(&line); err != nil || known[line] {
			return err
		}
		words := strings.Fields(line) // names of the program's own have no blanks
		if kind, ours := kinds[words[0]+words[1]]; ours {
			parts = append(parts, part{words[1], words[2], kind})
		}
		return nil
	})
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
	parts, err := foreign(ctx, c)
	if err == nil && len(parts) > 0 {
		err = &NotLedgerError{Path: l.path, Err: words.Hint(fmt.Errorf("its %s is not of this program, and would answer as "+
			"somebody else likes", called(parts)), "the next pipeline run or commit on it puts the program's own in place")}
	}
	if err == nil {
		l.trusted.Store(true)
	}
	return err
}

// restore puts the program's own views and macros in the place of what is not, within a transaction.
func restore(ctx context.Context, c *sql.Conn, path string) error {
	parts, err := foreign(ctx, c)
	if err != nil || len(parts) == 0 {
		return err
	}
	for _, p := range parts {
		if p.kind != p.ownKind {
			return &NotLedgerError{Path: path, Err: words.Hint(fmt.Errorf("its %s %s should be a %s", p.kind, p.name, p.ownKind),
				"restore a copy, or name another database")}
		}
	}
	for _, m := range migrations {
		for _, text := range m.sql {
			for _, statement := range statements(text) {
				//sql:ok this program: a part of its schema
				if _, err := c.ExecContext(ctx, statement); err != nil {
					return &NotLedgerError{Path: path, Err: words.Hint(errors.New(engineWords(err)),
						"its "+called(parts)+" cannot be put right; restore a copy, or name another database")}
				}
			}
		}
	}
	return restoreOutside(ctx, c, path)
}

// statements are those of a text that make views and macros, anew if need be, and comment on them. In these texts
// a statement ends where a line ends with a semicolon.
func statements(text string) (out []string) {
	var lines, made []string
	for line := range strings.Lines(text) {
		lines = append(lines, line)
		if !strings.HasSuffix(line, ";\n") {
			continue
		}
		for len(lines) > 1 && !strings.HasPrefix(lines[0], "CREATE") && !strings.HasPrefix(lines[0], "COMMENT") {
			lines = lines[1:] // comments and empty lines
		}
		statement := strings.Join(lines, "")
		lines = nil
		statement = strings.Replace(statement, "CREATE OR REPLACE ", "CREATE ", 1)
		head := strings.FieldsFunc(statement, func(r rune) bool { return strings.ContainsRune(" .(\n", r) })
		switch {
		case head[0] == "CREATE" && (head[1] == "VIEW" || head[1] == "MACRO"):
			made = append(made, head[2])
			out = append(out, "CREATE OR REPLACE"+strings.TrimPrefix(statement, "CREATE"))
		case head[0] == "COMMENT" && (head[2] == "VIEW" || head[2] == "MACRO" || slices.Contains(made, head[3])):
			out = append(out, statement)
		}
	}
	return out
}
