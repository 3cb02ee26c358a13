package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"sync"

	"github.com/duckdb/duckdb-go/v2"

	"glmbatch/infer"
)

// largeFit is the number of draw values from which more threads pay.
const largeFit = 1_000_000

// insertDraws streams the draws into the table draw.
//
// The engine pulls them through a table function that this package registers,
// a block of columns at a time and on as many threads as it has, so that
// compressing one block goes on beside reading the next; nothing is staged. They
// come as lists, which the engine takes to pieces: to write a cell of a chunk costs
// more than that. Runs are not looked for in large fits: there are none among
// values, and packing integers tells repeated and successive ones as shortly.
// docs/decisions/0027-feeding-draws.md has the figures of this and other ways.
//
// It returns the checksum of each parameter's draws.
func (s *Session) insertDraws(ctx context.Context, id int64, draws iter.Seq2[*infer.Columns, error],
	shape drawShape) ([]uint32, error) {
	if err := shape.check(); err != nil {
		return nil, err
	}
	if shape.params*shape.chains*shape.draws > largeFit {
		settings := "SET disabled_compression_methods = 'rle'; SET threads = " + strconv.Itoa(max(s.threads, 1))
		if _, err := s.c.ExecContext(ctx, settings); err != nil {
			return nil, err
		}
		defer func() { // settings are no part of the transaction, and only cost speed
			_, _ = s.c.ExecContext(context.WithoutCancel(ctx), "RESET disabled_compression_methods; SET threads = 1")
		}()
	}
	s.feed.start(ctx, draws, shape)
	_, err := s.c.ExecContext(ctx, `INSERT INTO draw SELECT ?, parameter_id, chain, unnest(range(first,
		first + len(value)))::INTEGER, unnest(value) FROM draw_feed()`, id)
	if cause := s.feed.finish(); cause != nil {
		return nil, cause // the engine's own error only repeats its words
	}
	return s.feed.sums, err
}

// drawShape is what blocks of draws must add up to: so many parameters from
// the 0-based number first on.
type drawShape struct{ first, params, chains, draws int }

// check returns a *ShapeError if the numbers of a draw do not fit its columns.
func (s drawShape) check() error {
	if s.first+s.params <= math.MaxInt32 && s.chains <= math.MaxInt16 && s.draws < math.MaxInt32 {
		return nil
	}
	return &ShapeError{fmt.Sprintf("%d parameters × %d chains × %d draws are more than the table draw can number",
		s.params, s.chains, s.draws)}
}

// feed is the source of the table function draw_feed: the columns of one fit.
// The engine's threads call it concurrently; each takes whole blocks, so that
// a row group of the table holds few parameters and a trace reads little.
//
// The iterator over columns runs in a goroutine of its own: the engine's calls
// arrive on foreign threads, where Go's pull iterators cannot be advanced.
type feed struct {
	mu  sync.Mutex
	ctx context.Context
	drawShape
	taken  int      // parameters handed out
	sums   []uint32 // of their draws; each thread writes those of its blocks
	done   bool
	err    error
	source *source

	integer, small, list duckdb.TypeInfo
}

// source hands blocks from the iterator's goroutine to the engine's threads.
// The iterator goes on only when the last block was copied.
type source struct {
	blocks chan *infer.Columns // closed at the end
	copied chan struct{}
	stop   chan struct{} // closed by the reader
	err    error         // valid once blocks is closed
}

func newSource(seq iter.Seq2[*infer.Columns, error]) *source {
	s := &source{blocks: make(chan *infer.Columns), copied: make(chan struct{}), stop: make(chan struct{})}
	go func() {
		defer close(s.blocks)
		defer func() {
			if r := recover(); r != nil {
				s.err = fmt.Errorf("reading draws: panic: %v", r)
			}
		}()
		for c, err := range seq {
			if err != nil {
				s.err = err
				return
			}
			select {
			case s.blocks <- c:
			case <-s.stop:
				return
			}
			select {
			case <-s.copied:
			case <-s.stop:
				return
			}
		}
	}()
	return s
}

// register makes the table function known to the engine of c.
func (f *feed) register(c *sql.Conn) error {
	var double duckdb.TypeInfo
	for _, t := range []struct {
		info *duckdb.TypeInfo
		of   duckdb.Type
	}{{&f.integer, duckdb.TYPE_INTEGER}, {&f.small, duckdb.TYPE_SMALLINT}, {&double, duckdb.TYPE_DOUBLE}} {
		info, err := duckdb.NewTypeInfo(t.of)
		if err != nil {
			return err
		}
		*t.info = info
	}
	list, err := duckdb.NewListInfo(double)
	if err != nil {
		return err
	}
	f.list = list
	return duckdb.RegisterTableUDF(c, "draw_feed", duckdb.ParallelChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ParallelChunkTableSource, error) { return f, nil },
	})
}

func (f *feed) start(ctx context.Context, draws iter.Seq2[*infer.Columns, error], shape drawShape) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ctx, f.source, f.drawShape = ctx, newSource(draws), shape
	f.taken, f.done, f.err = 0, false, nil
	f.sums = make([]uint32, shape.params)
}

// finish ends the iterator and returns what went wrong on the side of the
// draws, if anything did.
func (f *feed) finish() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.source.stop)
	for range f.source.blocks { // until its goroutine has ended
	}
	if f.err == nil && f.done && f.taken != f.params {
		f.err = &ShapeError{fmt.Sprintf("draws of %d parameters, want %d", f.taken, f.params)}
	}
	f.source, f.done = nil, true
	return f.err
}

// take copies the next block into b and reports whether there was one.
func (f *feed) take(b *portion) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return false, f.err
	}
	select {
	case <-f.ctx.Done():
		f.done, f.err = true, f.ctx.Err()
	case c, ok := <-f.source.blocks:
		if !ok {
			f.done, f.err = true, f.source.err
			break
		}
		if err := f.fits(c); err != nil {
			f.done, f.err = true, err
			break
		}
		f.taken += c.Params
		b.first, b.series, b.at = c.First, 0, 0
		b.values = append(b.values[:0], c.Values...)
		f.source.copied <- struct{}{}
		return true, nil
	}
	return false, f.err
}

// fits returns a *ShapeError if c is not the block that must come next.
func (f *feed) fits(c *infer.Columns) error {
	if c.First == f.first+f.taken && c.Params > 0 && f.taken+c.Params <= f.params && c.Chains == f.chains &&
		c.Draws == f.draws &&
		len(c.Values) == c.Params*c.Chains*c.Draws {
		return nil
	}
	return &ShapeError{fmt.Sprintf("draws of parameters %d … %d (%d chains × %d, %d values) where those from %d of %d "+
		"(%d × %d) must come",
		c.First+1, c.First+c.Params, c.Chains, c.Draws, len(c.Values), f.first+f.taken+1, f.first+f.params, f.chains,
		f.draws)}
}

// portion is the block that one thread of the engine is working on.
type portion struct {
	first      int // 0-based parameter of the block's first column
	values     []float64
	series, at int // next value: series counts parameter and chain, at is the draw
	boxed      []any
}

// ColumnInfos, Init, NewLocalState, Cardinality and FillChunk make feed a
// duckdb.ParallelChunkTableSource.
func (f *feed) ColumnInfos() []duckdb.ColumnInfo {
	return []duckdb.ColumnInfo{{Name: "parameter_id", T: f.integer}, {Name: "chain", T: f.small},
		{Name: "first", T: f.integer}, {Name: "value", T: f.list}}
}

// Init leaves the number of threads to the engine.
func (f *feed) Init() duckdb.ParallelTableSourceInfo { return duckdb.ParallelTableSourceInfo{} }

// NewLocalState returns the state of one thread.
func (f *feed) NewLocalState() any { return new(portion) }

// Cardinality tells the engine how many rows to expect.
func (f *feed) Cardinality() *duckdb.CardinalityInfo {
	pieces := (f.draws + chunkDraws - 1) / chunkDraws
	return &duckdb.CardinalityInfo{Cardinality: uint(f.params) * uint(f.chains) * uint(pieces)}
}

// chunkDraws is the largest number of draws that a chunk of lists holds.
const chunkDraws = 16384

// FillChunk writes the next rows of the thread's block; none ends the thread.
func (f *feed) FillChunk(state any, chunk duckdb.DataChunk) error {
	b, ok := state.(*portion)
	if !ok {
		return errors.New("draw_feed: foreign state")
	}
	if b.series*f.draws == len(b.values) {
		more, err := f.take(b)
		if err != nil {
			return err
		}
		if !more {
			return chunk.SetSize(0)
		}
		size := f.chains * f.draws
		for p := range len(b.values) / size {
			f.sums[b.first-f.first+p] = drawsSum(b.values[p*size : (p+1)*size])
		}
	}
	rows, room := 0, chunkDraws
	for rows < duckdb.GetDataChunkCapacity() && room > 0 && b.series*f.draws < len(b.values) {
		values := b.values[b.series*f.draws : (b.series+1)*f.draws][b.at:]
		values = values[:min(len(values), room)]
		b.boxed = b.boxed[:0]
		for _, v := range values {
			b.boxed = append(b.boxed, v)
		}
		// The types are ours and the row is in range: these cannot fail.
		_ = duckdb.SetChunkValue(chunk, 0, rows, int32(b.first+b.series/f.chains+1))
		_ = duckdb.SetChunkValue(chunk, 1, rows, int16(b.series%f.chains+1))
		_ = duckdb.SetChunkValue(chunk, 2, rows, int32(b.at+1))
		_ = duckdb.SetChunkValue(chunk, 3, rows, b.boxed)
		rows, room, b.at = rows+1, room-len(values), b.at+len(values)
		if b.at == f.draws {
			b.series, b.at = b.series+1, 0
		}
	}
	return chunk.SetSize(rows)
}
