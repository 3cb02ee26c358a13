package pipelines_test

import (
	"testing"

	"glmbatch/pipelines"
)

// Each sampler's forecast is stored with the measures of its draws, in whatever units the columns are: on a nearly
// normal posterior of 2000 rows they agree. A fit without a forecast says why, if condition numbers are asked for.
// False alarms: none, the seed is fixed; 15 % is some five standard errors of an effective sample size of 8000
// draws. It detects: a direction taken in other units, a window mistaken, measured and predicted exchanged.
func TestForecasts(t *testing.T) {
	f := newFolder(t, `pipeline: t
database: t.duckdb
seed: 3
datasets:
  d: {sql: "SELECT 100 + 40 * a + 30 * b AS u, 5 + a / 50 + c / 50 AS v, b AS w, (a + b + d > 0)::INT AS y
    FROM (SELECT sin(i * 12.9898) AS a, sin(i * 78.233) AS b, sin(i * 37.719) AS c, 2 * sin(i * 4.581) AS d FROM range(2000) r(i)) ORDER BY u"}
models:
  units: {formula: y ~ u + v + w, family: bernoulli, prior: {coefficients: "normal(0, 1000)"}, standardize: center_scale}
samplers:
  gibbs: {method: cggibbs}
  random: {method: cggibbs, scan: {order: random}}
  hmc: {method: hmc, length: 1, jitter: 0.3}
  nuts: {method: nuts}
  low: {method: nuts, metric: low_rank}
  auto: {method: auto}
run: {chains: 4, warmup: 300, draws: 2000, condition: true, replicates: 2}
gates: {rhat: off, ess_bulk: off, ess_tail: off}
`)
	f.run(pipelines.RunOptions{})
	for question, want := range map[string]string{
		`SELECT string_agg(quantity, ' ' ORDER BY quantity) FROM forecasts WHERE sampler = 'gibbs'`:                    "cost_ratio ess_least ess_slowest rate rate_bound rate_bound_residual rate_proposition_4_3 rate_theorem_4_1",
		`SELECT string_agg(quantity, ' ' ORDER BY quantity) FROM forecasts WHERE sampler = 'nuts'`:                     "gradients rate_bound",
		`SELECT string_agg(sampler, ' ' ORDER BY sampler) FROM forecasts WHERE predicted IS NULL AND note IS NOT NULL`: "auto low",
		`SELECT count(*) FROM forecasts WHERE sampler IN ('gibbs', 'random') AND starts_with(quantity, 'ess')`:         "4",
		`SELECT count(*) FROM forecasts WHERE sampler IN ('gibbs', 'random') AND ratio NOT BETWEEN 0.85 AND 1.15
			AND quantity IN ('rate', 'ess_slowest', 'ess_least')`: "0",
		`SELECT bool_and(abs(measured - predicted) < 5 * sqrt((1 - predicted^2) / 8000)) FROM forecasts
			WHERE quantity = 'rate' AND sampler IN ('gibbs', 'random') AND predicted > 0.2`: "true",
		`SELECT count(*) FROM forecasts WHERE sampler = 'hmc' AND quantity IN ('rate', 'ess_slowest', 'ess_least') AND ratio BETWEEN 0.6 AND 1.7`: "3",
		`SELECT bool_and(ratio > 1) FROM forecasts WHERE starts_with(quantity, 'rate_bound')`:                                                     "true",
		`SELECT bool_and(b.predicted <= r.predicted) FROM forecasts b JOIN forecasts r USING (fit_id)
			WHERE b.quantity = 'rate_bound' AND r.quantity = 'rate_bound_residual'`: "true",
		`SELECT string_agg(round(ln(p.predicted) * r.residual, 6)::VARCHAR || ' ' || (p.note LIKE '%of 6 pairs of coefficients % have a positive%'))
			FROM forecasts p JOIN conditions r USING (fit_id) WHERE p.quantity = 'rate_proposition_4_3' AND r.place = 'mode'`: "-1.0 true",
		`SELECT count(*) FROM diagnostic JOIN fit USING (fit_id) WHERE replicate > 1 AND starts_with(name, 'forecast')`: "0",
	} {
		if got := f.ask("t.duckdb", question); got != want {
			t.Errorf("%s: %s, want %s\n%s", question, got, want, f.ask("t.duckdb",
				"SELECT string_agg(concat_ws(' ', sampler, quantity, predicted, measured, ratio, note), chr(10)) FROM forecasts"))
		}
	}
}
