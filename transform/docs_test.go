package transform

import (
	"os"
	"strings"
	"testing"
)

// Every function of a formula is on the model page.
func TestFormulaPage(t *testing.T) {
	page, err := os.ReadFile("../docs/reference/language.md")
	must(t, err)
	names := append(append([]string{"offset", "trials", "glob", "factor", "cbind", "proportion", "se", "mi"}, functions...), bases...)
	for _, name := range names {
		if !strings.Contains(string(page), name+"(") {
			t.Errorf("%s() is not on the page", name)
		}
	}
	for _, operator := range []string{"a:b", "a*b", "a/b", "%in%", ")^2", "- 1", "y ~ .", `(x \| g)`, `(x \|\| g)`, `(0 + x \| g)`, `(1 \| g:h)`, `(1 \| g/h)`} {
		if !strings.Contains(string(page), operator) {
			t.Errorf("the operator of %s is not on the page", operator)
		}
	}
}
