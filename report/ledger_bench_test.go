package report

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// benchFit is a complete fit of the layout benchmark's shape, with draws from
// a few columns made beforehand.
func benchFit(params, draws, block int) *Fit {
	f := &Fit{Key: Key{Dataset: "d", Group: "", Model: "m", Sampler: "s"}, Fingerprint: "f", RunID: "r",
		Chains: layoutChains, Draws: draws,
		Status: Complete, Verdict: judge.Verdict{Grade: judge.Pass}, Created: night}
	f.Parameters = make([]Parameter, params)
	f.Summaries = make([]diag.Summary, params)
	for i := range f.Parameters {
		f.Parameters[i] = Parameter{Name: fmt.Sprint("x", i), Kind: infer.Coefficient, Scale: 1,
			Starts: make([]float64, layoutChains)}
	}
	f.DrawsOf = benchDraws(params, draws, block)
	f.StatsOf = func(yield func(*infer.Iterations, error) bool) {
		for c := range layoutChains {
			if !yield(&infer.Iterations{Chain: c, First: 1, Infos: make([]infer.Info, draws)}, nil) {
				return
			}
		}
	}
	return f
}

func benchDraws(params, draws, block int) iter.Seq2[*infer.Columns, error] {
	made := layoutColumns(0, min(params, 64), draws).Values
	return func(yield func(*infer.Columns, error) bool) {
		values := make([]float64, 0, block*layoutChains*draws)
		for first := 0; first < params; first += block {
			c := &infer.Columns{First: first, Params: min(block, params-first), Chains: layoutChains, Draws: draws}
			values = values[:0]
			for len(values) < c.Params*c.Chains*draws {
				values = append(values, made[:min(len(made), c.Params*c.Chains*draws-len(values))]...)
			}
			c.Values = values
			if !yield(c, nil) {
				return
			}
		}
	}
}

// BenchmarkCommit measures Ledger.Write of one fit, from opening a new file to
// closing it.
func BenchmarkCommit(b *testing.B) {
	for _, params := range []int{10, 1000, layoutParams(b)} {
		for _, block := range []int{16, 64, 256} {
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("params=%d/draws=%d/block=%d/threads=%d", params, layoutDraws, block, threads),
					func(b *testing.B) {
						f := benchFit(params, layoutDraws, block)
						before, cpu := resetPeak(b), cpuSeconds(b)
						for i := 0; b.Loop(); i++ {
							path := filepath.Join(b.TempDir(), fmt.Sprint(i, ".duckdb"))
							l, err := Open(path, Options{Threads: threads, MemoryLimit: os.Getenv("GLMBATCH_MEMORY")})
							must(b, err)
							must(b, l.Write(context.Background(), func(s *Session) error {
								_, err := s.Fit(context.Background(), f)
								return err
							}))
							info, err := os.Stat(path)
							must(b, err)
							b.ReportMetric(float64(info.Size())/1e6, "file-MB")
							must(b, os.Remove(path))
						}
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*params*layoutChains*layoutDraws), "ns/value")
						b.ReportMetric((cpuSeconds(b)-cpu)*1e9/float64(b.N*params*layoutChains*layoutDraws), "cpu-ns/value")
						b.ReportMetric(float64(peak(b)-before)/1e6, "memory-MB")
					})
			}
		}
	}
}

// BenchmarkSmallFits measures fits of 10 parameters × 4 × 1000 draws into one
// growing ledger: so many at a time, or each with a Write of its own.
func BenchmarkSmallFits(b *testing.B) {
	for _, at := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("together=%d", at), func(b *testing.B) {
			l, err := Open(filepath.Join(b.TempDir(), "l.duckdb"), Options{Threads: layoutThreads()})
			must(b, err)
			n, ctx, cpu := 0, context.Background(), cpuSeconds(b)
			for b.Loop() {
				fits := make([]*Fit, at)
				for i := range fits {
					f := benchFit(10, layoutDraws, 10)
					f.Fingerprint, f.Group = fmt.Sprint("f", n), fmt.Sprint("g", n)
					fits[i] = f
					n++
				}
				must(b, l.Write(ctx, joined(ctx, fits)))
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "fits/s")
			b.ReportMetric((cpuSeconds(b)-cpu)*1e3/float64(n), "cpu-ms/fit")
		})
	}
}

// nightFits are fits such as a night has by the hundred: 200 × 6, 4 × 250 draws after 250, with all that goes beside.
func nightFits(n, from int) []*Fit {
	const params, draws = 6, 250
	infos := make([]infer.Info, 2*draws)
	for i := range infos {
		x := math.Sin(float64(i))
		infos[i] = infer.Info{LogLik: -100 + x, LogPrior: -5 + x/7, Evaluations: int64(20 + i%7), Touched: int64(200 * (20 + i%7)),
			Accept: 0.8 + x/9}
	}
	fits := make([]*Fit, n)
	for i := range fits {
		f := benchFit(params, draws, params)
		f.Fingerprint, f.Group = fmt.Sprint("f", from+i), fmt.Sprint("g", from+i)
		f.Pipeline, f.Method, f.Family, f.Link, f.Formula = "night", "cggibbs", "bernoulli", "logit", "y ~ ."
		f.Place, f.Rows, f.Columns, f.Warmup, f.Iterations, f.Gates = 1, 200, params, draws, 2*draws, plainGates()
		f.Design, f.Identity = []byte(`{"version": 1, "terms": []}`), []byte(`{"seed": 1}`)
		f.Starts = []string{"t3", "t3", "t3", "prior"}
		f.Data = &DataSummary{Columns: make([]ColumnSummary, params)}
		f.Statistics = []judge.Statistic{{Name: "log_lik"}, {Name: "log_z"}}
		for j := range 16 {
			f.Diagnostics = append(f.Diagnostics, Diagnostic{Name: fmt.Sprint("d", j), Chain: j%5 - 1, Value: 1})
		}
		f.StatsOf = func(yield func(*infer.Iterations, error) bool) {
			for c := range layoutChains {
				if !yield(&infer.Iterations{Chain: c, First: 1 - draws, Infos: infos}, nil) {
					return
				}
			}
		}
		fits[i] = f
	}
	return fits
}

// BenchmarkNight measures what a small fit costs of a transaction of so many, in a new ledger.
func BenchmarkNight(b *testing.B) {
	for _, at := range []int{1, 100, 200, 500} {
		b.Run(fmt.Sprintf("together=%d", at), func(b *testing.B) {
			l, err := Open(filepath.Join(b.TempDir(), "l.duckdb"), Options{Threads: layoutThreads()})
			must(b, err)
			must(b, l.Write(b.Context(), func(*Session) error { return nil }))
			n, cpu := 0, cpuSeconds(b)
			for b.Loop() {
				must(b, l.Write(b.Context(), joined(b.Context(), nightFits(at, n))))
				n += at
			}
			b.ReportMetric((cpuSeconds(b)-cpu)*1e3/float64(n), "cpu-ms/fit")
		})
	}
}

// BenchmarkOpen measures opening, checkpointing and closing a ledger with
// nothing to write.
func BenchmarkOpen(b *testing.B) {
	l, err := Open(filepath.Join(b.TempDir(), "l.duckdb"), Options{Threads: layoutThreads()})
	must(b, err)
	for b.Loop() {
		must(b, l.Write(context.Background(), func(*Session) error { return nil }))
	}
}
