package pipelines_test

import (
	"strings"
	"testing"
)

const customSpec = `
pipeline: custom
database: t.duckdb
seed: 3
datasets: {counts: epil.csv, births: birthwt.csv}
models:
  bernoulli: {formula: low ~ lwt + smoke, family: bernoulli, standardize: center_scale}
  paper:
    formula: low ~ lwt + smoke
    standardize: center_scale
    family: {custom: {predictors: [mu(logit)], log_density: y * log(mu) + (1 - y) * log1m(mu), mean: mu, draw: bernoulli(mu)}}
  negative_binomial: {formula: y ~ trt + lbase, family: negative_binomial}
  hand:
    formula: y ~ trt + lbase
    family:
      custom:
        predictors: [mu(log)]
        scalars: {shape: {lower: 0}}
        log_density: lgamma(y + shape) - lgamma(shape) - lgamma(y + 1) + shape * log(shape / (shape + mu)) + y * log(mu / (shape + mu))
        mean: mu
        draw: negative_binomial(mu, shape)
  double:
    formula: y ~ lbase + offset(lage)
    formulas: {theta: ~ lage}
    family:
      custom:
        predictors: [mu(log), theta(log)]
        scalars: {share: {lower: 0.5, upper: 1.5}, lower: {lower: -2}, upper: {upper: 3}}
        log_density: 0.5 * log(theta) + theta * (y - mu + y * log(mu / max(y, 1))) - (share - 1.2) ^ 2 - lower ^ 2 - upper ^ 2 / period
  bug: {formula: y ~ trt, family: {custom: {predictors: [mu], log_density: y * log(lbase) - mu}}}
  absent: {formula: y ~ trt, family: {custom: {predictors: [mu], log_density: y * mu - exp(mu) + lbas}}}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 2, warmup: 150, draws: 400, loo: true}
fits:
  - {datasets: [counts], models: [double], samplers: [gibbs, nuts]}
  - {datasets: [counts], models: [hand, negative_binomial, bug, absent], samplers: [gibbs]}
  - {datasets: [births], models: [paper, bernoulli], samplers: [gibbs]}
`

// Likelihoods that are written by hand have the posterior, the means and the expected densities of the program's own
// families; that of the paper on Gibbs sampling is one of them. Gibbs and NUTS agree. A fault costs its own fit, and is
// named with its place.
func TestCustom(t *testing.T) {
	f := newClassic(t, customSpec, "epil.csv", "birthwt.csv")
	faults := f.errors()
	for _, want := range []string{
		`dataset "counts", model "bug": column "y", row 1: log_density, character 5: log(-0.7564) is NaN (y = 5, lbase = -0.756354)`,
		`epil.csv: log_density, character 20: "lbas" is neither a parameter nor a column`, "did you mean lbase?",
	} {
		if !strings.Contains(faults, want) {
			t.Errorf("no fault %q in %s", want, faults)
		}
	}
	f.far("fits that are missing", `SELECT abs(count(DISTINCT (model, sampler)) - 6) FROM coefficients`, 0)
	f.far("Gibbs against NUTS", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b
		USING (model, parameter) WHERE a.sampler = 'gibbs' AND b.sampler = 'nuts'`, 0.3)
	const same = `(a.model, b.model) IN (('hand', 'negative_binomial'), ('paper', 'bernoulli')) AND a.sampler = 'gibbs'`
	f.far("by hand against the family", `SELECT max(abs(a.mean - b.mean) / a.sd) + abs(count(*) - 7) FROM coefficients a
		JOIN coefficients b USING (parameter) WHERE `+same, 0.2)
	f.far("their elpd", `SELECT max(abs(x.elpd_loo - y.elpd_loo)) + abs(count(*) - 2) FROM loo x JOIN fit a USING (fit_id), loo y
		JOIN fit b USING (fit_id) WHERE `+same, 0.4)
	f.far("scalars beyond their bounds", `SELECT count(*) FROM coefficients WHERE model = 'double' AND (parameter = 'share' AND
		NOT (q025 > 0.5 AND q975 < 1.5) OR parameter = 'lower' AND NOT q025 > -2 OR parameter = 'upper' AND NOT q975 < 3)`, 0)
}
