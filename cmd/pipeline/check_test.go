package main

import (
	"encoding/json"
	"strings"
	"testing"
)

const checkable = `
pipeline: t
datasets: {d: {path: d.csv}}
models:
  proper: {formula: y ~ x, family: bernoulli, prior: {coefficients: "normal(0, 1)", intercept: "normal(0, 1)"}}
  flat: {formula: y ~ x, family: bernoulli, prior: {coefficients: flat, intercept: flat}}
samplers: {gibbs: {method: cggibbs}}
`

// The verb's exit codes and forms: 0 for a right sampler, 2 for a flat prior and
// for wrong calls.
func TestCheckVerb(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write(t, dir, "d.csv", "y,x\n1,-1.2\n0,-0.4\n1,0.3\n0,0.9\n1,1.5\n0,-0.8\n")
	write(t, dir, "s.yaml", checkable)
	out := mustCall(t, "check", "s.yaml", "--only", "model=proper", "--simulations", "40")
	for _, want := range []string{"d × proper × gibbs: ", "the ranks of 3 quantities over 40 simulated data sets are uniform"} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	if out := mustCall(t, "sql", "--format", "csv", "SELECT count(*) AS n FROM calibration_rank"); out != "n\n120\n" {
		t.Errorf("ranks in the ledger: %s", out)
	}
	code, out, _ := call(t, "check", "s.yaml", "--simulations", "40", "--output", "json")
	var said struct {
		ExitCode int `json:"exit_code"`
		Fits     []struct{ Model, Verdict string }
	}
	if err := json.Unmarshal([]byte(out), &said); err != nil || code != 2 || said.ExitCode != 2 || len(said.Fits) != 2 || said.Fits[1].Verdict != "error" {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	for _, args := range [][]string{
		{"s.yaml", "--simulations", "3"}, {"s.yaml", "--only", "model=none"}, {"none.yaml"}, {"s.yaml", "--output", "xml"}, {"s.yaml", "--workers", "-1"},
	} {
		if code, out, errs := call(t, append([]string{"check"}, args...)...); code != 2 || errs == "" {
			t.Errorf("check %q: exit %d\n%s%s", args, code, out, errs)
		}
	}
}
