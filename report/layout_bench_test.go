package report

import (
	"bufio"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/duckdb/duckdb-go/v2"

	"glmbatch/infer"
)

// The shape of the layout benchmark: a wide fit of the paper's panel. Set
// GLMBATCH_LAYOUT_PARAMS for another number of parameters.
const (
	layoutChains = 4
	layoutDraws  = 1000
	layoutBlock  = 64 // parameters per block
)

func layoutParams(b *testing.B) int {
	if s := os.Getenv("GLMBATCH_LAYOUT_PARAMS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
	return 7129
}

// layoutColumns makes the draws of parameters first … first+params−1.
func layoutColumns(first, params, draws int) *infer.Columns {
	c := &infer.Columns{First: first, Params: params, Chains: layoutChains, Draws: draws,
		Values: make([]float64, params*layoutChains*draws)}
	for p := range params {
		r := rand.New(rand.NewPCG(1, uint64(first+p)))
		mean, sd := r.NormFloat64(), r.ExpFloat64()
		for i := range layoutChains * draws {
			c.Values[p*layoutChains*draws+i] = mean + sd*r.NormFloat64()
		}
	}
	return c
}

// layoutBlocks yields all columns in blocks.
func layoutBlocks(params int) func(yield func(*infer.Columns, error) bool) {
	return func(yield func(*infer.Columns, error) bool) {
		for first := 0; first < params; first += layoutBlock {
			if !yield(layoutColumns(first, min(layoutBlock, params-first), layoutDraws), nil) {
				return
			}
		}
	}
}

// A layout is one way to store draws: how to load them and how to ask.
type layout struct {
	name, create             string
	load                     func(context.Context, *sql.Conn, int) error // nil: Ledger.Write
	summary, trace, relation string
}

const (
	longTable    = `CREATE TABLE draw (fit_id BIGINT, parameter_id INTEGER, chain SMALLINT, iteration INTEGER, value DOUBLE)`
	longRaw      = `CREATE TABLE draw (fit_id BIGINT, parameter_id INTEGER, chain SMALLINT, iteration INTEGER, value DOUBLE USING COMPRESSION uncompressed)`
	longSummary  = `SELECT parameter_id, avg(value), quantile_cont(value, [0.025, 0.5, 0.975]) FROM draw WHERE fit_id = 1 GROUP BY parameter_id`
	longTrace    = `SELECT chain, iteration, value FROM draw WHERE fit_id = 1 AND parameter_id = 300 ORDER BY chain, iteration`
	longRelation = `SELECT corr(a.value, b.value) FROM draw a JOIN draw b USING (chain, iteration) WHERE a.fit_id = 1 AND b.fit_id = 1 AND a.parameter_id = 300 AND b.parameter_id = 600`
	listTable    = `CREATE TABLE draw (fit_id BIGINT, parameter_id INTEGER, chain SMALLINT, value DOUBLE[])`
	listSummary  = `SELECT parameter_id, avg(v), quantile_cont(v, [0.025, 0.5, 0.975]) FROM (SELECT parameter_id, unnest(value) v FROM draw WHERE fit_id = 1) GROUP BY parameter_id`
	listTrace    = `SELECT chain, unnest(range(1, len(value) + 1)) i, unnest(value) FROM draw WHERE fit_id = 1 AND parameter_id = 300 ORDER BY chain, i`
	listRelation = `SELECT corr(a.v, b.v) FROM (SELECT chain, unnest(range(len(value))) i, unnest(value) v FROM draw WHERE fit_id = 1 AND parameter_id = 300) a JOIN (SELECT chain, unnest(range(len(value))) i, unnest(value) v FROM draw WHERE fit_id = 1 AND parameter_id = 600) b USING (chain, i)`
)

var layouts = []layout{
	{"ledger", "", nil, longSummary, longTrace, longRelation},
	{"rows-appender", longTable, loadRows, longSummary, longTrace, longRelation},
	{"rows-from-lists", longTable, loadLists, longSummary, longTrace, longRelation},
	{"rows-from-lists-raw", longRaw, loadLists, longSummary, longTrace, longRelation},
	{"rows-from-function", longTable, loadFunction, longSummary, longTrace, longRelation},
	{"rows-from-function-raw", longRaw, loadFunction, longSummary, longTrace, longRelation},
	{"rows-from-parquet", longTable, loadParquet, longSummary, longTrace, longRelation},
	{"rows-from-parquet-raw", longRaw, loadParquet, longSummary, longTrace, longRelation},
	{"lists", listTable, loadListTable, listSummary, listTrace, listRelation},
}

// BenchmarkLayout measures the candidates of docs/decisions/0004. Run one a
// process, so that the peak of memory is its own:
//
//	go test ./report -run '^$' -bench 'Layout/layout=rows-from-lists$' -benchtime 1x
func BenchmarkLayout(b *testing.B) {
	for _, l := range layouts {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("layout=%s/threads=%d", l.name, threads), func(b *testing.B) { l.bench(b, threads) })
		}
	}
}

func (l layout) bench(b *testing.B, threads int) {
	params := layoutParams(b)
	for b.Loop() {
		path := filepath.Join(b.TempDir(), "layout.duckdb")
		before := resetPeak(b)
		start, cpu := time.Now(), cpuSeconds(b)
		l.write(b, path, threads, params)
		write := time.Since(start)
		b.ReportMetric((cpuSeconds(b)-cpu)*1e9/float64(params*layoutChains*layoutDraws), "cpu-ns/value")
		b.ReportMetric(write.Seconds(), "write-s")
		b.ReportMetric(float64(peak(b)-before)/1e6, "memory-MB")
		info, err := os.Stat(path)
		must(b, err)
		b.ReportMetric(float64(info.Size())/1e6, "file-MB")
		b.ReportMetric(float64(write.Nanoseconds())/float64(params*layoutChains*layoutDraws), "ns/value")
		layoutSession(b, path, threads, func(c *sql.Conn) {
			for _, q := range []struct{ name, sql string }{{"trace", l.trace}, {"correlation", l.relation},
				{"summary", l.summary}} {
				best := time.Hour
				for range 3 {
					start := time.Now()
					drain(b, c, q.sql)
					best = min(best, time.Since(start))
				}
				b.ReportMetric(float64(best.Microseconds())/1e3, q.name+"-ms")
			}
		})
	}
	b.ReportMetric(0, "ns/op")
}

func (l layout) write(b *testing.B, path string, threads, params int) {
	ctx := context.Background()
	if l.load == nil {
		ledger, err := Open(path, Options{Threads: threads})
		must(b, err)
		f := benchFit(params, layoutDraws, layoutBlock)
		f.DrawsOf, f.StatsOf = layoutBlocks(params), nil
		must(b, ledger.Write(ctx, func(s *Session) error {
			_, err := s.Fit(ctx, f)
			return err
		}))
		return
	}
	layoutSession(b, path, threads, func(c *sql.Conn) {
		must(b, execute(ctx, c, l.create))
		must(b, execute(ctx, c, "BEGIN"))
		must(b, l.load(ctx, c, params))
		must(b, execute(ctx, c, "COMMIT"))
	})
}

func layoutSession(b *testing.B, path string, threads int, fn func(*sql.Conn)) {
	connector, err := duckdb.NewConnector(fmt.Sprintf("%s?threads=%d", path, threads), nil)
	must(b, err)
	db := sql.OpenDB(connector)
	c, err := db.Conn(context.Background())
	must(b, err)
	fn(c)
	must(b, c.Close())
	must(b, db.Close())
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}

func execute(ctx context.Context, c *sql.Conn, q string) error {
	_, err := c.ExecContext(ctx, q)
	return err
}

func drain(b *testing.B, c *sql.Conn, q string) {
	rows, err := c.QueryContext(context.Background(), q)
	must(b, err)
	defer rows.Close()
	n := 0
	for rows.Next() {
		n++
	}
	must(b, rows.Err())
	if n == 0 {
		b.Fatal("no rows: ", q)
	}
}

func loadRows(_ context.Context, c *sql.Conn, params int) error {
	return c.Raw(func(dc any) error {
		a, err := duckdb.NewAppenderFromConn(dc.(driver.Conn), "", "draw")
		if err != nil {
			return err
		}
		for cols := range layoutBlocks(params) {
			for i, v := range cols.Values {
				p, rest := i/(layoutChains*layoutDraws), i%(layoutChains*layoutDraws)
				if err := a.AppendRow(int64(1), int32(cols.First+p), int16(rest/layoutDraws), int32(rest%layoutDraws+1),
					v); err != nil {
					return err
				}
			}
		}
		return a.Close()
	})
}

func loadListTable(_ context.Context, c *sql.Conn, params int) error {
	return c.Raw(func(dc any) error {
		a, err := duckdb.NewAppenderFromConn(dc.(driver.Conn), "", "draw")
		if err != nil {
			return err
		}
		for cols := range layoutBlocks(params) {
			for i := range cols.Params * cols.Chains {
				if err := a.AppendRow(int64(1), int32(cols.First+i/cols.Chains), int16(i%cols.Chains),
					cols.Values[i*cols.Draws:(i+1)*cols.Draws]); err != nil {
					return err
				}
			}
		}
		return a.Close()
	})
}

func loadLists(_ context.Context, c *sql.Conn, params int) error {
	return c.Raw(func(dc any) error {
		integer, err := duckdb.NewTypeInfo(duckdb.TYPE_INTEGER)
		if err != nil {
			return err
		}
		double, err := duckdb.NewTypeInfo(duckdb.TYPE_DOUBLE)
		if err != nil {
			return err
		}
		list, err := duckdb.NewListInfo(double)
		if err != nil {
			return err
		}
		a, err := duckdb.NewQueryAppender(dc.(driver.Conn),
			`INSERT INTO draw SELECT 1, p, c, unnest(range(1, len(v) + 1)), unnest(v) FROM block`, "block",
			[]duckdb.TypeInfo{integer, integer, list}, []string{"p", "c", "v"})
		if err != nil {
			return err
		}
		for cols := range layoutBlocks(params) {
			for i := range cols.Params * cols.Chains {
				if err := a.AppendRow(int32(cols.First+i/cols.Chains), int32(i%cols.Chains),
					cols.Values[i*cols.Draws:(i+1)*cols.Draws]); err != nil {
					return err
				}
			}
			if err := a.Flush(); err != nil {
				return err
			}
		}
		return a.Close()
	})
}

// blockSource hands one block after another to the engine, one list a row.
type blockSource struct {
	next   func() (*infer.Columns, bool)
	cols   *infer.Columns
	row, i int // row = parameter and chain within the block, i = draw
}

func (s *blockSource) ColumnInfos() []duckdb.ColumnInfo {
	t := func(x duckdb.Type) duckdb.TypeInfo { ti, _ := duckdb.NewTypeInfo(x); return ti }
	return []duckdb.ColumnInfo{{Name: "p", T: t(duckdb.TYPE_INTEGER)}, {Name: "c", T: t(duckdb.TYPE_SMALLINT)},
		{Name: "i", T: t(duckdb.TYPE_INTEGER)}, {Name: "v", T: t(duckdb.TYPE_DOUBLE)}}
}
func (s *blockSource) Init()                                {}
func (s *blockSource) Cardinality() *duckdb.CardinalityInfo { return nil }
func (s *blockSource) FillChunk(chunk duckdb.DataChunk) error {
	n, size := 0, duckdb.GetDataChunkCapacity()
	for n < size {
		if s.cols == nil || s.row == s.cols.Params*s.cols.Chains {
			c, ok := s.next()
			if !ok {
				break
			}
			s.cols, s.row, s.i = c, 0, 0
		}
		p, c := int32(s.cols.First+s.row/s.cols.Chains), int16(s.row%s.cols.Chains)
		vs := s.cols.Values[s.row*s.cols.Draws : (s.row+1)*s.cols.Draws]
		k := min(size-n, len(vs)-s.i)
		for j := range k {
			_ = duckdb.SetChunkValue(chunk, 0, n+j, p)
			_ = duckdb.SetChunkValue(chunk, 1, n+j, c)
			_ = duckdb.SetChunkValue(chunk, 2, n+j, int32(s.i+j+1))
			_ = duckdb.SetChunkValue(chunk, 3, n+j, vs[s.i+j])
		}
		n, s.i = n+k, s.i+k
		if s.i == len(vs) {
			s.row, s.i = s.row+1, 0
		}
	}
	return chunk.SetSize(n)
}

func loadFunction(ctx context.Context, c *sql.Conn, params int) error {
	first := 0
	src := &blockSource{next: func() (*infer.Columns, bool) {
		if first >= params {
			return nil, false
		}
		c := layoutColumns(first, min(layoutBlock, params-first), layoutDraws)
		first += layoutBlock
		return c, true
	}}
	err := duckdb.RegisterTableUDF(c, "draw_source", duckdb.ChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ChunkTableSource, error) { return src, nil },
	})
	if err != nil {
		return err
	}
	return execute(ctx, c, `INSERT INTO draw SELECT 1, p, c, i, v FROM draw_source()`)
}

func loadParquet(ctx context.Context, c *sql.Conn, params int) error {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("layout-%d.parquet", os.Getpid()))
	defer os.Remove(path)
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "p", Type: arrow.PrimitiveTypes.Int32},
		{Name: "c", Type: arrow.PrimitiveTypes.Int16},
		{Name: "i", Type: arrow.PrimitiveTypes.Int32}, {Name: "v", Type: arrow.PrimitiveTypes.Float64}}, nil)
	props := parquet.NewWriterProperties(parquet.WithDictionaryFor("v", false), parquet.WithStats(false))
	out := bufio.NewWriterSize(f, 1<<20)
	w, err := pqarrow.NewFileWriter(schema, struct{ io.Writer }{out}, props, pqarrow.DefaultWriterProps())
	if err != nil {
		return err
	}
	rb := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	for cols := range layoutBlocks(params) {
		for r := range cols.Params * cols.Chains {
			for i := range cols.Draws {
				rb.Field(0).(*array.Int32Builder).Append(int32(cols.First + r/cols.Chains))
				rb.Field(1).(*array.Int16Builder).Append(int16(r % cols.Chains))
				rb.Field(2).(*array.Int32Builder).Append(int32(i + 1))
			}
			rb.Field(3).(*array.Float64Builder).AppendValues(cols.Values[r*cols.Draws:(r+1)*cols.Draws], nil)
		}
		rec := rb.NewRecordBatch()
		if err := w.WriteBuffered(rec); err != nil {
			return err
		}
		rec.Release()
	}
	if err := errors.Join(w.Close(), out.Flush(), f.Close()); err != nil {
		return err
	}
	return execute(ctx, c, fmt.Sprintf(`INSERT INTO draw SELECT 1, p, c, i, v FROM read_parquet('%s')`, path))
}

// resetPeak starts a new measurement of the process's peak memory and returns
// what is resident now, in bytes. Linux only.
func resetPeak(b *testing.B) int64 {
	must(b, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0))
	return statusBytes(b, "VmRSS:")
}

func peak(b *testing.B) int64 { return statusBytes(b, "VmHWM:") }

func statusBytes(b *testing.B, key string) int64 {
	data, err := os.ReadFile("/proc/self/status")
	must(b, err)
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key); ok {
			kb, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			must(b, err)
			return kb * 1024
		}
	}
	b.Fatal("no ", key)
	return 0
}

// cpuSeconds is the processor time that this process has used, which says
// more than the clock on a machine that others use too.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}

func layoutThreads() int {
	n, _ := strconv.Atoi(os.Getenv("GLMBATCH_LAYOUT_THREADS"))
	return n
}
