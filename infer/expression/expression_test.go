package expression_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"glmbatch/infer/expression"
	"glmbatch/internal/simd"
)

// sources are expressions of y, a and b that use every function, finite at a and b in (0.2, 0.8).
var sources = []string{
	"a + b * y - a / b - -a", "exp(a * b) - log(a) * log1p(b)", "expm1(a) * log1m(a * b)", "log1p_exp(a * 30 * b)",
	"logistic(3 * a - b) ^ 2", "sqrt(a * b) + abs(b - 0.5) * a", "lgamma(a * 9 + b) - digamma(a + b)",
	"normal_lcdf(4 * a - 9 * b) + normal_cdf(a) + normal_lcdf(y, a, b)", "a ^ b + b ^ 2 + a ^ -3 + (a * b) ^ 0 + pow(a, 1.5)",
	"ifelse(a > 0.5 & b < 0.6 | !(y >= 2), a * b, a / b)", "min(a, b) * max(a, b, a)", "log_add(a, log(b)) + log_mix(a, b, y)",
	"log1m_exp(-a) + log1m_exp(-a / 9) + logit(a) * square(b)", "normal_lpdf(y, a, b) + poisson_lpmf(y, exp(a))",
	"lbeta(a, b) + lchoose(y + 9, y) * inv_cloglog(a)", "floor(a * 3) * b + (a <= b) + (a == b) + (a != y)",
	"2e-1 * a ** 2 + 1E+1 * `b`", "log_sum_exp(a, b)",
}

func graph(t *testing.T, source string) *expression.Graph {
	t.Helper()
	tree, err := expression.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	g, err := expression.Compile(tree, []expression.Input{{Name: "y"}, {Name: "a"}, {Name: "b"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Values of parts and the terms that they leave out add up to the expression, and derivatives are those of differences.
func TestParts(t *testing.T) {
	const n = 300
	rows := make([][]float64, 3)
	for i := range n {
		u := (float64(i) + 0.5) / n
		rows[0] = append(rows[0], float64(i%7))
		rows[1] = append(rows[1], 0.2+0.6*u)
		rows[2] = append(rows[2], 0.2+0.6*math.Mod(u*17.3, 1))
	}
	for _, source := range sources {
		source = strings.ReplaceAll(source, "max(a, b, a)", "max(max(a, b), a)")
		g := graph(t, source)
		data, others := g.Split(1)
		parts := []*expression.Part{nil, g.Along(others, 1), g.Along(others, 2)}
		for along := 1; along <= 2; along++ {
			p := parts[along]
			given, rest, of := make([][]float64, p.Givens()), make([]float64, n), make([]float64, n)
			for c := range given {
				given[c] = make([]float64, n)
			}
			p.Give(simd.Vector(), rows, given, rest)
			g.Values(simd.Vector(), data, rows, of)
			cut := make([][]float64, len(given))
			value, first, second := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := 0; i < n; i += expression.BlockRows {
				to := min(n, i+expression.BlockRows)
				for c := range given {
					cut[c] = given[c][i:to]
				}
				p.Values(simd.Vector(), cut, rows[along][i:to], value[i:to])
				p.Slopes(simd.Vector(), cut, rows[along][i:to], first[i:to], second[i:to])
			}
			for i := range n {
				at := func(step float64) float64 {
					x := []float64{rows[0][i], rows[1][i], rows[2][i]}
					x[along] += step
					return g.Row(x, nil)
				}
				const h = 1e-4
				if whole, sum := at(0), value[i]+rest[i]+of[i]; !(math.Abs(whole-sum) <= 1e-12*(1+math.Abs(whole))) {
					t.Fatalf("%s, row %d: the parts add up to %v, want %v", source, i, sum, whole)
				}
				if jumps(at, h) {
					continue
				}
				up, down := at(h), at(-h)
				slope, curve := (up-down)/(2*h), (up-2*at(0)+down)/(h*h)
				if !(math.Abs(first[i]-slope) <= 1e-5*(1+math.Abs(slope))) {
					t.Fatalf("%s, row %d along %d: slope %v, by differences %v", source, i, along, first[i], slope)
				}
				if !(math.Abs(-second[i]-curve) <= 1e-4*(1+math.Abs(curve))) {
					t.Fatalf("%s, row %d along %d: curvature %v, by differences %v", source, i, along, -second[i], curve)
				}
			}
		}
	}
}

// jumps reports whether a function jumps or bends within a step, by its third differences.
func jumps(at func(float64) float64, h float64) bool {
	a, b, c, d, e := at(-2*h), at(-h), at(0), at(h), at(2*h)
	third, fourth := e-2*d+2*b-a, a-4*b+6*c-4*d+e
	return math.Abs(third) > 1e-7*(1+math.Abs(c)) || math.Abs(fourth) > 1e-9*(1+math.Abs(c))
}

// Operators hold as in R.
func TestGrammar(t *testing.T) {
	for source, want := range map[string]float64{
		"-2^2": -4, "2^-1": 0.5, "2^3^2 / 2": 256, "1 - 2 - 3": -4, "!1 == 2": 1, "1 + 2 * 3 < 8 & 1": 1, "-(1 - 3) * 2": 4,
		"ifelse(0, 1, 2)": 2, "y": 5, "8 / 4 / 2": 1, "(-2) ^ 3": -8, "(-2)^11": -2048, "0 ^ 0": 1, "0^1.5": 0,
	} {
		if got := graph(t, source).Row([]float64{5, 0, 0}, nil); math.Abs(got-want) > 1e-12*math.Abs(want) {
			t.Errorf("%s = %v, want %v", source, got, want)
		}
	}
}

// Faults name the character and a remedy.
func TestFaults(t *testing.T) {
	for source, want := range map[string]string{
		"":                        "character 1: the expression ends where a number is expected",
		"y + (a":                  `character 5: "(" is not closed`,
		"y * mü":                  `character 5: there is no "mü"; there are a, b, y`,
		"lg(y)":                   `character 1: there is no function "lg"; did you mean log()?`,
		"exp(a, b)":               "character 1: exp() is given 2 arguments, and takes 1",
		"a < b < y":               "character 7: comparisons do not chain; write (a < b) & (b < c)",
		"a b":                     `character 3: an operator is expected before "b"`,
		"a $ b":                   "character 3: '$' is not part of an expression; there are + - * / ^, comparisons, & | ! and functions",
		"normal(a, b)":            "character 1: normal() draws a random number; log_density and mean are the same at each look; draw may use normal()",
		"1.2.3":                   "character 1: 1.2.3 is not a number",
		strings.Repeat("(", 9999): "character 201: the expression is nested too deeply",
	} {
		tree, err := expression.Parse(source)
		if err == nil {
			_, err = expression.Compile(tree, []expression.Input{{Name: "y"}, {Name: "a"}, {Name: "b"}}, false)
		}
		var fault *expression.Error
		if !errors.As(err, &fault) || fault.Error() != want {
			t.Errorf("%.20q: %v, want %s", source, err, want)
		}
	}
	for source, want := range map[string]string{
		"y + log(a - b)":               "character 5: log(-1) is NaN",
		"ifelse(y > 0, 1 / a, log(a))": "character 17: 1 / 0 is +Inf",
		"a * 2":                        "",
	} {
		got := ""
		if fault := graph(t, source).Fault([]float64{3, 0, 1}); fault != nil {
			got = fault.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

// pi() is the number, and pi is a name.
func TestPi(t *testing.T) {
	out := make([]float64, 1)
	g := graph(t, "pi() * y")
	data, _ := g.Split(1)
	g.Values(simd.Vector(), data, [][]float64{{2}, {0}, {0}}, out)
	if out[0] != 2*math.Pi {
		t.Errorf("2·pi() is %v", out[0])
	}
	tree, err := expression.Parse("pi")
	if err != nil || len(tree.Names()) != 1 {
		t.Errorf("pi: %v, %v", tree.Names(), err)
	}
}
