package chunk

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
)

// All rows of an answer of several chunks arrive with their numbers; an error of the engine, of the reader and a
// connection of something else are errors.
func TestEach(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	must(t, err)
	defer db.Close()
	c, err := db.Conn(t.Context())
	must(t, err)
	defer c.Close()
	const rows = 5000
	seen, sum := int64(0), 0.0
	must(t, Each(c, "SELECT i, [i, i + 0.5]::DOUBLE[2] FROM range(5000) t(i)", func(c Chunk, n int) error {
		ids, err := Column[int64](c, 0)
		must(t, err)
		v, err := Arrays[float64](c, 1, 2)
		must(t, err)
		for i := range n {
			if ids[i] != seen || v[2*i] != float64(seen) || v[2*i+1] != float64(seen)+0.5 {
				t.Fatalf("row %d is %d, %v", seen, ids[i], v[2*i:2*i+2])
			}
			seen++
			sum += v[2*i+1]
		}
		return nil
	}))
	if want := float64(rows)*(rows-1)/2 + 0.5*rows; seen != rows || sum != want {
		t.Errorf("%d rows add up to %v, want %d and %v", seen, sum, rows, want)
	}
	if err := Each(c, "SELECT nothing", nil); err == nil || !strings.Contains(err.Error(), "nothing") {
		t.Errorf("a wrong query: %v", err)
	}
	stop := &duckdb.Error{Msg: "stop"}
	if err := Each(c, "SELECT 1", func(Chunk, int) error { return stop }); err != stop {
		t.Errorf("the reader's error: %v", err)
	}
	for _, other := range []any{nil, 3, struct{ conn int }{}, struct{ conn struct{ Ptr int } }{}} {
		if _, err := connection(other); err == nil {
			t.Errorf("%T is a connection", other)
		}
	}
}
