package plan

import (
	"context"
	"fmt"

	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/discrete"
	"glmbatch/pipelines/internal/spec"
)

// readDiscrete yields the units of a data set of discrete variables in a fixed order.
func (r *Reader) readDiscrete(ctx context.Context, ds *spec.Dataset, yield func(*Unit) error) error {
	switch {
	case ds.Grid.Rows > 0:
		images := ds.Grid.Images
		return r.readMade(ctx, ds, images, func(_ context.Context, name string, k int) (*discrete.Data, error) {
			return discrete.FromGrid(name, &ds.Grid, k), nil
		}, yield)
	case ds.Sequences.Length > 0:
		return r.readMade(ctx, ds, ds.Sequences.Count, func(ctx context.Context, name string, k int) (*discrete.Data, error) {
			return discrete.FromSequences(ctx, name, &ds.Sequences, k)
		}, yield)
	case ds.Image.Path != "":
		return r.readImages(ctx, ds, yield)
	}
	switch {
	case !r.wants(ds, ""):
		return nil
	}
	return r.readGraph(ctx, ds, yield)
}

// readMade yields synthetic data: one unit, or count units, which are named by their number.
func (r *Reader) readMade(ctx context.Context, ds *spec.Dataset, count int,
	make func(ctx context.Context, name string, k int) (*discrete.Data, error), yield func(*Unit) error) error {
	for k := range max(count, 1) {
		u := r.unit(ds, "")
		if count > 0 {
			u.Key = fmt.Sprintf("%0*d", len(fmt.Sprint(count)), k+1)
		}
		if !r.wants(ds, u.Key) {
			continue
		}
		u.from.Source = "made by the program"
		if r.NamesOnly {
			if err := yield(u); err != nil {
				return err
			}
			continue
		}
		timed, done := r.timed(ctx, ds)
		u.discrete, u.Err = make(timed, u.Name(), k)
		if u.Err = done(u.Err); ctx.Err() != nil {
			return ctx.Err()
		}
		if err := yield(u); err != nil {
			return err
		}
	}
	return nil
}

// readImages yields a unit for each image.
func (r *Reader) readImages(ctx context.Context, ds *spec.Dataset, yield func(*Unit) error) error {
	src := ingest.Source{Name: ds.Name, Path: ds.Image.Path, Each: ds.Each == "file", Dir: r.Pipeline.Dir,
		Within: r.Pipeline.Within}
	r.bound(ctx, &src)
	timed, done := r.timed(ctx, ds)
	sources, err := ingest.Expand(timed, src)
	err = done(err)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return yield(r.unreadable(ds, err))
	}
	for _, s := range sources {
		u := r.unit(ds, s.Key)
		if !r.wants(ds, u.Key) {
			continue
		}
		files := []*ingest.Source{&s}
		if ds.Image.Truth != "" {
			files = append(files, &ingest.Source{Name: ds.Name, Path: ds.Image.Truth, Within: r.Pipeline.Within})
		}
		if u.from = r.origin(ctx, ds, files...); r.NamesOnly {
			if err := yield(u); err != nil {
				return err
			}
			continue
		}
		for _, path := range []string{s.Path, ds.Image.Truth} {
			if u.Err == nil && path != "" {
				u.Err = r.inside(ds.Name, path)
			}
		}
		if u.Err == nil {
			s.Name, s.Key = u.Name(), ""
			timed, done := r.timed(ctx, ds, &s)
			u.discrete, u.Err = discrete.FromImage(timed, &ds.Image, s)
			u.Err = done(u.Err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := yield(u); err != nil {
			return err
		}
	}
	return nil
}

// inside refuses a file that the spec may not read, links followed.
func (r *Reader) inside(dataset, path string) error {
	if r.Pipeline.Within == nil {
		return nil
	}
	ok, err := ingest.Inside(r.Pipeline.Within, path)
	if err == nil && ok {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("it is outside the folders that this spec may use")
	}
	return &ingest.SourceError{Dataset: dataset, File: path, Err: words.Hint(err, ingest.FenceHint(path, err))}
}

// readGraph yields the data of tables of rows, divided by groups where the data set
// asks for it.
func (r *Reader) readGraph(ctx context.Context, ds *spec.Dataset, yield func(*Unit) error) error {
	src, cleanup, err := r.source(ctx, ds)
	defer cleanup()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return yield(r.unreadable(ds, err))
	}
	src.Columns = nil // all: models name theirs by several keys
	tables := discrete.Source{
		Edges:  r.tableSource(ctx, ds, ds.Edges.Path, ds.Edges.SQL, ds.Edges.Database, ds.Edges.Params),
		Tables: r.tableSource(ctx, ds, ds.Tables.Path, ds.Tables.SQL, ds.Tables.Database, ds.Tables.Params),
	}
	from, queries := r.graphOrigin(ctx, ds, &src, tables)
	if r.NamesOnly && !queries {
		u := r.unit(ds, "")
		u.from = from
		return yield(u)
	}
	return r.readOne(ctx, ds, src, func(u *Unit) error {
		from.unread = u.from.unread
		u.from = from
		if u.Err == nil {
			timed, done := r.timed(ctx, ds, tables.Edges, tables.Tables)
			u.discrete, u.Err = discrete.FromTable(timed, ds, u.table, tables)
			u.Err = done(u.Err)
			u.table.Release()
			u.table = nil
			if queries {
				u.from.unread = u.Err
			}
		}
		return yield(u)
	})
}

// graphOrigin measures the files of a graph, and reports whether a query is among its sources.
func (r *Reader) graphOrigin(ctx context.Context, ds *spec.Dataset, rows *ingest.Source, tables discrete.Source,
) (from Origin, queries bool) {
	all := []*ingest.Source{rows}
	for _, s := range []*ingest.Source{tables.Edges, tables.Tables} {
		if s != nil {
			all = append(all, s)
		}
	}
	for _, s := range all {
		queries = queries || s.SQL != ""
	}
	return r.origin(ctx, ds, all...), queries
}

// tableSource is the source of a table in addition to the rows; nil if there is none.
func (r *Reader) tableSource(ctx context.Context, ds *spec.Dataset, path, query, database string,
	params map[string]string) *ingest.Source {
	if path == "" && query == "" {
		return nil
	}
	src := &ingest.Source{Name: ds.Name, Path: path, SQL: query, Database: database, Dir: r.Pipeline.Dir,
		Within: r.Pipeline.Within}
	r.bound(ctx, src)
	if len(params) > 0 {
		src.Params = map[string]any{}
		for name, value := range params {
			src.Params[name] = value
		}
	}
	return src
}
