package plan

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"glmbatch/ingest"
	"glmbatch/internal/mapped"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/synthetic"
	"glmbatch/transform"
)

// Reader reads the units of a pipeline's data sets.
type Reader struct {
	Pipeline *spec.Pipeline
	Choice   Choice
	Example  func(name string) ([]byte, error) // built-in data
	// Claim, unless nil, waits for memory that a table takes while it is read. Read is called before the units of
	// the table are yielded, which have memory of their own.
	Claim func(ctx context.Context, bytes int64) error
	Read  func()
	// Work is a folder for files of tables and designs that are larger than the heap should hold; empty: all live
	// there. A caller that names it closes each unit.
	Work string
	// Like is the record of a stored fit as whose data data sets are read; nil: as the spec has it.
	Like *transform.Record
	// NamesOnly has units yielded with their names and origins. Rows are read only of queries, and of files that columns
	// divide into units.
	NamesOnly bool
	// Also are columns that are read in addition to those of the models, if the data have them and are not grouped.
	Also []string

	matrices map[string]*matrixRead // by name, of those that were read
}

// Units yields the units of all data sets of which fits are chosen, in the order of the spec. It stops at the first
// error of yield.
func (r *Reader) Units(ctx context.Context, yield func(*Unit) error) error {
	for _, ds := range r.Pipeline.Datasets {
		if !r.Choice.dataset(ds.Name, ds.Divided()) || len(r.models(ds.Name)) == 0 {
			continue
		}
		read := r.read
		if r.Choice.Share.Planned != nil {
			read = r.readPlanned
		}
		if err := read(ctx, ds, yield); err != nil {
			return err
		}
	}
	return nil
}

// Table reads the table of one file or group of a data set; nil if there is none.
func (r *Reader) Table(ctx context.Context, dataset, key string) (table *ingest.Table, err error) {
	for _, ds := range r.Pipeline.Datasets {
		if ds.Name != dataset {
			continue
		}
		if ds.Rows == spec.Factored {
			return nil, words.Hint(fmt.Errorf("data set %q keeps the triangular factor of its rows, and no row", dataset),
				"name the rows to predict with --data FILE")
		}
		err := r.read(ctx, ds, func(u *Unit) error {
			if u.Err != nil && !u.ungrouped && (u.Key == key || u.Key == "") {
				return u.Err
			}
			if u.table != nil && u.Key == key {
				table = u.table
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return table, nil
}

// models lists the chosen models of a data set.
func (r *Reader) models(dataset string) []*spec.Model {
	var out []*spec.Model
	for _, ref := range r.Pipeline.Fits() {
		if ref.Dataset.Name == dataset && r.Choice.model(dataset, ref.Model.Name, ref.Sampler.Name) {
			out = append(out, ref.Model)
		}
	}
	return out
}

// read yields the units of one data set in a fixed order. A file that cannot be read is a unit with an error; the
// others continue.
func (r *Reader) read(ctx context.Context, ds *spec.Dataset, yield func(*Unit) error) error {
	if ds.Discrete() {
		return r.readDiscrete(ctx, ds, yield)
	}
	if !ds.Divided() && !r.wants(ds, "") {
		return nil
	}
	if err := r.readMatrices(ctx, ds); err != nil {
		return err
	}
	src, cleanup, err := r.source(ctx, ds)
	defer cleanup()
	if r.NamesOnly && !src.Grouped && len(ds.Groups()) > 0 {
		src.Columns = func(*ingest.Schema) ([]string, error) { return []string{}, nil } // Read adds those of by
	}
	var sources []ingest.Source
	if err == nil {
		timed, done := r.timed(ctx, ds)
		sources, err = ingest.Expand(timed, src)
		err = done(err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return yield(r.unreadable(ds, err))
	}
	for _, s := range sources {
		if len(ds.Groups()) == 0 && !r.wants(ds, s.Key) {
			continue
		}
		read := r.readOne
		if r.NamesOnly && len(ds.Groups()) == 0 && s.SQL == "" {
			read = r.name
		}
		if err := read(ctx, ds, s, yield); err != nil {
			return err
		}
	}
	return nil
}

// name yields a unit without its data.
func (r *Reader) name(ctx context.Context, ds *spec.Dataset, s ingest.Source, yield func(*Unit) error) error {
	u := r.unit(ds, s.Key)
	u.from = r.origin(ctx, ds, &s)
	return yield(u)
}

func (r *Reader) readOne(ctx context.Context, ds *spec.Dataset, s ingest.Source, yield func(*Unit) error) error {
	if ds.Rows == spec.Factored {
		return r.readFactored(ctx, ds, s, yield)
	}
	from := r.origin(ctx, ds, &s)
	var files *mapped.Folder // of a table that is one unit; groups are copies
	if len(ds.Groups()) == 0 && !s.Grouped {
		files = r.files()
		s.Beyond = MemoryOf(r.Pipeline).beyond(files)
	}
	tables, left, err := reading(ctx, r, ds, &s, func(timed context.Context) ([]*ingest.Table, error) {
		return readTables(timed, s, ds.Groups())
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var lost *ingest.UngroupedError
	if err != nil && !errors.As(err, &lost) {
		if !left { // the reader that was left may still write to them
			files.Release()
		}
		from.unread = err
		return yield(&Unit{Dataset: ds, Key: s.Key, Err: err, from: from})
	}
	if err := r.yieldTables(ds, tables, from, files, yield); err != nil || lost == nil {
		return err
	}
	return r.yieldUngrouped(&Unit{Dataset: ds, Key: s.Key, ungrouped: true, Err: lost, from: from}, yield)
}

// reading reads a source within the time that it has. left reports whether the read continues without a waiting
// caller.
func reading[T any](ctx context.Context, r *Reader, ds *spec.Dataset, s *ingest.Source,
	read func(context.Context) (T, error)) (got T, left bool, err error) {
	timed, done := r.timed(ctx, ds, s)
	type result struct {
		of  T
		err error
	}
	found, left := Unless(timed, Patience, func() (out result) {
		out.of, out.err = read(timed)
		return out
	})
	if left {
		found.err = timed.Err()
	}
	err = done(found.err)
	if r.Read != nil {
		r.Read()
	}
	return found.of, left, err
}

// yieldTables yields the chosen units of a source.
func (r *Reader) yieldTables(ds *spec.Dataset, tables []*ingest.Table, from Origin, files *mapped.Folder,
	yield func(*Unit) error) error {
	doubts := doubtsOf(ds, tables)
	for _, t := range tables {
		if !r.wants(ds, t.Key) {
			continue
		}
		u := r.unit(ds, t.Key)
		if u.from = from; r.measures() {
			rows := t.Data.NumRows()
			u.from.Rows = &rows
		}
		if ds.Imputed() {
			if t, u.imputations, u.Err = imputationsOf(t, ds); u.Err != nil {
				files.Release()
				return yield(u)
			}
		}
		u.table, u.bytes, u.files, u.doubts = t, t.Bytes(), files, doubts[t.Key]
		if files == nil {
			u.files = r.files()
		}
		if err := yield(u); err != nil {
			return err
		}
	}
	return nil
}

// yieldUngrouped yields the unit of the rows without a group, if it is chosen. Its fits are errors; of names only, it
// counts as other units do.
func (r *Reader) yieldUngrouped(u *Unit, yield func(*Unit) error) error {
	if !r.wants(u.Dataset, u.Key) {
		return nil
	}
	if r.NamesOnly {
		u.Err = nil
	}
	return yield(u)
}

// files is a folder for data that the heap should not hold, nil if there is none.
func (r *Reader) files() *mapped.Folder {
	if r.Work == "" || !mapped.Supported || r.Pipeline.Run.Memory == 0 {
		return nil
	}
	return mapped.In(r.Work)
}

// readTables reads a source, and divides it by the values of columns if there
// are any. With an *ingest.UngroupedError it returns the tables of the groups.
func readTables(ctx context.Context, s ingest.Source, by []string) ([]*ingest.Table, error) {
	table, err := ingest.Read(ctx, s)
	if err != nil || len(by) == 0 {
		return []*ingest.Table{table}, err
	}
	return table.Split(by)
}

// source translates a data set of the spec. Paths that begin with "example:" name built-in data; they are written
// to a temporary folder, which cleanup removes; so are synthetic data.
func (r *Reader) source(ctx context.Context, ds *spec.Dataset) (ingest.Source, func(), error) {
	src := ingest.Source{
		Name: ds.Name, Path: ds.Path, Each: ds.Each == "file", By: ds.By,
		SQL: ds.SQL, Database: ds.Database, Dir: r.Pipeline.Dir, Within: r.Pipeline.Within,
		Columns: r.columns(ds), Labels: r.labels(ds), Grouped: ds.Rows == "grouped", CheckLater: true,
	}
	if r.Like == nil {
		readAs(&src, ReadingOf(ds))
	} else {
		ReadLike(&src, r.Like, ReadingOf(ds))
	}
	r.bound(ctx, &src)
	if t := ds.Triplets; t.Path != "" {
		src.Triplets = &ingest.Triplets{Path: t.Path, Row: t.Row, Col: t.Col, Value: t.Value, Prefix: t.Prefix,
			Columns: int64(t.Columns)}
	}
	if len(ds.Params) > 0 {
		src.Params = map[string]any{}
		for name, value := range ds.Params {
			src.Params[name] = value
		}
	}
	if ds.Synthetic.Rows > 0 {
		timed, done := r.timed(ctx, ds)
		dir, err := made(timed, ds.Synthetic)
		err = done(err)
		src.Within = nil // the program's own file
		src.Path = filepath.Join(dir, madeName)
		return src, func() { _ = os.RemoveAll(dir) }, err
	}
	name, ok := strings.CutPrefix(ds.Written, "example:")
	if !ok {
		return src, func() {}, nil
	}
	dir, err := r.example(name)
	src.Within = nil // the program's own file
	src.Path = filepath.Join(dir, name)
	return src, func() { _ = os.RemoveAll(dir) }, err
}

// unit is one with the memory that the run may take.
func (r *Reader) unit(ds *spec.Dataset, key string) *Unit {
	u := &Unit{Dataset: ds, Key: key, memory: MemoryOf(r.Pipeline), chains: r.Pipeline.Run.Chains,
		extracted: extracted{checks: &r.Pipeline.Run.PPC, folds: r.Pipeline.Run.KFold.By, matrices: r.matrices}}
	u.memory.Work = r.Work
	return u
}

// bound sets what may be read of a source.
func (r *Reader) bound(ctx context.Context, src *ingest.Source) {
	MemoryOf(r.Pipeline).Bound(src)
	if r.Claim != nil {
		src.Claim = func(bytes int64) error { return r.Claim(ctx, bytes) }
	}
}

// example writes embedded data to a temporary folder.
func (r *Reader) example(name string) (dir string, err error) {
	data, err := r.Example(name)
	if err != nil {
		return "", fmt.Errorf("there is no example data %q in this program", name)
	}
	if dir, err = words.TempDir("glmbatch-example-"); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, name), data, 0o600)
}

// madeName is the file of synthetic data.
const madeName = "synthetic.csv"

// made writes synthetic data to a temporary folder.
func made(ctx context.Context, s spec.Synthetic) (dir string, err error) {
	if dir, err = words.TempDir("glmbatch-synthetic-"); err != nil {
		return "", err
	}
	file, err := os.Create(filepath.Join(dir, madeName))
	if err != nil {
		return dir, err
	}
	return dir, errors.Join(synthetic.CSV(ctx, file, s), file.Close())
}

// namedBy are the columns that a table must have for a model. known reports whether its formula can be read.
func namedBy(m *spec.Model, schema *ingest.Schema) (names []string, known bool, err error) {
	if m.Classes() {
		items, err := m.ItemsOf()
		if err != nil {
			return nil, false, err
		}
		names, err = items.Columns(schema, m.FrequencyWeights)
		return names, true, err
	}
	for _, own := range m.Parts() {
		formula, bad := formulaOf(own)
		if bad != nil {
			return nil, false, bad
		}
		more, bad := formula.Named(schema)
		names, err = append(names, more...), cmp.Or(err, bad)
	}
	return names, true, err
}

// labels reports whether a model of a data set takes the values of a column as labels, whatever their type.
func (r *Reader) labels(ds *spec.Dataset) func(name string) bool {
	var used []string
	for _, m := range r.models(ds.Name) {
		for _, own := range m.Parts() {
			if formula, err := formulaOf(own); err == nil {
				used = append(used, formula.Labels()...)
			}
		}
		for _, i := range m.Imputation {
			if formula, err := transform.ParseFormula(i.Formula); err == nil {
				used = append(used, formula.Labels()...)
			}
		}
	}
	return func(name string) bool { return slices.Contains(used, name) }
}

// columns chooses what to load of a data set: what the selected models use, or
// all if the formula of one does not fit the schema; that model fails by
// itself, with all columns at hand for its message. Rows that are grouped would
// hardly be equal in all columns: there the error is that of the data set, unless
// another model fits.
func (r *Reader) columns(ds *spec.Dataset) func(*ingest.Schema) ([]string, error) {
	return func(schema *ingest.Schema) ([]string, error) {
		used, all, grouped := map[string]bool{}, false, ds.Rows == "grouped" || ds.Rows == spec.Factored
		var failed error
		for _, m := range r.models(ds.Name) {
			names, known, err := namedBy(m, schema)
			if !known {
				continue
			}
			for _, i := range m.Imputation {
				if formula, bad := transform.ParseFormula(i.Formula); bad == nil && err == nil {
					var more []string
					more, err = formula.Named(schema)
					names = append(names, more...)
				}
			}
			for _, n := range names {
				used[n] = true
			}
			all, failed = all || err != nil && !grouped, cmp.Or(failed, err)
		}
		if checks := &r.Pipeline.Run.PPC; !grouped && checks.On {
			for _, n := range slices.Concat(checks.By, checks.Over) {
				used[n] = true
			}
		}
		if by := r.Pipeline.Run.KFold.By; !grouped && by != "" {
			used[by] = true
		}
		if !grouped {
			for _, n := range r.Also {
				used[n] = true
			}
		}
		if grouped && len(used) == 0 && failed != nil {
			return nil, failed
		}
		var out []string
		for _, f := range schema.Fields() {
			if all || used[f.Name] {
				out = append(out, f.Name)
			}
		}
		return slices.Compact(out), nil
	}
}
