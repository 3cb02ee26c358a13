package pipelines_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const multinomial = `
pipeline: multinomial
database: t.duckdb
seed: 3
datasets:
  cells: {sql: "SELECT Infl, Type, Cont, sum(Freq) FILTER (Sat = 'Low') AS Low, sum(Freq) FILTER (Sat = 'Medium') AS Medium,
    sum(Freq) FILTER (Sat = 'High') AS High, sum(Freq) AS n FROM read_csv('housing.csv') GROUP BY ALL ORDER BY ALL"}
  rows: {path: housing.csv}
models:
  counts: {formula: "cbind(Low, Medium, High) | trials(n) ~ Infl + Cont", family: multinomial,
    prior: {coefficients: "normal(0, 1)", intercept: "normal(0, 2.5)"}, effects: [Infl]}
  grouped: {formula: "cbind(Low, Medium, High) ~ Infl + (1 | p | Type)", family: multinomial, prior: {sd: exponential(2)}}
  classes: {formula: "Sat ~ Infl + Cont", family: categorical, frequency_weights: Freq, levels: {Sat: [Low, Medium, High]},
    prior: {coefficients: "normal(0, 1)", intercept: "normal(0, 2.5)"}}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 4, warmup: 300, draws: 1000, loo: true, ppc: true}
fits:
  - {datasets: [cells], models: [counts, grouped], samplers: [gibbs]}
  - {datasets: [cells], models: [counts], samplers: [nuts]}
  - {datasets: [rows], models: [classes], samplers: [gibbs]}
`

// Counts of classes run by Gibbs and by NUTS with one answer: that of brms, and of a categorical response with a row for
// each class, which counts as often as the class occurs.
func TestMultinomial(t *testing.T) {
	f := newClassic(t, multinomial, "housing.csv")
	f.computes()
	f.far("Gibbs against NUTS", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b
		USING (model, parameter) WHERE a.sampler = 'gibbs' AND b.sampler = 'nuts'`, 0.15)
	f.far("rows of classes", `SELECT if(count(*) = 8, max(abs(a.mean - b.mean) / a.sd), 9) FROM coefficients a
		JOIN coefficients b USING (parameter, sampler) WHERE a.model = 'counts' AND b.model = 'classes'`, 0.15)
	text, err := os.ReadFile("../testdata/classic/multinomial.json")
	if err != nil {
		t.Fatal(err)
	}
	var brms map[string][]float64
	if err := json.Unmarshal(text, &brms); err != nil {
		t.Fatal(err)
	}
	for name, at := range brms {
		f.far("brms: "+name, fmt.Sprintf(`SELECT max(abs(mean - (%v)) / sd) FROM coefficients WHERE model = 'counts' AND
			sampler = 'gibbs' AND parameter = '%s'`, at[0], name), 0.15)
	}
	for sql, want := range map[string]string{
		`SELECT string_agg(statistic, ' ' ORDER BY statistic) FROM ppc JOIN fit USING (fit_id) WHERE model = 'counts' AND
			sampler = 'gibbs'`: "sd[High] sd[Low] sd[Medium] share[High] share[Low] share[Medium]",
		`SELECT round(sum(observed), 9) FROM ppc JOIN fit USING (fit_id) WHERE model = 'counts' AND sampler = 'gibbs' AND
			statistic LIKE 'share%'`: "1",
		`SELECT count(*) FROM coefficients WHERE model = 'grouped' AND parameter LIKE 'cor_Type%'`: "1",
		`SELECT count(*) FROM (SELECT sum(mean) s FROM effects WHERE kind = 'prediction' AND model = 'counts' AND
			sampler = 'gibbs' AND given LIKE 'class = %' GROUP BY level) WHERE abs(s - 1) < 1e-9`: "3",
	} {
		if got := f.ask("t.duckdb", sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	f.countsAddUp()
}

// countsAddUp demands that the predicted counts of the first row add up to its trials, and are near what is observed.
func (f folder) countsAddUp() {
	f.t.Helper()
	var b strings.Builder
	o := pipelines.PredictOptions{Only: []string{"model=counts", "sampler=gibbs"}, Notes: new(strings.Builder)}
	o.Output.Format = "csv"
	must(f.t, pipelines.Predict(f.t.Context(), &b, f.path("spec.yaml"), o))
	sums, names := map[string]float64{}, ""
	for _, line := range strings.Split(strings.TrimSpace(b.String()), "\n")[1:7] {
		cells := strings.Split(line, ",")
		kind, _, _ := strings.Cut(cells[1], "[")
		sums[kind] += number(f.t, cells[2])
		names += cells[1] + " "
	}
	const trials = 102 // of Infl High, Type Apartment, Cont High
	if names != "mean[Low] mean[Medium] mean[High] response[Low] response[Medium] response[High] " ||
		!(abs(sums["mean"]-trials) < 1e-9 && abs(sums["response"]-trials) < 1e-9) {
		f.t.Errorf("quantities %sadd up to %v, trials are %v", names, sums, trials)
	}
}

func abs(x float64) float64 { return max(x, -x) }

// Numbers that are no counts are refused with their row and a remedy, and formulas that do not suit the family.
func TestMultinomialRefusals(t *testing.T) {
	for change, want := range map[string]string{
		"a,b,c,x\n1,2,3,0\n1,-2,3,1\n":  `column "b", row 2 (line 3 of rows.csv): -2 is not allowed: a count of a class`,
		"a,b,c,x\n1,2,3,0\n1,2.5,3,1\n": `column "b", row 2 (line 3 of rows.csv): 2.5 is not allowed`,
		"a,b,c,x\n1,2,3,0\n0,0,0,1\n":   `column "a", row 2 (line 3 of rows.csv): the counts of the classes a, b, c are all 0`,
		"a,b,c,x\n1,2,3,0\n1,k,3,1\n":   `column "b"`,
		"a,b,c,x\n1,2,3,6\n1,2,3,5\n":   `| trials(x) column "x", row 2 (line 3 of rows.csv): 5 trials, and the counts`,
		"binomial":                      ":2:26: formula: cbind() of more than two columns is of counts of classes, not of family binomial",
		"a ~ x":                         "a multinomial response has a column of counts for each class",
		"cbind(a, b - c) ~ x":           ":2:35: formula: b - c is computed",
		"cbind(a, b, c) ~ c":            `the response "c" is also a predictor`,
	} {
		f := newFolder(t, "")
		formula, family, rows, run := "cbind(a, b, c) ~ x", "multinomial", "a,b,c,x\n1,2,3,0\n1,2,2,1\n", "ppc: true"
		call, message, called := strings.Cut(want, " column")
		switch {
		case strings.Contains(change, "\n"):
			if rows = change; called {
				formula, want = "cbind(a, b, c) "+call+" ~ 1", "column"+message
			}
		case strings.Contains(change, "~"):
			formula = change
		case strings.Contains(change, ":"):
			run = change
		default:
			family = change
		}
		f.write("rows.csv", rows)
		f.write("spec.yaml", `{pipeline: p, database: t.duckdb, datasets: {rows: {path: rows.csv}}, samplers: {s: {method: auto}},
  models: {m: {formula: "`+formula+`", family: `+family+`}}, run: {warmup: 20, draws: 20, `+run+`}}`)
		if text := f.errors(); !strings.Contains(text, want) {
			t.Errorf("%s: %s, want %s", change, text, want)
		}
	}
}
