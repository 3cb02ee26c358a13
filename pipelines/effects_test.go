package pipelines_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// Effects that a model asks for are stored with its fit and are those of its draws; they are computed anew when the spec
// asks for others, without drawing; what is wrong with them is a warning. A call gives the same numbers.
func TestStoredEffects(t *testing.T) {
	f := newFolder(t, "")
	data := "y,age,sex\n"
	for i := range 24 {
		data += fmt.Sprintf("%d,%d,%s\n", 2+i%5+i/6, 30+i, []string{"m", "f"}[i%2])
	}
	f.write("good.csv", data)
	spec := func(effects string) {
		text := strings.Replace(fmt.Sprintf(quick, "claims: {path: good.csv}"), "formula: y ~ age", "formula: y ~ age * sex", 1)
		f.write("spec.yaml", strings.Replace(text, "samplers:", "    effects: "+effects+"\nsamplers:", 1))
	}
	spec(`["age:sex", {effect: sex, at: {age: [40]}, contrast: pairwise}]`)
	f.run(pipelines.RunOptions{})
	want := number(t, f.ask("t.duckdb", `WITH b AS (PIVOT draws ON parameter USING first(value) GROUP BY chain, iteration)
		SELECT avg(exp("(Intercept)" + 40 * age + sexm + 40 * "age:sexm") - exp("(Intercept)" + 40 * age)) FROM b`))
	got := number(t, f.ask("t.duckdb", `SELECT mean FROM effects WHERE kind = 'difference' AND level = 'm - f' AND x IS NULL AND given IS NULL`))
	if math.Abs(got-want) > 1e-11*math.Abs(want) {
		t.Errorf("a difference of %v, by SQL %v", got, want)
	}
	if n := f.ask("t.duckdb", `SELECT count(*) FROM effects WHERE effect = 'age:sex' AND variable = 'age' AND given IN ('sex = f', 'sex = m') AND x BETWEEN 30 AND 53`); n != "40" {
		t.Errorf("%s rows of a grid of 20 ages and two sexes", n)
	}
	var b strings.Builder
	o := pipelines.EffectsOptions{Effect: "sex", At: []string{"age=40"}, Contrast: "pairwise"}
	o.Output.Format = "csv"
	if err := pipelines.Effects(t.Context(), &b, f.path("spec.yaml"), o); err != nil {
		t.Fatal(err)
	}
	line := strings.Split(strings.Split(b.String(), "\n")[1], ",")
	if line[0] != "m - f" || number(t, line[1]) != got {
		t.Errorf("the call says %v, the ledger %v", line, got)
	}

	ids := f.ask("t.duckdb", "SELECT list(fit_id) FROM latest")
	spec(`[{effect: age, average: true, contrast: reference, step: 10, as: ratio}]`)
	out := f.run(pipelines.RunOptions{})
	names := f.ask("t.duckdb", "SELECT string_agg(effect || ': ' || level, '; ') FROM effects")
	if strings.Trim(names, `"`) != "age, average, reference, ratio, step 10: +10" || f.ask("t.duckdb", "SELECT list(fit_id) FROM latest") != ids {
		t.Errorf("after another effect is asked for: %q, fits %s", names, ids)
	}
	if w := out.Fits[0].Warnings; len(w) > 0 {
		t.Errorf("warnings %q", w)
	}
	spec(`[{effect: sex, at: {sex: [x]}}]`)
	out = f.run(pipelines.RunOptions{})
	if w := out.Fits[0].Warnings; len(w) != 1 || !strings.Contains(w[0], `"x" is not a level of sex`) {
		t.Errorf("a level that is not there: %q", w)
	}
	spec(`[agee]`)
	if _, err := pipelines.Run(t.Context(), f.path("spec.yaml"), pipelines.RunOptions{}); err == nil ||
		!strings.Contains(err.Error(), `no variable "agee"`) {
		t.Errorf("an unknown variable: %v", err)
	}
}

// Calls that cannot be are the caller's.
func TestEffectsCalls(t *testing.T) {
	f := newFolder(t, fmt.Sprintf(quick, "claims: {path: good.csv}"))
	f.write("good.csv", strings.ReplaceAll(claims, "-3", "3"))
	f.run(pipelines.RunOptions{})
	for says, o := range map[string]pipelines.EffectsOptions{
		`--at "age" is no NAME=VALUE`: {Effect: "age", At: []string{"age"}},
		`--contrast cannot be "both"`: {Effect: "age", Contrast: "both"},
		"--points from 2":             {Effect: "age", Points: 1},
		`has no variable "agee"`:      {Effect: "agee"},
	} {
		err := pipelines.Effects(t.Context(), &strings.Builder{}, f.path("spec.yaml"), o)
		var usage *pipelines.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
