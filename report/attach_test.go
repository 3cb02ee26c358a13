package report

import (
	"database/sql"
	"testing"
)

// Views of a ledger that another client attaches read this ledger, also beside one with the same tables; table functions
// do so after USE.
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
