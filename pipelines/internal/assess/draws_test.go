package assess

import (
	"slices"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/pipelines/internal/plan"
	"glmbatch/pipelines/internal/spool"
	"glmbatch/transform"
)

// linear is a compact sampler of three numbers a row, of which parameter p is
// a + p·w + iteration, key and all.
type linear struct {
	infer.Setup
	dim, calls int
}

func (s *linear) Row() []infer.RowEntry {
	return []infer.RowEntry{{Name: "a", Kind: infer.Sampled}, {Name: "w", Kind: infer.Carried}, {Name: "s", Kind: infer.Statistic}}
}

func (s *linear) Parameters() []infer.Parameter { return make([]infer.Parameter, s.dim) }

func (s *linear) at(row []float64, key uint64, iteration int64, p int) float64 {
	return row[0] + float64(p)*row[1] + float64(iteration) + float64(key)
}

func (s *linear) Expand(dst []float64, stride int, rows []float64, key uint64, iterations []int64, first, last int) {
	s.calls += last - first
	for i, it := range iterations {
		for p := first; p < last; p++ {
			dst[(p-first)*stride+i] = s.at(rows[3*i:3*i+3], key, it, p)
		}
	}
}

// Draws are those of their rows in blocks of any width and order, with rows held in
// memory or read again, and each is made once where the order is free.
func TestDrawsOfRows(t *testing.T) {
	const d, n, chains = 7, 60, 2
	record := &transform.Record{Columns: []transform.Column{{Term: -1, Scale: 1}}}
	for j := range d - 2 {
		record.Columns = append(record.Columns, transform.Column{Term: j, Centre: float64(j) / 3, Scale: float64(j+1) / 7})
	}
	setup := &linear{dim: d}
	f, err := spool.Disk{}.Open(t.TempDir(), spool.Manifest{Fingerprint: "f", Params: 3, Chains: chains, Start: d})
	must(t, err)
	defer f.Close()
	keys, all := []uint64{1000, 5000}, make([][]float64, d+2) // by number, then chain and draw of the window
	w := plan.Window{From: 11, To: n}
	rng := infer.NewStream(1)
	for c, chain := range f.Chains {
		must(t, chain.Begin(make([]float64, d), "", []byte("s"), 0))
		b := infer.NewBlock(c, 0, n, 3)
		for i := range n {
			row, theta := []float64{rng.Float64(), rng.Float64(), rng.Float64()}, make([]float64, d)
			b.Set(i, row, infer.Info{})
			for p := range theta {
				theta[p] = setup.at(row, keys[c], int64(i), p)
			}
			record.ToData(theta)
			for p, v := range append(theta, row[0], row[2]) {
				if i >= w.From {
					all[p] = append(all[p], v)
				}
			}
		}
		must(t, chain.Append(b, []byte("s"), 0))
	}
	for _, limit := range []int{0, 5 * 3 * 8, 1 << 20} {
		for _, width := range []int{0, 1, 3, d, d + 2} {
			one := &Draws{Spool: f, Numbers: NumbersOf(setup, d), compact: setup, keys: keys, record: record, rowBytes: limit}
			bytes := width * 8 * chains * w.Draws()
			setup.calls = 0
			checkDraws(t, all, slices.Collect(blocksOf(t, one.inAnyOrder(d+2, w, bytes))))
			if once := d * chains; limit > 1000 && setup.calls != once {
				t.Errorf("%d columns at once: %d columns were made, want each once: %d", width, setup.calls, once)
			}
			checkDraws(t, all, slices.Collect(blocksOf(t, one.Columns(d+2, w, bytes))))
			other := &Draws{Spool: f, Numbers: NumbersOf(setup, d), compact: setup, keys: keys, record: record, rowBytes: limit}
			checkDraws(t, all[:d], slices.Collect(blocksOf(t, other.Columns(d, w, bytes))))
			checkLater(t, other, all[:d], w, bytes)
			m, err := measure(other, w, 1, bytes)
			if err != nil || len(m.extra) != 2 || m.extra[0].Name != "a" || m.extra[1].Name != "s" ||
				m.extra[1].Summary != summaryOf(all[d+1], chains) {
				t.Errorf("statistics of rows: %+v, %v", m.extra, err)
			}
		}
	}
}

// checkLater compares draws of a later window, those of the second chain, with those of window w.
func checkLater(t *testing.T, draws *Draws, all [][]float64, w plan.Window, bytes int) {
	t.Helper()
	const by = 9
	later := plan.Window{From: w.From + by, To: w.To}
	for block := range blocksOf(t, draws.Columns(len(all), later, bytes)) {
		for p := range block.Params {
			from := (2*p + 1) * later.Draws()
			if !slices.Equal(block.Values[from:from+later.Draws()], all[block.First+p][w.Draws()+by:]) {
				t.Fatalf("number %d of another window is not that of its rows", block.First+p)
			}
		}
	}
}

// summaryOf describes the draws of a number, chain after chain.
func summaryOf(values []float64, chains int) diag.Summary {
	return diag.NewWorkspace().Summarize(slices.Collect(slices.Chunk(values, len(values)/chains)))
}

// blocksOf copies blocks, which are reused.
func blocksOf(t *testing.T, blocks func(func(*infer.Columns, error) bool)) func(func(*infer.Columns) bool) {
	t.Helper()
	return func(yield func(*infer.Columns) bool) {
		for block, err := range blocks {
			must(t, err)
			own := *block
			own.Values = slices.Clone(block.Values)
			if !yield(&own) {
				return
			}
		}
	}
}

func checkDraws(t *testing.T, want [][]float64, blocks []*infer.Columns) {
	t.Helper()
	seen := make([]bool, len(want))
	for _, b := range blocks {
		series := b.Chains * b.Draws
		for p := range b.Params {
			seen[b.First+p] = true
			if !slices.Equal(b.Values[p*series:(p+1)*series], want[b.First+p]) {
				t.Fatalf("number %d, in a block from %d on, is not what its rows say", b.First+p, b.First)
			}
		}
	}
	if slices.Contains(seen, false) {
		t.Fatalf("numbers that were seen: %v", seen)
	}
}

// must ends the test on an error.
func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
