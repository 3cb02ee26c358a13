package pipelines_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const pointwise = "SELECT key, observation, elpd_loo, p_loo, pareto_k, elpd_waic, r_eff FROM pointwise JOIN fit USING (fit_id) ORDER BY ALL"

// Leave-one-out that is asked for later is computed from the kept draws, to the
// bits that it has at fit time, and nothing is drawn again. A high Pareto k is a
// warning either way.
func TestLOO(t *testing.T) {
	plain := fmt.Sprintf(quick, "claims: {path: claims.csv, by: region}")
	asked := strings.Replace(plain, "draws: 60}", "draws: 60, loo: true}", 1)
	at := newFolder(t, asked)
	now := at.run(pipelines.RunOptions{Workers: 1})
	want := at.ask("t.duckdb", pointwise)
	if rows := strings.Count(want, "\n") + 1; rows != 9 { // north and west; south has an error
		t.Fatalf("%d rows:\n%s", rows, want)
	}

	later := newFolder(t, plain)
	later.run(pipelines.RunOptions{})
	if got := later.ask("t.duckdb", "SELECT count(*) FROM pointwise"); got != "0" {
		t.Errorf("nobody asked for leave-one-out, and the ledger has %s rows", got)
	}
	draws := later.ask("t.duckdb", bits)
	later.write("spec.yaml", asked)
	out := later.run(pipelines.RunOptions{Workers: 16})
	if got := later.ask("t.duckdb", pointwise); got != want {
		t.Errorf("later:\n%s\nat fit time:\n%s", got, want)
	}
	if got := later.ask("t.duckdb", bits); got != draws {
		t.Error("the draws have changed")
	}
	again := actions(later.run(pipelines.RunOptions{}))
	for i, f := range out.Fits {
		if f.Dataset == "claims" && f.Key != "south" && f.Action != pipelines.Skipped {
			t.Errorf("%s was %s", f.Key, f.Action)
		}
		if f.Verdict != now.Fits[i].Verdict || !strings.Contains(again, f.Key+" "+f.Action+" "+f.Verdict) {
			t.Errorf("%s: %s later, %s at fit time; again:\n%s", f.Key, f.Verdict, now.Fits[i].Verdict, again)
		}
	}
	high := "SELECT count(*) FROM loo JOIN fit USING (fit_id) WHERE k_high > 0 AND verdict = 'warn' AND array_to_string(reasons, ' ') LIKE '%Pareto k%'"
	if got := later.ask("t.duckdb", high); got != at.ask("t.duckdb", high) || got == "0" {
		t.Errorf("%s fits are warned of a high k", got)
	}
}

// A row without trials, and one whose expected count is 0, have the same likelihood at all draws: their density is exact
// and has no Pareto k, and the fit passes.
func TestLOOOfConstantRows(t *testing.T) {
	var csv strings.Builder
	csv.WriteString("x,n,s,y,off\n")
	for i := range 60 {
		n, y, off := 10, (i*7)%5, 0
		if i < 15 {
			n, y, off = 0, 0, -60
		}
		fmt.Fprintf(&csv, "%v,%d,%d,%d,%d\n", float64(i*13%60)/30-1, n, min(n, i*7%11), y, off)
	}
	f := newFolder(t, `
pipeline: t
database: t.duckdb
datasets: {d: rows.csv}
models:
  trials: {formula: "s | trials(n) ~ x", family: binomial}
  counts: {formula: "y ~ x + offset(off)", family: poisson}
samplers: {g: {method: auto}}
run: {chains: 4, warmup: 300, draws: 500, loo: true}
`)
	f.write("rows.csv", csv.String())
	for _, fit := range f.run(pipelines.RunOptions{}).Fits {
		if fit.Verdict != "pass" {
			t.Errorf("%s: %s %q", fit.Model, fit.Verdict, fit.Reasons)
		}
	}
	got := f.ask("t.duckdb", `SELECT model, count(*) FROM pointwise JOIN fit USING (fit_id)
		WHERE pareto_k IS NULL AND abs(elpd_loo) < 1e-20 AND observation <= 15 GROUP BY ALL ORDER BY ALL`)
	if want := "counts,15\ntrials,15"; got != want {
		t.Errorf("rows without k: %s, want %s", got, want)
	}
	if got := f.ask("t.duckdb", "SELECT bool_and(k_max < 0.7), max(k_high) FROM loo"); got != "true,0" {
		t.Errorf("the largest k: %s", got)
	}
}

// Without kept draws leave-one-out is computed at fit time, and later it is said
// why it is not.
func TestLOOWithoutDraws(t *testing.T) {
	plain := strings.Replace(fmt.Sprintf(quick, "claims: {sql: \"SELECT * FROM read_csv('claims.csv') WHERE region = 'west' ORDER BY n\"}"), "draws: 60}", "draws: 60, keep: summary}", 1)
	f := newFolder(t, plain)
	t.Chdir(f.dir)
	f.run(pipelines.RunOptions{})
	asked := strings.Replace(plain, "keep: summary}", "keep: summary, loo: true}", 1)
	f.write("spec.yaml", asked)
	out := f.run(pipelines.RunOptions{})
	if reasons := strings.Join(out.Fits[0].Reasons, " "); out.Fits[0].Action != pipelines.Skipped || !strings.Contains(reasons, "kept no draws") {
		t.Errorf("%s: %s", out.Fits[0].Action, reasons)
	}
	f.run(pipelines.RunOptions{Force: true})
	if got := f.ask("t.duckdb", "SELECT count(*) FROM pointwise WHERE elpd_loo < 0"); got != "4" {
		t.Errorf("%s rows", got)
	}
}

// Moment matching brings rows that importance sampling cannot judge to what leaving them out gives in closed form:
// the mean of normal numbers of variance 1, one of them far out, under a normal prior. It takes stored draws, and
// earlier warnings about the rows are removed.
func TestMomentMatching(t *testing.T) {
	y := []float64{0.1, -0.3, 0.4, 8}
	const spec = `
pipeline: match
seed: 3
database: t.duckdb
datasets: {few: {path: few.csv}}
models:
  mean:
    formula: y ~ 1
    family: gaussian
    prior: {intercept: "normal(0, 10)", sigma: constant(1)}
samplers: {exact: {method: %s}}
run: {warmup: 500, draws: 1000, loo: %s}
`
	for _, method := range []string{"cggibbs", "nuts"} {
		f := newFolder(t, fmt.Sprintf(spec, method, "true"))
		csv := "y\n"
		for _, v := range y {
			csv += fmt.Sprintln(v)
		}
		f.write("few.csv", csv)
		f.run(pipelines.RunOptions{})
		const high = "SELECT count(*) FROM pointwise WHERE pareto_k > 0.7 OR pareto_k_before IS NOT NULL"
		if got := f.ask("t.duckdb", high); got == "0" {
			t.Errorf("%s: no row has a high k", method)
		}
		f.write("spec.yaml", fmt.Sprintf(spec, method, "{moment_match: true}"))
		if out := f.run(pipelines.RunOptions{}); out.Fits[0].Action != pipelines.Skipped || len(out.Fits[0].Warnings) > 0 {
			t.Errorf("%s: %s, %q", method, out.Fits[0].Action, out.Fits[0].Warnings)
		}
		if got := f.ask("t.duckdb", "SELECT count(*) FROM pointwise WHERE pareto_k < 0.5 AND pareto_k_before > 0.7"); got == "0" {
			t.Errorf("%s: no row was moved", method)
		}
		for i, v := range y {
			sum := -v
			for _, other := range y {
				sum += other
			}
			precision := 0.01 + float64(len(y)-1)
			z := (v - sum/precision) / math.Sqrt(1+1/precision)
			exact := -(z*z+math.Log(2*math.Pi))/2 - math.Log(1+1/precision)/2
			away := f.ask("t.duckdb", fmt.Sprintf("SELECT abs(elpd_loo - %g) / mcse_elpd_loo < 4 FROM pointwise WHERE observation = %d", exact, i+1))
			if away != "true" {
				t.Errorf("%s, row %d: %s, exactly %.5g", method, i+1,
					f.ask("t.duckdb", fmt.Sprintf("SELECT elpd_loo || ' ± ' || mcse_elpd_loo || ', k ' || pareto_k FROM pointwise WHERE observation = %d", i+1)), exact)
			}
		}
	}
}

// Densities of rows of student_t have both dispersions, drawn or fixed: the log of the mean density of a row, which is
// elpd_loo + p_loo, equals that of the draws in SQL. Rows of a query are sorted by all columns.
func TestLOOOfTwoDispersions(t *testing.T) {
	f := newFolder(t, `pipeline: t
database: t.duckdb
seed: 5
datasets: {d: {sql: "SELECT sin(range) AS x, 2 * sin(range) + tan(range) AS y FROM range(30)"}}
models:
  drawn: {formula: y ~ x, family: student_t}
  fixed: {formula: y ~ x, family: student_t, prior: {nu: "constant(4)"}}
samplers: {s: {method: cggibbs}}
run: {chains: 2, warmup: 200, draws: 200, loo: true}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`)
	f.run(pipelines.RunOptions{})
	got := f.ask("t.duckdb", `WITH d AS (PIVOT (SELECT model, chain, iteration, parameter, value FROM draws) ON parameter
			IN ('(Intercept)', 'x', 'sigma', 'nu') USING first(value)),
		o AS (SELECT sin(range) AS v, 2 * sin(range) + tan(range) AS y, row_number() OVER (ORDER BY v) AS observation FROM range(30)),
		n AS (SELECT model, observation, coalesce(nu, 4) AS nu, sigma, (y - "(Intercept)" - x * v) / sigma AS z FROM d, o),
		w AS (SELECT model, observation, ln(avg(exp(lgamma((nu + 1) / 2) - lgamma(nu / 2) - ln(nu * pi()) / 2 - ln(sigma)
			- (nu + 1) / 2 * ln(1 + z * z / nu)))) AS lppd FROM n GROUP BY ALL)
		SELECT model, count(*), max(abs(w.lppd - p.elpd_loo - p.p_loo)) < 1e-8 FROM w JOIN latest USING (model)
		JOIN pointwise p USING (fit_id, observation) GROUP BY ALL ORDER BY model`)
	if got != "drawn,30,true\nfixed,30,true" {
		t.Errorf("rows whose densities are those of the draws:\n%s", got)
	}
}

// Draws without local scales cannot be moved, and the fit warns of it.
func TestMomentMatchingOfHorseshoes(t *testing.T) {
	f := newFolder(t, `pipeline: t
database: t.duckdb
datasets: {d: {sql: "SELECT sin(range) AS a, cos(range) AS b, CASE range WHEN 3 THEN 60 ELSE sin(range) END AS y FROM range(20)"}}
models: {m: {formula: y ~ a + b, family: gaussian, standardize: center_scale, prior: {coefficients: "horseshoe(1)"}}}
samplers: {s: {method: cggibbs}}
run: {chains: 2, warmup: 100, draws: 300, loo: {moment_match: true}}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`)
	reasons := f.run(pipelines.RunOptions{}).Fits[0].Reasons
	if !slices.Contains(reasons, "moment matching cannot move the draws: the draws have 5 parameters of 7") {
		t.Errorf("reasons %q", reasons)
	}
}
