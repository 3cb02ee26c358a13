package ingest

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
)

// Stream is a source whose rows are read in blocks, in their order, as often as required. They are never in memory
// together.
type Stream struct {
	src   Source
	rows  string // the file of a query's rows
	clean func()

	// The names of files and the warnings of the last reading, as in Table.
	Files    []string
	Warnings []string
}

// Open makes a stream of a source without Triplets. It runs the query of one with SQL. The caller closes it.
func Open(ctx context.Context, src Source) (*Stream, error) {
	s := &Stream{src: src, clean: func() {}}
	err := src.check()
	if err == nil && src.SQL != "" {
		s.rows, s.clean, err = runSQL(ctx, &src)
	}
	if err != nil {
		s.clean()
		return nil, err
	}
	return s, nil
}

// Close removes what the stream has on disk.
func (s *Stream) Close() { s.clean() }

// Each reads the source once and calls visit with tables of its rows, some 65,000 at a time, which end with the call.
// It stops at the first error of visit. Other errors are those of Read.
func (s *Stream) Each(ctx context.Context, visit func(*Table) error) error {
	mem := &budget{Allocator: memory.NewGoAllocator(), most: s.src.maxBytes(), claim: s.src.Claim}
	if s.src.mem != nil {
		mem.Allocator = s.src.mem
	}
	src, seen := s.src, map[string]*column{}
	var first *part
	src.each = func(p *part) error {
		defer p.release()
		force(&src, p, mem)
		if first == nil {
			first = &part{file: p.file}
			for _, c := range p.cols {
				first.cols = append(first.cols, &column{name: c.name})
			}
		}
		likeBefore(seen, p, mem)
		return s.table(&src, p, mem, visit)
	}
	if src.SQL != "" {
		p, err := readRows(ctx, &src, s.rows, src.choose, mem)
		if err == nil {
			s.Files, s.Warnings = nil, p.warnings
		}
		return err
	}
	files, err := src.files(ctx)
	if err != nil {
		return err
	}
	s.Files, s.Warnings = files, nil
	choose := src.choose
	for _, file := range files {
		p, err := readFile(ctx, &src, file, choose, mem)
		switch {
		case errors.Is(err, ErrNoRows) && len(files) > 1:
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s has no data rows", file))
			continue
		case err != nil:
			return err
		}
		s.Warnings = append(s.Warnings, p.warnings...)
		if first != nil {
			choose = src.sameAs(first)
		}
	}
	if first == nil {
		return &SourceError{Dataset: src.Name, File: src.Path, Err: ErrNoRows}
	}
	return nil
}

// table shows the rows of a part.
func (s *Stream) table(src *Source, p *part, mem *budget, visit func(*Table) error) error {
	t, err := newTable(src, []*part{p}, mem)
	if err != nil {
		return err
	}
	defer t.Release()
	return visit(t)
}

// likeBefore compares the kinds of columns with those of rows before, by name. A column of another kind is at fault.
func likeBefore(seen map[string]*column, p *part, mem memory.Allocator) {
	for _, c := range p.cols {
		before := seen[c.name]
		switch {
		case c.allNull:
		case before == nil:
			seen[c.name] = &column{name: p.file, typ: c.typ}
		case describe(before.typ) != describe(c.typ):
			c.setWhole(otherType(c, before.typ, before.name, p.file))
			c.toNulls(mem, before.typ)
		}
	}
}

// readBatches reads the fields side by side, chunkRows of all of them at a time, and hands each over.
func (f *parquetFile) readBatches(ctx context.Context, fields []int) error {
	readers, names, err := f.readers(ctx, fields)
	defer func() { releaseAll(readers) }()
	if err != nil {
		return err
	}
	for start := int64(0); start < f.rows; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &part{file: f.path, start: start, rows: min(chunkRows, f.rows-start), cols: make([]*column, len(fields))}
		errs := sideBySide(len(fields), func(i int) error {
			p.cols[i] = &column{name: names[i], allNull: true}
			return f.takeBatch(readers[i], p.cols[i], start, p.rows)
		})
		if err := f.joined(fields, errs); err != nil {
			p.release()
			return err
		}
		f.addUnreadable(p)
		if err := f.src.each(p); err != nil {
			return err
		}
		start += p.rows
	}
	return nil
}

// takeBatch reads n rows of a column from row start on.
func (f *parquetFile) takeBatch(r *pqarrow.ColumnReader, c *column, start, n int64) error {
	err := f.batches(r, start, n, func(batch *arrow.Chunked, at int64) error { return f.take(c, batch, at) })
	if err == nil {
		f.settle(c)
	}
	return err
}

// readBatches passes over the file a second time, when the kinds of its columns are known, and hands its rows over.
func (f *csvFile) readBatches(ctx context.Context, cols []*csvColumn, kindOf []kind) error {
	start := int64(0)
	return f.secondPass(ctx, cols, kindOf, func(stored []*csvColumn) error {
		p := &part{file: f.path, start: start, rows: f.rows - start, lines: f.lines}
		if p.rows == 0 {
			return nil
		}
		whole := true
		for i, c := range cols {
			switch {
			case c == nil:
			case stored[i] == nil:
				empty := nullColumn(f.mem, c.name, p.rows)
				empty.bad = c.bad
				p.cols = append(p.cols, empty)
			default:
				whole = stored[i].close() && whole
				p.cols = append(p.cols, &column{name: c.name, typ: arrowType(kindOf[i]), chunks: stored[i].finished,
					bad: stored[i].bad})
				stored[i].finished = nil
			}
		}
		if !whole {
			p.release()
			return f.fail(0, errChanged, "")
		}
		f.remark(cols, p)
		start = f.rows
		return f.src.each(p)
	})
}
