package report

import (
	"database/sql"
	"strings"
	"testing"
)

// Views of a ledger that another client attaches read this ledger, also if another one has the same tables; table
// functions do so after USE.
func TestAttached(t *testing.T) {
	one, two := open(t, Options{}), open(t, Options{})
	store(t, one, sampleFit("f1"))
	other := sampleFit("f2")
	other.Dataset = "urban"
	store(t, two, other, sampleFit("f3"))
	for _, main := range []string{"", two.path} {
		db, err := sql.Open("duckdb", main)
		must(t, err)
		defer db.Close()
		db.SetMaxOpenConns(1) // USE is of a connection
		_, err = db.Exec("ATTACH '" + one.path + "' AS l (READ_ONLY)")
		must(t, err)
		for _, query := range []string{"SELECT count(DISTINCT dataset) FROM l.draws", "SELECT count(*) FROM l.latest",
			"SELECT count(DISTINCT dataset) FROM l.coefficients", "USE l; SELECT count(*) FROM posterior('glu')"} {
			var n int
			if err := db.QueryRow(query).Scan(&n); err != nil || n != 1 {
				t.Errorf("beside %q: %s: %d, %v", main, query, n, err)
			}
		}
	}
}

// Files of draws of an attached ledger are an error that explains how to name them, and are read once they are
// named.
func TestAttachedOutside(t *testing.T) {
	l := gathered(t, true, fragmentOf(t, "f1", "f2"))
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("ATTACH '" + l.path + "' AS l (READ_ONLY)")
	must(t, err)
	var n int
	if err = db.QueryRow("SELECT count(*) FROM l.draws").Scan(&n); err == nil || !strings.Contains(err.Error(), "SET VARIABLE draws") {
		t.Errorf("draws of files that are not named: %d, %v", n, err)
	}
	must(t, db.QueryRow("SET VARIABLE draws = ['"+l.path+".draws/**/*.parquet']; SELECT count(DISTINCT dataset) FROM l.draws").Scan(&n))
	if n != 2 {
		t.Errorf("draws of %d data sets", n)
	}
}
