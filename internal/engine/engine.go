package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"sync"
	"time"

	"github.com/duckdb/duckdb-go/v2"
)

// Open returns the database of a connector. Its end waits for the threads of the engine, closes the engine, and calls
// release, which may be nil.
//
// A thread of the engine gives up its part of a query after the query has ended. If the database is closed then, the
// thread reads memory that is gone, and the process dies of a segmentation fault (DuckDB 1.5).
func Open(connector *duckdb.Connector, release func()) *sql.DB {
	return sql.OpenDB(&closing{connector, release})
}

// closing is a connector with its end.
type closing struct {
	*duckdb.Connector
	release func()
}

// Close is called by the database that the connector is of.
func (c *closing) Close() error {
	if c.release != nil {
		defer c.release()
	}
	c.settle()
	return c.Connector.Close()
}

// settle waits until each thread has ended what it did before. If it cannot, the engine closes all the same.
func (c *closing) settle() {
	db := sql.OpenDB(struct{ driver.Connector }{c.Connector}) // whose end does not close the engine
	defer func() { _ = db.Close() }()
	ctx := context.Background()
	conn, err := db.Conn(ctx)
	if err != nil {
		return // nothing was opened
	}
	defer func() { _ = conn.Close() }()
	// A log to a file that is out of reach would end the process at the end of the connection.
	_, _ = conn.ExecContext(ctx, "CALL system.main.disable_logging()")
	var threads int
	err = conn.QueryRowContext(ctx, "SELECT system.main.current_setting('threads')").Scan(&threads)
	if err == nil && threads > 1 {
		_, _ = meet(ctx, conn, threads)
	}
}

// meeting is a table function of one part for each thread, which waits for the others. So each of them has left its
// earlier work.
type meeting struct {
	threads int
	column  duckdb.ColumnInfo

	mu      sync.Mutex
	arrived int
	all     chan struct{}
}

// patience bounds the wait for a thread that has no part, as in an engine that another caller keeps busy.
const patience = time.Second

// meet brings the threads together.
func meet(ctx context.Context, conn *sql.Conn, threads int) (*meeting, error) {
	kind, err := duckdb.NewTypeInfo(duckdb.TYPE_BOOLEAN)
	if err != nil {
		return nil, err
	}
	m := &meeting{threads: threads, column: duckdb.ColumnInfo{Name: "b", T: kind}, all: make(chan struct{})}
	err = duckdb.RegisterTableUDF(conn, "meeting_of_threads", duckdb.ParallelChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ParallelChunkTableSource, error) { return m, nil },
	})
	if err != nil {
		return nil, err
	}
	var rows int
	return m, conn.QueryRowContext(ctx, "SELECT system.main.count(*) FROM meeting_of_threads()").Scan(&rows)
}

// ColumnInfos, Init, NewLocalState, Cardinality and FillChunk make meeting a duckdb.ParallelChunkTableSource.
func (m *meeting) ColumnInfos() []duckdb.ColumnInfo { return []duckdb.ColumnInfo{m.column} }

// Init asks for all threads.
func (m *meeting) Init() duckdb.ParallelTableSourceInfo {
	return duckdb.ParallelTableSourceInfo{MaxThreads: m.threads}
}

// NewLocalState has nothing to keep.
func (m *meeting) NewLocalState() any { return nil }

// Cardinality is that of no rows.
func (m *meeting) Cardinality() *duckdb.CardinalityInfo { return nil }

// FillChunk waits for all threads, and has no rows.
func (m *meeting) FillChunk(_ any, to duckdb.DataChunk) error {
	m.mu.Lock()
	if m.arrived++; m.arrived == m.threads {
		close(m.all)
	}
	m.mu.Unlock()
	select {
	case <-m.all:
	case <-time.After(patience):
	}
	return to.SetSize(0)
}
