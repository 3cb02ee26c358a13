package report

import (
	"context"
	"iter"
	"path/filepath"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
)

var night = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// draws yields a fit's columns: parameter p, chain c, draw i holds
// 1000p + 10c + i/1000 + 0.5.
func draws(params, chains, n, block int) iter.Seq2[*Columns, error] {
	return func(yield func(*Columns, error) bool) {
		var buf []float64 // reused, as the contract allows
		for first := 0; first < params; first += block {
			c := &Columns{First: first, Params: min(block, params-first), Chains: chains, Draws: n}
			buf = buf[:0]
			for p := range c.Params {
				for ch := range chains {
					for i := range n {
						buf = append(buf, 1000*float64(first+p)+10*float64(ch)+float64(i)/1000+0.5)
					}
				}
			}
			c.Values = buf
			if !yield(c, nil) {
				return
			}
		}
	}
}

// sampleFit is a small complete fit.
func sampleFit(fingerprint string) *Fit {
	const params, chains, n = 5, 4, 100
	f := &Fit{
		Key: Key{"pima", "", "diabetes", "gibbs"}, Fingerprint: fingerprint, RunID: "r1", Pipeline: "quickstart",
		Method: "cggibbs", Family: "bernoulli", Link: "logit", Formula: "type ~ .", Rows: 200, Columns: params,
		Chains: chains, Draws: n, Iterations: 2 * n, DataHash: "d", ModelHash: "m",
		AlgorithmVersions: map[string]string{"cggibbs": "1"}, Starts: []string{"t3", "t3", "t3", "prior"},
		Status: Complete, Verdict: Verdict{Warn, []string{"a reason; it's quoted"}}, Warnings: []string{"w"}, Created: night,
		Times:   Times{Setup: 1, Warmup: 2, Sampling: 3, Wall: 4},
		DrawsOf: draws(params, chains, n, 2),
		Design:  []byte(`{"version":1}`),
		Events:  []Event{{night, "info", "hello"}},
	}
	for p := range params {
		name := []string{"(Intercept)", "glu", "a b", `"'; DROP TABLE fit; --`, "größe"}[p]
		f.Parameters = append(f.Parameters, Parameter{Name: name, Kind: infer.Coefficient, Prior: "normal(0, 10)", Scale: 2, Starts: []float64{1, 2, 3, 4}})
		f.Summaries = append(f.Summaries, diag.Summary{Mean: float64(p), SD: 1, MCSEMean: 0.05, MCSESD: 0.05, RHat: 1, ESSBulk: 400, ESSTail: 400})
	}
	f.Statistics = []Statistic{{"log_lik", diag.Summary{Mean: -100, SD: 1, MCSEMean: .1, MCSESD: .1, RHat: 1, ESSBulk: 300, ESSTail: 300}}}
	f.Diagnostics = []Diagnostic{{Name: "rank", Chain: -1, Value: 5}}
	f.StatsOf = func(yield func(*Stats, error) bool) {
		for c := range chains {
			if !yield(&Stats{Chain: c, First: 1, Infos: make([]infer.Info, n)}, nil) {
				return
			}
		}
	}
	return f
}

func open(t *testing.T, opts Options) *Ledger {
	t.Helper()
	l, err := Open(filepath.Join(t.TempDir(), "ledger.duckdb"), opts)
	must(t, err)
	return l
}

func store(t *testing.T, l *Ledger, fits ...*Fit) {
	t.Helper()
	must(t, l.Write(context.Background(), func(s *Session) error {
		for _, f := range fits {
			if _, err := s.Fit(context.Background(), f); err != nil {
				return err
			}
		}
		return nil
	}))
}

func TestStore(t *testing.T) {
	l := open(t, Options{})
	store(t, l, sampleFit("f1"))
	got, err := l.Stored(context.Background(), []string{"f1", "f2"})
	must(t, err)
	t.Log(got)
}
