package pipelines_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const linkedSpec = `
pipeline: linked
database: t.duckdb
seed: 5
datasets: {sleep: {path: "example:sleepstudy.csv"}}
models:
  linked:
    formula: "bf(Reaction ~ Days + (1 + Days | p | Subject), sigma ~ 1 + (1 | p | Subject))"
    family: gaussian
    prior: {coefficients: "normal(0, 50)", intercept: "normal(300, 100)", sd: "half_student_t(3, 50)",
      by_name: {"sigma_(Intercept)": "normal(3, 1)", sd_Subject__sigma_Intercept: "half_student_t(3, 2)", cor_Subject: lkj(2)}}
samplers: {gibbs: {method: auto}, nuts: {method: nuts}}
run: {chains: 4, warmup: 300, draws: 1000}
fits:
  - {datasets: [sleep], models: [linked], samplers: [gibbs, nuts]}
`

// Effects with one ID in the formulas of mean and spread have correlations. Gibbs and NUTS have the posterior of brms.
func TestLinked(t *testing.T) {
	f := newFolder(t, linkedSpec)
	f.computes()
	f.far("Gibbs against NUTS", `SELECT max(abs(a.mean - b.mean) / a.sd) FROM coefficients a JOIN coefficients b
		ON a.sampler = 'gibbs' AND b.sampler = 'nuts' AND a.parameter = b.parameter`, 0.15)
	if got := f.ask("t.duckdb", `SELECT string_agg(prior, ', ' ORDER BY name) FROM parameter JOIN fit USING (fit_id)
		WHERE sampler = 'gibbs' AND kind IN ('group_sd', 'group_correlation') AND name LIKE '%sigma%'`); got !=
		`"lkj(2), lkj(2), half_student_t(3, 2)"` {
		t.Errorf("priors of what sigma has: %s", got)
	}
	f.likeBrms("../testdata/multilevel/linked.json")
	f.newLevelsAreCorrelated()
}

// likeBrms compares means and standard deviations of Gibbs draws with stored ones.
func (f folder) likeBrms(path string) {
	f.t.Helper()
	text, err := os.ReadFile(path)
	must(f.t, err)
	var brms map[string][2]float64
	must(f.t, json.Unmarshal(text, &brms))
	var values []string
	for name, want := range brms { //maporder:ok the largest of all is taken
		values = append(values, fmt.Sprintf("('%s', %v, %v)", name, want[0], want[1]))
	}
	f.far("mean or standard deviation of brms", `SELECT max(greatest(abs(mean - m) / sd, abs(ln(sd / s)))) + abs(count(*) - 9)
		FROM coefficients JOIN (VALUES `+strings.Join(values, ", ")+`) AS v(parameter, m, s) USING (parameter)
		WHERE sampler = 'gibbs'`, 0.12)
}

// newLevelsAreCorrelated compares the product of the effects of a new level, in mu and in log sigma, with correlation
// and sds of the fit.
func (f folder) newLevelsAreCorrelated() {
	f.t.Helper()
	f.write("new.csv", "Days,Subject\n0,999\n")
	rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"sampler=gibbs"}, Data: f.path("new.csv"),
		NewLevels: "sample", Of: []string{"linear"}, Draws: true})
	must(f.t, err)
	draws := f.drawn("WHERE sampler = 'gibbs'")
	if len(rows) != 1+len(draws) || strings.Join(rows[0][3:], " ") != "linear[mu] linear[sigma]" {
		f.t.Fatalf("%d rows under %v for %d draws", len(rows), rows[0], len(draws))
	}
	var got, want, scale float64
	for i, at := range draws {
		size := at["sd_Subject__Intercept"] * at["sd_Subject__sigma_Intercept"]
		got += (number(f.t, rows[i+1][3]) - at["(Intercept)"]) * (number(f.t, rows[i+1][4]) - at["sigma_(Intercept)"])
		want += size * at["cor_Subject__Intercept__sigma_Intercept"]
		scale += size
	}
	if most := 4 * scale / math.Sqrt(float64(len(draws))); math.Abs(got-want) > most || want < 2*most {
		f.t.Errorf("the effects of a new level have products of mean %v, want %v", got/scale, want/scale)
	}
}
