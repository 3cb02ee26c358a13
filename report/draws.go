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

// largeBatch is the number of draw values from which more threads pay.
const largeBatch = 1_000_000

// pieceDraws is the number of draws of a chain that a row of draw_piece holds; the last one of a chain may hold fewer.
const pieceDraws = 250

// insertDraws streams the draws of all fits into the table draw_piece, and sets the checksum of each parameter's.
//
// The engine pulls them through a table function that this package registers, a block of columns at a time: one
// statement for all fits, since a statement costs what thousands of draws do, and of large batches as many threads as
// the engine has. Nothing is staged. docs/decisions/0037-pieces.md has the figures of this and other ways.
func (s *Session) insertDraws(ctx context.Context, fits []*incoming) error {
	if len(fits) == 0 {
		return nil
	}
	size := 0
	for _, in := range fits {
		if err := in.check(); err != nil {
			return err
		}
		in.sums = make([]uint32, in.params)
		size += in.params * in.chains * in.draws
	}
	if size > largeBatch {
		if _, err := s.c.ExecContext(ctx, "SET threads = "+strconv.Itoa(max(s.threads, 1))); err != nil {
			return err
		}
		defer func() { // settings are no part of the transaction, and only cost speed
			_, _ = s.c.ExecContext(context.WithoutCancel(ctx), "SET threads = 1")
		}()
	}
	s.feed.start(ctx, fits)
	_, err := s.c.ExecContext(ctx, "INSERT INTO draw_piece FROM draw_feed()")
	if cause := s.feed.finish(); cause != nil {
		return cause // the engine's own error only repeats its words
	}
	return err
}

// incoming is the draws of one fit on their way into the ledger.
type incoming struct {
	id     int64
	blocks iter.Seq2[*infer.Columns, error]
	drawShape
	taken int      // parameters handed out
	sums  []uint32 // of the parameters' draws, set by insertDraws: each thread writes those of its blocks
}

// drawShape is what blocks of draws must add up to: so many parameters from
// the 0-based number first on.
type drawShape struct{ first, params, chains, draws int }

// check returns a *ShapeError if the numbers of a draw do not fit its columns.
func (s drawShape) check() error {
	if s.first+s.params <= math.MaxInt32 && s.chains <= math.MaxInt16 && s.draws < math.MaxInt32 {
		return nil
	}
	return &ShapeError{fmt.Sprintf("%d parameters × %d chains × %d draws are more than the view draw can number",
		s.params, s.chains, s.draws)}
}

// fits returns a *ShapeError if c is not the block that must come next.
func (in *incoming) fits(c *infer.Columns) error {
	if c.First == in.first+in.taken && c.Params > 0 && in.taken+c.Params <= in.params && c.Chains == in.chains &&
		c.Draws == in.draws && len(c.Values) == c.Params*c.Chains*c.Draws {
		return nil
	}
	return &ShapeError{fmt.Sprintf("draws of parameters %d … %d (%d chains × %d, %d values) where those from %d of %d "+
		"(%d × %d) must come",
		c.First+1, c.First+c.Params, c.Chains, c.Draws, len(c.Values), in.first+in.taken+1, in.first+in.params, in.chains,
		in.draws)}
}

// feed is the source of the table function draw_feed: the columns of one fit after the other.
// The engine's threads call it concurrently; each takes whole blocks, so that
// a row group of the table holds few parameters and a trace reads little.
//
// The iterators over columns run in a goroutine of their own: the engine's calls
// arrive on foreign threads, where Go's pull iterators cannot be advanced.
type feed struct {
	mu     sync.Mutex
	ctx    context.Context
	fits   []*incoming
	done   bool
	err    error
	source *source

	large, integer, small, piece duckdb.TypeInfo
}

// source hands blocks from the iterators' goroutine to the engine's threads.
// An iterator goes on only when the last block was copied.
type source struct {
	blocks chan block // closed at the end
	copied chan struct{}
	stop   chan struct{} // closed by the reader
	err    error         // valid once blocks is closed
}

// block is some columns of a fit.
type block struct {
	of *incoming
	*infer.Columns
}

func newSource(fits []*incoming) *source {
	s := &source{blocks: make(chan block), copied: make(chan struct{}), stop: make(chan struct{})}
	go func() {
		defer close(s.blocks)
		defer func() {
			if r := recover(); r != nil {
				s.err = fmt.Errorf("reading draws: panic: %v", r)
			}
		}()
		for _, in := range fits {
			if !s.send(in) {
				return
			}
		}
	}()
	return s
}

// send hands over the blocks of one fit, and reports whether there may be more.
func (s *source) send(in *incoming) bool {
	for c, err := range in.blocks {
		if err != nil {
			s.err = err
			return false
		}
		select {
		case s.blocks <- block{in, c}:
		case <-s.stop:
			return false
		}
		select {
		case <-s.copied:
		case <-s.stop:
			return false
		}
	}
	return true
}

// register makes the table function known to the engine of c.
func (f *feed) register(c *sql.Conn) error {
	var double duckdb.TypeInfo
	for _, t := range []struct {
		info *duckdb.TypeInfo
		of   duckdb.Type
	}{{&f.large, duckdb.TYPE_BIGINT}, {&f.integer, duckdb.TYPE_INTEGER}, {&f.small, duckdb.TYPE_SMALLINT},
		{&double, duckdb.TYPE_DOUBLE}} {
		info, err := duckdb.NewTypeInfo(t.of)
		if err != nil {
			return err
		}
		*t.info = info
	}
	piece, err := duckdb.NewArrayInfo(double, pieceDraws)
	if err != nil {
		return err
	}
	f.piece = piece
	return duckdb.RegisterTableUDF(c, "draw_feed", duckdb.ParallelChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ParallelChunkTableSource, error) { return f, nil },
	})
}

func (f *feed) start(ctx context.Context, fits []*incoming) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ctx, f.source, f.fits = ctx, newSource(fits), fits
	f.done, f.err = false, nil
}

// finish ends the iterators and returns what went wrong on the side of the
// draws, if anything did.
func (f *feed) finish() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.source.stop)
	for range f.source.blocks { // until its goroutine has ended
	}
	for _, in := range f.fits {
		if f.err == nil && f.done && in.taken != in.params {
			f.err = &ShapeError{fmt.Sprintf("draws of %d parameters, want %d", in.taken, in.params)}
		}
	}
	f.source, f.fits, f.done = nil, nil, true
	return f.err
}

// take copies the next block into p and reports whether there was one.
func (f *feed) take(p *portion) (bool, error) {
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
		if err := c.of.fits(c.Columns); err != nil {
			f.done, f.err = true, err
			break
		}
		c.of.taken += c.Params
		p.of, p.first, p.series, p.at = c.of, c.First, 0, 0
		p.values = append(p.values[:0], c.Values...)
		f.source.copied <- struct{}{}
		return true, nil
	}
	return false, f.err
}

// portion is the block that one thread of the engine is working on.
type portion struct {
	of         *incoming
	first      int // 0-based parameter of the block's first column
	values     []float64
	series, at int // next value: series counts parameter and chain, at is the draw
	boxed      []any
}

// empty reports whether all of the block was handed out.
func (p *portion) empty() bool { return p.of == nil || p.series*p.of.draws == len(p.values) }

// sum sets the checksums of the block's parameters.
func (p *portion) sum() {
	size := p.of.chains * p.of.draws
	for i := range len(p.values) / size {
		p.of.sums[p.first-p.of.first+i] = drawsSum(p.values[i*size : (i+1)*size])
	}
}

// ColumnInfos, Init, NewLocalState, Cardinality and FillChunk make feed a
// duckdb.ParallelChunkTableSource.
func (f *feed) ColumnInfos() []duckdb.ColumnInfo {
	return []duckdb.ColumnInfo{{Name: "fit_id", T: f.large}, {Name: "parameter_id", T: f.integer},
		{Name: "chain", T: f.small}, {Name: "first", T: f.integer}, {Name: "n", T: f.small}, {Name: "v", T: f.piece}}
}

// Init leaves the number of threads to the engine.
func (f *feed) Init() duckdb.ParallelTableSourceInfo { return duckdb.ParallelTableSourceInfo{} }

// NewLocalState returns the state of one thread.
func (f *feed) NewLocalState() any { return new(portion) }

// Cardinality tells the engine how many rows to expect.
func (f *feed) Cardinality() *duckdb.CardinalityInfo {
	rows := 0
	for _, in := range f.fits {
		rows += in.params * in.chains * ((in.draws + pieceDraws - 1) / pieceDraws)
	}
	return &duckdb.CardinalityInfo{Cardinality: uint(rows), Exact: true}
}

// FillChunk writes as many rows as the chunk has room for; none ends the thread.
func (f *feed) FillChunk(state any, chunk duckdb.DataChunk) error {
	p, ok := state.(*portion)
	if !ok {
		return errors.New("draw_feed: foreign state")
	}
	rows := 0
	for rows < duckdb.GetDataChunkCapacity() {
		if p.empty() {
			more, err := f.take(p)
			if err != nil {
				return err
			}
			if !more {
				break
			}
			p.sum()
		}
		if err := p.piece(chunk, rows); err != nil {
			return err
		}
		rows++
	}
	return chunk.SetSize(rows)
}

// piece writes the next piece of the block as a row of the chunk.
func (p *portion) piece(chunk duckdb.DataChunk, row int) error {
	draws := p.of.draws
	values := p.values[p.series*draws : (p.series+1)*draws][p.at:]
	values = values[:min(len(values), pieceDraws)]
	p.boxed = p.boxed[:0]
	for _, v := range values {
		p.boxed = append(p.boxed, v)
	}
	for len(p.boxed) < pieceDraws {
		p.boxed = append(p.boxed, 0.0)
	}
	err := errors.Join(duckdb.SetChunkValue(chunk, 0, row, p.of.id),
		duckdb.SetChunkValue(chunk, 1, row, int32(p.first+p.series/p.of.chains+1)),
		duckdb.SetChunkValue(chunk, 2, row, int16(p.series%p.of.chains+1)),
		duckdb.SetChunkValue(chunk, 3, row, int32(p.at+1)),
		duckdb.SetChunkValue(chunk, 4, row, int16(len(values))),
		duckdb.SetChunkValue(chunk, 5, row, p.boxed))
	p.at += len(values)
	if p.at == draws {
		p.series, p.at = p.series+1, 0
	}
	return err
}
