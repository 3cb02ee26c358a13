package report

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"
	"time"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report/judge"
)

var night = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// draws yields a fit's columns: parameter p, chain c, draw i holds
// 1000p + 10c + i/1000 + 0.5.
func draws(params, chains, n, block int) iter.Seq2[*infer.Columns, error] {
	return func(yield func(*infer.Columns, error) bool) {
		var buf []float64 // reused, as the contract allows
		for first := 0; first < params; first += block {
			c := &infer.Columns{First: first, Params: min(block, params-first), Chains: chains, Draws: n}
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
		Key: Key{Dataset: "pima", Group: "", Model: "diabetes", Sampler: "gibbs"}, Fingerprint: fingerprint, RunID: "r1",
		Pipeline: "quickstart",
		Method:   "cggibbs", Family: "bernoulli", Link: "logit", Formula: "type ~ .", Rows: 200, Columns: params,
		Chains: chains, Draws: n, Iterations: 2 * n, DataHash: "d", ModelHash: "m",
		AlgorithmVersions: map[string]string{"cggibbs": "1"}, Starts: []string{"t3", "t3", "t3", "prior"},
		Status: Complete, Verdict: judge.Verdict{Grade: judge.Warn, Reasons: []string{"a reason; it's quoted"}},
		Gates: plainGates(), Warnings: []string{"w"}, Created: night, Place: 1,
		Times:   Times{Setup: 1, Warmup: 2, Sampling: 3, Wall: 4},
		DrawsOf: draws(params, chains, n, 2),
		Design:  []byte(`{"version":1}`),
		Events:  []Event{{At: night, Level: "info", Message: "hello"}},
	}
	for p := range params {
		name := []string{"(Intercept)", "glu", "a b", `"'; DROP TABLE fit; --`, "größe"}[p]
		f.Parameters = append(f.Parameters, Parameter{Name: name, Kind: infer.Coefficient, Prior: "normal(0, 10)", Scale: 2,
			Starts: []float64{1, 2, 3, 4}})
		f.Summaries = append(f.Summaries, diag.Summary{Mean: float64(p), SD: 1, MCSEMean: 0.05, MCSESD: 0.05, RHat: 1,
			ESSBulk: 400, ESSTail: 400})
	}
	f.Statistics = []judge.Statistic{{Name: "log_lik",
		Summary: diag.Summary{Mean: -100, SD: 1, MCSEMean: .1, MCSESD: .1, RHat: 1, ESSBulk: 300, ESSTail: 300}}}
	f.Diagnostics = []Diagnostic{{Name: "rank", Chain: -1, Value: 5}}
	f.StatsOf = func(yield func(*infer.Iterations, error) bool) {
		for c := range chains {
			if !yield(&infer.Iterations{Chain: c, First: 1, Infos: make([]infer.Info, n)}, nil) {
				return
			}
		}
	}
	return f
}

func open(t *testing.T, opts Options) *Ledger {
	t.Helper()
	if opts.Threads == 0 {
		opts.Threads = 1 // starting threads is most of the cost of a small test
	}
	l, err := Open(filepath.Join(t.TempDir(), "ledger.duckdb"), opts)
	must(t, err)
	return l
}

// emptyLedger is the file of a ledger without fits: making one costs as much as most
// tests, and copying it nothing.
var emptyLedger = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "ledger-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	l, err := Open(filepath.Join(dir, "empty.duckdb"), Options{Threads: 1})
	if err != nil {
		return nil, err
	}
	if err := l.Write(context.Background(), func(*Session) error { return nil }); err != nil {
		return nil, err
	}
	return os.ReadFile(l.path)
})

var sampledFile struct {
	once sync.Once
	file []byte
}

// sampled returns a ledger with sampleFit("f1"), a copy of a file that is made once.
func sampled(t *testing.T) *Ledger {
	t.Helper()
	l := open(t, Options{})
	sampledFile.once.Do(func() {
		store(t, l, sampleFit("f1"))
		file, err := os.ReadFile(l.path)
		must(t, err)
		sampledFile.file = file
	})
	must(t, os.WriteFile(l.path, sampledFile.file, 0o600))
	l.trusted.Store(true)
	return l
}

func store(t *testing.T, l *Ledger, fits ...*Fit) {
	t.Helper()
	if _, err := os.Stat(l.path); errors.Is(err, os.ErrNotExist) {
		empty, err := emptyLedger()
		must(t, err)
		must(t, os.WriteFile(l.path, empty, 0o600))
		l.trusted.Store(true)
	}
	must(t, l.Write(context.Background(), func(s *Session) error {
		for _, f := range fits {
			if _, err := s.Fit(context.Background(), f); err != nil {
				return err
			}
		}
		return nil
	}))
}

// one runs SQL that gives one row and scans it.
func one(t *testing.T, l *Ledger, query string, into ...any) {
	t.Helper()
	must(t, l.read(context.Background(), func(c *sql.Conn) error {
		return c.QueryRowContext(context.Background(), query).Scan(into...)
	}))
}

// wantInt checks a query that gives one number.
func wantInt(t *testing.T, l *Ledger, want int, query string) {
	t.Helper()
	var got int
	one(t, l, query, &got)
	if got != want {
		t.Errorf("%s: %d, want %d", query, got, want)
	}
}

// TestDraws stores draws whose value follows from their place, in blocks and
// threads of several shapes, and looks at every row.
func TestDraws(t *testing.T) {
	for _, shape := range []struct{ params, chains, draws, block, threads int }{
		{1, 1, 1, 1, 1}, {5, 4, 100, 2, 2}, {7, 3, 2048, 7, 2}, {3, 2, 5000, 1, 2}, {300, 4, 130, 16, 2}, {300, 4, 900, 7, 2},
		{40, 4, 2049, 3, 1},
		{2, 3, pieceDraws - 1, 2, 1}, {3, 2, pieceDraws, 2, 1}, {2, 2, pieceDraws + 1, 1, 1}, // one piece a chain, or two
		{2, 1, 16_384, 2, 1}, {2, 2, 16_385, 1, 1}, {1, 2, 40_000, 1, 2},
		{2100, 1, 1, 2100, 1}, {3, 1500, 2, 2, 1}, {1, 1, 600_000, 1, 1}, // more pieces than a chunk has rows
	} {
		t.Run(fmt.Sprintf("%+v", shape), func(t *testing.T) {
			l := open(t, Options{Threads: shape.threads})
			f := &Fit{Key: Key{Dataset: "d", Group: "", Model: "m", Sampler: "s"}, Fingerprint: "f", Status: Complete,
				Chains: shape.chains, Draws: shape.draws,
				Parameters: make([]Parameter, shape.params), DrawsOf: draws(shape.params, shape.chains, shape.draws, shape.block)}
			store(t, l, f)
			n := shape.params * shape.chains * shape.draws
			wantInt(t, l, n, `SELECT count(*) FROM draw WHERE fit_id = 1
				AND value = 1000.0::DOUBLE * (parameter_id - 1) + 10.0::DOUBLE * (chain - 1) + (iteration - 1)::DOUBLE / 1000 + 0.5`)
			wantInt(t, l, n, `SELECT count(DISTINCT (parameter_id, chain, iteration)) FROM draw
				WHERE parameter_id BETWEEN 1 AND `+fmt.Sprint(shape.params)+` AND chain BETWEEN 1 AND `+fmt.Sprint(shape.chains)+
				` AND iteration BETWEEN 1 AND `+fmt.Sprint(shape.draws))
		})
	}
}

// A shape whose numbers do not fit the columns is an error, before the engine sees it.
func TestImpossibleShape(t *testing.T) {
	l := open(t, Options{})
	err := l.Write(context.Background(), func(s *Session) error {
		return s.insertDraws(context.Background(), []*incoming{{id: 1,
			drawShape: drawShape{params: 1 << 40, chains: 1 << 10, draws: 1 << 30}}})
	})
	var shape *ShapeError
	if !errors.As(err, &shape) {
		t.Errorf("2⁴⁰ parameters × 2¹⁰ chains × 2³⁰ draws: %v", err)
	}
}

func TestSpecialValues(t *testing.T) {
	l := open(t, Options{})
	values := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), math.SmallestNonzeroFloat64,
		math.MaxFloat64}
	f := &Fit{Key: Key{Dataset: "d", Group: "", Model: "m", Sampler: "s"}, Fingerprint: "f", Status: Complete, Chains: 1,
		Draws: len(values), Parameters: make([]Parameter, 1),
		DrawsOf: func(yield func(*infer.Columns, error) bool) {
			yield(&infer.Columns{First: 0, Params: 1, Chains: 1, Draws: len(values), Values: values}, nil)
		}}
	store(t, l, f)
	for i, want := range values {
		var got float64
		one(t, l, fmt.Sprintf("SELECT value FROM draw WHERE iteration = %d", i+1), &got)
		if math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
			t.Errorf("draw %d is %v, want %v", i+1, got, want)
		}
	}
}

func TestStoredAgain(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	if got, err := l.Stored(ctx, []string{"f1"}); err != nil || len(got) != 0 {
		t.Fatalf("without a file: %v, %v", got, err)
	}
	f, bad := sampleFit("f1"), sampleFit("f2")
	bad.Status, bad.DrawsOf, bad.StatsOf, bad.Summaries, bad.Statistics, bad.Error = Erred, nil, nil, nil, nil,
		"no such file"
	f.Summaries[2].RHat, f.Summaries[2].Reason = math.NaN(), "constant"
	f.StatsOf = func(yield func(*infer.Iterations,
		error) bool) { // two warm-up iterations, both divergent; one of the kept is
		yield(&infer.Iterations{Chain: 1, First: -1,
			Infos: []infer.Info{{Divergent: true}, {Divergent: true}, {Divergent: true}, {LogLik: -3}}}, nil)
	}
	store(t, l, f, bad)
	got, err := l.Stored(ctx, []string{"f1", "f2", "it's none"})
	must(t, err)
	gates := plainGates()
	want := map[string]Stored{"f1": {ID: 1, RunID: f.RunID, Pipeline: f.Pipeline, Key: f.Key, Replicate: 1,
		Fingerprint: "f1", Question: "f1",
		Status: Complete, Verdict: f.Verdict, Gates: &gates, Warnings: f.Warnings,
		Method: f.Method, Family: f.Family, Link: f.Link, Formula: f.Formula, DataHash: f.DataHash, ModelHash: f.ModelHash,
		Rows: f.Rows, Columns: f.Columns, Chains: f.Chains, Draws: f.Draws, Parameters: len(f.Parameters), Kept: true,
		Seconds: 6, SetupSeconds: 1, WarmupSeconds: 2, SamplingSeconds: 3, Wall: 4, Created: f.Created}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("stored\n%+v, want\n%+v", got, want)
	}
	if all, err := l.Stored(ctx, nil); err != nil || !reflect.DeepEqual(all, want) {
		t.Errorf("all that is stored: %+v, %v", all, err)
	}
	e, err := l.Evidence(ctx, "f1")
	must(t, err)
	if !math.IsNaN(e.Summaries[2].RHat) || e.Summaries[2].Reason != "constant" {
		t.Errorf("a NaN came back as %v (%q)", e.Summaries[2].RHat, e.Summaries[2].Reason)
	}
	e.Summaries[2] = f.Summaries[2] // NaN is unequal to itself
	f.Summaries[2].RHat, e.Summaries[2].RHat = 0, 0
	names := []string{"(Intercept)", "glu", "a b", `"'; DROP TABLE fit; --`, "größe"}
	if !reflect.DeepEqual(e, judge.Evidence{Names: names, Families: make([]string, len(names)), Summaries: f.Summaries,
		Statistics: f.Statistics, Divergences: 1, Warnings: f.Warnings}) {
		t.Errorf("evidence %+v", e)
	}
	wantInt(t, l, 1, `SELECT count(*) FROM summary WHERE rhat IS NULL AND reason = 'constant'`)
	wantInt(t, l, 1, `SELECT count(*) FROM fit WHERE fit_id = 2 AND status = 'error' AND error = 'no such file'`)
	wantInt(t, l, 1, `SELECT count(*) FROM run_fit WHERE fit_id = 2 AND action = 'error'`)
	wantInt(t, l, 2, `SELECT count(*) FROM chain WHERE warmup AND iteration IN (-1, 0) AND chain = 2`)
	wantInt(t, l, 1, `SELECT count(*) FROM chain WHERE NOT warmup AND iteration = 2 AND log_lik = -3`)
	wantInt(t, l, 1, `SELECT count(*) FROM design WHERE fit_id = 1 AND (record->>'version')::INT = 1`)
	wantInt(t, l, 5, `SELECT count(*) FROM parameter WHERE fit_id = 1 AND starts = [1, 2, 3, 4] AND prior = 'normal(0, 10)' AND scale = 2`)
}

func TestRejudge(t *testing.T) {
	l, ctx := sampled(t), context.Background()
	later, gates := night.Add(time.Hour), plainGates()
	gates.RHat.Fail, gates.ESSBulk.Fail = judge.At(1.05), judge.Limit{}
	must(t, l.Write(ctx, func(s *Session) error {
		return s.Rejudge(ctx, "f1", gates, judge.Verdict{Grade: judge.Fail, Reasons: []string{"why"}}, later)
	}))
	got, err := l.Stored(ctx, []string{"f1"})
	must(t, err)
	if f := got["f1"]; f.Verdict.Grade != judge.Fail || f.Verdict.Reasons[0] != "why" || *f.Gates != gates {
		t.Errorf("after rejudging: %+v", f)
	}
	err = l.Write(ctx, func(s *Session) error { return s.Rejudge(ctx, "other", judge.Gates{}, judge.Verdict{}, later) })
	if err == nil {
		t.Error("rejudged a fit that is not there")
	}
}

func TestRunRecord(t *testing.T) {
	l, ctx := open(t, Options{}), context.Background()
	r := &Run{ID: "r1", Pipeline: "p", Vars: map[string]string{"night": "x'y"}, Seed: math.MaxUint64, Started: night}
	must(t, l.Write(ctx, func(s *Session) error {
		if err := s.Run(ctx, r); err != nil {
			return err
		}
		if err := s.RunFits(ctx, []*RunFit{{Key: Key{Dataset: "d", Group: "", Model: "m", Sampler: "s"}, RunID: "r1",
			Action: Uncommitted, At: night}}); err != nil {
			return err
		}
		return inTransaction(ctx, s.c, func() error {
			return s.insertEvents("r1", 0, []Event{{At: night, Level: "warn", Message: "disk is slow"}})
		})
	}))
	wantInt(t, l, 1, `SELECT count(*) FROM run WHERE finished IS NULL AND exit_code IS NULL`)
	r.Finished, r.ExitCode = night.Add(time.Minute), 3
	must(t, l.Write(ctx, func(s *Session) error { return s.Run(ctx, r) }))
	wantInt(t, l, 1, `SELECT count(*) FROM run WHERE exit_code = 3 AND finished - started = INTERVAL 1 MINUTE
		AND seed = 18446744073709551615 AND (vars->>'night') = 'x''y' AND engine LIKE 'duckdb v%'`)
	wantInt(t, l, 1, `SELECT count(*) FROM run_fit WHERE action = 'uncommitted' AND fit_id IS NULL`)
	wantInt(t, l, 1, `SELECT count(*) FROM event WHERE message = 'disk is slow'`)
}

// TestComments holds that everything in the ledger explains itself.
func TestComments(t *testing.T) {
	l := sampled(t)
	wantInt(t, l, 0, `SELECT count(*) FROM duckdb_tables() WHERE comment IS NULL`)
	wantInt(t, l, 0, `SELECT count(*) FROM duckdb_views() WHERE NOT internal AND comment IS NULL`)
	wantInt(t, l, 0, `SELECT count(*) FROM duckdb_columns() WHERE NOT internal AND comment IS NULL
		AND table_name IN (SELECT table_name FROM duckdb_tables()) AND table_name <> 'schema_version'`)
}

// An error takes the place of an earlier error under its fingerprint and of nothing that was drawn; a complete fit takes
// the place of all.
func TestAnErrorReplacesNoFit(t *testing.T) {
	l := open(t, Options{})
	erred := func() *Fit {
		f := sampleFit("f")
		f.Status, f.DrawsOf, f.StatsOf, f.Summaries, f.Statistics, f.Error = Erred, nil, nil, nil, nil, "no such level"
		return f
	}
	counts := func(what string, complete, errors int) {
		t.Helper()
		wantInt(t, l, complete, "SELECT count(*) FROM fit WHERE status = 'complete'")
		wantInt(t, l, errors, "SELECT count(*) FROM fit WHERE status <> 'complete'")
		if t.Failed() {
			t.Fatal(what)
		}
	}
	store(t, l, sampleFit("f"))
	draws := textRows(t, l, "SELECT count(*) FROM draws")
	store(t, l, erred())
	counts("an error after a fit", 1, 1)
	if got := textRows(t, l, "SELECT count(*) FROM draws"); fmt.Sprint(got) != fmt.Sprint(draws) {
		t.Errorf("%v draws are left of %v", got, draws)
	}
	store(t, l, erred())
	counts("another error", 1, 1)
	store(t, l, sampleFit("f"))
	counts("a fit after errors", 1, 0)
}

// plainGates are the default gates without those of drift, which stored ledgers of older versions do not have.
func plainGates() judge.Gates {
	g := judge.Defaults()
	g.Drift = judge.DriftGates{}
	return g
}
