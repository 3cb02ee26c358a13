package pipelines_test

import (
	"fmt"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

// Gaussian processes have the posteriors of brms with the same formulas and priors, and so have their curves.
func TestProcessesLikeBrms(t *testing.T) {
	infertest.Study(t)
	rows, all, _ := brmsMoments(t, "../testdata/classic/processes.json")
	f := newClassic(t, `
pipeline: p
database: t.duckdb
seed: 3
datasets: {mcycle: {path: mcycle.csv}, discoveries: {path: discoveries.csv}, topo: {path: topo.csv}}
models:
  mcycle: {formula: "accel ~ gp(times, k = 40, c = 5/4)", family: gaussian, prior: {intercept: "normal(0, 50)",
    sds: "half_normal(60)", lscale: "inverse_gamma(3, 0.4)", sigma: "exponential(0.05)"},
    derive: {at10: "linear_predictor(times = 10)", at21: "linear_predictor(times = 21)", at30: "linear_predictor(times = 30)"}}
  discoveries: {formula: "count ~ gp(year, k = 30)", family: poisson, prior: {intercept: "normal(0, 2)",
    sds: "half_normal(1)", by_name: {lscale_gpyear: "inverse_gamma(3, 0.4)"}},
    derive: {at1870: "linear_predictor(year = 1870)", at1886: "linear_predictor(year = 1886)", at1950: "linear_predictor(year = 1950)"}}
  topo: {formula: "z ~ gp(x, y, k = 7)", family: gaussian, prior: {intercept: "normal(800, 100)",
    sds: "half_normal(100)", lscale: "inverse_gamma(3, 0.6)", sigma: "exponential(0.05)"},
    derive: {at1: "linear_predictor(x = 1, y = 1)", at3: "linear_predictor(x = 3, y = 4)", at5: "linear_predictor(x = 5, y = 2)"}}
samplers: {auto: {method: auto}}
run: {chains: 2, warmup: 300, draws: 1500}
fits:
  - {datasets: [mcycle], models: [mcycle], samplers: [auto]}
  - {datasets: [discoveries], models: [discoveries], samplers: [auto]}
  - {datasets: [topo], models: [topo], samplers: [auto]}
`, "mcycle.csv", "discoveries.csv", "topo.csv")
	f.computes()
	f.far("mean or standard deviation", fmt.Sprintf(`
		SELECT max(greatest(abs(s.mean - v.m) / s.sd, abs(ln(s.sd / v.s)))) + abs(count(*) - %d)
		FROM summary s JOIN fit USING (fit_id) JOIN (VALUES %s) AS v(model, name, m, s) USING (model, name)`, all, rows), 0.12)
}

// Few functions are reported with the number that is needed; priors that a process cannot have are refused.
func TestProcessWarnsAndRefuses(t *testing.T) {
	spec := func(model string) folder {
		return newClassic(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {mcycle: {path: mcycle.csv}}\nmodels: {m: {"+model+
			"}}\nsamplers: {s: {method: auto}}\nrun: {chains: 2, warmup: 100, draws: 300}\n", "mcycle.csv")
	}
	f := spec(`formula: "accel ~ gp(times, k = 10)", family: gaussian, prior: {lscale: "inverse_gamma(3, 0.4)"}`)
	f.computes()
	if got := f.ask("t.duckdb", "SELECT array_to_string(warnings, ' ') FROM latest"); !strings.Contains(got, "the shortest that 10 functions represent") {
		t.Errorf("warnings %s", got)
	}
	for model, want := range map[string]string{
		`formula: "accel ~ gp(times)", family: gaussian, prior: {sds: "constant(2)"}`:   "which a Gaussian process needs",
		`formula: "accel ~ gp(times)", family: gaussian, prior: {lscale: flat}`:         "which a Gaussian process needs",
		`formula: "accel ~ s(times)", family: gaussian, prior: {lscale: "gamma(2, 2)"}`: "the formula has none",
	} {
		if text := spec(model).errors(); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", model, text, want)
		}
	}
}
