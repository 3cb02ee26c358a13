package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"

	"github.com/duckdb/duckdb-go/v2"

	"glmbatch/infer"
	"glmbatch/internal/chunk"
)

// insertStats stores the statistics of each iteration of all fits, a row of lists for each block of a chain's warm-up
// or kept draws. Like draws they pass through a table function, in one statement.
func (s *Session) insertStats(ctx context.Context, ids []int64, fits []*Fit) error {
	some := false
	for _, f := range fits {
		some = some || f.StatsOf != nil
	}
	if !some {
		return nil
	}
	s.stats.start(ctx, statsOf(ids, fits))
	_, err := s.c.ExecContext(ctx, "INSERT INTO chain_piece FROM stats_feed()")
	if cause := s.stats.finish(); cause != nil {
		err = cause // the engine's own error only repeats its words
	}
	if err != nil {
		return fmt.Errorf("storing statistics of chains: %w", err)
	}
	return nil
}

// stretch is successive iterations of a chain's warm-up or kept draws.
type stretch struct {
	fit          int64
	chain, first int
	infos        []infer.Info
}

// statsOf are the statistics of one fit after the other.
func statsOf(ids []int64, fits []*Fit) iter.Seq2[stretch, error] {
	return func(yield func(stretch, error) bool) {
		for i, f := range fits {
			if f.StatsOf == nil {
				continue
			}
			for st, err := range f.StatsOf {
				if err == nil && (st.Chain < 0 || st.Chain >= f.Chains) {
					err = &ShapeError{fmt.Sprintf("statistics of chain %d of %d", st.Chain+1, f.Chains)}
				}
				if err != nil {
					yield(stretch{}, err)
					return
				}
				warm := min(max(1-st.First, 0), len(st.Infos)) // the rest are of kept draws
				for _, part := range []stretch{{ids[i], st.Chain, st.First, st.Infos[:warm]},
					{ids[i], st.Chain, st.First + warm, st.Infos[warm:]}} {
					if len(part.infos) > 0 && !yield(part, nil) {
						return
					}
				}
			}
		}
	}
}

// statsFeed is the source of the table function stats_feed. One thread of the engine at a time calls it.
type statsFeed struct {
	mu      sync.Mutex
	ctx     context.Context
	source  *source[stretch]
	err     error
	columns []duckdb.ColumnInfo
}

// register makes the table function known to the engine of c.
func (f *statsFeed) register(c *sql.Conn) (err error) {
	if f.columns, err = infos[chainRow](); err != nil {
		return err
	}
	return duckdb.RegisterTableUDF(c, "stats_feed", duckdb.ChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ChunkTableSource, error) { return f, nil },
	})
}

func (f *statsFeed) start(ctx context.Context, over iter.Seq2[stretch, error]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ctx, f.source, f.err = ctx, newSource("statistics", over), nil
}

// finish ends the iterators and returns what went wrong on their side.
func (f *statsFeed) finish() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.source.end()
	return f.err
}

// ColumnInfos, Init, Cardinality and FillChunk make statsFeed a duckdb.ChunkTableSource.
func (f *statsFeed) ColumnInfos() []duckdb.ColumnInfo { return f.columns }

// Init has nothing to do.
func (f *statsFeed) Init() {}

// Cardinality is not known.
func (f *statsFeed) Cardinality() *duckdb.CardinalityInfo { return nil }

// chunkIterations is the number of iterations from which a chunk is handed over.
const chunkIterations = 8192

// FillChunk writes rows of some chunkIterations; none ends the statement.
func (f *statsFeed) FillChunk(to duckdb.DataChunk) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	w, err := newStretches(to)
	rows := 0
	for n := 0; err == nil && rows < chunk.Rows() && n < chunkIterations; rows++ {
		st, more, cause := f.source.next(f.ctx)
		if cause != nil || !more {
			err = cause
			break
		}
		n += len(st.infos)
		err = w.write(rows, st)
		f.source.done()
	}
	if err != nil {
		f.err = err
		return err
	}
	return to.SetSize(rows)
}

// stretches is a chunk of stats_feed by its columns.
type stretches struct {
	fit      []int64
	chain    []int16
	first, n []int32
	lists    []func(row int, infos []infer.Info) error // of the statistics
}

// statsLists make the columns of lists, in their order, from the chunk and the number of the column.
var statsLists = []func(chunk.Chunk, int) (func(int, []infer.Info) error, error){
	statsList(func(i *infer.Info) float64 { return i.LogLik }),
	statsList(func(i *infer.Info) float64 { return i.LogPrior }),
	statsList(func(i *infer.Info) int64 { return i.Evaluations }),
	statsList(func(i *infer.Info) int64 { return i.Touched }),
	statsList(func(i *infer.Info) int64 { return i.Gradients }),
	statsList(func(i *infer.Info) float64 { return i.Accept }),
	statsList(func(i *infer.Info) float64 { return i.StepSize }),
	statsList(func(i *infer.Info) float64 { return i.Energy }),
	statsList(func(i *infer.Info) int32 { return i.Depth }),
	statsList(func(i *infer.Info) int32 { return i.Leapfrogs }),
	statsList(func(i *infer.Info) bool { return i.Divergent }),
}

func newStretches(to duckdb.DataChunk) (w stretches, err error) {
	c, err := chunk.Of(to)
	if err != nil {
		return w, err
	}
	var errs [4]error
	w.fit, errs[0] = chunk.Column[int64](c, 0)
	w.chain, errs[1] = chunk.Column[int16](c, 1)
	w.first, errs[2] = chunk.Column[int32](c, 2)
	w.n, errs[3] = chunk.Column[int32](c, 3)
	err = errors.Join(errs[:]...)
	for k, of := range statsLists {
		list, cause := of(c, len(errs)+k)
		w.lists, err = append(w.lists, list), errors.Join(err, cause)
	}
	return w, err
}

// write writes iterations as a row.
func (w *stretches) write(row int, st stretch) (err error) {
	w.fit[row], w.chain[row], w.first[row], w.n[row] = st.fit, int16(st.chain+1), int32(st.first), int32(len(st.infos))
	for _, list := range w.lists {
		err = errors.Join(err, list(row, st.infos))
	}
	return err
}

// statsList makes a column of lists. A list has a number of each iteration, or one value if all are equal to the bit;
// NaN is NULL.
func statsList[T chunk.Number](of func(*infer.Info) T) func(chunk.Chunk, int) (func(int, []infer.Info) error, error) {
	return func(c chunk.Chunk, column int) (func(int, []infer.Info) error, error) {
		to, err := chunk.ListsOf[T](c, column)
		return func(row int, infos []infer.Info) error {
			n, first := 1, of(&infos[0])
			for i := range infos {
				if !equalBits(of(&infos[i]), first) {
					n = len(infos)
					break
				}
			}
			list, err := to.Add(row, n)
			for i := range list {
				list[i] = of(&infos[i])
				if list[i] != list[i] {
					to.Null(row, i)
				}
			}
			return err
		}, err
	}
}

// equalBits is a == b, which for floats distinguishes −0 from 0, and takes NaN for NaN.
func equalBits[T chunk.Number](a, b T) bool {
	if x, float := any(a).(float64); float && a == b {
		return math.Float64bits(x) == math.Float64bits(any(b).(float64))
	}
	return a == b || a != a && b != b
}
