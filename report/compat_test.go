package report

import (
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestCompatLedger writes the ledger for other DuckDB clients, and this program's own answers to
// compat/queries.json in the same folder. Only compat/run.sh asks for the file; the queries are tried here in any
// case.
func TestCompatLedger(t *testing.T) {
	path := os.Getenv("GLMBATCH_COMPAT_LEDGER")
	if path == "" {
		path = filepath.Join(t.TempDir(), "ledger.duckdb")
	}
	l, err := Open(path, Options{})
	must(t, err)
	nuts, wide := sampleFit("f2"), benchFit(100, layoutDraws, 16)
	nuts.Sampler, wide.Fingerprint = "nuts", "wide"
	store(t, l, sampleFit("f1"), nuts, sampleFit("f3"), wide)

	text, err := os.ReadFile(filepath.Join("compat", "queries.json"))
	must(t, err)
	var queries map[string]string
	must(t, json.Unmarshal(text, &queries))
	answers := map[string][][]any{}
	for name, q := range queries {
		answers[name] = textRows(t, l, "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM ("+q+")")
		if len(answers[name]) == 0 {
			t.Errorf("%s: no rows", name)
		}
	}
	out, err := json.Marshal(answers)
	must(t, err)
	must(t, os.WriteFile(path+".json", out, 0o600))
}

func textRows(t *testing.T, l *Ledger, query string) (all [][]any) {
	t.Helper()
	must(t, l.read(context.Background(), func(c *sql.Conn) error {
		rows, err := c.QueryContext(context.Background(), query)
		if err != nil {
			return err
		}
		defer rows.Close()
		g, err := newGrid(rows)
		if err != nil {
			return err
		}
		for rows.Next() {
			if err := rows.Scan(g.into...); err != nil {
				return err
			}
			all = append(all, append([]any(nil), g.cells...))
		}
		return rows.Err()
	}))
	return all
}
