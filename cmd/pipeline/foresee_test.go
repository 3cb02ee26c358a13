package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// foreseen are specs of one fit that ends before its first draw, each with a part of the reason. They differ in the stage
// that finds the fault: reading, coding, the choice of the method, memory, the set-up, derived quantities.
var foreseen = map[string]struct {
	spec, reason string
	code         int // 0: 1
}{
	"no file":                      {spec: plain("gone.csv", "y ~ x", "{}"), reason: "no such file"},
	"no column":                    {spec: plain("d.csv", "y ~ agee", "{}"), reason: `there is no column "agee"`},
	"a response beyond its family": {spec: plain("d.csv", "n ~ x", "{}"), reason: "n"},
	"no group":                     {spec: plain("{path: empty.csv, by: g}", "y ~ x", "{}"), reason: "there are no data rows"},
	"no conjugate answer": {spec: strings.Replace(plain("d.csv", "n ~ x", "{method: conjugate}",
		"prior: {coefficients: \"cauchy(0, 1)\"}"), "bernoulli", "gaussian", 1), reason: "conjugate"},
	"a slip in the spec": {spec: plain("d.csv", "y ~ x", "{metod: nuts}"), reason: "unknown key", code: 2},
	"k-fold by a constant column": {spec: plain("d.csv", "y ~ x", "{}") + "run: {kfold: {by: one}}\n",
		reason: "kfold is by one, which is the same in all rows"},
	"too little memory":                 {spec: plain("d.csv", "y ~ x", "{method: cggibbs}") + "run: {memory: 256MB, chains: 16, workers: 16}\n", reason: "the run may take"},
	"an unknown coefficient of a block": {spec: plain("d.csv", "y ~ x + a", "{method: cggibbs, blocks: [[x, aa]]}"), reason: "aa"},
	"derive of a reference level": {spec: plain("d.csv", "y ~ x + a", "{}", `derive: {q: "al - am"}`),
		reason: `derive "q": there is no parameter "al"`},
	"derive with the name of a parameter": {spec: plain("d.csv", "y ~ x + a", "{}", `derive: {am: "x + 1"}`),
		reason: "it has the name of a parameter"},
	"derive of an average of an unknown level": {spec: plain("d.csv", "y ~ x + a", "{}", `derive: {q: "average(a = 'zz')"}`),
		reason: "zz"},
	"a flat sd of two levels": {spec: plain("d.csv", "y ~ x + (1 | h)", "{}", "prior: {sd: flat, coefficients: flat}"), reason: "flat"},
	"a mixture with flat priors": {spec: plain("d.csv", "y ~ x", "{}", "prior: {coefficients: flat}", "mixture: {components: 2}"),
		reason: "flat"},
	"draws from a flat prior": {spec: plain("d.csv", "y ~ x", "{}", "prior: {coefficients: flat}") + "run: {sample: prior}\n",
		reason: "flat"},
	"imputation beside a flat prior": {spec: plain("holes.csv", "y ~ x", "{}", "prior: {coefficients: flat}", "missing: impute"),
		reason: "flat"},
	"exact sums of a wide grid": {spec: field("{method: exact}"), reason: "exact"},
	"Viterbi of a grid":         {spec: field("{method: viterbi}"), reason: ""},
	"annealing beyond the warm-up": {spec: field("{method: gibbs, anneal: {from: 0.1, to: 1, sweeps: 500}}") +
		"run: {warmup: 100, draws: 100}\n", reason: "annealing takes 500 sweeps"},
}

// plain is a spec of a generalised linear model.
func plain(data, formula, sampler string, more ...string) string {
	return fmt.Sprintf("pipeline: s\ndatabase: l.duckdb\ndatasets: {d: %s}\nmodels: {m: {formula: %s, family: bernoulli%s}}\n"+
		"samplers: {s: %s}\n", data, formula, strings.Join(append([]string{""}, more...), ", "), sampler)
}

// field is a spec of a grid of discrete variables.
func field(sampler string) string {
	return "pipeline: s\ndatabase: l.duckdb\ndatasets: {d: {grid: {rows: 40, columns: 40, picture: shapes, noise: 1, seed: 1}}}\n" +
		"models: {m: {kind: mrf, coupling: 0.6, noise: {sd: 1}}}\nsamplers: {s: " + sampler + "}\n"
}

// A fault before the first draw ends validate, run --dry-run and run with the same message and exit code, and
// neither of the first two leaves a file.
func TestForeseen(t *testing.T) {
	for name, c := range foreseen {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			writeForeseen(t, dir)
			write(t, dir, "s.yaml", c.spec)
			sameEnd(t, c.reason, max(c.code, 1))
		})
	}
}

// So does a derived quantity that a stored fit is to have now.
func TestForeseenOfStored(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	writeForeseen(t, dir)
	write(t, dir, "s.yaml", plain("d.csv", "y ~ x + a", "{}"))
	mustCall(t, "run", "s.yaml", "--quiet")
	write(t, dir, "s.yaml", plain("d.csv", "y ~ x + a", "{}", `derive: {q: "al - am"}`))
	sameEnd(t, `derive "q": there is no parameter "al"`, 1)
}

func writeForeseen(t *testing.T, dir string) {
	t.Helper()
	var d, holes strings.Builder
	d.WriteString("y,n,x,z,a,h,one\n")
	holes.WriteString("y,x\n")
	for i := range 60 {
		fmt.Fprintf(&d, "%d,%d,%d,%d,%s,%s,1\n", i*i%3%2, i%5+2, i%7, i%11, string("lmo"[i%3]), string("uv"[i%2]))
		fmt.Fprintf(&holes, "%d,%s\n", i*i%3%2, []string{"1", "2", "", "4"}[i%4])
	}
	write(t, dir, "d.csv", d.String())
	write(t, dir, "holes.csv", holes.String())
	write(t, dir, "empty.csv", "y,x,g\n")
}

// sameEnd compares how the three verbs end on the spec of the working directory.
func sameEnd(t *testing.T, reason string, want int) {
	t.Helper()
	before := listing(t)
	code, _, told := call(t, "validate", "s.yaml")
	if code != want || !strings.Contains(told, reason) {
		t.Errorf("validate: exit %d, want %d and %q:\n%s", code, want, reason, told)
	}
	for _, args := range [][]string{{"run", "s.yaml", "--dry-run", "--output", "json"}, {"run", "s.yaml", "--output", "json"}} {
		code, out, errs := call(t, args...)
		if code != want {
			t.Errorf("%q: exit %d, want %d\n%s%s", args, code, want, out, errs)
		}
		if want == pipelines.ExitUsage { // nothing is done
			if errs != told {
				t.Errorf("%q:\n%s\nvalidate:\n%s", args, errs, told)
			}
			continue
		}
		var o struct {
			Fits []struct {
				Verdict, Action string
				Reasons         []string
			}
		}
		must(t, json.Unmarshal([]byte(out), &o))
		if len(o.Fits) != 1 || o.Fits[0].Action != "error" || len(o.Fits[0].Reasons) != 1 {
			t.Fatalf("%q: %+v", args, o.Fits)
		}
		if why := strings.ReplaceAll(o.Fits[0].Reasons[0], "\n", "\n  "); !strings.Contains(told, why) {
			t.Errorf("%q:\n%s\nvalidate:\n%s", args, why, told)
		}
		if args[2] == "--dry-run" && listing(t) != before {
			t.Errorf("files before and after: %s, %s", before, listing(t))
		}
	}
}

// listing names the files of the working directory.
func listing(t *testing.T) string {
	t.Helper()
	entries, err := os.ReadDir(".")
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

// The files of tall designs count in the preview as in a run: neither refuses for memory what run fits.
func TestForeseenTall(t *testing.T) {
	if raceDetector() {
		t.Skip("the race detector needs more memory than this ceiling")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "s.yaml", `pipeline: s
database: l.duckdb
datasets: {d: {sql: "SELECT (range % 7)::DOUBLE / 3 AS y, (range % 11)::DOUBLE AS x, (range % 13)::DOUBLE AS z FROM range(400000)"}}
models: {m: {formula: y ~ x + z, family: gaussian}}
samplers: {s: {method: cggibbs}}
run: {memory: 128MB, chains: 1, workers: 1, warmup: 2, draws: 20}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`)
	for _, args := range [][]string{{"validate", "s.yaml"}, {"run", "s.yaml", "--dry-run"}} {
		if code, out, errs := call(t, args...); code != 0 || listing(t) != "s.yaml" {
			t.Errorf("%q: exit %d, files %s\n%s%s", args, code, listing(t), out, errs)
		}
	}
	mustCall(t, "run", "s.yaml")
}
