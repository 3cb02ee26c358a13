package pipelines_test

import (
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const predictors = `
pipeline: predictors
database: t.duckdb
seed: 3
datasets: {school: {path: quine.csv}}
models:
  constant: {formula: log(Days + 1) ~ Age, family: gaussian}
  one: {formula: "bf(log(Days + 1) ~ Age, sigma ~ 1)", family: gaussian}
  plain: {formula: "bf(log(Days + 1) ~ Age, sigma ~ Sex + Lrn)", family: gaussian}
  scaled: {formula: "bf(log(Days + 1) ~ Age, sigma ~ Sex + Lrn)", family: gaussian, standardize: center_scale,
    prior: {coefficients: "normal(0, 2)", by_name: {sigma_SexM: "normal(0, 1)", "sigma_(Intercept)": "normal(0, 3)"}}}
  counts: {formula: Days ~ Age, family: negative_binomial}
  never: {formula: Days ~ Age, family: zero_inflated_negative_binomial,
    prior: {by_name: {"zi_(Intercept)": "normal(-20, 0.1)"}}}
  hurdle: {formula: "bf(Days ~ Age, hu ~ Sex)", family: hurdle_negative_binomial, derive: {odds: exp(hu_SexM)}}
  shaped: {formula: "bf(Days ~ Age, shape ~ 1)", family: negative_binomial}
  zero: {formula: I(Days == 0) ~ Sex, family: bernoulli}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 4, warmup: 300, draws: 600, loo: true, ppc: true}
fits:
  - {datasets: [school], models: [constant, one, plain, scaled, counts, never, hurdle, shaped, zero], samplers: [gibbs]}
  - {datasets: [school], models: [plain], samplers: [nuts]}
`

// quine is a folder with the spec and its data.
func quine(t *testing.T, spec string) folder { return newClassic(t, spec, "quine.csv") }

// Predictors of spread and zeros run by Gibbs and by NUTS with one answer. It is that of simpler models if these are the
// same: a constant sigma, no second source of zeros, the zeros of a hurdle alone.
func TestPredictors(t *testing.T) {
	f := quine(t, predictors)
	f.computes()
	pair := func(a, b string) string {
		return `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b ON a.sampler = 'gibbs' AND ` +
			`a.model = '` + a + `' AND b.model = '` + b + `' AND `
	}
	elpd := func(a, b string) string {
		return `SELECT max(elpd_loo) - min(elpd_loo) FROM loo JOIN fit USING (fit_id) WHERE model IN ('` + a + `', '` + b +
			`') AND sampler = 'gibbs'`
	}
	f.far("Gibbs against NUTS", pair("plain", "plain")+`a.parameter = b.parameter AND b.sampler = 'nuts'`, 0.15)
	f.far("a constant sigma", pair("one", "constant")+`a.parameter = b.parameter`, 0.15)
	f.far("its elpd", elpd("one", "constant"), 0.3)
	f.far("no second source of zeros", pair("never", "counts")+`a.parameter = b.parameter`, 0.15)
	f.far("its elpd", elpd("never", "counts"), 0.3)
	f.far("a constant shape", pair("shaped", "counts")+`a.parameter = b.parameter`, 0.15)
	f.far("its elpd", elpd("shaped", "counts"), 0.5)
	if got := f.ask("t.duckdb", `SELECT prior FROM parameter JOIN fit USING (fit_id) WHERE model = 'shaped' AND
		predictor = 'shape'`); got != `"student_t(3, 0, 2.5)"` {
		t.Errorf("prior of log shape: %s", got)
	}
	f.far("zeros alone", pair("hurdle", "zero")+`a.parameter = 'hu_' || b.parameter`, 0.15)
	f.far("scaled columns", pair("scaled", "plain")+`a.parameter = b.parameter AND b.sampler = 'gibbs'`, 0.35)
	if got := f.ask("t.duckdb", `SELECT string_agg(prior, ', ' ORDER BY name) FROM parameter JOIN fit USING (fit_id)
		WHERE model = 'scaled' AND predictor = 'sigma'`); got != `"normal(0, 3), normal(0, 2.5), normal(0, 1)"` {
		t.Errorf("priors of sigma: %s", got)
	}
	if got := f.ask("t.duckdb", `SELECT string_agg(DISTINCT predictor, ' ') FROM parameter JOIN fit USING (fit_id)
		WHERE model = 'hurdle' AND name LIKE 'hu%'`); got != "hu" {
		t.Errorf("predictor of hu: %s", got)
	}
	f.write("new.csv", "Age,Sex\nF0,M\nF3,F\n")
	var b strings.Builder
	o := pipelines.PredictOptions{Only: []string{"model=hurdle", "sampler=gibbs"}, Data: f.path("new.csv"),
		Of: []string{"linear"}, Notes: new(strings.Builder)}
	o.Output.Format = "csv"
	must(t, pipelines.Predict(t.Context(), &b, f.path("spec.yaml"), o))
	if got := b.String(); strings.Count(got, "linear[mu]") != 2 || strings.Count(got, "linear[hu]") != 2 {
		t.Errorf("linear predictors of two rows:\n%s", got)
	}
	b.Reset()
	o.Of = []string{"zero"}
	must(t, pipelines.Predict(t.Context(), &b, f.path("spec.yaml"), o))
	want := f.ask("t.duckdb", `SELECT printf('%.5g', avg(1 / (1 + exp(-value)))) FROM draws
		WHERE model = 'hurdle' AND sampler = 'gibbs' AND parameter = 'hu_(Intercept)'`)
	if got := b.String(); !strings.Contains(got, "2,zero,"+want[:5]) {
		t.Errorf("the probability of zero is not %s:\n%s", want, got)
	}
}

// Each combination without a sampler is refused with its reason.
func TestPredictorsRefused(t *testing.T) {
	for change, want := range map[string]string{
		`formula: "bf(Days ~ Age, phi ~ Sex)", family: negative_binomial`:                              `negative_binomial has no parameter "phi" with a formula`,
		`formula: "bf(Days ~ Age, hu ~ Sex)", family: zero_inflated_poisson`:                           `it has zi`,
		`formula: "bf(Days ~ Age, sigma ~ Sex)", family: gaussian, prior: {sigma: exponential(1)}`:     `prior sigma is of one number`,
		`formula: "bf(Days ~ Age, sigma ~ Sex)", family: gaussian, missing: impute`:                    `missing cells`,
		`formula: "bf(Days ~ Age, sigma ~ Sex)", family: gaussian, prior: {coefficients: flat}`:        `flat prior`,
		`formula: "bf(Days ~ Age, sigma ~ Sex)", family: gaussian, mixture: {components: 2}`:           `mixture`,
		`formula: "bf(Days ~ Age, sigma ~ Sex)", family: gaussian, precision_weights: Days`:            `precision weights`,
		`formula: "bf(Days ~ Age, zi ~ Sex)", family: zero_inflated_poisson, derive: {a: mean(x = 1)}`: `several`,
		`formula: "bf(Days ~ Age, sigma ~ nowhere)", family: gaussian`:                                 `no column "nowhere"`,
	} {
		f := quine(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {school: {path: quine.csv}}\nmodels: {m: {"+change+
			"}}\nsamplers: {s: {method: auto}}\nrun: {warmup: 20, draws: 20}\n")
		if text := f.errors(); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", change, text, want)
		}
	}
}

// Effects of all predictors that are to be summarised have no draws.
func TestPredictorsSummarised(t *testing.T) {
	f := quine(t, `
pipeline: p
database: t.duckdb
datasets: {school: {path: quine.csv}}
models:
  spread: {formula: "bf(log(Days + 1) ~ Sex, sigma ~ (1 | Age))", family: gaussian}
  both: {formula: "bf(Days ~ (1 | Age), zi ~ (1 | Age))", family: zero_inflated_poisson}
samplers: {s: {method: auto}}
run: {warmup: 20, draws: 20, keep: {groups: summary}}
`)
	f.run(pipelines.RunOptions{})
	for sql, want := range map[string]string{
		`SELECT count(*) FROM parameter p JOIN draw_piece USING (fit_id, parameter_id) WHERE kind = 'group_effect'`: "0",
		`SELECT string_agg(model || n, ' ' ORDER BY model) FROM (SELECT model, count(*) n FROM summary s JOIN parameter p
			USING (fit_id, parameter_id) JOIN fit USING (fit_id) WHERE p.kind = 'group_effect' GROUP BY model)`: "both8 spread4",
	} {
		if got := f.ask("t.duckdb", sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

// Formulas one by one are those of bf(): one fit has both spellings.
func TestFormulasOneByOne(t *testing.T) {
	const spec = `
pipeline: p
database: t.duckdb
datasets: {school: {path: quine.csv}}
models: {m: {MODEL, family: zero_inflated_poisson}}
samplers: {s: {method: auto}}
run: {warmup: 20, draws: 20}
`
	f := quine(t, strings.Replace(spec, "MODEL", `formula: "bf(Days ~ Age, zi ~ Sex + Lrn)"`, 1))
	f.run(pipelines.RunOptions{})
	for _, spelling := range []string{"formula: Days ~ Age, formulas: {zi: ~ Sex + Lrn}",
		"formulas: {mu: Days ~ Age, zi: ~ Sex + Lrn}"} {
		f.write("spec.yaml", strings.Replace(spec, "MODEL", spelling, 1))
		if r := f.run(pipelines.RunOptions{}).Fits[0]; r.Err != nil || r.Action != "skipped" {
			t.Errorf("%s: %s %v", spelling, r.Action, r.Err)
		}
	}
	for model, want := range map[string]string{
		`formula: "bf(Days ~ Age, zi ~ Sex)", formulas: {zi: ~ Lrn}`: "formula has bf()",
		`formula: Days ~ Age, formulas: {zi: Lrn ~ Sex}`:             "is not the right side of a formula",
		`formula: Days ~ Age, formulas: {mu: Days ~ Age}`:            "formula and formulas: mu are both the formula",
		`formulas: {mu: ~ Age}`:                                      "formulas: mu has no response",
		`formulas: {zi: ~ Age}`:                                      "formula",
		`formula: Days | weights(a) ~ Age, frequency_weights: b`:     "frequency_weights names another column",
	} {
		f.write("spec.yaml", strings.Replace(spec, "MODEL", model, 1))
		if _, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", model, err, want)
		}
	}
}
