package exchange

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"glmbatch/infer"
	"glmbatch/infer/diag"
	"glmbatch/report"
)

// hostile are names that a careless writer trips over.
var hostile = []infer.Parameter{
	{Name: "(Intercept)", Kind: infer.Intercept}, {Name: `poly(x, 2)"1`, Kind: infer.Coefficient}, {Name: "größe\nzwei", Kind: infer.Coefficient},
	{Name: "beta", Kind: infer.Dispersion}, {Name: "'; DROP TABLE fit; --", Kind: "derived"}, {Name: " padded ", Kind: infer.Coefficient},
}

// sample is three chains of these parameters. The derived one has draws that are
// NaN.
func sample(parameters []infer.Parameter) *Draws {
	stats := func(c int) []infer.Info {
		out := make([]infer.Info, 40)
		for i := range out {
			out[i] = infer.Info{LogLik: -float64(i) / 3, LogPrior: float64(c) / 7, Accept: 0.9, StepSize: 0.25, Depth: 3, Leapfrogs: 7, Divergent: i == 5, Energy: 12.5}
		}
		return out
	}
	return &Draws{
		Title: "a/b", Parameters: parameters, Chains: 3, Count: 40, Warmup: 20, WarmupSeconds: 1.5, SamplingSeconds: 3,
		Chain: func(c int, dst []float64) error {
			for k := range dst {
				dst[k] = value(c, k)
				if parameters[k/40].Kind == "derived" && k%40 == 1 {
					dst[k] = math.NaN()
				}
			}
			return nil
		},
		Stats: func(c int) ([]infer.Info, error) { return stats(c), nil },
	}
}

// value is a number with many digits that belongs to its place alone.
func value(c, k int) float64 { return rand.New(rand.NewPCG(uint64(c), uint64(k))).NormFloat64() * 1e-3 }

// Every layout is read back to the bit, whatever the parameters are called.
func TestRoundTrip(t *testing.T) {
	for _, layout := range []Layout{Parquet, CSV, CmdStan} {
		t.Run(string(layout), func(t *testing.T) {
			d := sample(hostile)
			files, err := Write(layout, t.TempDir(), []string{"a.b", "../c", "d e"}, d)
			must(t, err)
			for _, f := range files {
				if strings.Contains(f, "../") || strings.Contains(f, " ") {
					t.Errorf("file %s left its folder, or has a name that shells split", f)
				}
			}
			f, err := Read(context.Background(), files)
			must(t, err)
			checkDraws(t, d, f, layout)
		})
	}
}

func checkDraws(t *testing.T, d *Draws, f *Foreign, layout Layout) {
	t.Helper()
	if len(f.Chains) != d.Chains || f.count() != d.Count {
		t.Fatalf("%d chains of %d draws came back of %d of %d", len(f.Chains), f.count(), d.Chains, d.Count)
	}
	want := make([]float64, len(d.Parameters)*d.Count)
	for c, q := range f.Chains {
		_ = d.Chain(c, want)
		for p, parameter := range d.Parameters {
			name := f.Names[p]
			if layout == CmdStan {
				name = f.Called[p]
			}
			if name != parameter.Name {
				t.Errorf("column %d came back as %q, is %q", p, name, parameter.Name)
			}
			for i, x := range q.Columns[p] {
				if y := want[p*d.Count+i]; x != y && !(math.IsNaN(x) && math.IsNaN(y)) {
					t.Fatalf("%s: chain %d, %s, draw %d: %v came back of %v", layout, c, name, i, x, y)
				}
			}
		}
		if layout == CmdStan && (!q.Stats[5].Divergent || q.Stats[6].Divergent || q.Stats[0].StepSize != 0.25 || q.Stats[0].Depth != 3) {
			t.Errorf("statistics came back as %+v", q.Stats[5])
		}
	}
	if layout == CmdStan && (math.Abs(f.WarmupSeconds-1.5) > 1e-9 || math.Abs(f.SamplingSeconds-3) > 1e-9 || f.Warmup != 20) {
		t.Errorf("warm-up %g s of %d iterations, sampling %g s", f.WarmupSeconds, f.Warmup, f.SamplingSeconds)
	}
}

// Stan's names count each array from 1 and never take another parameter's name.
func TestStanNames(t *testing.T) {
	got := stanNames(hostile)
	want := []string{"beta_.1", "beta_.2", "beta_.3", "beta", "derived.1", "beta_.4"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An Arrow file has a batch a chain, and the same numbers.
func TestArrowFile(t *testing.T) {
	d := sample(hostile)
	files, err := Write(Arrow, t.TempDir(), []string{"a"}, d)
	must(t, err)
	file, err := os.Open(files[0])
	must(t, err)
	defer file.Close()
	in, err := ipc.NewFileReader(file)
	must(t, err)
	defer in.Close()
	want := make([]float64, len(d.Parameters)*d.Count)
	for c := range d.Chains {
		batch, err := in.RecordBatchAt(c)
		must(t, err)
		_ = d.Chain(c, want)
		for p := range d.Parameters {
			column := batch.Column(p).(*array.Float64)
			for i := range d.Count {
				if y := want[p*d.Count+i]; column.IsNull(i) != math.IsNaN(y) || column.IsValid(i) && column.Value(i) != y {
					t.Fatalf("chain %d, %s, draw %d: not %v", c, batch.ColumnName(p), i, y)
				}
			}
		}
	}
	if n := in.NumRecords(); n != d.Chains {
		t.Errorf("%d batches, want %d", n, d.Chains)
	}
}

// peerOf is a stored fit with these parameters.
func peerOf(parameters []infer.Parameter) (report.Fitted, report.Posterior) {
	peer := report.Fitted{Stored: report.Stored{Key: report.Key{Dataset: "pima", Model: "m", Sampler: "gibbs"}, DataHash: "d"}}
	shared := report.Posterior{ModelHash: "h"}
	for _, p := range parameters {
		if p.Kind != "derived" {
			shared.Parameters = append(shared.Parameters, report.Parameter{Name: p.Name, Kind: p.Kind, Grouping: p.Grouping, Level: p.Level,
				Term: p.Term, Term2: p.Term2})
		}
	}
	return peer, shared
}

// Stan's own files (rstan 2.21, sample_file) enter next to a fit of the same posterior, with the
// diagnostics of what they hold.
func TestLoadStan(t *testing.T) {
	paths, err := filepath.Glob("../../../testdata/stan/pima-*.csv")
	if err != nil || len(paths) != 4 {
		t.Fatal(paths, err)
	}
	f, err := Read(context.Background(), paths)
	must(t, err)
	if f.Program != "stan" || f.Warmup != 200 || f.count() != 250 || !(f.SamplingSeconds > 0) || !slices.Equal(f.Names, []string{"beta.1", "beta.2", "beta.3", "beta.4"}) {
		t.Errorf("%s, %d + %d iterations, %g s, %v", f.Program, f.Warmup, f.count(), f.SamplingSeconds, f.Names)
	}
	peer, shared := peerOf([]infer.Parameter{{Name: "(Intercept)", Kind: infer.Intercept}, {Name: "npreg", Kind: infer.Coefficient}, {Name: "glu", Kind: infer.Coefficient}})
	load := Load{Sampler: "stan", Rename: map[string]string{"beta.1": "(Intercept)", "beta.2": "npreg", "beta.3": "glu"}}
	fit, left, err := load.Fit(f, peer, shared)
	must(t, err)
	if !slices.Equal(left, []string{"beta.4"}) || len(fit.Parameters) != 3 || fit.ModelHash != "h" || fit.DataHash != "d" {
		t.Errorf("left out %v, %d parameters", left, len(fit.Parameters))
	}
	want := diag.NewWorkspace().Summarize([][]float64{f.Chains[0].Columns[2], f.Chains[1].Columns[2], f.Chains[2].Columns[2], f.Chains[3].Columns[2]})
	if fit.Summaries[2] != want || math.Abs(want.Mean-0.034) > 0.002 || fit.Verdict.Grade == "" {
		t.Errorf("summary of glu %+v, want %+v; verdict %v", fit.Summaries[2], want, fit.Verdict)
	}
	delete(load.Rename, "beta.2")
	var use *UseError
	if _, _, err := load.Fit(f, peer, shared); !errors.As(err, &use) || !strings.Contains(err.Error(), "npreg") || !strings.Contains(err.Error(), "beta.2") {
		t.Errorf("a missing coefficient: %v", err)
	}
	load.Rename["theta"] = "npreg"
	if _, _, err := load.Fit(f, peer, shared); !errors.As(err, &use) || !strings.Contains(err.Error(), `"theta"`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// Columns are the parameters by name, in any order; scales may be missing.
func TestLoadMatchesByName(t *testing.T) {
	parameters := []infer.Parameter{{Name: "(Intercept)", Kind: infer.Intercept}, {Name: "tau", Kind: infer.Scale}, {Name: "a", Kind: infer.Coefficient}, {Name: "b", Kind: infer.Coefficient}}
	peer, shared := peerOf(parameters)
	f := &Foreign{Names: []string{"b", "other", "a", "(Intercept)"}, Called: make([]string, 4), Program: "x"}
	mean := map[string]float64{"b": 2, "other": 7, "a": 1, "(Intercept)": 0}
	for c := range 2 {
		chain := Sequence{Stats: make([]infer.Info, 40)}
		for p, name := range f.Names {
			column := make([]float64, 40)
			for i := range column {
				column[i] = mean[name] + value(c, p*40+i)
			}
			chain.Columns = append(chain.Columns, column)
		}
		f.Chains = append(f.Chains, chain)
	}
	load := Load{Sampler: "x"}
	fit, left, err := load.Fit(f, peer, shared)
	if err != nil || !slices.Equal(left, []string{"other"}) || len(fit.Parameters) != 3 {
		t.Fatalf("%v, left out %q, %+v", err, left, fit)
	}
	p := 0
	for block, err := range fit.DrawsOf {
		want := mean[fit.Parameters[p].Name]
		if err != nil || math.Abs(fit.Summaries[p].Mean-want) > 0.01 || math.Abs(block.Values[0]-want) > 0.01 || math.Abs(block.Values[79]-want) > 0.01 {
			t.Errorf("%s: %v, mean %g, draws from %g to %g, want %g", fit.Parameters[p].Name, err, fit.Summaries[p].Mean, block.Values[0], block.Values[79], want)
		}
		p++
	}
	if p != 3 {
		t.Errorf("draws of %d parameters", p)
	}
}

// Draws of brms, written from as_draws_df, are found by the names that brms gives parameters: b_ before coefficients,
// terms without parentheses and blanks, levels with points for blanks.
func TestLoadBrms(t *testing.T) {
	parameters := []infer.Parameter{
		{Name: "(Intercept)", Kind: infer.Intercept}, {Name: "factor(half)2nd half", Kind: infer.Coefficient}, {Name: "x:z", Kind: infer.Coefficient},
		{Name: "sigma", Kind: infer.Dispersion},
		{Name: "sd_g:h__Intercept", Kind: infer.GroupSD, Grouping: "g:h", Term: "Intercept"},
		{Name: "sd_g:h__factor(half)2nd half", Kind: infer.GroupSD, Grouping: "g:h", Term: "factor(half)2nd half"},
		{Name: "cor_g:h__Intercept__factor(half)2nd half", Kind: infer.GroupCorrelation, Grouping: "g:h", Term: "Intercept", Term2: "factor(half)2nd half"},
		{Name: "r_g:h[New York_1,Intercept]", Kind: infer.GroupEffect, Grouping: "g:h", Level: "New York_1", Term: "Intercept"},
		{Name: "r_g:h[New York_1,factor(half)2nd half]", Kind: infer.GroupEffect, Grouping: "g:h", Level: "New York_1", Term: "factor(half)2nd half"},
	}
	names := []string{"b_Intercept", "b_factorhalf2ndhalf", "b_x:z", "sd_g:h__Intercept", "sd_g:h__factorhalf2ndhalf", "cor_g:h__Intercept__factorhalf2ndhalf",
		"sigma", "Intercept", "r_g:h[New.York_1,Intercept]", "r_g:h[New.York_1,factorhalf2ndhalf]", "lprior", "lp__", ".chain", ".iteration", ".draw"}
	text := `"` + strings.Join(names, `","`) + "\"\n"
	for d := range 40 {
		for k := range 12 {
			text += fmt.Sprintf("%g,", float64(k)+value(d, k))
		}
		text += fmt.Sprintf("%d,%d,%d\n", 1+d/20, 1+d%20, 1+d)
	}
	path := filepath.Join(t.TempDir(), "brms.csv")
	must(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := Read(t.Context(), []string{path})
	must(t, err)
	peer, shared := peerOf(parameters)
	fit, left, err := Load{Sampler: "brms"}.Fit(f, peer, shared)
	if err != nil || !slices.Equal(left, []string{"Intercept", "lprior"}) || len(fit.Parameters) != len(parameters) {
		t.Fatalf("%v, left out %q", err, left)
	}
	for i, at := range []float64{0, 1, 2, 6, 3, 4, 5, 8, 9} {
		if p := fit.Parameters[i]; math.Abs(fit.Summaries[i].Mean-at) > 0.01 || p.Name != parameters[i].Name || p.Level != parameters[i].Level {
			t.Errorf("%s has the mean %v, that of column %q is %v", p.Name, fit.Summaries[i].Mean, names[int(at)], at)
		}
	}
}

// Faulty files are refused with the place and what to do.
func TestFaultyFiles(t *testing.T) {
	good := "# num_warmup = 1\nlp__,beta.1\n-1,0.5\n-2,0.25\n"
	for name, c := range map[string]struct{ first, second, want string }{
		"cut":         {"lp__,b\n-1,0.5\n-2\n", "", "line 3: it has 1 cells, the header has 2"},
		"word":        {"lp__,b\n-1,x\n", "", `line 2, column b: "x" is no number`},
		"empty":       {"# only words\n", "", "no header"},
		"no draws":    {"lp__,b\n", "", "no draws after the warm-up"},
		"warm-up":     {"# save_warmup = 1\n" + strings.Replace(good, "= 1", "= 2", 1), "", "no draws after the warm-up"},
		"no lp":       {"# x\na,b\n1,2\n", "", "no lp__"},
		"lengths":     {good, "lp__,beta.1\n-1,0.5\n", "1 draws, the chains before it have 2"},
		"parameters":  {good, "lp__,beta.2\n-1,0.5\n-2,1\n", "are not those of"},
		"no chain":    {"a,b\n1,2\n", "", "no columns .chain and .iteration"},
		"iteration":   {"a,.chain,.iteration\n1,1,1\n2,1,1\n", "", "chain 1 has iteration 1 twice"},
		"uneven":      {"a,.chain,.iteration\n1,1,1\n2,1,2\n1,2,1\n", "", "chain 2 has 1 draws"},
		"text column": {"a,.chain,.iteration\nu,1,1\nv,1,2\n", "", "column a: it holds utf8"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			var paths []string
			for i, text := range []string{c.first, c.second} {
				if text == "" {
					continue
				}
				path := filepath.Join(dir, string(rune('a'+i))+".csv")
				must(t, os.WriteFile(path, []byte(text), 0o644))
				paths = append(paths, path)
			}
			_, err := Read(context.Background(), paths)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
}

// An existing file stays whole when a write fails, and no other file is left.
func TestReplaceIsWhole(t *testing.T) {
	dir := t.TempDir()
	d := sample(hostile[:2])
	files, err := Write(CSV, dir, []string{"a"}, d)
	must(t, err)
	before, _ := os.ReadFile(files[0])
	d.Chain = func(c int, _ []float64) error {
		if c == 1 {
			return errors.New("planted")
		}
		return nil
	}
	if _, err := Write(CSV, dir, []string{"a"}, d); err == nil {
		t.Fatal("a failing read of draws was no error")
	}
	after, _ := os.ReadFile(files[0])
	entries, _ := os.ReadDir(dir)
	if string(before) != string(after) || len(entries) != 1 {
		t.Errorf("the file changed, or %d files are left", len(entries))
	}
}

// Stan's lp__ is the log density, prior included; infinities keep their sign.
func TestNumbersOfStan(t *testing.T) {
	if got := hamiltonian[0].of(&infer.Info{LogLik: -3, LogPrior: -2}); hamiltonian[0].name != "lp__" || got != -5 {
		t.Errorf("%s is %v, want -5", hamiltonian[0].name, got)
	}
	r := &rows{nan: "nan", inf: "inf"}
	for _, x := range []float64{math.Inf(-1), math.Inf(1), math.NaN(), -2.5} {
		r.number(x)
	}
	if got := string(r.row); got != "-inf,inf,nan,-2.5" {
		t.Errorf("%q", got)
	}
}

// The head of Stan's CSV names Stan's sampler where the draws are of its kind, and no other's.
func TestStanHeadNamesTheSampler(t *testing.T) {
	for method, want := range map[string][2]string{
		"nuts": {"engine = nuts (Default)", "fixed_param"}, "hmc": {"engine = static", "nuts"},
		"cggibbs": {"algorithm = fixed_param\n# drawn by cggibbs,", "engine"}, "conjugate": {"# drawn by conjugate,", "Step size"},
	} {
		d := sample([]infer.Parameter{{Name: "x", Kind: infer.Coefficient}})
		d.Method = method
		files, err := Write(CmdStan, t.TempDir(), []string{"a"}, d)
		must(t, err)
		text, err := os.ReadFile(files[0])
		must(t, err)
		if !strings.Contains(string(text), want[0]) || strings.Contains(string(text), want[1]) {
			t.Errorf("%s: the head lacks %q or has %q:\n%s", method, want[0], want[1], text[:600])
		}
		f, err := Read(t.Context(), files)
		must(t, err)
		checkDraws(t, d, f, CmdStan)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
