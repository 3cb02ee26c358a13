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
		if err != nil {
			t.Fatal(err)
		}
		released := false
		db := Open(connector, func() { released = true })
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil || !released {
			t.Errorf("%s: %v, released %v", settings, err, released)
		}
	}
}

// A thread that does not come would keep the others waiting: all four come, each once.
func TestMeeting(t *testing.T) {
	for range 5 {
		connector, err := duckdb.NewConnector("?threads=4", nil)
		if err != nil {
			t.Fatal(err)
		}
		db := sql.OpenDB(connector)
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		m, err := meet(context.Background(), conn, 4)
		if err != nil {
			t.Fatal(err)
		}
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
