package engine

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"github.com/duckdb/duckdb-go/v2"
)

// Before the engine closes, all of its threads meet: also those of a database that is read, whose settings are locked.
func TestThreadsMeet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.duckdb")
	for _, settings := range []string{"?threads=4", "?threads=4&access_mode=READ_ONLY&lock_configuration=true", "?threads=1"} {
		connector, err := duckdb.NewConnector(path+settings, nil)
		must(t, err)
		released := false
		db := Open(connector, func() { released = true })
		conn, err := db.Conn(context.Background())
		must(t, err)
		must(t, conn.Close())
		if err := db.Close(); err != nil || !released {
			t.Errorf("%s: %v, released %v", settings, err, released)
		}
	}
}

// A thread that does not come would keep the others waiting: all four come, each once.
func TestMeeting(t *testing.T) {
	for range 5 {
		connector, err := duckdb.NewConnector("?threads=4", nil)
		must(t, err)
		db := sql.OpenDB(connector)
		conn, err := db.Conn(context.Background())
		must(t, err)
		m, err := meet(context.Background(), conn, 4)
		must(t, err)
		select {
		case <-m.all:
		default:
			t.Errorf("%d of 4 threads met", m.arrived)
		}
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
