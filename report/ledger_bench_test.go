package report

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"path/filepath"
	"syscall"
	"testing"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

// The chains and draws of a large fit.
const (
	layoutChains = 4
	layoutDraws  = 1000
)

// layoutColumns makes the draws of parameters first … first+params−1.
func layoutColumns(first, params, draws int) *infer.Columns {
	c := &infer.Columns{First: first, Params: params, Chains: layoutChains, Draws: draws,
		Values: make([]float64, params*layoutChains*draws)}
	for p := range params {
		r := rand.New(rand.NewPCG(1, uint64(first+p)))
		mean, sd := r.NormFloat64(), r.ExpFloat64()
		for i := range layoutChains * draws {
			c.Values[p*layoutChains*draws+i] = mean + sd*r.NormFloat64()
		}
	}
	return c
}

// benchFit is a complete fit with draws from a few columns made beforehand.
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

// nightFits are fits such as a run has by the hundred: 200 × 6, 4 × 250 draws after 250, with all their parts.
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

// BenchmarkNight measures the cost of a small fit in a transaction of many fits, in a new ledger.
func BenchmarkNight(b *testing.B) {
	for _, at := range []int{1, 100, 200, 500} {
		b.Run(fmt.Sprintf("together=%d", at), func(b *testing.B) {
			l, err := Open(filepath.Join(b.TempDir(), "l.duckdb"), Options{})
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

// cpuSeconds is the processor time that this process has used, which says
// more than the clock on a machine that others use too.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
}
