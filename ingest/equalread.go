package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"

	"glmbatch/internal/words"
)

// readGroups reads the fields side by side, some rows of all of them at a time, and keeps each distinct row once.
// Memory follows the distinct rows. Errors are those of readColumns.
func (f *parquetFile) readGroups(ctx context.Context, fields []int, p *part) error {
	readers, names, err := f.readers(ctx, fields)
	defer func() { releaseAll(readers) }()
	if err != nil {
		return err
	}
	g := newGrouping(f.mem, names)
	defer g.release()
	for g.read < f.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(chunkRows, f.rows-g.read)
		errs := sideBySide(len(fields), func(i int) error { return f.codeBatch(readers[i], g.cols[i], g.read, n) })
		if err := f.joined(fields, errs); err != nil {
			return g.hinted(f.src, f.path, err)
		}
		if err := guarded(func() error { g.add(int(n), nil); return nil }); err != nil {
			return g.hinted(f.src, f.path, err)
		}
	}
	g.part(p)
	return nil
}

// readers opens the fields, which have these names.
func (f *parquetFile) readers(ctx context.Context, fields []int) ([]*pqarrow.ColumnReader, []string, error) {
	readers, names := make([]*pqarrow.ColumnReader, len(fields)), make([]string, len(fields))
	open := func(i int) (err error) {
		if err = f.checkLeaf(f.reader.Manifest.Fields[fields[i]].ColIndex); err == nil {
			readers[i], err = f.reader.GetColumn(ctx, fields[i])
		}
		return err
	}
	for i, field := range fields {
		names[i] = f.reader.Manifest.Fields[field].Field.Name
	}
	return readers, names, f.joined(fields, sideBySide(len(fields), open))
}

func releaseAll(readers []*pqarrow.ColumnReader) {
	for _, r := range readers {
		if r != nil {
			r.Release()
		}
	}
}

// sideBySide calls f for 0 to n−1, on as many goroutines as there are processors, and turns panics into errors.
func sideBySide(n int, f func(i int) error) []error {
	errs := make([]error, n)
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for i := range next {
				errs[i] = guarded(func() error { return f(i) })
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
	return errs
}

// codeBatch codes n rows of a column from row start on.
func (f *parquetFile) codeBatch(r *pqarrow.ColumnReader, c *coder, start, n int64) error {
	return f.batches(r, start, n, func(batch *arrow.Chunked, at int64) error { return f.code(c, batch, at) })
}

// batches reads n rows of a column from row start on, and calls take with each batch and its first row.
func (f *parquetFile) batches(r *pqarrow.ColumnReader, start, n int64, take func(*arrow.Chunked, int64) error) error {
	for read := int64(0); read < n; {
		batch, err := r.NextBatch(n - read)
		if err != nil {
			return err
		}
		now := int64(batch.Len())
		err = func() error {
			defer batch.Release() // of a damaged file too, over which take panics
			if now == 0 {
				return errTooFew(start+read, f.rows)
			}
			return take(batch, start+read)
		}()
		if err != nil {
			return err
		}
		read += now
	}
	return nil
}

// code codes a batch whose first row is start.
func (f *parquetFile) code(c *coder, batch *arrow.Chunked, start int64) error {
	for _, raw := range batch.Chunks() {
		if d, ok := raw.(*array.Dictionary); ok {
			if value, ok := texts(d.Dictionary()); ok {
				from := len(c.codes)
				if err := c.dictionary(d, value, start); err != nil {
					return err
				}
				c.keepApart(from, c.bad.since(start))
				start += int64(d.Len())
				continue
			}
		}
		a, err := f.checked(&c.column, raw, start)
		if err != nil {
			return err
		}
		func() {
			defer a.Release()
			from := len(c.codes)
			c.add(a)
			c.keepApart(from, c.bad.since(start))
			start += int64(a.Len())
		}()
	}
	return nil
}

// group passes over the file a second time, when the kinds of its columns are known, and keeps each distinct row once.
func (f *csvFile) group(ctx context.Context, cols []*csvColumn, kindOf []kind, p *part) error {
	g := newGrouping(f.mem, nil)
	defer g.release()
	for _, c := range cols {
		if c != nil {
			g.column(c.name)
		}
	}
	err := f.secondPass(ctx, cols, kindOf, func(stored []*csvColumn) error { return f.flush(g, cols, stored) })
	if err != nil {
		return g.hinted(f.src, f.path, err)
	}
	g.part(p)
	return nil
}

// secondPass stores cells of kinds that are known, and calls full when there are chunkRows more rows, and at the end.
// Of stored those without a value in the whole file are nil.
func (f *csvFile) secondPass(ctx context.Context, cols []*csvColumn, kindOf []kind,
	full func(stored []*csvColumn) error) error {
	stored := make([]*csvColumn, len(cols))
	defer func() {
		for _, c := range stored {
			if c != nil {
				c.release()
			}
		}
	}()
	for i, c := range cols {
		if c != nil && kindOf[i] != kindNull {
			stored[i] = c.stored(kindOf[i])
		}
	}
	f.full = func() error { return full(stored) }
	rows, header := f.rows, len(f.header)
	err := guarded(func() error {
		err := f.pass(ctx, func() ([]*csvColumn, error) {
			if len(f.header) != header {
				return nil, f.fail(0, errChanged, "")
			}
			return stored, nil
		})
		if err != nil {
			return err
		}
		return f.full()
	})
	if err == nil && f.rows != rows {
		err = f.fail(0, errChanged, "")
	}
	return err
}

// flush adds the rows that are stored since the last time.
func (f *csvFile) flush(g *grouping, cols, stored []*csvColumn) error {
	n, k := int(f.rows-g.read), 0
	for i, c := range cols {
		if c == nil {
			continue
		}
		if stored[i] == nil {
			g.cols[k].missing(n)
			g.cols[k].bad = c.bad
		} else if !stored[i].flush(g.cols[k], g.read) {
			return f.fail(0, errChanged, "")
		}
		k++
	}
	g.add(n, nil)
	return nil
}

// stored returns the column of the same cells, none of which it has seen, that stores them as kind k. Cells that are
// not of this kind are bad.
func (c *csvColumn) stored(k kind) *csvColumn {
	out := &csvColumn{name: c.name, mem: c.mem, as: k, builder: array.NewBuilder(c.mem, arrowType(k))}
	if k == kindText {
		out.forced = typeText
	}
	if c.strays(k) {
		out.bad, out.of = &badCells{}, c
	}
	return out
}

// flush codes what is stored since the last time, row start of the file being the first. It reports whether all cells
// could be stored.
func (c *csvColumn) flush(to *coder, start int64) bool {
	ok := c.close()
	for _, a := range c.finished {
		to.add(a)
		a.Release()
	}
	to.bad = c.bad
	to.keepApart(0, c.bad.since(start))
	c.finished = c.finished[:0]
	return ok
}

// close ends the chunk that is being stored, and reports whether all cells could be.
func (c *csvColumn) close() bool {
	if c.inChunk > 0 && !c.mixed {
		c.finished = append(c.finished, c.builder.NewArray())
		c.inChunk = 0
	}
	return !c.mixed
}

// hinted says how many distinct rows there are where they are too many for memory.
func (g *grouping) hinted(src *Source, file string, err error) error {
	var over *budgetError
	if !errors.As(err, &over) {
		return err
	}
	err = &budgetError{most: over.most}
	if g.read > 0 {
		err = fmt.Errorf("%d distinct rows among the first %d: %w", g.rows.n, g.read, err)
	}
	return &SourceError{
		Dataset: src.Name, File: file,
		Err: words.Hint(err, "round what is measured finely (sql: can), or leave such columns out of formulas, so that rows "+
			"become equal; or leave rows: grouped out"),
	}
}
