package pipelines

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"glmbatch/infer/glm"
	"glmbatch/ingest"
	"glmbatch/internal/words"
	"glmbatch/pipelines/internal/memlimit"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/propose"
	"glmbatch/pipelines/internal/spec"
	"glmbatch/transform"
)

// Proposal is a spec that Propose wrote.
type Proposal = propose.Proposal

// ProposeOptions configures Propose. The zero value proposes everything.
type ProposeOptions struct {
	Response string // empty: one is proposed
	Triplets string // a file of the non-zeros of further columns; empty: none
	// Separator and Decimal are as in a spec: one character or tab, and "." or ","; empty: as read without them.
	Separator, Decimal string
	Name               string // of the pipeline, the data set and the model; empty: after the file
	// Dir is the folder of the spec, from which its paths count.
	Dir string
}

// NoResponseError reports that nothing speaks for a column as the response.
type NoResponseError = propose.NoResponseError

// Propose looks at a data file or a folder of part files and writes a spec for it, with
// its reasons. The error is a *UsageError where the file cannot be read, or has no
// column that can be a response.
//
// Cost: it reads the whole file, and fits poisson's penalised point where the response
// counts.
func Propose(ctx context.Context, path string, o ProposeOptions) (*Proposal, error) {
	table, dialect, err := readFile(ctx, path, &o)
	if err != nil {
		return nil, &UsageError{err}
	}
	defer table.Release()
	t := &propose.Table{Name: o.Name, From: filepath.Base(path), Rows: int(table.Data.NumRows()), Response: o.Response}
	if t.Name == "" {
		t.Name = nameOf(path)
	}
	schema := table.Data.Schema()
	if o.Triplets == "" && schema.NumFields() == 3 && schema.HasField("row") && schema.HasField("col") &&
		schema.HasField("value") {
		return nil,
			&UsageError{words.Hint(fmt.Errorf("%s holds the non-zeros of a matrix (row, col, value), and no response", path),
				fmt.Sprintf("pipeline init TABLE --triplets %s, TABLE being the file that has the response", path))}
	}
	where, err := sourceWords(o.Dir, path)
	if err != nil {
		return nil, err
	}
	t.Source = "path: " + where + dialect
	for i, field := range schema.Fields() {
		c := propose.Look(field.Name, table.Data.Column(i).Data())
		if c.Kind == propose.Text && 2*len(transform.Dates(c.Levels)) > len(c.Levels) {
			c.Kind = propose.Time // as a term it would be an error
		}
		t.Columns = append(t.Columns, c)
	}
	if o.Triplets != "" {
		if err := addTriplets(ctx, t, o); err != nil {
			return nil, err
		}
	}
	// The penalised point of a draft, which reports whether counts are overdispersed.
	t.Dispersion = func(draft []byte) (float64, error) { return dispersion(ctx, draft, o.Dir) }
	p, err := t.Spec()
	if err != nil {
		return nil, &UsageError{err}
	}
	return p, nil
}

// readFile reads all columns of a file, as far as the machine's memory allows. Dialect are the keys of a spec for it.
func readFile(ctx context.Context, path string, o *ProposeOptions) (table *ingest.Table, dialect string, err error) {
	src := ingest.Source{Name: nameOf(path), Path: path}
	mark := func(name, text string, known ...string) rune {
		r := []rune(strings.ReplaceAll(text, "tab", "\t"))
		switch {
		case text == "":
			return 0
		case len(r) != 1 || known != nil && !slices.Contains(known, text):
			err = fmt.Errorf("--%s %q: it is %s", name, text, cmp.Or(strings.Join(known, " or "), "one character, or tab"))
			return 0
		}
		dialect += fmt.Sprintf(", %s: %q", name, text)
		return r[0]
	}
	src.Separator, src.Decimal = mark("separator", o.Separator), mark("decimal", o.Decimal, ".", ",")
	if err != nil {
		return nil, "", err
	}
	plan.Memory{Limit: memlimit.Default()}.Bound(&src)
	table, err = ingest.Read(ctx, src)
	return table, dialect, err
}

// nameOf is a name for the data in a file: its base name without extensions, as far as a
// spec takes it.
func nameOf(path string) string {
	base, _, _ := strings.Cut(strings.TrimLeft(filepath.Base(filepath.Clean(path)), "."), ".")
	name := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9_]+`).ReplaceAllString(base, "_"), "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return "data_" + name
	}
	return name
}

// sourceWords is a path as in the spec: relative to the folder of the spec.
func sourceWords(dir, path string) (string, error) {
	if words.IsObject(path) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path) + `"`, nil
	}
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(from, to)
	if err != nil {
		rel = to
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(filepath.ToSlash(rel)) + `"`, nil
}

// addTriplets looks at a file of non-zeros.
func addTriplets(ctx context.Context, t *propose.Table, o ProposeOptions) error {
	table, _, err := readFile(ctx, o.Triplets, &ProposeOptions{})
	if err != nil {
		return &UsageError{err}
	}
	defer table.Release()
	at := table.Data.Schema().FieldIndices("col")
	if len(at) != 1 || !table.Data.Schema().HasField("row") || !table.Data.Schema().HasField("value") {
		return &UsageError{words.Hint(fmt.Errorf("%s has no columns row, col and value", o.Triplets),
			"other names are written in the spec: triplets: {path: …, row: …, col: …, value: …}")}
	}
	t.Triplets, t.NonZeros = int(propose.Look("col", table.Data.Column(at[0]).Data()).Max), int(table.Data.NumRows())
	for i, c := range t.Columns {
		if c.Name == "row" { // it says which row is which, and is no predictor
			t.Columns = append(t.Columns[:i:i], t.Columns[i+1:]...)
			break
		}
	}
	where, err := sourceWords(o.Dir, o.Triplets)
	t.Source += ", triplets: {path: " + where + "}"
	return err
}

// dispersion is Pearson's statistic over its degrees of freedom, at the penalised point of the one fit of a draft with
// family poisson or binomial: Σ(y − μ)²/variance/(n − d).
//
// Source: McCullagh and Nelder (1989), section 6.2.
func dispersion(ctx context.Context, draft []byte, dir string) (float64, error) {
	p, err := spec.Parse("draft.yaml", draft, spec.Options{Env: os.LookupEnv, Today: time.Now(), Dir: dir})
	if err != nil {
		return 0, err
	}
	ratio := math.NaN()
	p.Run.Memory = spec.Bytes(memlimit.Default())
	err = (&plan.Reader{Pipeline: p, Example: example}).Cases(ctx, func(c *plan.Case) error {
		if c.Err != nil {
			return c.Err
		}
		target, err := glm.NewTarget(c.Data, c.Posterior)
		if err != nil {
			return err
		}
		if target.Penalised() == nil {
			return errors.New("it did not converge")
		}
		ratio = target.Pearson()
		return nil
	})
	if err == nil && (math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio <= 0) {
		err = errors.New("there are no more rows than coefficients")
	}
	return ratio, err
}

// SpecName is the file that a spec for the data in path is written to.
func SpecName(path string) string { return nameOf(path) + ".yaml" }
