package pipelines_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/pipelines"
)

// Effects that a model asks for are stored with its fit and are those of its draws; they are recomputed when the
// spec asks for others, without drawing; a fault of them is a warning. A call gives the same numbers.
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
	must(t, pipelines.Effects(t.Context(), &b, f.path("spec.yaml"), o))
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
		`--at "age" is not NAME=VALUE`: {Effect: "age", At: []string{"age"}},
		`--contrast cannot be "both"`:  {Effect: "age", Contrast: "both"},
		"--points from 2":              {Effect: "age", Points: 1},
		`has no variable "agee"`:       {Effect: "agee"},
	} {
		err := pipelines.Effects(t.Context(), &strings.Builder{}, f.path("spec.yaml"), o)
		var usage *pipelines.UsageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// badEffects is a folder of data of which some effects cannot be computed.
func badEffects(t *testing.T) folder {
	f := newFolder(t, "")
	data := "y,x,z,a,q,w\n"
	for i := range 40 {
		data += fmt.Sprintf("%.3f,%d,%d,%s,%s,1\n", float64(i%7)/3+float64(i)/20, 1+i%9, i%11-5, []string{"l", "m"}[i%2],
			[]string{"u", "v", "v"}[i%3])
	}
	f.write("data.csv", data+"1,1,1,rare,u,0\n")
	return f
}

// One effect that cannot be computed is a warning of its fit, in the verdict that ledger and run have, and takes no
// other with it. The warning goes when the spec asks for another effect, or for none.
func TestOneBadEffect(t *testing.T) {
	f := badEffects(t)
	spec := func(effects string) {
		f.write("spec.yaml", `pipeline: p
database: t.duckdb
datasets: {d: data.csv}
models:
  m: {formula: "y ~ a + log(x) + cut(z, breaks = c(-6, 0, 6))", family: gaussian, frequency_weights: w, effects: `+effects+`}
samplers: {exact: {method: conjugate}, gibbs: {method: cggibbs}, nuts: {method: nuts}}
run: {chains: 2, warmup: 200, draws: 200}
gates: {rhat: 1.5, ess_bulk: 5, ess_tail: 5}
`)
	}
	ask := func(sql, want string) {
		t.Helper()
		if got := f.ask("t.duckdb", sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	bad := [][2]string{
		{"{effect: x, at: {a: zz}}", `x, a = zz: effect x: "zz" is not a level of a`},
		{"{effect: x, at: {a: rare}}", `x, a = rare: effect x: "rare" is not a level of a`},
		{"{effect: a, at: {x: [0, 1]}}", "a, x = 0|1: dataset"},
		{"{effect: a, at: {z: [0, 99]}}", "a, z = 0|99: dataset"},
		{"{effect: a, at: {z: high}}", `a, z = high: effect a: "high" is no value of z`},
		{"{effect: a, average: true, by: nowhere}", "a, average, by nowhere: dataset"},
	}
	effects := "[a"
	for _, b := range bad {
		effects += ", " + b[0]
	}
	spec(effects + ", {effect: x, points: 3}]")
	for range 2 { // computed, and skipped
		out := f.run(pipelines.RunOptions{})
		for _, fit := range out.Fits {
			if fit.Verdict != "warn" || len(fit.Reasons) != len(bad) {
				t.Fatalf("%s is %s, %q", fit.Name(), fit.Verdict, fit.Reasons)
			}
			for i, b := range bad {
				if !strings.HasPrefix(fit.Reasons[i], "effect not computed: "+b[1]) {
					t.Errorf("%s: %s: %q", fit.Name(), b[0], fit.Reasons[i])
				}
			}
		}
		if out.ExitCode != 0 || out.Counts["warn"] != 3 {
			t.Errorf("exit code %d, %v", out.ExitCode, out.Counts)
		}
		ask("SELECT string_agg(n, ' ') FROM (SELECT effect || ': ' || count(*) AS n FROM effects GROUP BY effect ORDER BY effect)",
			`"a: 6 x, 3 points: 9"`)
		ask("SELECT count(*) FROM latest WHERE verdict = 'warn' AND reasons = warnings AND len(warnings) = 6", "3")
		ask("SELECT count(*) FROM run_fit WHERE verdict = 'warn' AND len(reasons) = 6 AND run_id = '"+out.RunID+"'", "3")
	}
	for effects, rows := range map[string]string{`[a, {effect: a, average: true, by: q}]`: "18", "[]": "0"} {
		spec("[a, {effect: x, at: {a: zz}}]")
		f.run(pipelines.RunOptions{})
		spec(effects)
		if out := f.run(pipelines.RunOptions{}); out.Counts["pass"] != 3 || len(out.Fits[0].Warnings) > 0 {
			t.Errorf("%s: %v, %q", effects, out.Counts, out.Fits[0].Warnings)
		}
		ask("SELECT count(*) FROM effects", rows)
		ask("SELECT count(*) FROM latest WHERE verdict = 'pass' AND len(warnings) = 0 AND len(reasons) = 0", "3")
	}
	ask("SELECT count(DISTINCT fit_id) FROM fit", "3")
}
