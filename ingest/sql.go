package ingest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/duckdb/duckdb-go/v2"

	"glmbatch/internal/held"
	"glmbatch/internal/words"
)

// readSQL runs the source's query and reads its rows by way of a Parquet file
// in a temporary folder, the form in which the engine hands over columns
// fastest without a build tag of its driver.
//
// The query can read and nothing else: it must be one SELECT, the database is
// opened read-only, no extension is fetched, and the settings are locked. With
// a database, other files are out of reach; without one, they are what the
// query is for.
func readSQL(ctx context.Context, src *Source, choose chooser, mem memory.Allocator) (*part, error) {
	rows, clean, err := runSQL(ctx, src)
	defer clean()
	if err != nil {
		return nil, err
	}
	return readRows(ctx, src, rows, choose, mem)
}

// runSQL writes the rows of the query to a file, which clean removes.
func runSQL(ctx context.Context, src *Source) (rows string, clean func(), err error) {
	q := newQuery(src)
	dir, err := words.TempDir("glmbatch-query-")
	if err != nil {
		return "", func() {}, q.fail(err, "")
	}
	clean = func() { _ = os.RemoveAll(dir) } // in the system's temporary folder, which is swept anyway
	rows = filepath.Join(dir, "rows.parquet")
	release, err := q.reachable(ctx)
	if err == nil {
		err = q.elsewhere(ctx, dir, rows)
		release()
	}
	return rows, clean, err
}

// readRows reads the file that runSQL wrote.
func readRows(ctx context.Context, src *Source, rows string, choose chooser,
	mem memory.Allocator) (p *part, err error) {
	in, err := src.open(ctx, rows)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // read-only: nothing to lose
	err = guarded(func() (err error) {
		p, err = readParquet(ctx, src, in, "", choose, mem)
		return err
	})
	if err != nil {
		return nil, err
	}
	force(src, p, mem)
	return p, nil
}

// A query is what its process needs of a Source.
type query struct {
	Name, SQL, Database, Dir string
	Within                   []string
	Params                   map[string]any
	MaxBytes, MaxText        int64
	Ceiling                  int64 // bytes of memory of the process; 0: no limit

	// named are the relative names of files in the query that were looked at: the
	// engine compares them as they are written.
	named []string
	ended func(*os.ProcessState) // of the process; tests look at it
}

// refused is the engine's error with a hint, or with that of the budget if memory was lacking.
func (q *query) refused(err error, hint string) error {
	var fault *duckdb.Error
	if errors.As(err, &fault) && fault.Type == duckdb.ErrorTypeOutOfMemory {
		// the lines after the first name settings that no spec has
		return q.fail(errors.New(words.Line(engineReason(err))), budgetHint)
	}
	return q.fail(engineReason(err), hint)
}

func newQuery(src *Source) *query {
	return &query{Name: src.Name, SQL: src.SQL, Database: src.Database, Dir: src.Dir, Within: src.Within,
		Params: src.Params, MaxBytes: src.MaxBytes, MaxText: src.MaxText, Ceiling: src.Ceiling, ended: src.ended}
}

// source has what functions of sources need.
func (q *query) source() *Source {
	return &Source{Name: q.Name, Dir: q.Dir, Within: q.Within, MaxBytes: q.MaxBytes, MaxText: q.MaxText}
}

// hasFile reports whether the query reads a database, and no other file.
func (q *query) hasFile() bool { return q.Database != "" && q.Database != ":memory:" }

func (q *query) fail(err error, hint string) error {
	return &SourceError{Dataset: q.Name, File: q.Database, Err: words.Hint(err, hint)}
}

// reachable checks that the query's database exists and may be read, and waits until this process, of which it may
// be the ledger, does not write to it. The caller calls release after the query.
func (q *query) reachable(ctx context.Context) (release func(), err error) {
	if !q.hasFile() {
		return func() {}, nil
	}
	if err := q.source().within(q.Database); err != nil {
		return nil, err
	}
	if _, err := os.Stat(q.Database); err != nil {
		return nil, q.fail(reason(err), "database: names a DuckDB file; relative paths count from the spec's folder")
	}
	if _, err := url.Parse(q.Database); err != nil || strings.ContainsAny(q.Database, "?#") {
		// the driver reads what follows ? as settings, and no setting after #
		return nil, q.fail(errors.New("the engine cannot open a path with ?, # or a stray %"),
			"name the database, or its folder, otherwise")
	}
	return held.AwaitRead(ctx, q.Database)
}

// run writes the rows of the query to the file out in the folder dir.
func (q *query) run(ctx context.Context, dir, out string) error {
	dsn := "?" + sealed
	if q.hasFile() {
		dsn = q.Database + "?access_mode=read_only&" + sealed
	}
	db, err := sql.Open("duckdb", dsn)
	if err != nil {
		return q.refused(err, openHint)
	}
	// The end of the process ends the engine. To close it first could end the process by a signal, see package engine.
	conn, err := db.Conn(ctx)
	if err != nil {
		return q.refused(err, openHint)
	}
	defer func() { _ = conn.Close() }()
	if err := q.oneSelect(ctx, conn); err != nil { // nothing of it runs
		return err
	}
	for _, setting := range q.settings(dir, out) {
		if _, err := conn.ExecContext(ctx, setting); err != nil {
			return q.refused(err, "")
		}
	}
	if err := conn.Raw(q.parameters); err != nil {
		return err
	}
	var args []any
	for _, name := range slices.Sorted(maps.Keys(q.Params)) {
		args = append(args, sql.Named(name, q.Params[name]))
	}
	// The newline ends a comment that the query may close with.
	wrapped := fmt.Sprintf("COPY (SELECT * FROM (\n%s\n) ORDER BY ALL ASC NULLS LAST) TO %s (FORMAT parquet)",
		trimStatement(q.SQL), quoteSQL(out))
	//sql:ok the author of the spec: it is one SELECT, in an engine that is locked down
	if _, err := conn.ExecContext(ctx, wrapped, args...); err != nil {
		return q.refused(err, "write the query without a semicolon or anything after it")
	}
	return nil
}

// sealed keeps the engine from fetching and loading extensions, from the moment on at which it opens a database that
// asks for one.
const sealed = "autoinstall_known_extensions=false&autoload_known_extensions=false&allow_community_extensions=false&" +
	"allow_persistent_secrets=false"

const openHint = "the file must be a DuckDB database that no other process has open for writing"

// minEngine is the memory that the engine may have for a query, however little columns may take. Rows that it sorts
// on disk are bounded too: more of them than defaultMaxBytes could not be read.
const minEngine = 256 << 20

// engineBytes is the engine's own limit, below that of the process.
func (q *query) engineBytes() int64 {
	most := max(minEngine, q.MaxBytes)
	if q.Ceiling > 0 {
		most = min(most, q.Ceiling/4*3)
	}
	return most
}

// settings locks the engine down. Order matters: paths first, the lock last.
func (q *query) settings(dir, out string) []string {
	s := []string{
		"SET temp_directory = " + quoteSQL(filepath.Join(dir, "spill")),
		"SET TimeZone = 'UTC'",
	}
	if q.MaxBytes > 0 {
		s = append(s, fmt.Sprintf("SET memory_limit = '%dMiB'", q.engineBytes()>>20),
			fmt.Sprintf("SET max_temp_directory_size = '%dMiB'", max(defaultMaxBytes, q.source().maxText())>>20))
	}
	if q.Ceiling > 0 { // stacks of threads are 8 MiB each
		s = append(s, "SET threads = "+strconv.Itoa(max(1, min(int(q.Ceiling/(64<<20)), runtime.GOMAXPROCS(0)))))
	}
	if q.Dir != "" {
		s = append(s, "SET file_search_path = "+quoteSQL(q.Dir))
	}
	switch {
	case !q.hasFile() && q.Within != nil:
		s = append(s, "SET allowed_directories = "+quoteList(append(onDisk(q.Within), dir)),
			"SET allowed_paths = "+quoteList(q.named), "SET enable_external_access = false")
	case q.hasFile():
		s = append(s, "SET allowed_paths = ["+quoteSQL(out)+"]", "SET enable_external_access = false")
	}
	return append(s, "SET lock_configuration = true")
}

func quoteSQL(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quoteSQL(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// trimStatement takes the blanks and semicolons off the end.
func trimStatement(s string) string { return strings.TrimRight(s, "; \t\r\n") }

// oneSelect has the engine parse the query without binding or running any of
// it: it must be one SELECT. (Preparing it would not do: the planner acts on
// some statements, EXPORT DATABASE makes its folder.)
func (q *query) oneSelect(ctx context.Context, conn *sql.Conn) error {
	const parse = "SELECT coalesce(parsed->>'error_message', ''), " +
		`coalesce(json_array_length(parsed->'statements'), 0), parsed::VARCHAR
		FROM (SELECT json_serialize_sql($1::VARCHAR) AS parsed)`
	var fault, parsed string
	var statements int
	if err := conn.QueryRowContext(ctx, parse, trimStatement(q.SQL)).Scan(&fault, &statements,
		&parsed); err != nil {
		return q.refused(err, "")
	}
	const hint = "sql: reads and never writes: it takes one SELECT statement"
	switch {
	case strings.HasPrefix(fault, "Only SELECT"):
		return q.fail(errors.New("this is not one SELECT statement"), hint)
	case fault != "":
		return q.fail(errors.New(fault), hint)
	case statements != 1:
		return q.fail(fmt.Errorf("this is not one SELECT statement but %d", statements), hint)
	}
	return q.fence(parsed)
}

// parameters prepares the query: its parameters must be those of the source.
func (q *query) parameters(raw any) error {
	//sql:ok the author of the spec: it is one SELECT, in an engine that is locked down
	stmt, err := raw.(driver.Conn).Prepare(trimStatement(q.SQL))
	if err != nil {
		return q.refused(err, "")
	}
	defer func() { _ = stmt.Close() }()
	s := stmt.(*duckdb.Stmt)
	used := make(map[string]bool)
	for i := 1; i <= s.NumInput(); i++ {
		name, err := s.ParamName(i)
		if err != nil {
			return q.refused(err, "")
		}
		if _, given := q.Params[name]; !given {
			return q.fail(fmt.Errorf("the query has the parameter $%s, and no value is given for it", name), "")
		}
		used[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(q.Params)) {
		if !used[name] {
			return q.fail(fmt.Errorf("a value is given for the parameter $%s, and the query does not have it", name),
				"")
		}
	}
	return nil
}

// engineReason drops what the driver puts around the engine's own words, and
// its blank lines.
func engineReason(err error) error {
	//errtext:ok nothing depends on it: it only removes the text around the message
	return errors.New(strings.TrimSpace(driverWords.Replace(err.Error())))
}

var driverWords = strings.NewReplacer("\n\n", "\n", "database/sql/driver: could not connect to database: ", "")
