package pipelines_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const categorical = `
pipeline: categorical
database: t.duckdb
seed: 7
datasets: {births: {path: birthwt.csv}}
models:
  race: {formula: race ~ age + smoke, family: categorical, standardize: center_scale, levels: {race: [white]},
    derive: {gap: muother_smoke - mublack_smoke}, effects: [smoke, {effect: smoke, average: true, contrast: pairwise}]}
  grouped: {formula: race ~ smoke + (1 | ht), family: categorical}
  smooth: {formula: race ~ s(age), family: categorical}
  two: {formula: smoke ~ age + lwt, family: categorical, standardize: center_scale}
  one: {formula: smoke ~ age + lwt, family: bernoulli, standardize: center_scale}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 4, warmup: 300, draws: 1000, loo: true, ppc: true}
fits:
  - {datasets: [births], models: [race, grouped, smooth, two, one], samplers: [gibbs]}
  - {datasets: [births], models: [race], samplers: [nuts]}
`

// births is a folder with the spec and its data.
func births(t *testing.T, spec string) folder { return newClassic(t, spec, "birthwt.csv") }

// newClassic is a folder with a spec and a classic data set.
func newClassic(t *testing.T, spec string, data ...string) folder {
	t.Helper()
	f := newFolder(t, spec)
	for _, name := range data {
		text, err := os.ReadFile("../testdata/classic/" + name)
		must(t, err)
		f.write(name, string(text))
	}
	return f
}

// errors runs the spec, and returns its error and those of its fits.
func (f folder) errors() (text string) {
	report, err := pipelines.Run(f.t.Context(), f.path("spec.yaml"), pipelines.RunOptions{})
	if err != nil {
		text = err.Error()
	}
	if report != nil {
		for _, r := range report.Fits {
			if r.Err != nil {
				text += r.Err.Error()
			}
		}
	}
	return text
}

// computes runs the spec, and demands that each fit is computed.
func (f folder) computes() {
	f.t.Helper()
	for _, r := range f.run(pipelines.RunOptions{}).Fits {
		if r.Err != nil || r.Action != "computed" {
			f.t.Errorf("%s × %s: %s %v", r.Model, r.Sampler, r.Action, r.Err)
		}
	}
}

// far demands that a number of the ledger is at most a bound.
func (f folder) far(what, sql string, most float64) {
	f.t.Helper()
	if got := number(f.t, f.ask("t.duckdb", sql)); !(got <= most) {
		f.t.Errorf("%s: %v, at most %v", what, got, most)
	}
}

// Responses in classes run by Gibbs and by NUTS with one answer, which for two classes is that of bernoulli; what is left
// out, replicated, predicted, derived and averaged is of the same probabilities.
func TestCategorical(t *testing.T) {
	f := births(t, categorical)
	f.computes()
	f.far("Gibbs against NUTS", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b USING (model, parameter)
		WHERE a.sampler = 'gibbs' AND b.sampler = 'nuts'`, 0.15)
	f.far("two classes against bernoulli", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b
		ON a.parameter = 'mu1_' || b.parameter WHERE a.model = 'two' AND b.model = 'one' AND a.sampler = 'gibbs'`, 0.15)
	f.far("their elpd", `SELECT max(elpd_loo) - min(elpd_loo) FROM loo WHERE fit_id IN (SELECT fit_id FROM fit WHERE model IN ('one', 'two'))`, 0.3)
	f.far("a derived quantity", `SELECT abs(g.mean - (o.mean - b.mean)) FROM coefficients g, coefficients o, coefficients b
		WHERE g.parameter = 'gap' AND o.parameter = 'muother_smoke' AND b.parameter = 'mublack_smoke'
		AND g.sampler = 'gibbs' AND o.sampler = 'gibbs' AND b.sampler = 'gibbs' AND o.model = 'race' AND b.model = 'race'`, 1e-9)
	f.far("effects whose probabilities do not sum to 1", `SELECT max(abs(s - 1)) FROM (SELECT sum(mean) s FROM effects
		WHERE model = 'race' AND sampler = 'gibbs' AND kind = 'prediction' GROUP BY x)`, 1e-9)
	if got := f.ask("t.duckdb", `SELECT string_agg(DISTINCT statistic, ' ' ORDER BY statistic) FROM ppc JOIN fit USING (fit_id) WHERE model = 'race'`); got != "share[black] share[other] share[white]" {
		t.Errorf("replicated statistics %s", got)
	}
	if got := f.ask("t.duckdb", `SELECT string_agg(DISTINCT predictor, ' ' ORDER BY predictor) FROM parameter JOIN fit USING (fit_id) WHERE model = 'grouped' AND kind = 'group_effect'`); got != "muother muwhite" {
		t.Errorf("predictors of effects: %s", got)
	}
	f.probabilitiesSum()
	f.write("spec.yaml", strings.Replace(categorical[:strings.Index(categorical, "fits:")], "ppc: true", "kfold: 3", 1)+
		"fits:\n  - {datasets: [births], models: [two, one], samplers: [gibbs]}\n")
	f.run(pipelines.RunOptions{})
	f.far("their elpd by k-fold", "SELECT max(elpd_kfold) - min(elpd_kfold) + if(count(*) = 2, 0, 9) FROM kfold", 1)
}

// probabilitiesSum demands that predictions have a probability for each class, on average the share of the class.
func (f folder) probabilitiesSum() {
	f.t.Helper()
	var b strings.Builder
	o := pipelines.PredictOptions{Only: []string{"model=race", "sampler=gibbs"}, Notes: new(strings.Builder)}
	o.Output.Format = "csv"
	must(f.t, pipelines.Predict(f.t.Context(), &b, f.path("spec.yaml"), o))
	sums, shares, names := map[string]float64{}, map[string]float64{}, ""
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:] {
		cells := strings.Split(line, ",")
		if strings.HasPrefix(cells[1], "mean[") {
			sums[cells[0]] += number(f.t, cells[2])
			shares[cells[1]] += number(f.t, cells[2]) / 189
		}
		if cells[0] == "1" {
			names += cells[1] + " "
		}
	}
	if names != "mean[white] mean[black] mean[other] response " || len(sums) != 189 {
		f.t.Errorf("quantities %sof %d rows", names, len(sums))
	}
	for class, count := range map[string]float64{"white": 96, "black": 26, "other": 67} {
		if got := shares["mean["+class+"]"]; math.Abs(got-count/189) > 0.03 {
			f.t.Errorf("the mean probability of %s is %v, its share of rows %v", class, got, count/189)
		}
	}
	for row, sum := range sums {
		if math.Abs(sum-1) > 1e-9 {
			f.t.Fatalf("row %s: probabilities sum to %v", row, sum)
		}
	}
}

// One sentence refuses each thing that families of several predictors do not have, and it costs its own fit.
func TestCategoricalRefusals(t *testing.T) {
	for change, want := range map[string]string{
		"family: categorical, prior: {coefficients: flat}":                        "flat prior",
		"family: categorical, prior: {coefficients: horseshoe(1)}":                "no sampler draws them",
		"family: categorical, derive: {a: mean(age = 30)}":                        "one linear predictor",
		"family: categorical, missing: impute":                                    "missing cells",
		"family: categorical, levels: {race: [white, black, other, none, never]}": "",
	} {
		spec := strings.Replace(categorical, "two: {formula: smoke ~ age + lwt, family: categorical", "two: {formula: race ~ age + lwt, "+change, 1)
		spec = spec[:strings.Index(spec, "run:")] + "run: {warmup: 20, draws: 20}\nfits:\n" +
			"  - {datasets: [births], models: [two, one], samplers: [gibbs]}\n"
		f := births(t, spec)
		out, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{})
		if err == nil && len(out.Fits) == 2 {
			if out.Fits[1].Err != nil {
				t.Errorf("%s: the other fit ended with %v", change, out.Fits[1].Err)
			}
			err = out.Fits[0].Err
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

// Draws from the prior have its spread.
func TestCategoricalPrior(t *testing.T) {
	spec := strings.Replace(categorical, "loo: true, ppc: true", "sample: prior", 1)
	f := births(t, spec[:strings.Index(spec, "fits:")]+"fits:\n  - {datasets: [births], models: [grouped], samplers: [gibbs]}\n")
	if r := f.run(pipelines.RunOptions{}).Fits[0]; r.Err != nil {
		t.Fatal(r.Err)
	}
	const want = 2.5 / 0.4894 // by the sd of smoke
	if got := number(t, f.ask("t.duckdb", "SELECT avg(sd) FROM coefficients WHERE parameter LIKE '%smoke'")); math.Abs(got-want) > 0.3 {
		t.Errorf("coefficients have sd %v, their prior %v", got, want)
	}
}
