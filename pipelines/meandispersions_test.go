package pipelines_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// mean(), average() and effects of a lognormal response use exp(eta + sigma²/2) at each draw, with sigma drawn or fixed.
func TestMeanDependsOnDispersions(t *testing.T) {
	for _, c := range []struct{ prior, sigma string }{{"exponential(1)", "sigma"}, {"constant(0.7)", "0.7"}} {
		f := newFolder(t, "")
		var rows strings.Builder
		rows.WriteString("y,x\n")
		for i := range 24 {
			fmt.Fprintf(&rows, "%.6f,%d\n", math.Exp(math.Sin(float64(3*i))+0.1*float64(i%5)), i%5)
		}
		f.write("d.csv", rows.String())
		f.write("spec.yaml", `pipeline: t
database: t.duckdb
datasets: {d: {path: d.csv}}
models:
  m:
    formula: y ~ x
    family: lognormal
    prior: {sigma: "`+c.prior+`"}
    derive: {point: "mean(x = 2)", over: "average(x = 2)", hand: "exp(`+"`(Intercept)`"+` + 2 * x + `+c.sigma+`^2 / 2)"}
samplers: {auto: {method: auto}}
run: {warmup: 50, draws: 100}
`)
		f.run(pipelines.RunOptions{})
		of := func(name string) float64 {
			return number(t, f.ask("t.duckdb", "SELECT mean FROM summary WHERE name = '"+name+"'"))
		}
		want := of("hand")
		var b, notes strings.Builder
		o := pipelines.EffectsOptions{Effect: "x", At: []string{"x=2"}}
		o.Output.Format, o.Notes = "csv", &notes
		must(t, pipelines.Effects(t.Context(), &b, f.path("spec.yaml"), o))
		if !strings.Contains(notes.String(), "read medians and quantiles") {
			t.Errorf("no note on means without a posterior mean: %q", notes.String())
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		effect := math.NaN()
		for i, column := range strings.Split(lines[0], ",") {
			if column == "mean" {
				effect = number(t, strings.Split(lines[1], ",")[i])
			}
		}
		for name, got := range map[string]float64{"mean()": of("point"), "average()": of("over"), "the effect": effect} {
			if math.Abs(got-want) > 1e-12*want {
				t.Errorf("sigma %s: %s has the mean %v, by hand %v", c.prior, name, got, want)
			}
		}
	}
}
