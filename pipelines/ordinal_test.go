package pipelines_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"glmbatch/infer/infertest"
)

const ordinal = `
pipeline: ordinal
database: t.duckdb
seed: 3
datasets: {wine: {path: wine.csv}, housing: {path: housing.csv}, births: {path: birthwt.csv}}
models:
  rows: {formula: rating ~ temp + contact, family: cumulative, derive: {gap: "` + "`(Intercept)[2]` - `(Intercept)[1]`" + `"}}
  scaled: {formula: rating ~ temp + contact, family: cumulative, standardize: center_scale,
    prior: {coefficients: "normal(0, 2.5)", by_name: {"(Intercept)[1]": "normal(-1, 3)"}}}
  empty: {formula: rating ~ 1, family: cumulative}
  judges: {formula: rating ~ temp + contact + (1 | judge), family: acat}
  disc: {formula: "bf(rating ~ temp + contact, disc ~ contact)", family: sratio(cloglog)}
  two: {formula: low ~ age + smoke, family: cumulative}
  binary: {formula: low ~ age + smoke, family: bernoulli, prior: {intercept: {prior: "student_t(3, 0, 2.5)"}}}
  housing: {formula: Sat ~ Infl + Type + Cont, family: cumulative, frequency_weights: Freq,
    levels: {Sat: [Low, Medium, High], Infl: [Low], Type: [Tower, Apartment, Atrium, Terrace], Cont: [Low]},
    prior: {coefficients: "normal(0, 100)", intercept: {prior: "normal(0, 100)"}}}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 4, warmup: 300, draws: 600, loo: true, ppc: true}
fits:
  - {datasets: [wine], models: [rows, scaled, empty, judges, disc], samplers: [gibbs]}
  - {datasets: [births], models: [two, binary], samplers: [gibbs]}
  - {datasets: [wine], models: [disc], samplers: [nuts]}
  - {datasets: [housing], models: [housing], samplers: [gibbs]}
`

// Ordered classes run by Gibbs and by NUTS with one answer. It is that of bernoulli for two classes, that of polr of MASS
// under wide priors, and does not depend on the scale of columns. TestHamiltonian of infer/model compares other samplers.
func TestOrdinal(t *testing.T) {
	f := newClassic(t, ordinal, "wine.csv", "housing.csv", "birthwt.csv")
	f.computes()
	pair := func(a, b string) string {
		return `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b ON a.sampler = 'gibbs' AND ` +
			`a.model = '` + a + `' AND b.model = '` + b + `' AND `
	}
	f.far("Gibbs against NUTS", pair("disc", "disc")+`a.parameter = b.parameter AND b.sampler = 'nuts'`, 0.15)
	f.far("scaled columns", pair("scaled", "rows")+`a.parameter = b.parameter AND b.sampler = 'gibbs'`, 0.35)
	f.far("coefficients of two classes", pair("two", "binary")+`a.parameter = b.parameter`, 0.15)
	f.far("their threshold", `SELECT abs(a.mean + b.mean) / a.sd FROM coefficients a, coefficients b WHERE a.model = 'two'
		AND b.model = 'binary' AND a.parameter = '(Intercept)[1]' AND b.parameter = '(Intercept)'`, 0.15)
	f.far("their elpd", `SELECT max(elpd_loo) - min(elpd_loo) FROM loo JOIN fit USING (fit_id)
		WHERE model IN ('two', 'binary')`, 0.2)
	for name, want := range map[string]string{"InflMedium": "0.5664", "InflHigh": "1.2888", "TypeApartment": "-0.5724",
		"TypeAtrium": "-0.3662", "TypeTerrace": "-1.0910", "ContHigh": "0.3603", "(Intercept)[1]": "-0.4961",
		"(Intercept)[2]": "0.6907"} { // polr(Sat ~ Infl + Type + Cont, weights = Freq)
		f.far("polr: "+name, `SELECT abs(mean - (`+want+`)) / sd FROM coefficients WHERE model = 'housing' AND parameter = '`+
			name+`'`, 0.15)
	}
	f.far("the share of class 3", `SELECT abs(p - 0.5) FROM (SELECT avg(p_value) AS p FROM ppc WHERE statistic = 'share[3]')`, 0.4)
}

// Each part of a model that ordered classes cannot have is refused with its reason.
func TestOrdinalRefused(t *testing.T) {
	for change, want := range map[string]string{
		`formula: rating ~ 0 + temp, family: cumulative`:                                   `thresholds between ordered classes`,
		`formula: rating ~ temp, family: cumulative, prior: {coefficients: flat}`:          `flat prior`,
		`formula: rating ~ temp, family: cumulative, missing: impute`:                      `missing cells`,
		`formula: rating ~ temp, family: acat, mixture: {components: 2}`:                   `mixture`,
		`formula: "bf(rating ~ temp, sigma ~ temp)", family: cumulative`:                   `disc`,
		`formula: "bf(rating ~ temp, thresholds ~ temp)", family: cumulative`:              `no parameter "thresholds"`,
		`formula: I(rating > 2) ~ temp, family: cumulative`:                                `a column of classes`,
		`formula: rating ~ temp, family: cumulative(log)`:                                  `logit, probit, cloglog, cauchit`,
		`formula: rating ~ temp, family: cumulative, derive: {a: "mean(temp = \"warm\")"}`: `several`,
	} {
		f := newClassic(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {wine: {path: wine.csv}}\nmodels: {m: {"+change+
			"}}\nsamplers: {s: {method: auto}}\nrun: {warmup: 20, draws: 20}\n", "wine.csv")
		if text := f.errors(); !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", change, text, want)
		}
	}
}

// Posteriors are those of brms with the same formulas and priors.
func TestOrdinalLikeBrms(t *testing.T) {
	infertest.Study(t)
	rows, _, _ := brmsMoments(t, "../testdata/classic/ordinal.json")
	f := newClassic(t, `
pipeline: p
database: t.duckdb
seed: 3
datasets: {wine: {path: wine.csv}}
models:
  judges: {formula: rating ~ temp + contact + (1 | judge), family: cumulative(probit),
    prior: {sd: "half_student_t(3, 2.5)", coefficients: "normal(0, 4.97)"}}
  disc: {formula: "bf(rating ~ temp + contact, disc ~ contact)", family: cumulative}
  acat: {formula: rating ~ temp + contact, family: acat}
  sratio: {formula: rating ~ temp + contact, family: sratio(cloglog)}
  cratio: {formula: rating ~ temp + contact, family: cratio(cloglog)}
samplers: {auto: {method: auto}}
run: {chains: 4, warmup: 300, draws: 2000}
`, "wine.csv")
	f.computes()
	f.far("mean or standard deviation", `SELECT max(greatest(abs(mean - m) / sd, abs(ln(sd / s)))) + abs(count(*) - 32)
		FROM coefficients JOIN (VALUES `+rows+`) AS v(model, parameter, m, s) USING (model, parameter)`, 0.12)
}

// brmsMoments reads means and standard deviations of parameters by models: as rows of SQL, and how many there are in
// all and of each model.
func brmsMoments(t *testing.T, path string) (rows string, all int, of map[string]int) {
	t.Helper()
	text, err := os.ReadFile(path)
	must(t, err)
	var brms map[string]map[string][2]float64
	must(t, json.Unmarshal(text, &brms))
	var values []string
	of = map[string]int{}
	for model, parameters := range brms { //maporder:ok the largest of all is taken
		for name, want := range parameters { //maporder:ok the largest of all is taken
			values = append(values, fmt.Sprintf("('%s', '%s', %v, %v)", model, name, want[0], want[1]))
		}
		of[model] = len(parameters)
		all += len(parameters)
	}
	return strings.Join(values, ", "), all, of
}
