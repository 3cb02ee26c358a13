package glm

import (
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/family"
)

// The table of links covers the families, agrees with the likelihoods and their starts about the domain's boundary,
// and is the one of the manual.
func TestLinkTable(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/language.md")
	must(t, err)
	_, table, _ := strings.Cut(string(page), "| link | eta | mean |")
	table, _, _ = strings.Cut(table, "\n\n")
	for _, l := range family.Links() {
		domain := "| all |"
		switch {
		case l.Name == "identity":
			domain = "| all; for poisson eta > 0 |"
		case l.Name == "sqrt":
			domain = "| eta > 0 (of the two signs that give one mean) |"
		case l.Positive:
			domain = "| eta > 0 |"
		}
		if row := "| `" + l.Name + "` | " + l.Eta + " | " + l.Mean + " " + domain; !strings.Contains(table, row) {
			t.Errorf("docs/reference/language.md has no row %q", row)
		}
	}
	if rows := strings.Count(table, "\n| `"); rows != len(family.Links()) {
		t.Errorf("docs/reference/language.md lists %d links, the table %d", rows, len(family.Links()))
	}
	for _, f := range everyFamily() {
		if !slices.ContainsFunc(family.Links(), func(l *family.Link) bool { return l.Name == f.Link }) {
			t.Errorf("%s: its link is not in the table", f)
		}
		target := mustTarget(t, familyExample(3, f, 9, 2))
		theta := target.Penalised()
		target.Constrain(theta, theta)
		start := target.LogLik(theta)
		for j := range 2 {
			theta[j] = -3
		}
		if beyond := math.IsInf(target.LogLik(theta), -1); beyond != f.PositiveEta() || math.IsInf(start, 0) {
			t.Errorf("%s: beyond a wall at eta < 0: %v, by the table %v; log likelihood %v at the start", f, beyond, f.PositiveEta(), start)
		}
	}
}
