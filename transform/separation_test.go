package transform

import (
	"strings"
	"testing"

	"glmbatch/infer/glm"
)

func TestSeparates(t *testing.T) {
	y := []float64{0, 0, 1, 1}
	for _, c := range []struct {
		name string
		x    []float64
		y    []float64
		want bool
	}{
		{"above", []float64{1, 2, 3, 4}, y, true},
		{"below", []float64{9, 8, 3, 4}, y, true},
		{"touching", []float64{1, 2, 2, 4}, y, false},
		{"overlapping", []float64{1, 3, 2, 4}, y, false},
		{"one response", []float64{1, 2, 3, 4}, []float64{1, 1, 1, 1}, false},
	} {
		if got := separates(c.x, c.y); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A dummy whose rows have one outcome is reported, and so is a number beyond one value of which there is one
// outcome alone: the maximum of the likelihood is at infinity.
func TestOutcomesOfOneSide(t *testing.T) {
	g := col{name: "g", values: []string{"a", "a", "a", "b", "b", "b", "c", "c"}}
	x := col{name: "x", values: []float64{1, 2, 3, 1, 2, 3, 2, 3}}
	y := func(values ...float64) col { return col{name: "y", values: values} }
	m := col{name: "m", values: []float64{2, 2, 2, 2, 2, 2, 2, 2}}
	const bernoulli, poisson = "have one outcome", "have the count 0"
	for _, c := range []struct {
		name, formula, family, link string
		y                           col
		names, want                 string // nothing where want is empty
	}{
		{"a level of one outcome", "y ~ x + g", "bernoulli", "", y(0, 1, 0, 1, 0, 1, 1, 1), `"gc"`, bernoulli},
		{"a level of the other", "y ~ x + g", "bernoulli", "probit", y(0, 1, 0, 1, 0, 1, 0, 0), `"gc"`, bernoulli},
		{"each level of both", "y ~ x + g", "bernoulli", "", y(0, 1, 0, 1, 0, 1, 0, 1), "", ""},
		{"two levels", "y ~ x + g", "bernoulli", "", y(0, 1, 0, 1, 1, 1, 0, 0), `"gb", "gc"`, bernoulli},
		{"all other rows", `y ~ I(g == "a") + x`, "bernoulli", "", y(0, 1, 0, 1, 1, 1, 1, 1), `"I(g == \"a\")TRUE"`, bernoulli},
		{"beyond a number", "y ~ x", "bernoulli", "", y(0, 0, 1, 0, 1, 1, 0, 1), `"x"`, bernoulli},
		{"no intercept", "y ~ x + g - 1", "bernoulli", "", y(0, 1, 0, 1, 0, 1, 1, 1), `"gc"`, bernoulli},
		{"no intercept, other rows", "y ~ x - 1", "bernoulli", "", y(0, 1, 1, 1, 1, 1, 1, 1), "", ""},
		{"successes", "y | trials(m) ~ x + g", "binomial", "", y(0, 1, 2, 1, 1, 1, 2, 2), `"gc"`, bernoulli},
		{"some successes", "y | trials(m) ~ x + g", "binomial", "", y(0, 1, 2, 1, 1, 1, 2, 1), "", ""},
		{"counts of 0", "y ~ x + g", "poisson", "", y(3, 1, 2, 1, 0, 1, 0, 0), `"gc"`, poisson},
		{"counts", "y ~ x + g", "negative_binomial", "", y(3, 1, 2, 1, 0, 1, 0, 1), "", ""},
		{"counts at the wall", "y ~ x + g", "poisson", "identity", y(3, 1, 2, 1, 0, 1, 0, 0), "", ""},
		{"numbers", "y ~ x + g", "gaussian", "", y(0, 1, 0, 1, 0, 1, 1, 1), "", ""},
	} {
		for _, scaling := range []string{"none", "max_abs"} {
			d := mustBuild(t, makeTable(t, 3, c.y, x, g, m), c.formula,
				Spec{Family: glm.Family{Name: c.family, Link: c.link}, Standardize: scaling})
			want := ""
			if c.want != "" {
				want = "all rows on one side of a value of " + c.names + " " + c.want + ": only the prior keeps its coefficient finite"
			}
			if got := strings.Join(d.Warnings, "\n"); got != want {
				t.Errorf("%s, %s: warnings %q, want %q", c.name, scaling, got, want)
			}
		}
	}
}
