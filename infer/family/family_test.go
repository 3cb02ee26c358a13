package family_test

import (
	"strings"
	"testing"

	"glmbatch/infer/family"
)

func TestParse(t *testing.T) {
	for _, c := range []struct{ name, link, want string }{
		{"gaussian", "", "gaussian(identity)"}, {"bernoulli", "logit", "bernoulli(logit)"},
		{"binomial", "", "binomial(logit)"}, {"poisson", "log", "poisson(log)"},
	} {
		if f, err := family.Parse(c.name, c.link); err != nil || f.String() != c.want {
			t.Errorf("Parse(%q, %q) = %v, %v", c.name, c.link, f, err)
		}
	}
	for _, c := range []struct{ name, link, want string }{
		{"poison", "", "did you mean poisson?"}, {"cauchy", "", "the families are gaussian"},
		{"bernoulli", "log", "its links are logit, probit, cloglog, cauchit"},
	} {
		if _, err := family.Parse(c.name, c.link); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Parse(%q, %q): error %v, want %q", c.name, c.link, err, c.want)
		}
	}
}
