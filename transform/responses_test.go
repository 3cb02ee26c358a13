package transform

import (
	"errors"
	"strings"
	"testing"
)

// The formulas of several responses are cut at brms's places, and their faults have the place in the whole text.
func TestParseResponses(t *testing.T) {
	for text, want := range map[string]string{
		"y ~ x":                           "y: y ~ x",
		"bf(y ~ x, sigma ~ z)":            "y: bf(y ~ x, sigma ~ z)",
		"mvbind(a, log(b)) ~ x + (1|p|g)": "a: bf(a ~ x + (1|p|g)); logb: bf(log(b) ~ x + (1|p|g))",
		"bf(a ~ x, sigma ~ z) + bf(b ~ poly(x, 2))":                           "a: bf(a ~ x, sigma ~ z); b: bf(b ~ poly(x, 2))",
		"bf(a ~ x) + bf(b | trials(n) ~ z) + bf(`c` ~ 1) + set_rescor(FALSE)": "a: bf(a ~ x); b: bf(b | trials(n) ~ z); c: bf(`c` ~ 1)",
		"bf(mvbind(a, b) ~ x, sigma ~ z) + set_rescor(rescor = FALSE)":        "a: bf(a ~ x, sigma ~ z); b: bf(b ~ x, sigma ~ z)",
		"mvbind(a, b) ~ x + set_rescor(TRUE)":                                 "a: bf(a ~ x); b: bf(b ~ x)",
	} {
		all, err := ParseResponses(text)
		var got []string
		for _, f := range all {
			got = append(got, f.Name+": "+f.Text)
			if _, err := ParseFormula(f.Text); err != nil {
				t.Errorf("%s: %v", f.Text, err)
			}
		}
		if err != nil || strings.Join(got, "; ") != want {
			t.Errorf("%s: %q %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"bf(a ~ x) + §bf(a ~ z)":        "the response a has two formulas",
		"bf(a ~ x) + §set_rescor(TRUE)": "set_rescor() of brms",
		"bf(a ~ x) + bf(b ~ §sin(z))":   "no function",
		"mvbind(a§) ~ x":                "two responses or more",
		"bf(a ~ x) + §lf(b ~ z)":        "lf() of brms is not supported",
	} {
		before, after, _ := strings.Cut(text, "§")
		_, err := ParseResponses(before + after)
		fault, is := errors.AsType[*FormulaError](err)
		if !is || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
			continue
		}
		if fault.Formula != before+after || fault.Pos < len(before) || fault.Pos > len(before)+1 {
			t.Errorf("%s: character %d of %q", text, fault.Pos, fault.Formula)
		}
	}
}

// Residuals are correlated if set_rescor(TRUE) follows several formulas.
func TestCorrelatedResiduals(t *testing.T) {
	for text, want := range map[string]bool{
		"mvbind(a, b) ~ x + set_rescor(TRUE)": true, "bf(mvbind(a, b) ~ x) + set_rescor()": true,
		"bf(a ~ x) + bf(b ~ z) + set_rescor(rescor = TRUE)": true, "bf(a ~ x) + bf(b ~ z) + set_rescor(FALSE)": false,
		"bf(a ~ x) + bf(b ~ z)": false, "y ~ x": false,
	} {
		if got := CorrelatedResiduals(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
