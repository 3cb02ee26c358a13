package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// Replicates leave the fit itself alone: it is skipped, its bits stay, and the
// views of plain fits do not see them. Each has draws of its own, the same ones
// in every run.
func TestReplicates(t *testing.T) {
	plain := fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}")
	f := newFolder(t, plain)
	only := pipelines.RunOptions{Only: []string{"dataset=c/north"}}
	f.run(only)
	before := f.ask("t.duckdb", bits)
	f.write("spec.yaml", strings.Replace(plain, "chains: 3,", "chains: 3, replicates: 3,", 1))
	out := f.run(only)
	if got := actions(out); got != "c/north skipped pass\nc/north computed pass\nc/north computed pass" {
		t.Errorf("actions:\n%s", got)
	}
	if names := out.Fits[0].Name() + ", " + out.Fits[2].Name(); names != "c/north × m × gibbs, c/north × m × gibbs #3" {
		t.Errorf("names: %s", names)
	}
	for query, want := range map[string]string{
		"SELECT count(*) FROM latest":                                           "1",
		"SELECT string_agg(replicate ORDER BY replicate) FROM replicates":       "\"1,2,3\"",
		"SELECT string_agg(kept ORDER BY replicate) FROM fit":                   "\"draws,summary,summary\"",
		"SELECT count(DISTINCT mean) FROM summary WHERE name = 'age'":           "3",
		"SELECT count(DISTINCT fit_id) FROM draw":                               "1",
		"SELECT count(*), min(iteration) FROM chain JOIN latest USING (fit_id)": "240,-19",
		"SELECT count(*) FROM fit WHERE replicate IS NULL OR replicate < 1":     "0",
	} {
		if got := f.ask("t.duckdb", query); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if after := f.ask("t.duckdb", strings.ReplaceAll(bits, "JOIN fit f USING (fit_id)", "JOIN fit f USING (fit_id) WHERE f.replicate = 1")); after != before {
		t.Errorf("the bits of the fit itself: %s, were %s", after, before)
	}
	digest := "SELECT string_agg(mean ORDER BY f.replicate, s.name) FROM summary s JOIN fit f USING (fit_id) WHERE s.name = 'age'"
	only.Workers, only.Database = 2, f.path("two.duckdb")
	f.run(only)
	if one, two := f.ask("t.duckdb", digest), f.ask("two.duckdb", digest); one != two {
		t.Errorf("replicates have the means %s in one run and %s in another", one, two)
	}
	if got := actions(f.run(only)); got != strings.TrimSpace(strings.Repeat("c/north skipped pass\n", 3)) {
		t.Errorf("the second run: %s", got)
	}
}

// Condition numbers at the mode and from draws are those of one posterior, which
// is nearly normal here, and the best diagonal leaves no more than the others.
// False alarms: none, the seed is fixed; a tenth is far beyond the error of 4,500
// draws.
func TestConditionNumbers(t *testing.T) {
	spec := fmt.Sprintf(quick, "c: {path: claims.csv, by: [region]}")
	spec = strings.Replace(spec, "chains: 3, warmup: 20, draws: 60", "chains: 3, warmup: 100, draws: 1500, condition: true", 1)
	f := newFolder(t, spec)
	f.run(pipelines.RunOptions{Only: []string{"dataset=c/north"}})
	value := func(name string) string {
		return "(SELECT value FROM diagnostic JOIN latest USING (fit_id) WHERE name = 'condition_" + name + "')"
	}
	for _, kind := range []string{"raw", "correlation", "residual"} {
		if got := f.ask("t.duckdb", "SELECT abs(ln("+value(kind+"_mode")+"/"+value(kind+"_draws")+")) < 0.15"); got != "true" {
			t.Errorf("%s: at the mode %s, from draws %s", kind, f.ask("t.duckdb", "SELECT "+value(kind+"_mode")), f.ask("t.duckdb", "SELECT "+value(kind+"_draws")))
		}
	}
	if got := f.ask("t.duckdb", "SELECT "+value("raw_mode")+" > 1.1, "+value("residual_mode")+" <= "+value("correlation_mode")+", "+value("residual_mode")+" > 1"); got != "true,true,true" {
		t.Errorf("raw above 1.1, residual at most correlation, residual above 1: %s", got)
	}
}

// Beyond 48 coefficients condition numbers are found by products: the bounds of the
// best diagonal hold each other, a covariance needs more draws than coefficients, and
// every window of warm-up leaves its metric, of which the first is the identity and has
// the raw number. A sampler without a metric has none.
func TestConditionNumbersOfMany(t *testing.T) {
	const spec = `pipeline: t
database: t.duckdb
seed: 3
datasets: {wide: {synthetic: {rows: 20, columns: 49, seed: 2}}}
models: {m: {formula: y ~ ., family: bernoulli, prior: {coefficients: "normal(0, 10)"}}}
samplers:
  diagonal: {method: nuts}
  low: {method: nuts, metric: low_rank}
  gibbs: {method: cggibbs}
  other: {method: nuts, basis: reduced}
run: {chains: 2, warmup: 100, draws: 40, condition: true, keep: summary}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
fits:
  - {datasets: [wide], models: [m], samplers: [diagonal, low, gibbs]}
`
	f := newFolder(t, spec)
	f.run(pipelines.RunOptions{})
	for question, want := range map[string]string{
		`SELECT count(*) FROM conditions WHERE place = 'mode' AND raw > residual * 0.999 AND correlation > residual * 0.999
			AND residual >= residual_low AND residual_low > residual / 1.5 AND residual_low > 1`: "3",
		`SELECT count(*) FROM conditions WHERE place = 'draws' AND raw > 1 AND reason IS NULL`:                                                                "3",
		`SELECT string_agg(concat(sampler, chain, ' ', after_iterations), ' ' ORDER BY sampler, chain, after_iterations) FROM metric JOIN fit USING (fit_id)`: "diagonal1 0 diagonal1 90 diagonal2 0 diagonal2 90 low1 0 low1 90 low2 0 low2 90",
		`SELECT bool_and(abs(condition / raw - 1) < 1e-3) FROM metric JOIN conditions USING (fit_id) WHERE after_iterations = 0 AND place = 'mode'`:           "true",
		`SELECT count(*) FROM metric m JOIN conditions c USING (fit_id) WHERE after_iterations = 90 AND place = 'mode'
			AND m.note IS NULL AND m.condition > c.residual_low / 2 AND m.condition <> c.raw`: "4",
	} {
		if got := f.ask("t.duckdb", question); got != want {
			t.Errorf("%s: %s, want %s\n%s\n%s", question, got, want, f.ask("t.duckdb", "SELECT string_agg(concat_ws(' ', sampler, place, raw, correlation, residual, residual_low, reason), chr(10)) FROM conditions"),
				f.ask("t.duckdb", "SELECT string_agg(concat_ws(' ', sampler, chain, after_iterations, condition), chr(10)) FROM metric JOIN fit USING (fit_id)"))
		}
	}
	f.write("spec.yaml", strings.NewReplacer("t.duckdb", "few.duckdb", "draws: 40", "draws: 20", "[diagonal, low, gibbs]", "[other]").Replace(spec))
	f.run(pipelines.RunOptions{})
	if got := f.ask("few.duckdb", "SELECT reason FROM conditions WHERE place = 'draws'"); got != "40 draws do not tell the covariance of 50 coefficients" {
		t.Errorf("too few draws: %s", got)
	}
	if got := f.ask("few.duckdb", "SELECT condition IS NULL, note FROM metric"); got != "true,the chain moves in other coordinates than the coefficients" {
		t.Errorf("metrics of reduced coordinates: %s", got)
	}
}

// Condition numbers of draws are those of their covariance in the units of the design, and a metric that warm-up learned
// leaves little: 60 rows of two columns whose scales differ by 1000, scaled by their maxima.
func TestConditionNumbersOfDraws(t *testing.T) {
	f := newFolder(t, `pipeline: t
database: t.duckdb
seed: 5
datasets: {d: {sql: "SELECT sin(range) AS a, 1000 * (cos(range) + sin(range)) AS b, sin(range) + 0.3 * sin(7 * range) AS y FROM range(60)"}}
models: {m: {formula: "y ~ 0 + a + b", family: gaussian, standardize: max_abs}}
samplers: {nuts: {method: nuts}}
run: {chains: 2, warmup: 300, draws: 300, condition: true}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`)
	f.run(pipelines.RunOptions{})
	const query = `WITH d AS (SELECT any_value(value) FILTER (parameter = 'a') * (SELECT max(abs(sin(range))) FROM range(60)) AS a,
			any_value(value) FILTER (parameter = 'b') * (SELECT 1000 * max(abs(cos(range) + sin(range))) FROM range(60)) AS b
			FROM draws GROUP BY chain, iteration),
		s AS (SELECT var_samp(a) + var_samp(b) AS t, var_samp(a) * var_samp(b) - covar_samp(a, b) ** 2 AS p, abs(corr(a, b)) AS r FROM d)
		SELECT abs(c.raw * (t - sqrt(t * t - 4 * p)) / (t + sqrt(t * t - 4 * p)) - 1) < 1e-9,
			abs(c.correlation * (1 - r) / (1 + r) - 1) < 1e-9,
			(SELECT max(condition) FROM metric WHERE after_iterations > 100) / c.correlation < 1.3 FROM s, conditions c WHERE place = 'draws'`
	if got := f.ask("t.duckdb", query); got != "true,true,true" {
		t.Errorf("raw, correlation, under the metric: %s\n%s\n%s", got, f.ask("t.duckdb", "SELECT raw, correlation, residual FROM conditions"),
			f.ask("t.duckdb", "SELECT after_iterations, condition FROM metric"))
	}
}
