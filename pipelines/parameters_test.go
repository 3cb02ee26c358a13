package pipelines_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

const parameters = `
pipeline: parameters
database: t.duckdb
datasets: {d: {path: d.csv}}
models:
  zip: {formula: "bf(y ~ x, zi ~ x)", family: zero_inflated_poisson}
  nu: {formula: "bf(y ~ x, sigma ~ x, nu ~ 1)", family: student_t}
  disc: {formula: "bf(y ~ x, disc ~ x)", family: cumulative}
  one: {formula: y ~ x, family: negative_binomial}
samplers: {auto: {method: auto}}
run: {chains: 2, draws: 100}
`

// A parameter with a formula is predicted by its name, and an effect may be on its scale: both are those of the stored
// draws by SQL. Others are refused by name.
func TestParametersAreQuantities(t *testing.T) {
	f := newFolder(t, parameters)
	var b strings.Builder
	b.WriteString("y,x\n")
	for i := range 60 {
		fmt.Fprintf(&b, "%d,%v\n", []int{0, 2, 1, 0, 3, 1}[(i*7)%6], float64(i%5)-2)
	}
	f.write("d.csv", b.String())
	f.write("new.csv", "x\n1.5\n")
	f.run(pipelines.RunOptions{})
	for _, of := range []struct{ model, name, first, slope, sql string }{
		{"zip", "zi", "zi_(Intercept)", "zi_x", "1 / (1 + exp(-(a.value + 1.5 * b.value)))"},
		{"nu", "sigma", "sigma_(Intercept)", "sigma_x", "exp(a.value + 1.5 * b.value)"},
		{"nu", "nu", "nu_(Intercept)", "nu_(Intercept)", "1 + exp(a.value)"},
		{"disc", "disc", "disc_x", "disc_x", "exp(1.5 * a.value)"},
	} {
		want := number(t, f.ask("t.duckdb", `SELECT avg(`+of.sql+`) FROM draws a JOIN draws b USING (fit_id, chain, iteration)
			WHERE a.model = '`+of.model+`' AND a.parameter = '`+of.first+`' AND b.parameter = '`+of.slope+`'`))
		only := []string{"model=" + of.model}
		rows, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Data: f.path("new.csv"), Only: only,
			Of: []string{"mean", of.name}})
		must(t, err)
		at := slices.IndexFunc(rows, func(row []string) bool { return row[1] == of.name })
		if at < 0 || math.Abs(number(t, rows[at][2])-want) > 1e-9*want {
			t.Errorf("%s: %v, by SQL %v", of.name, rows, want)
			continue
		}
		var b strings.Builder
		o := pipelines.EffectsOptions{Effect: "x", At: []string{"x=1.5"}, Scale: of.name}
		o.Only, o.Notes, o.Output.Format = only, &strings.Builder{}, "csv"
		must(t, pipelines.Effects(t.Context(), &b, f.path("spec.yaml"), o))
		if !strings.Contains(b.String(), "\n1.5,"+rows[at][2]+",") {
			t.Errorf("effect on the scale %s: %s, predicted %s", of.name, b.String(), rows[at][2])
		}
	}
	for _, name := range []string{"shape", "meen", "x1"} {
		_, _, err := f.predict("spec.yaml", pipelines.PredictOptions{Only: []string{"model=one"}, Of: []string{name}})
		if want := name + " is not a quantity of family negative_binomial"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
