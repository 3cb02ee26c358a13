package main

import (
	"strings"
	"testing"
)

// Integers beyond 2^53 are reported if they are used as numbers, whatever their file; if they only name things they
// are not.
func TestIntegersBeyondNumbers(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, ".", "d.csv", "id,y,x\n9007199254740993,1,2\n9007199254740995,3,1\n1,2,2\n2,4,3\n9007199254740993,1,4\n1,2,1\n")
	spec := func(dataset, formula string) string {
		return write(t, ".", "d.yaml", `pipeline: d
datasets: {d: {path: d.csv`+dataset+`}}
models: {m: {formula: `+formula+`, family: poisson, prior: {coefficients: "normal(0, 1)"}}}
samplers: {gibbs: {method: cggibbs}}
run: {warmup: 20, draws: 50}
gates: {rhat: 3, ess_bulk: 1, ess_tail: 1}
`)
	}
	const told = `column "id" holds integers beyond 2^53 (9007199254740993 in row 1 (line 2 of d.csv))`
	for _, c := range []struct {
		dataset, formula string
		want             bool
	}{
		{"", "y ~ id + x", true}, {"", "y ~ factor(id) + x", true}, {"", "y ~ x", false},
		{", types: {id: text}", "y ~ id + x", false}, {", by: [id]", "y ~ x", false},
	} {
		_, out, errs := call(t, "run", spec(c.dataset, c.formula), "--force")
		if strings.Contains(strings.Join(strings.Fields(out), " "), told) != c.want {
			t.Errorf("%s, %s: told: %v\n%s%s", c.dataset, c.formula, !c.want, out, errs)
		}
	}
}
