package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	matrix "glmbatch/infer/design"
	"glmbatch/infer/nuts"
	"glmbatch/pipelines/internal/spec"
)

// The remedy of a hint works, and the smallest limit leaves something.
func TestMemoryEstimates(t *testing.T) {
	for _, rows := range []int{10, 1000, 1_000_000, 5_000_000} {
		for _, columns := range []int{1, 20, 100_000} {
			small := Memory{Limit: 128e6, Workers: 2}
			err := small.refuse(needOf(rows, columns))
			if err == nil {
				continue
			}
			_, hint, _ := strings.Cut(err.Error(), "--memory ")
			digits, _, _ := strings.Cut(hint, "MB")
			enough := Memory{Limit: parseInt(t, digits) * 1e6, Workers: 2}
			if err := enough.refuse(needOf(rows, columns)); err != nil {
				t.Errorf("%d × %d: the hint of %s MB would not do: %v", rows, columns, digits, err)
			}
		}
	}
	if none := (Memory{Workers: 2}); none.refuse(needOf(1<<30, 1<<20)) != nil || none.Engine() != "" {
		t.Error("a limit where there is none")
	}
	if least := (Memory{Limit: 128e6, Workers: 2}); least.refuse(needOf(100, 10)) != nil || least.Engine() != "32MB" {
		t.Errorf("the least limit: %v, engine %s", least.refuse(needOf(100, 10)), least.Engine())
	}
}

// needOf is that of a regression on a dense design, with four chains on two workers.
func needOf(rows, columns int) Need {
	entries := int64(rows) * int64(columns)
	return Need{Bytes: need(entries, rows, columns, 4, 2) + 8*entries}
}

func parseInt(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	must(t, err)
	return n
}

// sparseSpec has a factor of as many levels as rows, dense and sparse, and a small unit.
const sparseSpec = `
pipeline: sparse
database: none.duckdb
datasets: {d: {path: levels.csv}}
models:
  dense: {formula: y ~ g, family: bernoulli}
  sparse: {formula: y ~ g, family: bernoulli, sparse: true, prior: {intercept: {prior: "normal(0, 10)", at: zero}}}
samplers: {auto: {method: auto}, rotated: {method: cggibbs, basis: rotated}, coordinate: {method: cggibbs}, nuts: {method: nuts, metric: dense}}
run: {workers: 2}
`

// levelled reads the fits of sparseSpec on n rows with as many levels, within a limit.
func levelled(t *testing.T, n int, limit spec.Bytes) map[string]*Fit {
	t.Helper()
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("y,g\n")
	for i := range n {
		fmt.Fprintf(&b, "%d,L%d\n", i%2, i)
	}
	must(t, os.WriteFile(filepath.Join(dir, "levels.csv"), []byte(b.String()), 0o600))
	p, err := spec.Parse("s.yaml", []byte(sparseSpec), spec.Options{Dir: dir, Today: time.Now(), Env: os.LookupEnv})
	must(t, err)
	p.Run.Memory = limit
	out := map[string]*Fit{}
	r := &Reader{Pipeline: p}
	err = r.Units(t.Context(), func(u *Unit) error {
		for _, f := range Fits(p, Choice{}, u) {
			out[f.Model.Name+" "+f.Sampler.Name] = f
		}
		return u.Err
	})
	must(t, err)
	return out
}

// A design is refused before it is made; a sparse one is not, but what would make it dense is: by the name of its
// method before the set-up, or in it where auto chooses.
func TestFitsWithinMemory(t *testing.T) {
	fits := levelled(t, 3000, 256e6) // 72 MB dense; fits get 125 MB
	for name, want := range map[string]string{
		"dense auto": `column "g": its 3000 levels make 2999 of the 3000 columns of the design: 3000 rows × 3000 columns ` +
			"with 4 chains need about 237 MB, and the run may take 256 MB, of which fits get 125 MB\nhint: write sparse: true, ",
		"sparse rotated":    "name another basis, which keeps the design sparse",
		"sparse nuts":       "take metric: diagonal or low_rank",
		"sparse coordinate": "",
		"sparse auto":       "",
	} {
		p, err := NewProblem(fits[name])
		if err == nil {
			_, err = Identify(fits[name], p, MemoryOf(fits[name].Pipeline))
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
	err := withinMemory(func() error {
		x := fits["sparse auto"].Unit.of(fits["sparse auto"].Model).Data.X
		matrix.ToDense(x)
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "the sparse design of 3000 rows × 3000 columns dense: 72 MB, and it may take 62 MB\nhint: ") {
		t.Errorf("a dense copy: %v", err)
	}
	if free := levelled(t, 3000, 0); free["dense auto"] == nil {
		t.Error("no fits")
	} else if _, err := NewProblem(free["dense auto"]); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

// The reservation of a unit in the admission counts the columns that its levels make, before they are made.
func TestWeightCountsLevels(t *testing.T) {
	fits := levelled(t, 1000, 1e9)
	f := fits["dense auto"]
	m := MemoryOf(f.Pipeline)
	one, two := m.Weight(f.Unit, []*Fit{f}), m.Weight(f.Unit, []*Fit{f, fits["dense coordinate"]})
	if want := need(1e6, 1000, 1000, 4, 2); one < want || one > want+100_000 || two < 2*want {
		t.Errorf("a unit of 1000 × 1000 weighs %d, and %d with two fits; one needs %d", one, two, want)
	}
	if sparse := m.Weight(f.Unit, []*Fit{fits["sparse auto"]}); sparse > one-15_000_000 {
		t.Errorf("sparse it weighs %d, dense %d", sparse, one)
	}
}

// The memory of methods beyond the design and its copy.
func TestWork(t *testing.T) {
	sparse := matrix.NewSparse(2000, 3000, 0)
	for range 3000 {
		sparse.Append([]int32{1}, []float64{1})
	}
	tall := matrix.NewDense(3000, 100)
	for name, c := range map[string]struct {
		s    sampler
		x    matrix.Matrix
		want int64
	}{
		"conjugate, sparse": {sampler{Method: Method{Method: spec.Conjugate}}, sparse, 8 * (3*2000*3000 + 3*2000*2000 - 2*3000)},
		"conjugate, tall":   {sampler{Method: Method{Method: spec.Conjugate}}, tall, 0},
		"another":           {sampler{Method: Method{Method: spec.Prior}}, sparse, 0},
		"dense metric":      {sampler{Method: Method{Method: spec.NUTS, Trajectories: &Trajectories{Options: nuts.Options{Metric: "dense"}}}}, tall, 8 * 4 * 4 * 100 * 100},
	} {
		if got := c.s.work(c.x, Need{}, 100, 4); got.Bytes != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got.Bytes, c.want)
		}
	}
}
