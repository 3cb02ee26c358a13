package spec

import (
	"fmt"
	"strings"
	"testing"
)

// hostile are specs near the limits of size that must be refused, or read, in
// time and stack that do not explode. Each grew out of a way in which YAML
// parsers have failed.
func hostile() map[string]string {
	const n = maxBytes - 100
	bomb := "a0: &a0 [x,x,x,x,x,x,x,x,x]\n"
	for i := range 20 {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	vars := "pipeline: p\nvars:\n  v0: xxxxxxxxxx\n"
	for i := range 60 {
		vars += fmt.Sprintf("  v%d: \"{{ vars.v%d }}{{ vars.v%d }}\"\n", i+1, i, i)
	}
	indent := ""
	for i := 0; len(indent) < n-2*i; i++ {
		indent += strings.Repeat(" ", i) + "a:\n"
	}
	fits := "pipeline: p\ndatasets: {" + manyNames(3000, "a.csv") + "}\nmodels: {" + manyNames(3000, "{formula: y ~ x, family: poisson, standardize: center_scale}") + "}\nsamplers: {s: {}}\n"
	return map[string]string{
		"brackets":         strings.Repeat("[", n),
		"braces":           strings.Repeat("{", n),
		"closed brackets":  "a: " + strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		"flow maps":        strings.Repeat("{a: ", n/4),
		"dashes":           strings.Repeat("- ", n/2),
		"question marks":   strings.Repeat("? ", n/2),
		"anchors":          strings.Repeat("&a ", n/3),
		"flow anchors":     "[" + strings.Repeat("&a ", n/3),
		"tags":             strings.Repeat("!a ", n/3),
		"flow tags":        "[" + strings.Repeat("!a ", n/3),
		"aliases":          strings.Repeat("*a ", n/3),
		"colons":           strings.Repeat("a: ", n/3),
		"colons in list":   "- " + strings.Repeat("a: - ", n/5),
		"indentation":      indent,
		"alias bomb":       bomb,
		"variable bomb":    vars,
		"many fits":        fits,
		"long scalar":      "pipeline: " + strings.Repeat("x", n),
		"long quoted":      "pipeline: \"" + strings.Repeat("x", n) + "\"",
		"open quote":       "pipeline: \"" + strings.Repeat("x\n", n/2),
		"many lines":       strings.Repeat("a\n", n/2),
		"many keys":        manyLines(n),
		"many empty keys":  strings.Repeat("a:\n", n/3),
		"many documents":   strings.Repeat("---\n", n/4),
		"many comments":    strings.Repeat("#\n", n/2),
		"literal":          "a: |\n" + strings.Repeat(" x\n", n/3),
		"escapes":          "a: \"" + strings.Repeat(`\u0041`, n/6) + "\"",
		"templates":        "pipeline: \"" + strings.Repeat("{{ env.X }}", n/11) + "\"",
		"open templates":   "pipeline: \"" + strings.Repeat("{{", n/2) + "\"",
		"long list":        "a: [" + strings.Repeat("1,", n/2) + "1]",
		"block list":       "a:\n" + strings.Repeat("- 1\n", n/4),
		"unknown keys":     "pipeline: p\n" + manyLines(n/2),
		"percent":          strings.Repeat("%a\n", n/3),
		"carriage returns": strings.Repeat("a: b\r", n/5),
		"tabs":             strings.Repeat("\t", n),
		"spaces":           strings.Repeat(" ", n),
		"merge":            "a: &a {b: c}\n" + strings.Repeat("d: {<<: *a, <<: *a}\n", n/20),
	}
}

func manyNames(n int, value string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "n%d: %s, ", i, value)
	}
	return b.String()
}

func manyLines(bytes int) string {
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		fmt.Fprintf(&b, "k%d: v\n", i)
	}
	return b.String()
}

// TestHostile reads specs that are made to blow stack, memory or time. A stack
// overflow kills the test process, a hang its timeout.
func TestHostile(t *testing.T) {
	for name, src := range hostile() {
		t.Run(name, func(t *testing.T) {
			if len(src) > maxBytes {
				t.Fatalf("%d bytes never reach the parser", len(src))
			}
			if _, err := Parse("spec.yaml", []byte(src), testOptions()); err == nil {
				t.Error("was accepted")
			}
		})
	}
}
