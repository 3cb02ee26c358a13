package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"glmbatch/ingest"
	"glmbatch/pipelines/internal/spec"
)

const spendSpec = `
pipeline: spend
database: none.duckdb
datasets: {d: {path: d.csv}}
models:
  a: {formula: y ~ x, family: gaussian}
  b: {formula: y ~ x + z, family: gaussian}
  none: {formula: y ~ z + nothing, family: gaussian}
samplers: {s: {method: conjugate}, t: {method: cggibbs}}
`

// The table of a unit goes column by column while the last of its designs is made, and what is left of it then,
// also where a model cannot be coded. Before, it was kept, in addition to designs and chains, until the unit's last
// fit was done.
func TestSpend(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "d.csv"), []byte("y,x,z\n1,1,3\n2,3,1\n2,2,2\n4,5,9\n"), 0o600))
	p, err := spec.Parse("s.yaml", []byte(spendSpec), spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
	must(t, err)
	for name, order := range map[string][]string{"a before b": {"none", "a", "b"}, "none last": {"b", "a", "none"}} {
		r := &Reader{Pipeline: p}
		err = r.Units(t.Context(), func(u *Unit) error {
			fits, made := Fits(p, Choice{}, u), map[string]*Fit{}
			for _, f := range fits {
				made[f.Model.Name] = f
			}
			u.Spend(fits)
			bytes := u.Bytes()
			for i, model := range order {
				if cols := u.table.Data.NumCols(); cols != 3 {
					t.Errorf("%s: %d columns before %s", name, cols, model)
				}
				if _, err := NewProblem(made[model]); (err != nil) != (model == "none") {
					t.Errorf("%s: %s: %v", name, model, err)
				}
				if held := len(u.awaited) > 0; held != (i < 2) {
					t.Errorf("%s: after %s the table is held: %v", name, model, held)
				}
			}
			if _, err := NewProblem(fits[1]); err != nil { // another sampler of a model that has its design
				t.Error(err)
			}
			if u.Bytes() != bytes {
				t.Errorf("%s: %d bytes, before the designs %d", name, u.Bytes(), bytes)
			}
			if order[2] == "b" && u.table.Data.NumCols() != 0 {
				t.Errorf("%s: %d columns are left", name, u.table.Data.NumCols())
			}
			return u.Err
		})
		must(t, err)
	}
}

// The columns of a wide table go in a few groups: one at a time, 7130 columns took eight seconds.
func TestSpendInGroups(t *testing.T) {
	const columns = 160
	var fields []arrow.Field
	var data []arrow.Column
	for j := range columns {
		f := arrow.Field{Name: fmt.Sprint("x", j), Type: arrow.PrimitiveTypes.Float64}
		empty := arrow.NewChunked(f.Type, nil)
		fields, data = append(fields, f), append(data, *arrow.NewColumn(f, empty))
	}
	m := &spec.Model{Name: "m"}
	u := &Unit{
		contents: contents{table: &ingest.Table{Data: array.NewTable(arrow.NewSchema(fields, nil), data, 0)}},
		makings: makings{awaited: map[*spec.Model]bool{m: true},
			designs: map[*spec.Model]*design{m: {reads: make([]string, columns)}}},
	}
	groups := 0
	for j := range columns {
		before := u.table.Data
		u.readLast(m, fields[j].Name)
		if u.table.Data != before {
			groups++
		}
		if left := int(u.table.Data.NumCols()); left > columns-j-1+columns/dropShare {
			t.Fatalf("%d columns are left after %d were read", left, j+1)
		}
	}
	if left := u.table.Data.NumCols(); groups > dropShare || left != 0 {
		t.Errorf("%d columns went in %d groups, want %d in all; %d are left", columns, groups, dropShare, left)
	}
}
