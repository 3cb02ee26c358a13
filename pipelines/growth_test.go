package pipelines_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"glmbatch/infer"
	"glmbatch/internal/variate"
	"glmbatch/pipelines"
)

// A fit with divergences does not grow: more draws do not remove them. The warning names the target_accept in use, and
// advises none that is higher than 0.99. A limit that only warns does not stop growth.
func TestDivergencesEndGrowth(t *testing.T) {
	f := newFolder(t, `
pipeline: growth
database: t.duckdb
datasets: {schools: {path: schools.csv}}
models:
  m: {formula: "effect | se(se) ~ 1 + (1 | school)", family: gaussian, prior: {intercept: "normal(0, 10)"}}
samplers:
  low: {method: nuts, effects: centred, target_accept: 0.6}
  high: {method: nuts, effects: centred, target_accept: 0.995}
  warned: {method: nuts, effects: centred, target_accept: 0.6}
fits:
  - {samplers: [low, high]}
  - {samplers: [warned], gates: {rhat: 1.0001, divergences: {warn: 0}}}
gates: {rhat: 1.0001}
run: {max_iterations: 2000, first: 200}
`)
	f.write("schools.csv", `school,effect,se
a,28,15
b,8,10
c,-3,16
d,7,11
e,-1,9
f,1,11
g,18,10
h,12,18
`)
	f.run(pipelines.RunOptions{})
	got := f.ask("t.duckdb", `SELECT sampler, warmup + draws, array_to_string(warnings, '; ') FROM latest ORDER BY sampler`)
	for i, want := range []string{"high,1600,", "low,200,", "warned,1600,"} {
		line := strings.Split(got, "\n")[i]
		if !strings.HasPrefix(line, want) {
			t.Errorf("%s, want %s", line, want)
		}
	}
	if !strings.Contains(got, "raise target_accept (0.6) toward 0.99, scale") {
		t.Errorf("%s: no target_accept is named", got)
	}
	if strings.Contains(got, "0.995") {
		t.Errorf("%s: a target_accept below the one in use is advised", got)
	}
	// with a target of its own it grows nevertheless
	f.write("spec.yaml", strings.NewReplacer("max_iterations: 2000", "until: {ess: 1e6}, max_iterations: 800").Replace(f.read("spec.yaml")))
	f.run(pipelines.RunOptions{Only: []string{"sampler=low"}})
	if got := f.ask("t.duckdb", "SELECT warmup + draws FROM latest WHERE sampler = 'low'"); got != "800" {
		t.Errorf("a fit with divergences and a target of its own has %s iterations, want 800", got)
	}
}

// One of 150 effects below a limit does not fail a fit, neither when it is drawn nor when stored draws are judged again.
func TestStoredEffectsAreJudgedTogether(t *testing.T) {
	spec := `
pipeline: many
database: t.duckdb
datasets: {many: {path: many.csv}}
models: {m: {formula: "y | se(s) ~ 1 + (1 | g)", family: gaussian, prior: {sd: constant(1)}}}
samplers: {auto: {}}
run: {warmup: 200, draws: 300}
gates: {rhat: off, ess_bulk: off, ess_tail: LIMIT}
`
	f := newFolder(t, strings.Replace(spec, "LIMIT", "1", 1))
	var rows strings.Builder
	rows.WriteString("y,s,g\n")
	for i := range 600 {
		fmt.Fprintf(&rows, "%.4f,1,g%d\n", math.Sin(float64(i*i))+math.Cos(float64(i%150)), i%150)
	}
	f.write("many.csv", rows.String())
	f.run(pipelines.RunOptions{})
	f.write("spec.yaml", strings.Replace(spec, "LIMIT", f.ask("t.duckdb", `SELECT round((a[1] + a[2]) / 2, 3) FROM
		(SELECT list(ess_tail ORDER BY ess_tail) AS a FROM summary WHERE kind = 'group_effect')`), 1))
	const verdicts = `SELECT verdict, count(*) FROM latest GROUP BY ALL`
	f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", verdicts); got != "pass,1" {
		t.Errorf("stored draws: %s, want pass\n%s", got, f.ask("t.duckdb", "SELECT reasons FROM latest"))
	}
	f.run(pipelines.RunOptions{Force: true})
	if got := f.ask("t.duckdb", verdicts); got != "pass,1" {
		t.Errorf("new draws: %s, want pass\n%s", got, f.ask("t.duckdb", "SELECT reasons FROM latest"))
	}
}

// Counts and successes so rare that the likelihood is flat on one side of the mode take auto no longer than the plain
// sampler. With matched updates three of these fits took 6000, 12,000 and 20,000 iterations.
func TestRareEventsMix(t *testing.T) {
	f := newFolder(t, `
pipeline: rare
database: t.duckdb
datasets: {rare: {path: rare.csv, by: [study]}}
models:
  counts: {formula: "y ~ x + z + w + g", family: poisson}
  events: {formula: "y ~ x + z + w + g", family: bernoulli}
samplers: {auto: {}}
`)
	var rows strings.Builder
	rows.WriteString("study,y,x,z,w,g\n")
	for study := range 6 {
		rng := infer.NewStream(uint64(study), "rare")
		for range 1000 {
			x, z := variate.Normal(rng), variate.Binomial(rng, 1, 0.1, 0.9)
			y := min(1, variate.Poisson(rng, 0.004*math.Exp(0.5*x)))
			fmt.Fprintf(&rows, "s%d,%v,%.4f,%v,%.4f,%c\n", study, y, x, z, variate.Exponential(rng), 'a'+variate.Index(rng, 3))
		}
	}
	f.write("rare.csv", rows.String())
	f.run(pipelines.RunOptions{})
	if got := f.ask("t.duckdb", `SELECT count(*) FILTER (verdict <> 'fail' AND warmup + draws <= 1500), string_agg(concat(key, ' ',
		model, ' ', verdict, ' ', warmup + draws), ', ') FROM latest`); !strings.HasPrefix(got, "12,") {
		t.Errorf("fits that mix within 1500 iterations: %s, want 12", got)
	} else {
		t.Log(got)
	}
}
