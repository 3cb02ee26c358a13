package spec

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"
)

// hostile are specs near the limits of size that must be refused, or read, in
// time and stack that do not explode. Each grew out of a way in which YAML
// parsers have failed.
func hostile() map[string]string {
	n := maxBytes / 4
	if os.Getenv("GLMBATCH_STAT") != "" {
		n = maxBytes - 100
	}
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
		"anchors on lines": strings.Repeat("&a\n", n/3),
		"tags on lines":    strings.Repeat("!a\n", n/3),
		"marks on lines":   strings.Repeat("?\n", n/2),
		"values on lines":  strings.Repeat(":\n", n/2),
		"mixed on lines":   strings.Repeat("!a\n&b\n", n/6),
		"tags, anchors":    strings.Repeat("&b !a\n", n/6),
		"tags, comments":   strings.Repeat("!a\n#c\n", n/6),
		"tags on lines 2":  "a:\n" + strings.Repeat(" !a\n", n/4),
		"open values":      strings.Repeat("a:\n-\n", n/5),
		"pipes":            strings.Repeat("|\n", n/2),
		"quotes":           strings.Repeat("'a'\n", n/4),
		"quoted keys":      strings.Repeat("'a' ", n/4),
		"documents deep":   strings.Repeat("--- ", n/4),
		"flow keys":        "{" + strings.Repeat("? ", n/2),
		"flow colons":      "{" + strings.Repeat("a: ", n/3),
		"flow empty":       "[" + strings.Repeat("[],", n/3),
		"flow commas":      "[" + strings.Repeat(",", n),
		"merge keys":       strings.Repeat("<<: ", n/4),
		"merge lines":      strings.Repeat("<<:\n", n/4),
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

// refusals are the errors of hostile specs, which two tests ask for: some take a second.
var refusals = map[string]error{}

func refusal(src string) error {
	err, known := refusals[src]
	if !known {
		_, err = Parse("spec.yaml", []byte(src), testOptions())
		refusals[src] = err
	}
	return err
}

// TestHostile reads specs that are made to blow stack, memory or time. A stack
// of more than 16 MiB kills the test process, a hang its timeout. (A quarter of
// the largest size; all of it with GLMBATCH_STAT=1.)
func TestHostile(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20))
	for name, src := range hostile() {
		t.Run(name, func(t *testing.T) {
			if len(src) > maxBytes {
				t.Fatalf("%d bytes never reach the parser", len(src))
			}
			if refusal(src) == nil {
				t.Error("was accepted")
			}
		})
	}
}

// TestLimits meets each limit and looks for its message.
func TestLimits(t *testing.T) {
	specs := hostile()
	rest := "datasets: {a: a.csv}\nmodels: {m: {formula: y ~ x, family: poisson, standardize: center_scale}}\nsamplers: {s: {}}\n"
	for src, want := range map[string]string{
		specs["many keys"]:        fmt.Sprintf("more than %d keys", maxKeys),
		specs["long list"]:        fmt.Sprintf("more than %d words and marks", maxTokens),
		specs["flow maps"]:        fmt.Sprintf("nested more than %d levels deep", maxDepth),
		specs["dashes"]:           fmt.Sprintf("nested more than %d levels deep", maxDepth),
		specs["flow tags"]:        fmt.Sprintf("more than %d anchors and tags", maxLabels),
		specs["anchors on lines"]: fmt.Sprintf("more than %d anchors and tags", maxLabels),
		specs["alias bomb"]:       fmt.Sprintf("more than %d levels, or %d values", maxDepth, maxNodes),
		specs["variable bomb"]:    fmt.Sprintf("longer than %d bytes after templates are replaced", maxText),
		specs["templates"]:        fmt.Sprintf("longer than %d bytes", maxText),
		specs["many fits"]:        fmt.Sprintf("more than %d fits", maxFits),
		"pipeline: p\n" + manyLines(11*(maxProblems+5)) + rest: "and ",
	} {
		err := refusal(src)
		if err == nil {
			t.Errorf("accepted, without %q", want)
			continue
		}
		if !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got: %.200v", want, err)
		}
		if n := len(err.(*Problems).List); n > maxProblems+1 {
			t.Errorf("%q comes with %d problems", want, n)
		}
	}
}
