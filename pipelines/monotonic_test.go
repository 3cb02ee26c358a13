package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

// Monotonic effects have the posteriors of brms with the same formulas and priors, by Gibbs and by NUTS.
func TestMonotonicLikeBrms(t *testing.T) {
	infertest.Study(t)
	rows, all, of := brmsMoments(t, "../testdata/classic/monotonic.json")
	f := newClassic(t, `
pipeline: p
database: t.duckdb
seed: 3
datasets: {wine: {path: wine.csv}}
models:
  crossed: {formula: response ~ mo(rating) * contact, family: gaussian, prior: {coefficients: "normal(0, 20)",
    intercept: "normal(50, 50)", sigma: "half_student_t(3, 20)", by_name: {simo_rating: "dirichlet(3, 2, 1, 1)"}}}
  ordinal: {formula: rating ~ mo(bottle) + contact, family: cumulative, prior: {coefficients: "normal(0, 2)"}}
samplers: {auto: {method: auto}, nuts: {method: nuts}}
run: {chains: 2, warmup: 300, draws: 1200}
fits:
  - {datasets: [wine], models: [crossed, ordinal], samplers: [auto]}
  - {datasets: [wine], models: [crossed], samplers: [nuts]}
`, "wine.csv")
	f.computes()
	f.far("mean or standard deviation", fmt.Sprintf(`
		SELECT max(greatest(abs(s.mean - v.m) / s.sd, abs(ln(s.sd / v.s)))) + abs(count(*) - %d)
		FROM summary s JOIN fit USING (fit_id) JOIN (VALUES %s) AS v(model, name, m, s) USING (model, name)`,
		all+of["crossed"], rows), 0.12)
	f.far("steps", `SELECT max(abs(s.mean - b.mean * 4 * i.mean) / s.sd) FROM summary s JOIN summary b USING (fit_id)
		JOIN summary i USING (fit_id) WHERE s.name = 'mo(rating)[1]' AND b.name = 'mo(rating)'
		AND i.name = 'simo_rating[1]'`, 0.3)
}

// Parts that monotonic effects cannot have are refused with their reasons.
func TestMonotonicRefused(t *testing.T) {
	for change, want := range map[string]string{
		`formula: response ~ mo(rating), family: gaussian, prior: {coefficients: flat}`:                        `monotonic effects, and a flat prior`,
		`formula: response ~ mo(rating), family: gaussian, prior: {coefficients: "horseshoe(1)"}`:              `monotonic effects, and no sampler`,
		`formula: response ~ mo(rating), family: gaussian, prior: {by_name: {simo_rating: "dirichlet(1, 2)"}}`: `2 numbers for 4 steps`,
		`formula: response ~ mo(rating), family: gaussian, prior: {by_name: {simo_rating: "dirichlet(0)"}}`:    `from 0.01 to 1e6`,
		`formula: response ~ (mo(rating) | judge), family: gaussian`:                                           `in group-level terms`,
		`formula: response ~ mo(rating), family: gaussian, contrasts: {rating: sum}`:                           `a coding of its own`,
	} {
		f := newClassic(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {wine: {path: wine.csv}}\nmodels: {m: {"+change+
			"}}\nsamplers: {s: {method: auto}}\nrun: {warmup: 20, draws: 20}\n", "wine.csv")
		if text := f.errors(); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", change, text, want)
		}
	}
}
