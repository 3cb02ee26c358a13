package pipelines_test

import (
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const square = `
pipeline: square
database: t.duckdb
seed: 7
datasets: {a: a.csv, b: b.csv}
models:
  m: {formula: y ~ age, family: poisson, prior: {coefficients: "normal(0, 2.5)"}}
  n: {formula: y ~ age + n, family: poisson, prior: {coefficients: "normal(0, 1)"}}
samplers: {g: {method: cggibbs}, h: {method: nuts}}
run: {chains: 2, warmup: 20, draws: 40}
gates: {rhat: 5, ess_bulk: 1, ess_tail: 1}
`

// With two data sets, two models and two samplers a change draws exactly the fits that it concerns; the others are
// skipped, and the run reports that.
func TestChangeRefitsExactlyWhatChanged(t *testing.T) {
	const a, b = "n,age,y\n1,20,3\n2,31,4\n3,44,9\n4,52,8\n5,61,12\n", "n,age,y\n1,22,2\n2,30,3\n3,41,5\n4,55,9\n"
	f := folder{t, t.TempDir()}
	f.write("spec.yaml", square)
	f.write("a.csv", a)
	f.write("b.csv", b)
	f.run(pipelines.RunOptions{})
	all := "amg amh ang anh bmg bmh bng bnh"
	for what, c := range map[string]struct {
		old, new string // in the spec
		a        string // the file, where it changes
		want     string // fits that are drawn: data set, model, sampler
	}{
		"nothing":                    {want: ""},
		"a cell that one model uses": {a: strings.Replace(a, "5,61,12", "6,61,12", 1), want: "ang anh"},
		"a cell that all use":        {a: strings.Replace(a, "61,12", "61,13", 1), want: "amg amh ang anh"},
		"the order of rows":          {a: strings.Replace(a, "1,20,3\n2,31,4\n", "2,31,4\n1,20,3\n", 1), want: "amg amh ang anh"},
		"how a number is written":    {a: strings.Replace(a, "20,3", "20.0,3", 1), want: ""},
		"a column that nothing uses": {a: strings.NewReplacer("y\n", "y,z\n", "3\n", "3,0\n", "4\n", "4,0\n", "9\n", "9,0\n", "8\n", "8,0\n", "12\n", "12,0\n").Replace(a), want: ""},
		"a prior":                    {old: "normal(0, 1)", new: "normal(0, 2)", want: "ang anh bng bnh"},
		"a formula":                  {old: "y ~ age,", new: "y ~ age - 1,", want: "amg amh bmg bmh"},
		"an option of a sampler":     {old: "{method: nuts}", new: "{method: nuts, target_accept: 0.9}", want: "amh anh bmh bnh"},
		"a name":                     {old: "h: {method", new: "k: {method", want: "amk ank bmk bnk"},
		"the seed":                   {old: "seed: 7", new: "seed: 8", want: all},
		"the length":                 {old: "draws: 40", new: "draws: 50", want: all},
		"the chains":                 {old: "chains: 2", new: "chains: 3", want: all},
		"the gates":                  {old: "rhat: 5", new: "rhat: 4", want: ""},
		"the path":                   {old: "a: a.csv", new: "a: ./a.csv", want: ""},
		"a variable":                 {old: "seed: 7", new: "vars: {x: y}\nseed: 7", want: ""},
	} {
		f.write("spec.yaml", strings.Replace(square, c.old, c.new, 1))
		f.write("a.csv", a)
		if c.a != "" {
			f.write("a.csv", c.a)
		}
		out := f.run(pipelines.RunOptions{DryRun: true})
		var drawn []string
		for _, fit := range out.Fits {
			if fit.Action == pipelines.Planned {
				drawn = append(drawn, fit.Dataset+fit.Model+fit.Sampler)
			}
		}
		if got := strings.Join(drawn, " "); got != c.want || len(out.Fits) != 8 || out.Counts["pass"]+out.Counts["warn"]+out.Counts["fail"] != 8-len(drawn) {
			t.Errorf("%s: draws %q, want %q (%v)", what, got, c.want, out.Counts)
		}
	}
}
