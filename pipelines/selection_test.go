package pipelines_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// A model with the prior spike_slab is fitted by each method that supports it: indicators of coefficients are 0 and
// 1, their means agree with the distribution over all models within Monte Carlo errors, a column without any part
// is no reason to fail, and methods that cannot leave coefficients out cost their own fits only.
//
// False alarms: errors of means are at most 0.02 (4000 draws, effective at a quarter), the limit is 6 of them.
func TestSpikeAndSlab(t *testing.T) {
	cars, err := os.ReadFile("../testdata/classic/mtcars.csv")
	must(t, err)
	f := newFolder(t, `pipeline: slab
database: t.duckdb
datasets: {cars: {path: cars.csv}}
models:
  few:
    formula: mpg ~ cyl + hp + wt + drat
    family: gaussian
    standardize: center_scale
    prior: {coefficients: "spike_slab(0.3, 4)", by_name: {drat: "spike_slab(0.00001, 4)"}}
samplers: {gibbs: {method: cggibbs}, exact: {method: conjugate}, alone: {method: gibbs}, herded: {method: herded}, nuts: {method: nuts}}
run: {chains: 2, warmup: 200, draws: 2000}
gates: {rhat: 1.05, ess_bulk: 100, ess_tail: 100}
`)
	f.write("cars.csv", string(cars))
	got := actions(f.run(pipelines.RunOptions{}))
	if strings.Count(got, "computed pass") != 4 || strings.Count(got, "error error") != 1 {
		t.Fatal(got)
	}
	for _, q := range []struct{ sql, want string }{
		{"SELECT verdict, count(*) FROM fit GROUP BY ALL ORDER BY 1", "error,1\npass,4"},
		{"SELECT error LIKE '%spike_slab%nuts%' FROM fit WHERE verdict = 'error'", "true"},
		{"SELECT DISTINCT kind, prior FROM parameter WHERE name = 'included[wt]'", "inclusion,bernoulli(0.3)"},
		{"SELECT bool_and(d.value IN (0, 1) AND (d.value = 1) = (c.value <> 0)) FROM draws d " +
			"JOIN draws c USING (fit_id, chain, iteration) WHERE d.parameter = 'included[' || c.parameter || ']'", "true"},
		{"SELECT max(mean) < 0.01 FROM summary WHERE name = 'included[drat]'", "true"},
	} {
		if got := f.ask("t.duckdb", q.sql); got != q.want {
			t.Errorf("%s\n%s\nwant\n%s", q.sql, got, q.want)
		}
	}
	worst := number(t, f.ask("t.duckdb", "SELECT max(abs(a.mean - b.mean)) FROM summary a JOIN summary b USING (name) "+
		"JOIN fit f ON f.fit_id = b.fit_id WHERE a.kind = 'inclusion' AND f.sampler = 'exact'"))
	if !(math.Abs(worst) < 0.12) {
		t.Errorf("an inclusion probability is %v from that of all models", worst)
	}
}
