package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

// Category-specific effects and equidistant thresholds have the posteriors of brms with the same formulas and priors, by Gibbs and by NUTS.
func TestSpecificLikeBrms(t *testing.T) {
	infertest.Study(t)
	rows, all, of := brmsMoments(t, "../testdata/classic/thresholds.json")
	f := newClassic(t, `
pipeline: p
database: t.duckdb
seed: 3
datasets: {wine: {path: wine.csv}}
models:
  sratio: {formula: rating ~ temp + cs(contact), family: sratio(cloglog), prior: {coefficients: "normal(0, 3)"}}
  acat: {formula: rating ~ contact + cs(temp), family: acat, prior: {coefficients: "normal(0, 3)"}}
  equal: {formula: rating ~ temp + contact, family: 'cumulative("logit", threshold = "equidistant")',
    prior: {coefficients: "normal(0, 3)", by_name: {delta: "normal(0, 1000)"}}}
samplers: {auto: {method: auto}, nuts: {method: nuts}}
run: {chains: 2, warmup: 300, draws: 1200}
fits:
  - {datasets: [wine], models: [sratio, acat, equal], samplers: [auto]}
  - {datasets: [wine], models: [sratio], samplers: [nuts]}
`, "wine.csv")
	f.computes()
	f.far("mean or standard deviation", fmt.Sprintf(`
		SELECT max(greatest(abs(c.mean - v.m) / c.sd, abs(ln(c.sd / v.s)))) + abs(count(*) - %d)
		FROM coefficients c JOIN (VALUES %s) AS v(model, parameter, m, s) USING (model, parameter)`,
		all+of["sratio"], rows), 0.15)
}

// Category-specific effects and equidistant thresholds of other models are refused with the reason.
func TestSpecificRefused(t *testing.T) {
	for change, want := range map[string]string{
		`formula: rating ~ cs(temp), family: cumulative`:                           `thresholds of cumulative that depend on x may cross`,
		`formula: response ~ cs(temp), family: gaussian`:                           `cs() is of the families sratio, cratio and acat`,
		`formula: rating ~ cs(temp), family: acat, prior: {coefficients: flat}`:    `flat prior`,
		`formula: response ~ temp, family: 'gaussian(threshold = "equidistant")'`:  `threshold is of families of ordered classes`,
		`formula: rating ~ temp, family: 'acat(threshold = "sum_to_zero")'`:        `thresholds are flexible or equidistant`,
		`formula: rating ~ cs(temp), family: 'acat(threshold = "equidistant")'`:    `these thresholds are equidistant`,
		`formula: contact ~ temp, family: 'cumulative(threshold = "equidistant")'`: `need 3 classes, and there are 2`,
	} {
		f := newClassic(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {wine: {path: wine.csv}}\nmodels: {m: {"+change+
			"}}\nsamplers: {s: {method: auto}}\nrun: {warmup: 20, draws: 20}\n", "wine.csv")
		if text := f.errors(); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", change, text, want)
		}
	}
}
