package pipelines_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// pairSpec has a gaussian response and a count with correlated effects of levels, and each of them alone.
const pairSpec = `
pipeline: pair
database: t.duckdb
seed: 5
datasets: {pair: {path: pair.csv}}
models:
  both:
    formula: "bf(a ~ x + (1 | p | g)) + bf(b ~ z + (1 | p | g))"
    family: gaussian
    families: {b: poisson}
    prior: {coefficients: "normal(0, 3)", intercept: "normal(0, 30)", sd: "half_student_t(3, 3)",
      sigma: "half_student_t(3, 3)"}
    derive: {sum: "a_x + b_z"}
    effects: [x, {effect: z, contrast: reference}]
  apart:
    formula: "bf(a ~ x) + bf(b ~ z)"
    family: gaussian
    families: {b: poisson}
  a: {formula: a ~ x, family: gaussian}
  b: {formula: b ~ z, family: poisson}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 4, warmup: 300, draws: 1000, loo: true, ppc: {statistics: {top: "max(y)"}}}
fits:
  - {datasets: [pair], models: [both], samplers: [gibbs, nuts]}
  - {datasets: [pair], models: [apart, a, b], samplers: [gibbs]}
`

// Two responses of different families have the posterior of brms, by Gibbs and NUTS. Questions are answered by
// response, and leave-one-out adds the responses of a row up.
func TestResponses(t *testing.T) {
	f := newFolder(t, pairSpec)
	text, err := os.ReadFile("../testdata/multilevel/pair.csv")
	must(t, err)
	f.write("pair.csv", string(text))
	f.computes()
	f.far("Gibbs against NUTS", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b
		ON a.sampler = 'gibbs' AND b.sampler = 'nuts' AND a.model = b.model AND a.parameter = b.parameter`, 0.15)
	f.likeBrmsOf("pair", "both")
	f.far("elpd of responses together", `SELECT abs(sum(CASE model WHEN 'apart' THEN elpd_loo ELSE -elpd_loo END))
		FROM loo JOIN fit USING (fit_id) WHERE model IN ('apart', 'a', 'b')`, 0.5)
	f.far("means of responses together", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b
		ON a.model = 'apart' AND b.model IN ('a', 'b') AND a.parameter IN (b.model || '_' || b.parameter,
		b.parameter || '_' || b.model)`, 0.15)
	if got := f.ask("t.duckdb", `SELECT string_agg(statistic, ' ' ORDER BY statistic) FROM ppc JOIN fit USING (fit_id)
		WHERE model = 'apart'`); got != "max[a] max[b] mean[a] mean[b] min[a] min[b] sd[a] sd[b] top[a] top[b] zeros[b]" {
		t.Errorf("statistics %s", got)
	}
	if got := f.ask("t.duckdb", `SELECT string_agg(DISTINCT effect, '; ' ORDER BY effect) FROM effects
		WHERE sampler = 'gibbs'`); got != `"x, response a; z, response b, reference"` {
		t.Errorf("effects %s", got)
	}
	f.predictsByResponse()
}

// apartSpec has responses that miss rows of their own, with nothing in common but the rows, and each of them alone.
const apartSpec = `
pipeline: apart
database: t.duckdb
seed: 5
datasets: {pair: {path: pair.csv}}
models:
  apart:
    formula: "bf(a ~ x + (1 | g)) + bf(b ~ z + (1 | g))"
    family: gaussian
    families: {b: poisson}
    missing: by_response
  linked:
    formula: "bf(a ~ x + (1 | p | g)) + bf(b ~ z + (1 | p | g))"
    family: gaussian
    families: {b: poisson}
    missing: by_response
  a: {formula: a ~ x + (1 | g), family: gaussian, missing: drop}
  b: {formula: b ~ z + (1 | g), family: poisson, missing: drop}
samplers: {gibbs: {method: auto}}
run: {chains: 4, warmup: 300, draws: 1000, loo: true, ppc: true, kfold: 2}
fits:
  - {datasets: [pair], models: [apart, a, b], samplers: [gibbs]}
`

// A row counts in the responses that it has: responses that share nothing have the posteriors, default priors, checks
// and sums of leave-one-out of models of each. No row of level g3 has the response a.
func TestResponsesOfTheirOwnRows(t *testing.T) {
	f := newFolder(t, apartSpec)
	text, err := os.ReadFile("../testdata/multilevel/pair.csv")
	must(t, err)
	lines, of := strings.Split(strings.TrimSpace(string(text)), "\n"), map[string]int{}
	for i, line := range lines[1:] {
		cells := strings.Split(line, ",")
		for k, missing := range []bool{i%4 == 1 || cells[4] == "g3", i%5 == 2, false, i%17 == 3, i == 49} {
			if missing {
				cells[k] = ""
			}
		}
		a, b := cells[0] != "" && cells[4] != "", cells[1] != "" && cells[3] != "" && cells[4] != ""
		for name, has := range map[string]bool{"a": a, "b": b, "apart": a || b} { //maporder:ok counts are of each name
			if has {
				of[name]++
			}
		}
		lines[i+1] = strings.Join(cells, ",")
	}
	f.write("pair.csv", strings.Join(lines, "\n"))
	f.computes()
	want := fmt.Sprintf("a %d apart %d b %d", of["a"], of["apart"], of["b"])
	if got := f.ask("t.duckdb", "SELECT string_agg(model || ' ' || n_rows, ' ' ORDER BY model) FROM fit"); got != want {
		t.Errorf("rows %s, want %s", got, want)
	}
	const both = ` FROM coefficients a JOIN coefficients b ON a.model = 'apart' AND b.model IN ('a', 'b') AND a.parameter IN
		(b.model || '_' || b.parameter, b.parameter || '_' || b.model, replace(b.parameter, '__', '__' || b.model || '_'))`
	f.far("means", "SELECT max(abs(a.mean - b.mean) / a.sd) + abs(count(*) - 7)"+both, 0.15)
	f.far("standard deviations", "SELECT max(abs(ln(a.sd / b.sd)))"+both, 0.1)
	f.far("leave-one-out", `SELECT abs(sum(CASE model WHEN 'apart' THEN elpd_loo ELSE -elpd_loo END))
		FROM loo JOIN fit USING (fit_id)`, 1)
	f.far("rows of folds", "SELECT max(abs(observations - n_rows)) FROM kfold JOIN fit USING (fit_id)", 0)
	f.far("observed statistics", `SELECT max(abs(a.observed - b.observed)) + abs(count(*) - 9) FROM ppc a JOIN fit f
		USING (fit_id), ppc b JOIN fit g USING (fit_id) WHERE f.model = 'apart' AND g.model IN ('a', 'b') AND
		a.statistic = b.statistic || '[' || g.model || ']'`, 1e-9)
	texts, err := pipelines.Explain(t.Context(), f.path("spec.yaml"), pipelines.Overrides{}, nil, "text")
	must(t, err)
	want = fmt.Sprintf("2 responses of %d rows: a of %d, b of %d", of["apart"], of["a"], of["b"])
	if !strings.Contains(texts[0], want) {
		t.Errorf("%s\nhas not %q", texts[0], want)
	}
	f.write("spec.yaml", strings.Replace(apartSpec, "[apart, a, b]", "[linked]", 1))
	texts, err = pipelines.Explain(t.Context(), f.path("spec.yaml"), pipelines.Overrides{}, nil, "text")
	must(t, err)
	if strings.Contains(texts[0], "would refuse") {
		t.Errorf("linked groups: %s", texts[0])
	}
}

// On complete data each response has all rows, and the draws are those of other rules to the bit.
func TestResponsesOfAllRows(t *testing.T) {
	var draws []string
	for _, rule := range []string{"by_response", "error"} {
		f := newFolder(t, strings.NewReplacer("by_response", rule, "[apart, a, b]", "[apart]", "1000", "50", "300",
			"50").Replace(apartSpec))
		text, err := os.ReadFile("../testdata/multilevel/pair.csv")
		must(t, err)
		f.write("pair.csv", string(text))
		f.run(pipelines.RunOptions{})
		draws = append(draws, f.ask("t.duckdb", "SELECT sum(hash(chain, iteration, parameter, value)) FROM draws"))
	}
	if draws[0] != draws[1] || draws[0] == "" {
		t.Errorf("draws %s", draws)
	}
}

// predictsByResponse compares predictions with the coefficients.
func (f folder) predictsByResponse() {
	f.t.Helper()
	f.write("new.csv", "x,z,g\n1,2,new\n")
	for response, want := range map[string]string{"a": "avg(`a_(Intercept)` + a_x)",
		"b": "avg(exp(`b_(Intercept)` + 2 * b_z))"} {
		rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"model=apart"}, Response: response,
			Data: f.path("new.csv"), Of: []string{"mean"}})
		must(f.t, err)
		mean := 0.0
		draws := f.drawn("WHERE model = 'apart'")
		for _, at := range draws {
			if response == "a" {
				mean += (at["a_(Intercept)"] + at["a_x"]) / float64(len(draws))
			} else {
				mean += math.Exp(at["b_(Intercept)"]+2*at["b_z"]) / float64(len(draws))
			}
		}
		if got := number(f.t, rows[1][2]); math.Abs(got-mean) > 1e-6 {
			f.t.Errorf("mean of %s is %v, want %v (%s)", response, got, mean, want)
		}
	}
	err := pipelines.Predict(f.t.Context(), new(bytes.Buffer), f.path("spec.yaml"),
		pipelines.PredictOptions{Only: []string{"model=apart"}})
	if err == nil || !strings.Contains(err.Error(), "has the responses a, b") {
		f.t.Errorf("a prediction of no response: %v", err)
	}
}

// likeBrmsOf compares means and standard deviations of Gibbs draws of a model with stored ones.
func (f folder) likeBrmsOf(name, model string) {
	f.t.Helper()
	text, err := os.ReadFile("../testdata/multilevel/responses.json")
	must(f.t, err)
	var all map[string]map[string][2]float64
	must(f.t, json.Unmarshal(text, &all))
	var values []string
	for parameter, want := range all[name] { //maporder:ok the largest of all is taken
		values = append(values, fmt.Sprintf("('%s', %v, %v)", parameter, want[0], want[1]))
	}
	f.far("mean or standard deviation of brms", fmt.Sprintf(`SELECT max(greatest(abs(mean - m) / sd, abs(ln(sd / s)))) +
		abs(count(*) - %d) FROM coefficients JOIN (VALUES %s) AS v(parameter, m, s) USING (parameter)
		WHERE sampler = 'gibbs' AND model = '%s'`, len(values), strings.Join(values, ", "), model), 0.12)
}

// Faults of specs of several responses name the response and its formula.
func TestResponsesAreRefused(t *testing.T) {
	for change, want := range map[string]string{
		"bf(b ~ z + (1 | p | g))|bf(b ~ z + (1 | p | gg))":                      `"gg"`,
		"bf(b ~ z + (1 | p | g))|bf(a ~ z)":                                     "the response a has two formulas",
		"{b: poisson}|{c: poisson}":                                             `the formula has no response "c"`,
		"{b: poisson}|{b: categorical}":                                         "response b is in classes",
		"effects: [x,|effects: [q,":                                             "no response has a formula with its variables",
		"sigma: \"half_student_t(3, 3)\"|shape: exponential(1)":                 "no response has shape",
		"a: {formula: a ~ x,|a: {missing: by_response, formula: a ~ x,":         "missing: by_response is of several responses",
		"families: {b: poisson}|missing: by_response\n    frequency_weights: x": "weights of rows that count several times",
	} {
		from, to, _ := strings.Cut(change, "|")
		if strings.HasPrefix(change, "bf(b") {
			from, to, _ = strings.Cut(change, "))|")
			from += "))"
		}
		f := newFolder(t, strings.Replace(pairSpec, from, to, 1))
		f.write("pair.csv", "a,b,x,z,g\n1,2,3,4,u\n2,3,1,1,v\n3,1,2,2,u\n")
		out, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{})
		if err == nil {
			err = out.Fits[0].Err
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

// residualsSpec has two gaussian responses with correlated residuals, and each of them alone.
const residualsSpec = `
pipeline: residuals
database: t.duckdb
seed: 5
datasets: {both: {path: residuals.csv}}
models:
  both:
    formula: "bf(a ~ x + (1 | p | g)) + bf(b ~ z + (1 | p | g)) + set_rescor(TRUE)"
    family: gaussian
    prior: {coefficients: "normal(0, 3)", intercept: "normal(0, 30)", sd: "half_student_t(3, 3)",
      sigma: "half_student_t(3, 3)", rescor: lkj(2)}
    derive: {product: "rescor__a__b * sigma_a * sigma_b"}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 4, warmup: 300, draws: 1000, loo: true, ppc: true}
fits:
  - {datasets: [both], models: [both], samplers: [gibbs, nuts]}
`

// Correlated residuals have the posterior of brms, by Gibbs and NUTS; leave-one-out is of rows together.
func TestCorrelatedResiduals(t *testing.T) {
	f := newFolder(t, residualsSpec)
	text, err := os.ReadFile("../testdata/multilevel/residuals.csv")
	must(t, err)
	f.write("residuals.csv", string(text))
	f.computes()
	f.far("Gibbs against NUTS", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b
		ON a.sampler = 'gibbs' AND b.sampler = 'nuts' AND a.parameter = b.parameter`, 0.15)
	f.likeBrmsOf("residuals", "both")
	if got := f.ask("t.duckdb", `SELECT string_agg(DISTINCT kind || ' ' || prior, '; ') FROM parameter JOIN fit
		USING (fit_id) WHERE name = 'rescor__a__b'`); got != "residual_correlation lkj(2)" {
		t.Errorf("rescor is %s", got)
	}
	f.far("elpd of brms", `SELECT max(abs(elpd_loo + 397.1)) FROM loo`, 1)
}
