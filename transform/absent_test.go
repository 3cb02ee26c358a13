package transform

import (
	"reflect"
	"strings"
	"testing"

	"glmbatch/internal/words"
)

// brmsFaults are formulas of brms that this version refuses: each message begins with what is refused, by its name, and
// has a remedy.
var brmsFaults = []struct{ formula, message, hint string }{
	{"mvbind(y, z) ~ x", "mvbind() of brms", "a model for each response"},
	{"mvbf(y ~ x, z ~ x)", "mvbf() of brms", "a model for each response"},
	{"bf(y ~ x) + bf(z ~ x)", "bf() of brms", "a model for each response"},
	{"bf(y ~ x) + set_rescor(FALSE)", "set_rescor() of brms", "a model for each response"},
	{"bf(y ~ x) + lf(sigma ~ z)", "lf() of brms", "all formulas inside"},
	{"bf(y ~ x) + acformula(~ ar(t))", "acformula() of brms", "residuals"},
	{"bf(y ~ x) + set_nl()", "set_nl() of brms", "linear in their coefficients"},
	{"bf(y ~ a * exp(b), a + b ~ 1, nl = TRUE)", "the argument nl of bf()", "linear in their coefficients"},
	{"bf(y ~ x, center = FALSE)", "the argument center of bf()", "at: zero"},
	{"bf(y ~ x, family = gaussian())", "the argument family of bf()", "the key family"},
	{"bf(y ~ x, autocor = ~ ar(t))", "the argument autocor of bf()", "residuals"},
	{"bf(y ~ x, sigma = 2)", "sigma has a value in bf()", "constant(2)"},
	{"y ~ gp(x, z, u, v)", "gp() takes at most 3 numbers", "gp(x) + gp(z)"},
	{"y ~ t2(x, z)", "t2() cannot be used here", "curves add up"},
	{"y ~ s(g, bs = \"re\")", "the basis \"re\" of s()", "(1 | g)"},
	{"y ~ s(x, z)", "s() smooths one number", "s(x) + s(z)"},
	{"y ~ me(x, s, gr = g)", "me() holds two columns, and no further argument such as gr", "me(x, sd)"},
	{"y ~ mi(x, idx = g)", "mi() holds one column, and no further argument such as idx", "mi(x)"},
	{"y ~ x + (1 | mm(g, h))", "mm() of brms", "(1 | g) + (1 | h)"},
	{"y ~ x + (1 + mmc(x, z) | mm(g, h))", "mm() of brms", "(1 | g) + (1 | h)"},
	{"y ~ mmc(x, z)", "mmc() of brms", "(1 | g) + (1 | h)"},
	{"y ~ (1 | gr(g, by = f))", "gr(by =) of brms", "(0 + f || g)"},
	{"y ~ (1 | gr(g, dist = 'student'))", "gr(dist =) of brms", "normal"},
	{"y ~ ar(time = t)", "ar() of brms", "residuals"},
	{"y ~ x + ma(time = t)", "ma() of brms", "residuals"},
	{"y ~ arma(t, g)", "arma() of brms", "residuals"},
	{"y ~ cosy(t)", "cosy() of brms", "residuals"},
	{"y ~ unstr(t, g)", "unstr() of brms", "residuals"},
	{"y ~ sar(W)", "sar() of brms", "residuals"},
	{"y ~ fcor(V)", "fcor() of brms", "residuals"},
	{"y | thres(4) ~ x", "thres() of brms", "levels"},
	{"y | dec(d) ~ x", "dec() of brms", "wiener"},
	{"y | index(i) ~ x", "index() of brms", "mi(x)"},
	{"y | cat(3) ~ x", "cat() of brms", "levels"},
	{"y | subset(s) ~ x", "subset() of brms", "WHERE"},
	{"y | trials(n) + vreal(v) ~ x", "vreal() of brms", "families of one's own"},
	{"y | vint(v) ~ x", "vint() of brms", "families of one's own"},
	{"y | bhaz(df = 4) ~ x", "bhaz() of brms", "poisson"},
	{"y | resp_rate(t) ~ x", "resp_rate() is not the name", "rate()"},
	{"y | se(s, sigma = TRUE) ~ x", "se() takes one column", "se(s)"},
	{"y | weights(w, scale = TRUE) ~ x", "weights() takes one column", "whole numbers"},
	{"y | weights(log(w)) ~ x", "weights() takes one column", "whole numbers"},
	{"y | mi(s) ~ x", "mi() of a response with standard errors", "se(s)"},
	{"y | rate() ~ x", "rate() takes one column", "rate(time)"},
	{"y | rate(t) + rate(u) ~ x", "rate() is given twice", ""},
	{"y | weights(w) + weights(v) ~ x", "weights() is given twice", ""},
	{"y ~ x + rate(t)", "rate() cannot be used here", "y | rate(t)"},
	{"y ~ x + weights(w)", "weights() cannot be used here", "y | weights(w)"},
}

func TestBrmsIsRefusedByName(t *testing.T) {
	for _, c := range brmsFaults {
		_, err := ParseFormula(c.formula)
		fault, is := err.(*FormulaError)
		if !is {
			t.Errorf("%s: error %v, want a FormulaError", c.formula, err)
			continue
		}
		message, hint := words.Parts(fault.Err)
		if !strings.HasPrefix(message, c.message) || !strings.Contains(hint, c.hint) {
			t.Errorf("%s: %q, hint %q; want %q, %q", c.formula, message, hint, c.message, c.hint)
		}
	}
	// 0 + Intercept may be a column.
	data := makeTable(t, 0, col{"y", []float64{1, 2}, nil}, col{"x", []float64{1, 0}, nil})
	_, err := mustParse(t, "y ~ 0 + Intercept + x").Columns(data.Schema())
	if err == nil || !strings.Contains(err.Error(), "0 + Intercept of brms is not supported") {
		t.Errorf("0 + Intercept: %v", err)
	}
}

// The calls on the left of brms's formulas, alone and joined, make the design of this program's own spelling.
func TestLeftCalls(t *testing.T) {
	data := makeTable(t, 0, col{"y", []float64{1, 2, 0, 4}, nil}, col{"x", []float64{1, 0, 9, 2}, nil},
		col{"w", []float64{2, 1, 3, 1}, nil}, col{"t", []float64{2, 5, 1, 3}, nil}, col{"n", []float64{4, 4, 5, 9}, nil},
		col{"g", []string{"a", "b", "a", "b"}, nil})
	for _, c := range []struct{ family, brms, own, weights string }{
		{"poisson", "y | rate(t) ~ x", "y ~ x + offset(log(t))", ""},
		{"poisson", "y | rate(t) + weights(w) ~ x", "y ~ x + offset(log(t))", "w"},
		{"poisson", "y | weights(w) + rate(t) ~ . - n - g", "y ~ x + offset(log(t))", "w"},
		{"binomial", "y | trials(n) + weights(w) ~ x", "y | trials(n) ~ x", "w"},
		{"gaussian", "y | se(t) + weights(w) ~ x", "y | se(t) ~ x", "w"},
		{"gaussian", "bf(y | weights(w) ~ x, sigma ~ x)", "bf(y ~ x, sigma ~ x)", "w"},
		{"poisson", "y ~ (1 | gr(g))", "y ~ (1 | g)", ""},
	} {
		build := func(f *Formula) *Design {
			d, err := Build(data, Spec{Formula: f, Family: familyNamed(c.family), Missing: "error", Dataset: "d"})
			if err != nil {
				t.Fatalf("%s: %v", c.brms, err)
			}
			return d
		}
		f := mustParse(t, c.brms)
		got, want := build(f), build(mustParse(t, c.own).Weighted(c.weights, ""))
		if f.Weights() != c.weights || !reflect.DeepEqual(got.Data, want.Data) {
			t.Errorf("%s: weights %q, %+v; want %q, %+v", c.brms, f.Weights(), got.Data, c.weights, want.Data)
		}
	}
	for _, c := range []struct{ family, formula string }{{"negative_binomial", "y | rate(t) ~ x"}, {"gaussian", "y | rate(t) ~ x"}} {
		_, err := Build(data, Spec{Formula: mustParse(t, c.formula), Family: familyNamed(c.family), Dataset: "d"})
		if err == nil || !strings.Contains(err.Error(), "rate() belongs to family poisson with the link log, not to "+c.family) {
			t.Errorf("%s of %s: %v", c.formula, c.family, err)
		}
	}
}
