package report

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
)

// stranger opens the engine on a ledger without any fence, as another program does, and runs statements.
func stranger(t *testing.T, l *Ledger, statements ...string) {
	t.Helper()
	connector, err := duckdb.NewConnector(l.path, nil)
	must(t, err)
	db := sql.OpenDB(connector)
	for _, q := range statements {
		_, err := db.ExecContext(context.Background(), q)
		must(t, err)
	}
	must(t, db.Close())
}

// SQL on a ledger, a stranger's views included, reaches no file, network, extension or setting.
func TestFence(t *testing.T) {
	l, ctx, dir := open(t, Options{}), context.Background(), t.TempDir()
	store(t, l, sampleFit("f1"))
	secret, written := filepath.Join(dir, "secret.csv"), filepath.Join(dir, "written")
	must(t, os.WriteFile(secret, []byte("word\nopensesame\n"), 0o600))
	stranger(t, l, "CREATE VIEW peek AS SELECT * FROM read_text('"+secret+"')",
		"CREATE MACRO look() AS TABLE SELECT * FROM read_csv('"+secret+"')")
	ask := func(text string, o QueryOptions) (string, error) {
		var out bytes.Buffer
		err := l.Query(ctx, &out, o, text)
		return out.String(), err
	}
	for _, text := range []string{
		"FROM peek", "FROM look()", "FROM read_text('" + secret + "')", "FROM '" + secret + "'",
		"FROM glob('" + dir + "/*')", "FROM sniff_csv('" + secret + "')", "FROM query('FROM read_blob(''" + secret + "'')')",
		"COPY (SELECT 1) TO '" + written + "'", "EXPORT DATABASE '" + written + "'", "IMPORT DATABASE '" + dir + "'",
		"ATTACH '" + written + "'", "INSTALL httpfs", "FORCE INSTALL spatial", "LOAD httpfs", "LOAD '" + secret + "'",
		"FROM read_csv('https://example.org/x.csv')", "FROM 's3://bucket/x.parquet'",
		"SET enable_external_access = true", "RESET lock_configuration", "SET threads = 1", "PRAGMA memory_limit = '1TB'",
		"SELECT 1; SELECT 2", "SELECT 1; COPY (SELECT 1) TO '" + written + "'",
		"CALL enable_logging(storage = 'file', storage_config = {'path': '" + written + "'})",
	} {
		for _, format := range []Format{CSV, Parquet} {
			got, err := ask(text, QueryOptions{Format: format})
			var refused *QueryError
			// The log is refused when the next statement would write it.
			if !errors.As(err, &refused) && !strings.HasPrefix(text, "CALL") || strings.Contains(got, "opensesame") {
				t.Errorf("%s as %s: %q, %v", text, format, got, err)
			}
			if format == CSV && strings.Contains(text, dir) && err != nil && hintOf(err) == "" {
				t.Errorf("%s: no hint: %v", text, err)
			}
			if entries, _ := os.ReadDir(dir); len(entries) != 1 {
				t.Fatalf("%s as %s left %v", text, format, entries)
			}
		}
	}
	if got, err := ask("SELECT count(*) AS n FROM fit;", QueryOptions{Format: CSV}); got != "n\n1\n" {
		t.Errorf("with a semicolon: %q, %v", got, err)
	}
	// Allowed files can be opened, and no others.
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	for _, folder := range []string{dir, link} {
		got, err := ask("FROM '"+filepath.Join(folder, "secret.csv")+"'", QueryOptions{Format: CSV, Allow: []string{folder}})
		if got != "word\nopensesame\n" {
			t.Errorf("allowed %s: %q, %v", folder, got, err)
		}
	}
	allow := QueryOptions{Format: CSV, Allow: []string{dir}}
	_, err := ask("COPY (SELECT 1 AS a) TO '"+written+"'", allow)
	must(t, err)
	for _, text := range []string{"FROM read_text('/etc/passwd')", "LOAD httpfs", "SET threads = 1",
		"SET allowed_directories = ['/']", "SELECT 1; SELECT 2"} {
		if got, err := ask(text, allow); err == nil {
			t.Errorf("%s with a folder allowed: %q", text, got)
		}
	}
	if _, err := ask("SELECT 1", QueryOptions{Allow: []string{filepath.Join(dir, "no")}}); hintOf(err) == "" {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// The engine's parser makes two statements of a PIVOT without a list of values; to a person it is one.
func TestPivotIsOneStatement(t *testing.T) {
	l, ctx := sampled(t), context.Background()
	for _, end := range []string{"", ";\n"} {
		var out bytes.Buffer
		pivot := "PIVOT (SELECT 'a' AS name, 1 AS x) ON name USING sum(x)" + end
		if err := l.Query(ctx, &out, QueryOptions{Format: CSV}, pivot); out.String() != "a\n1\n" {
			t.Errorf("%q: %q, %v", pivot, out.String(), err)
		}
		if err := l.Query(ctx, &out, QueryOptions{}, pivot+"; SELECT 1"); err == nil {
			t.Errorf("%q and another statement are carried out", pivot)
		}
	}
}

// Each way to an engine is fenced, the writer's too.
func TestEveryEngineIsFenced(t *testing.T) {
	ctx, file := context.Background(), filepath.Join(t.TempDir(), "x.duckdb")
	for name, r := range map[string]reach{"closed": {}, "open": {folders: []string{t.TempDir()}}} {
		db, c, err := dial(ctx, file, url.Values{}, r)
		must(t, err)
		for _, text := range []string{"FROM read_text('/etc/passwd')", "COPY (SELECT 1) TO '/tmp/no'", "LOAD httpfs",
			"INSTALL httpfs", "ATTACH '/tmp/no'", "SET enable_external_access = true"} {
			if err := execute(ctx, c, text); err == nil {
				t.Errorf("%s: %s is carried out", name, text)
			}
		}
		must(t, errors.Join(c.Close(), db.Close()))
	}
}

// An engine that is fenced still spills what does not fit into memory.
func TestFenceLetsSpill(t *testing.T) {
	l := open(t, Options{MemoryLimit: "64MB", Threads: 1})
	store(t, l, sampleFit("f1"))
	var out bytes.Buffer
	must(t, l.Query(context.Background(), &out, QueryOptions{Format: CSV},
		"SELECT count(*) AS n FROM (SELECT hash(i) AS h, i FROM range(4000000) t(i) ORDER BY h LIMIT 3999999)"))
	if out.String() != "n\n3999999\n" {
		t.Errorf("answer %q", out.String())
	}
	if left, _ := filepath.Glob(l.path + ".*"); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
