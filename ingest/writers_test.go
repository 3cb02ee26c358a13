package ingest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

const fixtures = "../testdata/ingest"

// Polars, arrow-rs, DuckDB and hyparquet-writer wrote the same 200 rows with
// every codec that they have; each file hashes like the CSV file of the rows.
func TestOtherWriters(t *testing.T) {
	want := mustRead(t, Source{Path: filepath.Join(fixtures, "writers/rows.csv")})
	if got := want.Data.NumRows(); got != 200 {
		t.Fatalf("%d rows, want 200", got)
	}
	paths, err := filepath.Glob(filepath.Join(fixtures, "writers/*.parquet"))
	if err != nil || len(paths) != 32 {
		t.Fatalf("%d files, %v; want 32", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got, err := Read(context.Background(), Source{Path: path}) // not counted: see TestEncodings
			must(t, err)
			defer got.Release()
			for _, name := range want.names() {
				g, errG := got.Hash([]string{name})
				w, errW := want.Hash([]string{name})
				if g != w || errG != nil || errW != nil {
					t.Errorf("column %s: %q (%v, %v)\nwant %q", name, cells(t, got, name), errG, errW, cells(t, want, name))
				}
			}
		})
	}
}

// Files of parquet-mr (Spark, Hive), parquet-cpp (pyarrow), Impala and others,
// old and new, hold what DuckDB, an independent reader, finds in them.
func TestAgainstDuckDB(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	paths, err := filepath.Glob(filepath.Join(fixtures, "others/*.parquet"))
	if err != nil || len(paths) != 27 {
		t.Fatalf("%d files, %v; want 27", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			names, want := engineCells(t, db, path)
			got, err := Read(context.Background(), Source{Path: path}) // not counted: see TestEncodings
			if filepath.Base(path) == "binary_min_val_exact.parquet" {
				if !errors.Is(err, errUTF8) {
					t.Errorf("its bytes are not text, and reading gave %v", err)
				}
				return
			}
			must(t, err)
			defer got.Release()
			compared := 0
			for j, name := range names {
				if !got.Data.Schema().HasField(name) {
					if all := strings.Join(got.Warnings, "\n"); !strings.Contains(all, fmt.Sprintf("%q is left out", name)) {
						t.Errorf("column %s is missing, and no warning says so: %s", name, all)
					}
					continue
				}
				compared++
				if g := cells(t, got, name); !slices.EqualFunc(g, want[j], sameValue) {
					t.Errorf("column %s: %q\nDuckDB: %q", name, g, want[j])
				}
			}
			t.Logf("%d rows, %d of %d columns compared", got.Data.NumRows(), compared, len(names))
		})
	}
}

// sameValue compares two spellings of a value: 12 and 1.2e+01 are the same
// number, and a date is a point in time at midnight.
func sameValue(got, engine string) bool {
	if got == engine || got+" 00:00:00" == engine {
		return true
	}
	x, errX := strconv.ParseFloat(got, 64)
	y, errY := strconv.ParseFloat(engine, 64)
	return errX == nil && errY == nil && x == y
}

// engineCells reads a Parquet file with DuckDB and spells its cells as a table would.
func engineCells(t *testing.T, db *sql.DB, path string) (names []string, columns [][]string) {
	t.Helper()
	rows, err := db.Query("SELECT * FROM read_parquet('" + path + "')")
	must(t, err)
	defer rows.Close()
	if names, err = rows.Columns(); err != nil {
		t.Fatal(err)
	}
	columns = make([][]string, len(names))
	cells := make([]any, len(names))
	for rows.Next() {
		targets := make([]any, len(names))
		for j := range cells {
			targets[j] = &cells[j]
		}
		must(t, rows.Scan(targets...))
		for j, v := range cells {
			columns[j] = append(columns[j], engineCell(v))
		}
	}
	must(t, rows.Err())
	return names, columns
}

func engineCell(v any) string {
	switch v := v.(type) {
	case nil:
		return "."
	case float32:
		return engineCell(float64(v))
	case float64:
		return spellFloat(v)
	case duckdb.Decimal:
		return engineCell(v.Float64())
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	}
	return fmt.Sprint(v)
}
