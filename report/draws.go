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
	"glmbatch/internal/chunk"
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
		defer func() { // settings do not belong to the transaction, and only cost speed
			_, _ = s.c.ExecContext(context.WithoutCancel(ctx), "SET threads = 1")
		}()
	}
	s.draws.start(ctx, fits)
	_, err := s.c.ExecContext(ctx, "INSERT INTO draw_piece FROM draw_feed()")
	if cause := s.draws.finish(); cause != nil {
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

// drawShape is the expected shape of blocks of draws: params parameters from the 0-based number first on.
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

// drawFeed is the source of the table function draw_feed: the columns of one fit after the other.
// The engine's threads call it concurrently; each takes whole blocks, so that
// a row group of the table holds few parameters and a trace reads little.
type drawFeed struct {
	mu      sync.Mutex
	ctx     context.Context
	fits    []*incoming
	done    bool
	err     error
	source  *source[block]
	columns []duckdb.ColumnInfo
}

// block is some columns of a fit.
type block struct {
	of *incoming
	*infer.Columns
}

// blocksOf are the blocks of one fit after the other.
func blocksOf(fits []*incoming) iter.Seq2[block, error] {
	return func(yield func(block, error) bool) {
		for _, in := range fits {
			for c, err := range in.blocks {
				if !yield(block{in, c}, err) {
					return
				}
			}
		}
	}
}

// register makes the table function known to the engine of c.
func (f *drawFeed) register(c *sql.Conn) (err error) {
	if f.columns, err = infos[drawRow](); err != nil {
		return err
	}
	return duckdb.RegisterTableUDF(c, "draw_feed", duckdb.ParallelChunkTableFunction{
		BindArguments: func(map[string]any, ...any) (duckdb.ParallelChunkTableSource, error) { return f, nil },
	})
}

func (f *drawFeed) start(ctx context.Context, fits []*incoming) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ctx, f.source, f.fits = ctx, newSource("draws", blocksOf(fits)), fits
	f.done, f.err = false, nil
}

// finish ends the iterators and returns what went wrong on the side of the
// draws, if anything did.
func (f *drawFeed) finish() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.source.end()
	for _, in := range f.fits {
		if f.err == nil && f.done && in.taken != in.params {
			f.err = &ShapeError{fmt.Sprintf("draws of %d parameters, want %d", in.taken, in.params)}
		}
	}
	f.source, f.fits, f.done = nil, nil, true
	return f.err
}

// take copies the next block into p and reports whether there was one.
func (f *drawFeed) take(p *portion) (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return false, f.err
	}
	b, more, err := f.source.next(f.ctx)
	if err == nil && more {
		err = b.of.fits(b.Columns)
	}
	if err != nil || !more {
		f.done, f.err = true, err
		return false, err
	}
	b.of.taken += b.Params
	p.of, p.first, p.series, p.at = b.of, b.First, 0, 0
	p.values = append(p.values[:0], b.Values...)
	f.source.done()
	return true, nil
}

// portion is the block that one thread of the engine is working on.
type portion struct {
	of         *incoming
	first      int // 0-based parameter of the block's first column
	values     []float64
	series, at int // next value: series counts parameter and chain, at is the draw
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

// ColumnInfos, Init, NewLocalState, Cardinality and FillChunk make drawFeed a
// duckdb.ParallelChunkTableSource.
func (f *drawFeed) ColumnInfos() []duckdb.ColumnInfo { return f.columns }

// Init leaves the number of threads to the engine.
func (f *drawFeed) Init() duckdb.ParallelTableSourceInfo { return duckdb.ParallelTableSourceInfo{} }

// NewLocalState returns the state of one thread.
func (f *drawFeed) NewLocalState() any { return new(portion) }

// Cardinality gives the engine the number of rows to expect.
func (f *drawFeed) Cardinality() *duckdb.CardinalityInfo {
	rows := 0
	for _, in := range f.fits {
		rows += in.params * in.chains * ((in.draws + pieceDraws - 1) / pieceDraws)
	}
	return &duckdb.CardinalityInfo{Cardinality: uint(rows), Exact: true}
}

// chunkPieces is the number of rows of draw_piece that are handed over at once: 256 KB, which the engine reads again
// while caches have them.
const chunkPieces = 128

// FillChunk writes up to chunkPieces rows; none ends the thread.
func (f *drawFeed) FillChunk(state any, to duckdb.DataChunk) error {
	p, ok := state.(*portion)
	if !ok {
		return errors.New("draw_feed: foreign state")
	}
	w, err := newPieces(to)
	if err != nil {
		return err
	}
	rows := 0
	for ; rows < chunkPieces; rows++ {
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
		p.piece(w, rows)
	}
	return to.SetSize(rows)
}

// pieces is a chunk of draw_feed by its columns.
type pieces struct {
	fit              []int64
	parameter, first []int32
	chain, n         []int16
	v                []float64
}

func newPieces(to duckdb.DataChunk) (w pieces, err error) {
	c, err := chunk.Of(to)
	if err != nil {
		return w, err
	}
	return pieceColumns(c)
}

// pieceColumns are the columns of a chunk that has those of draw_piece.
func pieceColumns(c chunk.Chunk) (w pieces, err error) {
	var errs [6]error
	w.fit, errs[0] = chunk.Column[int64](c, 0)
	w.parameter, errs[1] = chunk.Column[int32](c, 1)
	w.chain, errs[2] = chunk.Column[int16](c, 2)
	w.first, errs[3] = chunk.Column[int32](c, 3)
	w.n, errs[4] = chunk.Column[int16](c, 4)
	w.v, errs[5] = chunk.Arrays[float64](c, 5, pieceDraws)
	return w, errors.Join(errs[:]...)
}

// piece writes the next piece of the block as a row.
func (p *portion) piece(w pieces, row int) {
	draws := p.of.draws
	v := w.v[row*pieceDraws : (row+1)*pieceDraws]
	n := copy(v, p.values[p.series*draws : (p.series+1)*draws][p.at:])
	clear(v[n:])
	w.fit[row], w.parameter[row] = p.of.id, int32(p.first+p.series/p.of.chains+1)
	w.chain[row], w.first[row], w.n[row] = int16(p.series%p.of.chains+1), int32(p.at+1), int16(n)
	p.at += n
	if p.at == draws {
		p.series, p.at = p.series+1, 0
	}
}
