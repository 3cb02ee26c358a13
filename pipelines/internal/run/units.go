package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/discrete"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/pipelines/internal/synthetic"
	"glmbatch/transform"
)

// unit is one table to fit: a data set, a file of it, or a group of its rows.
// err, if any, is why it cannot be read, and the error of all its fits.
type unit struct {
	dataset *spec.Dataset
	key     string
	table   *ingest.Table
	err     error

	data *discrete.Data // of discrete variables, in place of table

	mu      sync.Mutex
	designs map[*spec.Model]*design
	fields  map[*spec.Model]*fieldSlot
}

// name is how people and --only call the unit.
func (u *unit) name() string { return unitName(u.dataset.Name, u.key) }

// bytes is the memory of the unit's table and of one design of it.
func (u *unit) bytes() int64 {
	switch {
	case u.data != nil:
		return u.data.Bytes() + 64*int64(u.data.N)
	case u.table == nil:
		return 0
	}
	return 2 * u.table.Bytes()
}

func unitName(dataset, key string) string {
	if key == "" {
		return dataset
	}
	return dataset + "/" + key
}

// design is one model's design matrix on one unit, made once for its samplers.
type design struct {
	once sync.Once
	*transform.Design
	dataHash string
	err      error
}

// design codes the unit's table for a model; the samplers of a model share it.
func (u *unit) design(m *spec.Model) (*design, error) {
	u.mu.Lock()
	if u.designs == nil {
		u.designs = map[*spec.Model]*design{}
	}
	d := u.designs[m]
	if d == nil {
		d = &design{}
		u.designs[m] = d
	}
	u.mu.Unlock()
	d.once.Do(func() { d.err = u.code(d, m) })
	return d, d.err
}

func (u *unit) code(d *design, m *spec.Model) error {
	formula, err := formulaOf(m)
	if err != nil {
		return err
	}
	columns, err := formula.Columns(u.table.Data.Schema())
	if err != nil {
		return fmt.Errorf("%s: %w", transform.DatasetWords(u.name(), u.table.From()), err)
	}
	if d.dataHash, err = u.table.Hash(columns); err != nil {
		return err
	}
	d.Design, err = transform.Build(u.table.Data, transform.Spec{
		Dataset: u.name(), Formula: formula, Family: m.Family.Family,
		Standardize: m.Standardize, Missing: m.Missing, Sparse: string(m.Sparse),
		InterceptAt: m.Prior.Intercept.At,
		Levels:      levels(m.Levels),
		Contrasts:   m.Contrasts,
		File:        u.table.From(),
		Locate:      u.table.Locate,
	})
	return err
}

// formulaOf is a model's formula with its columns of weights.
func formulaOf(m *spec.Model) (*transform.Formula, error) {
	formula, err := transform.ParseFormula(m.Formula)
	if err != nil {
		return nil, err
	}
	return formula.Weighted(m.FrequencyWeights, m.PrecisionWeights), nil
}

func levels(in map[string][]spec.Text) map[string][]string {
	out := make(map[string][]string, len(in))
	for column, texts := range in {
		for _, t := range texts {
			out[column] = append(out[column], string(t))
		}
	}
	return out
}

// read yields the units of one data set in a fixed order. A file that cannot be
// read is a unit with an error; the others go on.
func (r *runner) read(ctx context.Context, ds *spec.Dataset, yield func(*unit) error) error {
	if ds.Discrete() {
		return r.readDiscrete(ctx, ds, yield)
	}
	src, cleanup, err := r.source(ctx, ds)
	defer cleanup()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return yield(&unit{dataset: ds, err: err})
	}
	sources, err := ingest.Expand(src)
	if err != nil {
		return yield(&unit{dataset: ds, err: err})
	}
	for _, s := range sources {
		if s.Key != "" && len(ds.By) == 0 && !r.choice.unit(ds.Name, s.Key) {
			continue
		}
		if err := r.readOne(ctx, ds, s, yield); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) readOne(ctx context.Context, ds *spec.Dataset, s ingest.Source, yield func(*unit) error) error {
	type reading struct {
		tables []*ingest.Table
		err    error
	}
	got, left := unless(ctx, fitPatience, func() (got reading) {
		got.tables, got.err = readTables(ctx, s, ds.By)
		return got
	})
	if left || ctx.Err() != nil {
		return ctx.Err()
	}
	if got.err != nil {
		return yield(&unit{dataset: ds, key: s.Key, err: got.err})
	}
	for _, t := range got.tables {
		if !r.choice.unit(ds.Name, t.Key) {
			continue
		}
		if err := yield(&unit{dataset: ds, key: t.Key, table: t}); err != nil {
			return err
		}
	}
	return nil
}

// readTables reads a source, and divides it by the values of columns if there
// are any.
func readTables(ctx context.Context, s ingest.Source, by []string) ([]*ingest.Table, error) {
	table, err := ingest.Read(ctx, s)
	if err != nil || len(by) == 0 {
		return []*ingest.Table{table}, err
	}
	return table.Split(by)
}

// source translates a data set of the spec. Paths that begin with "example:"
// name data that the program carries; they are written to a temporary folder,
// which cleanup removes; so are synthetic data.
func (r *runner) source(ctx context.Context, ds *spec.Dataset) (ingest.Source, func(), error) {
	src := ingest.Source{
		Name: ds.Name, Path: ds.Path, Each: ds.Each == "file", By: ds.By,
		SQL: ds.SQL, Database: ds.Database, Dir: r.Pipeline.Dir, Within: r.Pipeline.Within, Separator: rune(ds.Separator),
		Types: ds.Types, Columns: r.columns(ds),
	}
	if len(ds.Decimal) == 1 {
		src.Decimal = rune(ds.Decimal[0])
	}
	if t := ds.Triplets; t.Path != "" {
		src.Triplets = &ingest.Triplets{Path: t.Path, Row: t.Row, Col: t.Col, Value: t.Value, Prefix: t.Prefix, Columns: int64(t.Columns)}
	}
	if len(ds.NullValues) > 0 {
		src.NullValues = ingest.DefaultNullValues()
		for _, v := range ds.NullValues {
			src.NullValues = append(src.NullValues, string(v))
		}
	}
	if len(ds.Params) > 0 {
		src.Params = map[string]any{}
		for name, value := range ds.Params {
			src.Params[name] = value
		}
	}
	if ds.Synthetic.Rows > 0 {
		dir, err := made(ctx, ds.Synthetic)
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

// example writes embedded data to a temporary folder.
func (r *runner) example(name string) (dir string, err error) {
	data, err := r.Example(name)
	if err != nil {
		return "", fmt.Errorf("there is no example data %q in this program", name)
	}
	if dir, err = os.MkdirTemp("", "glmbatch-example-"); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, name), data, 0o600)
}

// madeName is the file of synthetic data.
const madeName = "synthetic.csv"

// made writes synthetic data to a temporary folder.
func made(ctx context.Context, s spec.Synthetic) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "glmbatch-synthetic-"); err != nil {
		return "", err
	}
	file, err := os.Create(filepath.Join(dir, madeName))
	if err != nil {
		return dir, err
	}
	return dir, errors.Join(synthetic.CSV(ctx, file, s), file.Close())
}

// columns chooses what to load of a data set: what the selected models use, or
// all if the formula of one does not fit the schema; that model fails by
// itself, with all columns at hand for its message.
func (r *runner) columns(ds *spec.Dataset) func(*ingest.Schema) ([]string, error) {
	return func(schema *ingest.Schema) ([]string, error) {
		used, all := map[string]bool{}, false
		for _, m := range r.models(ds.Name) {
			formula, err := formulaOf(m)
			if err != nil {
				continue
			}
			names, err := formula.Named(schema)
			for _, n := range names {
				used[n] = true
			}
			all = all || err != nil
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
