package report

import (
	"database/sql"
	"testing"
)

// Quoted text reads as itself and as nothing else, in the engine that runs it.
func TestQuoted(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	for _, s := range []string{
		"plain", "it's", `say "no"`, `'`, `''`, `"`, `""`, "'; DROP TABLE fit; --", `"; DROP TABLE fit; --`, "a\nb\r\n\tc",
		`back\slash\'`,
		"$1 ? :x {x} %s", "/* -- */", "ünïcode 数据 \u202e🎲", "\u2019\u02bc\uff07", "E'\\x41'", "a\x01b\x7f", " ", "select", "",
	} {
		var text string
		err := db.QueryRowContext(t.Context(), "SELECT "+quoteText(s)).Scan(&text)
		if err != nil || text != s {
			t.Errorf("the text %q is %q, %v", s, text, err)
		}
		if s == "" {
			continue // no name
		}
		rows, err := db.QueryContext(t.Context(), "SELECT 1 AS "+quoteName(s))
		if err != nil {
			t.Errorf("the name %q: %v", s, err)
			continue
		}
		names, err := rows.Columns()
		if err != nil || len(names) != 1 || names[0] != s {
			t.Errorf("the name %q is %q, %v", s, names, err)
		}
		if err := rows.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A name that needs no quotes is a name of the engine without them.
func TestPlainNames(t *testing.T) {
	for name, want := range map[string]bool{"run_fit": true, "fit": true, "": false, "a b": false, "Fit": false, "a;": false,
		"1a": false, "_": false, "fit\n": false, "\"a\"": false, "a--": false, "ä": false} {
		func() {
			defer func() {
				if refused := recover() != nil; refused == want {
					t.Errorf("%q is refused: %v", name, refused)
				}
			}()
			if got := plainName(name); got != name {
				t.Errorf("%q is %q", name, got)
			}
		}()
	}
}
