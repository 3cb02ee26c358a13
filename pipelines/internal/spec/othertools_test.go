package spec

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"glmbatch/infer/family"
)

var codeSpan = regexp.MustCompile("`([^`]+)`")

// fragments are the pieces of specs in the right column of the tables of a page:
// mappings, which are models, and lines of the top level.
func fragments(page string) []string {
	var out []string
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "|") {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		for _, m := range codeSpan.FindAllStringSubmatch(cells[len(cells)-2], -1) {
			text := strings.ReplaceAll(m[1], "\x00", "|")
			if strings.HasPrefix(text, "{") || regexp.MustCompile(`^(run|samplers|models|datasets|seed|gates): `).MatchString(text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// whole makes a spec of a fragment: what it does not say is added.
func whole(fragment string) string {
	if strings.HasPrefix(fragment, "{") {
		fragment = "models: {m: " + fragment + "}"
	}
	key, _, _ := strings.Cut(fragment, ":")
	parts := []string{"pipeline: p", fragment}
	for _, given := range []string{"datasets: {d: d.csv}", "models: {m: {formula: y ~ x, family: bernoulli}}", "samplers: {s: {}}"} {
		if !strings.HasPrefix(given, key+":") {
			parts = append(parts, given)
		}
	}
	return strings.Join(parts, "\n") + "\n"
}

// Parse reads every spec that docs/other-tools.md has a reader write.
func TestOtherTools(t *testing.T) {
	page, err := os.ReadFile("../../../docs/other-tools.md")
	must(t, err)
	list := fragments(string(page))
	if len(list) < 30 {
		t.Fatalf("only %d fragments found", len(list))
	}
	for _, f := range list {
		if _, err := Parse("other-tools.yaml", []byte(whole(f)), testOptions()); err != nil {
			t.Errorf("%s: %v", f, err)
		}
	}
	for _, bad := range fragments("| a | `{formula: y ~ x, family: bernouli}` and `run: {chain: 4}` |\n| a \\| b | `{formula: \"y \\| trial(n) ~ x\", family: binomial}` |\n") {
		if _, err := Parse("other-tools.yaml", []byte(whole(bad)), testOptions()); err == nil {
			t.Errorf("%s is read", bad)
		}
	}
}

// Families of other tools that this program names otherwise are refused with their name here, if there is one.
func TestForeignFamilies(t *testing.T) {
	for name, want := range map[string]string{"negbinomial": "write negative_binomial", "cox": "family poisson",
		"geometric": "constant(1)", "normal": "write gaussian", "zip": "zero_inflated_poisson", "ordinal": "cumulative"} {
		_, err := Parse("s.yaml", []byte(whole("{formula: y ~ x, family: "+name+"}")), testOptions())
		if err == nil || !strings.Contains(err.Error(), name+`" is not among the families`) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	// Remedies name families that exist, and no family that exists is refused.
	known := append(family.Names(), "constant", "ordered", "classes")
	for name, remedy := range foreignFamilies {
		if family.Named(name) != nil {
			t.Errorf("%s is a family, and is refused", name)
		}
		for _, word := range regexp.MustCompile(`\b[a-z]+(_[a-z]+)+\b`).FindAllString(remedy, -1) {
			if word != "log_density" && !slices.Contains(known, word) {
				t.Errorf("%s: %q is not a family", name, word)
			}
		}
	}
}
