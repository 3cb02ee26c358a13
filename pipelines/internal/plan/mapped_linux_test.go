package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	matrix "glmbatch/infer/design"
	"glmbatch/pipelines/internal/spec"
)

const mappedSpec = `
pipeline: mapped
database: none.duckdb
datasets: {d: {synthetic: {rows: 20000, columns: 6}}}
models:
  m: {formula: y ~ ., family: gaussian}
samplers: {s: {method: cggibbs, basis: rotated}}
run: {workers: 2}
`

// A tall design that takes more than its share lives in a file, with the numbers that it has in the heap, and so does the
// sampler's product of it; the fit needs the memory of its chains alone. When the unit is closed its disk is given back.
func TestMappedDesign(t *testing.T) {
	heap := mappedFit(t, 0, "")
	work := filepath.Join(t.TempDir(), "work")
	for limit, want := range map[spec.Bytes]bool{128e6: true, 200e6: false, 0: false} {
		fit := mappedFit(t, limit, work)
		problem, err := NewProblem(fit)
		must(t, err)
		x := problem.(*Regression).Data.X.(*matrix.Dense)
		if is := x.Place != nil; is != want {
			t.Errorf("within %s the design of %d bytes is in a file: %v", limit, 8*x.Entries(), is)
		}
		plain, err := NewProblem(heap)
		must(t, err)
		if y := plain.(*Regression).Data.X.(*matrix.Dense); !slices.Equal(x.Values, y.Values) {
			t.Errorf("within %s the design has other numbers", limit)
		}
		setup, err := problem.Setup(nil, Schedule{}, nil)
		must(t, err)
		if words := setup.Sampler.(interface{ Explain() string }).Explain(); !strings.HasPrefix(words, "rotated") {
			t.Error(words)
		}
		held, all := problem.Need(4, 2).Bytes, plain.Need(4, 2).Bytes
		if want && held != all-3*8*x.Entries() || !want && held != all {
			t.Errorf("within %s the fit needs %d bytes, without a limit %d", limit, held, all)
		}
		if left, err := os.ReadDir(work); err == nil && len(left) > 0 {
			t.Errorf("files are left in the work folder: %v", left)
		}
		last := x.Values[len(x.Values)-1]
		fit.Unit.Close()
		if now := x.Values[len(x.Values)-1]; want && now != 0 || !want && now != last {
			t.Errorf("within %s: %v is %v after the unit was closed", limit, last, now)
		}
	}
}

// Where no file can be made the fit is refused by the name of its data set, and a sampler's product with it.
func TestMappedDesignWithoutDisk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	_, err := NewProblem(mappedFit(t, 128e6, file))
	for _, want := range []string{`dataset "d"`, "there is no memory for its design: ", file} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	err = withinMemory(func() error {
		(&matrix.Dense{Rows: 2, Cols: 1, Values: []float64{1, 2}, Place: full{}}).ZerosLike()
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "copy of the design: no room\nhint: make room on the disk") {
		t.Errorf("a product without room: %v", err)
	}
}

// full is a place without room.
type full struct{}

func (full) Zeros(int) ([]float64, error) { return nil, fmt.Errorf("no room") }
func (full) Idle(int, int)                {}

// mappedFit reads the fit of mappedSpec within a limit, with files in work.
func mappedFit(t *testing.T, limit spec.Bytes, work string) (fit *Fit) {
	t.Helper()
	p, err := spec.Parse("s.yaml", []byte(mappedSpec), spec.Options{Dir: t.TempDir(), Today: time.Now(), Env: os.LookupEnv})
	must(t, err)
	p.Run.Memory = limit
	r := &Reader{Pipeline: p, Work: work}
	err = r.Units(t.Context(), func(u *Unit) error {
		fit = Fits(p, Choice{}, u)[0]
		return u.Err
	})
	must(t, err)
	return fit
}
