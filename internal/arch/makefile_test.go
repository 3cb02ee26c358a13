package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// helpless returns the targets of a Makefile that "make help" would not list,
// and the names that .PHONY gives without a target.
func helpless(makefile string) []string {
	var targets, out []string
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9]+):(.*)$`).FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, m[1])
		if _, help, ok := strings.Cut(m[2], "## "); !ok || len(strings.Fields(help)) < 2 {
			out = append(out, m[1])
		}
	}
	phony := regexp.MustCompile(`(?m)^\.PHONY: (.*)$`).FindStringSubmatch(makefile)
	if phony == nil {
		return append(out, ".PHONY")
	}
	for _, name := range strings.Fields(phony[1]) {
		if !slices.Contains(targets, name) {
			out = append(out, name)
		}
	}
	for _, name := range targets {
		if !slices.Contains(strings.Fields(phony[1]), name) {
			out = append(out, name)
		}
	}
	return out
}

// Every target says in one line what it is for, and continuous integration runs
// the commands that people run.
func TestMakefile(t *testing.T) {
	if got := helpless(".PHONY: a b c\na: ## does a thing\nb:\n\ttrue\nd: ## also fine\n"); !slices.Equal(got,
		[]string{"b", "c", "d"}) {
		t.Fatalf("the rule does not see what it must: %v", got)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	must(t, err)
	for _, name := range helpless(string(makefile)) {
		t.Errorf("Makefile: %s is not both a target with its line of help and in .PHONY", name)
	}
	for _, name := range []string{"build", "run", "test", "stat", "lint", "bench", "fuzz", "golden", "ci"} {
		if !strings.Contains(string(makefile), "\n"+name+":") {
			t.Errorf("Makefile: no target %s", name)
		}
	}
	ci, err := os.ReadFile(filepath.Join(root, ".ci", "run"))
	must(t, err)
	for _, want := range []string{"make test", "make lint", "make e2e", "make morning", "make race", "make compat", "make forms", "make kill", "make soak", "make fuzz",
		"GLMBATCH_REFERENCES=required"} {
		if !strings.Contains(string(ci), want) {
			t.Errorf(".ci/run does not run %q", want)
		}
	}
}
