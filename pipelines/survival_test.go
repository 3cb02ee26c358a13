package pipelines_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// censoredTimes are n times of a weibull distribution, of which those above 7 are censored there.
func censoredTimes(n int) string {
	var b strings.Builder
	b.WriteString("time,event,x,g\n")
	for i := range n {
		x, u := float64(i%7)-3, (float64(i*37%n)+0.5)/float64(n)
		time, event := math.Exp(2+0.2*x)*math.Pow(-math.Log(u), 1/1.5), 1
		if time > 7 {
			time, event = 7, 0
		}
		fmt.Fprintf(&b, "%.4f,%d,%v,%s\n", time, event, x, []string{"a", "b", "c"}[i%3])
	}
	return b.String()
}

// Survival, hazard and median of a row are those of the stored draws by SQL; other families refuse them by name.
func TestPredictTimes(t *testing.T) {
	f := newFolder(t, `pipeline: times
database: t.duckdb
datasets: {d: {path: d.csv}}
models:
  w: {formula: "time | cens(event == 0) ~ x", family: weibull}
  g: {formula: "time ~ x", family: inverse_gaussian(log)}
samplers: {auto: {method: auto}}
run: {chains: 2, draws: 200}
`)
	f.write("d.csv", censoredTimes(60))
	f.write("new.csv", "x\n1\n")
	f.run(pipelines.RunOptions{})
	of := []string{"median", "survival(10)", "hazard(10)"}
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv"), Only: []string{"model=w"}, Of: of})
	must(t, err)
	for k, sql := range []string{"scale * pow(ln(2), 1 / k)", "exp(-pow(10 / scale, k))", "k / scale * pow(10 / scale, k - 1)"} {
		want := number(t, f.ask("t.duckdb", `WITH d AS (SELECT exp(a.value + b.value) / gamma(1 + 1 / s.value) AS scale, s.value AS k
			FROM draws a JOIN draws b USING (fit_id, chain, iteration) JOIN draws s USING (fit_id, chain, iteration)
			WHERE a.parameter = '(Intercept)' AND b.parameter = 'x' AND s.parameter = 'shape' AND a.model = 'w') SELECT avg(`+sql+`) FROM d`))
		if row := rows[1+k]; row[1] != of[k] || math.Abs(number(t, row[2])-want) > 1e-9*want {
			t.Errorf("%v, by SQL %v", row, want)
		}
	}
	for name, want := range map[string]string{"survival(0)": "no time above 0", "odds(1)": "survival(T)"} {
		_, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"model=w"}, Of: []string{name}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, _, err = f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"model=g"}, Of: of})
	if err == nil || !strings.Contains(err.Error(), "not a quantity of family inverse_gaussian") {
		t.Errorf("inverse_gaussian: %v", err)
	}
	for _, scale := range of { // an effect at the row is its prediction
		var b strings.Builder
		o := pipelines.EffectsOptions{Effect: "x", At: []string{"x=1"}, Scale: scale}
		o.Only = []string{"model=w"}
		o.Notes, o.Output.Format = &strings.Builder{}, "csv"
		must(t, pipelines.Effects(t.Context(), &b, f.path("spec.yaml"), o))
		if want := rows[1+slices.Index(of, scale)][2]; !strings.Contains(b.String(), "\n1,"+want+",") {
			t.Errorf("effect on the scale %s: %s, predicted %s", scale, b.String(), want)
		}
	}
}

// Survival, hazard and median of a hazard in pieces are those of the stored draws by SQL, before and after its break.
func TestPredictPieces(t *testing.T) {
	f := newFolder(t, `pipeline: times
database: t.duckdb
datasets: {d: {path: d.csv}}
models: {p: {formula: "bf(surv(time, event, breaks = 4) ~ x, from4 ~ x)", family: piecewise_exponential}}
samplers: {auto: {method: auto}}
run: {chains: 2, draws: 200, loo: true, ppc: true, kfold: {folds: 3}}
`)
	f.write("d.csv", censoredTimes(60))
	f.write("new.csv", "x\n1\n")
	f.run(pipelines.RunOptions{})
	of := []string{"survival(3)", "survival(6)", "hazard(3)", "hazard(6)", "median"}
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv"), Of: of})
	must(t, err)
	for k, sql := range []string{"exp(-3 * h)", "exp(-4 * h - 2 * g)", "h", "g",
		"CASE WHEN 4 * h > ln(2) THEN ln(2) / h ELSE 4 + (ln(2) - 4 * h) / g END"} {
		want := number(t, f.ask("t.duckdb", `WITH d AS (SELECT exp(a.value + b.value) AS h,
				exp(a.value + b.value + c.value + e.value) AS g
			FROM draws a JOIN draws b USING (fit_id, chain, iteration) JOIN draws c USING (fit_id, chain, iteration)
			JOIN draws e USING (fit_id, chain, iteration) WHERE a.parameter = '(Intercept)' AND b.parameter = 'x'
			AND c.parameter = 'from4_(Intercept)' AND e.parameter = 'from4_x') SELECT avg(`+sql+`) FROM d`))
		if row := rows[1+k]; row[1] != of[k] || math.Abs(number(t, row[2])-want) > 1e-9*want {
			t.Errorf("%v, by SQL %v", row, want)
		}
	}
	if got := f.ask("t.duckdb", "SELECT count(*) FROM pointwise"); got != "60" {
		t.Errorf("leave-one-out of %s rows, want 60 subjects", got)
	}
}

// Leave-one-out transforms of a model that fits are uniform, censored rows at random above their bound; replicates that
// are censored like the rows have their Kaplan-Meier curve.
func TestCensoredTransforms(t *testing.T) {
	f := newFolder(t, `pipeline: times
database: t.duckdb
datasets: {d: {path: d.csv}}
models: {w: {formula: "time | cens(event == 0) ~ x", family: weibull}}
samplers: {auto: {method: auto}}
run: {chains: 2, draws: 300, loo: true, ppc: true}
`)
	f.write("d.csv", censoredTimes(301))
	f.run(pipelines.RunOptions{})
	if outside := f.ask("t.duckdb", `SELECT count(*) FROM loo_pit WHERE NOT ecdf BETWEEN low AND high`); outside != "0" {
		t.Errorf("%s shares of transforms are outside the band", outside)
	}
	if got := f.ask("t.duckdb", `SELECT count(*) FROM ppc WHERE p_value BETWEEN 0.01 AND 0.99`); got != "3" {
		t.Errorf("%s of 3 shares are those of replicates:\n%s", got, f.ask("t.duckdb", "SELECT string_agg(statistic || ' ' || p_value) FROM ppc"))
	}
}

// Features that do not go with censored rows are refused with the spec, by name.
func TestCensoredRowsAreRefused(t *testing.T) {
	for model, want := range map[string]string{
		`{formula: "time | cens(event == 0) ~ x", family: skew_normal}`:                                "family skew_normal(identity) has no censored",
		`{formula: "time | cens(event == 0) ~ x", family: hurdle_lognormal}`:                           "family hurdle_lognormal(identity) has no censored",
		`{formula: "bf(time | cens(event == 0) ~ x, shape ~ x)", family: lognormal}`:                   "lognormal has no parameter",
		`{formula: "time | cens(event == 0) ~ x", family: weibull, mixture: {components: 2}}`:          "mixture have no censored rows",
		`{formula: "time | cens(event == 0) ~ x", family: weibull, missing: impute}`:                   "missing: impute does not go with censored",
		`{formula: "time | cens(event == 0) + cens(g) ~ x", family: weibull}`:                          "cens() is given twice",
		`{formula: "surv(time, event, breaks = 3) ~ x", family: weibull}`:                              "weibull has no breaks",
		`{formula: "bf(surv(time, event, breaks = 3) ~ x, from4 ~ x)", family: piecewise_exponential}`: "has no parameter \"from4\"",
		`{formula: "y ~ surv(time, event)", family: gaussian}`:                                         "are on the left: surv(time, event)",
	} {
		f := newFolder(t, "pipeline: p\ndatabase: t.duckdb\ndatasets: {d: {path: d.csv}}\nmodels: {m: "+model+
			"}\nsamplers: {auto: {method: auto}}\n")
		f.write("d.csv", censoredTimes(60))
		_, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", model, err)
		}
	}
}
