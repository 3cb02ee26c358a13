package pipelines_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// averageFolder has counts by age and sex, some without a sex, with frequencies and exposures, and returns the spec that
// derives something of a model of them.
func averageFolder(t *testing.T) (folder, func(derive string) string) {
	f := newFolder(t, "")
	data := "y,age,sex,m,n\n"
	for i := range 24 {
		data += fmt.Sprintf("%d,%d,%s,%d,%d\n", 2+i%5+i/6, 30+i, []string{"m", "f", ""}[min(2, i%5)], 1+i%3, 100+i)
	}
	f.write("good.csv", data)
	return f, func(derive string) string {
		text := strings.Replace(fmt.Sprintf(quick, "claims: {path: good.csv}"), "formula: y ~ age",
			"formula: y ~ poly(age, 2) * sex + offset(log(n))\n    frequency_weights: m\n    missing: drop", 1)
		return strings.Replace(text, "samplers:", "    derive: "+derive+"\nsamplers:", 1)
	}
}

// average() in derive has the numbers of an averaged effect of the same draws: of factors, of numbers, of offsets, of
// frequencies and of rows that miss something, at fit time and from stored draws. It is judged like other quantities.
func TestAverageIsAnEffect(t *testing.T) {
	f, spec := averageFolder(t)
	f.write("spec.yaml", spec(`{plain: average(), of: "average(sex = 'm', age = 40)", exposed: "average(n = 50)",
      gain: "average(sex = 'm') - average(sex = 'f')", ratio: "average(sex = 'm') / average(sex = 'f')"}`))
	f.run(pipelines.RunOptions{})
	const all = "SELECT name, mean, sd, q025, q975, rhat FROM summary WHERE kind = 'derived' ORDER BY name"
	first, stored := f.ask("t.duckdb", all), map[string][]string{}
	for _, row := range f.asked(all) {
		stored[row[0]] = row[1:]
	}
	for name, o := range map[string]pipelines.EffectsOptions{
		"plain": {}, "of": {Effect: "age", At: []string{"age=40", "sex=m"}}, "exposed": {At: []string{"n=50"}},
		"gain":  {Effect: "sex", At: []string{"sex=f,m"}, Contrast: "pairwise"},
		"ratio": {Effect: "sex", At: []string{"sex=f,m"}, Contrast: "pairwise", As: "ratio"},
	} {
		var b strings.Builder
		o.Average, o.Output.Format = true, "csv"
		if err := pipelines.Effects(t.Context(), &b, f.path("spec.yaml"), o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		lines := strings.Split(strings.TrimSpace(b.String()), "\n")
		cells := strings.Split(lines[1], ",")
		columns := strings.Split(lines[0], ",")
		for k, column := range []string{"mean", "sd", "q025", "q975"} {
			got, want := number(t, stored[name][k]), number(t, cells[slices.Index(columns, column)])
			if math.Abs(got-want) > 1e-12*math.Abs(want) {
				t.Errorf("%s of %s is %.17g, of the effect %.17g", column, name, got, want)
			}
		}
	}
	f.write("spec.yaml", spec("{plain: average()}"))
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", spec(`{plain: average(), of: "average(sex = 'm', age = 40)", exposed: "average(n = 50)",
      gain: "average(sex = 'm') - average(sex = 'f')", ratio: "average(sex = 'm') / average(sex = 'f')"}`))
	if out := f.run(pipelines.RunOptions{}); out.Fits[0].Action != pipelines.Skipped {
		t.Errorf("the fit was %s", out.Fits[0].Action)
	}
	if again := f.ask("t.duckdb", all); again != first {
		t.Errorf("from stored draws:\n%s\nat fit time:\n%s", again, first)
	}
}

// Uses of average() that are not supported are reported.
func TestAverageRefuses(t *testing.T) {
	f, spec := averageFolder(t)
	for derive, want := range map[string]string{
		"average(height = 1)":    "height",
		"average(sex = 'x')":     `"x" is not`,
		"average(age = age)":     "is a number",
		"average(40)":            "by name",
		"average(sex = 1) - age": "sex",
	} {
		f.write("spec.yaml", spec(`{a: "`+derive+`"}`))
		out, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{})
		said := fmt.Sprint(err)
		if out != nil {
			said += strings.Join(out.Fits[0].Reasons, " ")
		}
		if !strings.Contains(said, want) {
			t.Errorf("%s: %s", derive, said)
		}
	}
}

// The average of a model of one number is what SQL makes of its draws and rows.
func TestAverageByHand(t *testing.T) {
	own, spec := averageFolder(t)
	own.write("spec.yaml", strings.Replace(strings.Replace(spec(`{a: "average(n = 50)"}`), "poly(age, 2) * sex", "age", 1), "missing", "# ", 1))
	own.run(pipelines.RunOptions{})
	byHand := number(t, own.ask("t.duckdb", `WITH b AS (PIVOT draws ON parameter USING first(value) GROUP BY chain, iteration)
		SELECT avg(s) FROM (SELECT sum((1 + i % 3) * 50 * exp("(Intercept)" + age * (30 + i))) / sum(1 + i % 3) AS s FROM b, range(24) r(i) GROUP BY chain, iteration)`))
	if got := number(t, own.ask("t.duckdb", "SELECT mean FROM summary WHERE name = 'a'")); math.Abs(got-byHand) > 1e-11*byHand {
		t.Errorf("an average of %v, by SQL %v", got, byHand)
	}
}
