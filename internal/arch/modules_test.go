package arch

import (
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// requirement is one line of go.mod's require blocks.
type requirement struct {
	path, version string
	direct        bool
}

// requirements reads the module's go.mod.
func requirements() ([]requirement, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, err
	}
	return parseMod(string(text)), nil
}

func parseMod(text string) []requirement {
	var out []requirement
	block := false
	for line := range strings.Lines(text) {
		code, comment, _ := strings.Cut(line, "//")
		f := strings.Fields(code)
		switch {
		case len(f) == 2 && f[0] == "require" && f[1] == "(":
			block = true
			continue
		case len(f) == 1 && f[0] == ")":
			block = false
		case len(f) == 3 && f[0] == "require":
			f = f[1:]
		case !block:
			continue
		}
		if len(f) == 2 {
			out = append(out, requirement{f[0], f[1], strings.TrimSpace(comment) != "indirect"})
		}
	}
	return out
}

// needed returns the modules that must have their reason in writing: those that
// go.mod calls direct, and those that code of the tree imports whatever go.mod
// says.
func needed(t *tree, mods []requirement) map[string]bool {
	out := map[string]bool{}
	for _, m := range mods {
		if m.direct {
			out[m.path] = true
		}
	}
	for _, s := range t.files {
		for _, spec := range s.ast.Imports {
			if imp := strings.Trim(spec.Path.Value, `"`); !standard(imp) && !within(imp, module) {
				out[owner(imp, mods)] = true
			}
		}
	}
	return out
}

// owner returns the module that holds a package, or the package's own path when
// go.mod names none.
func owner(imp string, mods []requirement) string {
	best := ""
	for _, m := range mods {
		if within(imp, m.path) && len(m.path) > len(best) {
			best = m.path
		}
	}
	if best == "" {
		return imp
	}
	return best
}

// unreasoned returns the needed modules that no decision page names.
func unreasoned(need map[string]bool, pages string) []string {
	var out []string
	for m := range need {
		if !strings.Contains(pages, "`"+m+"`") {
			out = append(out, m)
		}
	}
	return out
}

// Every direct dependency has its reason in docs/decisions, named there in
// backquotes by its module path.
func TestDependenciesHaveReasons(t *testing.T) {
	mods := parseMod("module m\n\nrequire (\n\ta.org/b v1.0.0\n\tc.org/d v2.0.0 // indirect\n)\nrequire e.org/f v0.1.0\n")
	need := needed(&tree{}, mods)
	if len(mods) != 3 || !need["a.org/b"] || need["c.org/d"] || !need["e.org/f"] {
		t.Fatalf("go.mod is misread: %v", mods)
	}
	if got := unreasoned(need, "`e.org/f` and `a.org/b/c`"); len(got) != 1 || got[0] != "a.org/b" {
		t.Fatalf("a module without a reason is overlooked: %v", got)
	}

	mods, err := requirements()
	must(t, err)
	tr, err := moduleTree()
	must(t, err)
	var pages strings.Builder
	files, err := filepath.Glob(filepath.Join(root, "docs", "decisions", "*.md"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no decision pages: %v", err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		must(t, err)
		pages.Write(text)
	}
	for _, m := range unreasoned(needed(tr, mods), pages.String()) {
		t.Errorf("%s is a dependency without a reason: write one in docs/decisions, with its module path in backquotes", m)
	}
}

// mislabelled returns what "go mod tidy" would move: modules that code imports
// and go.mod calls indirect, and modules that it calls direct and no code
// imports.
func mislabelled(t *tree, mods []requirement) []string {
	used := needed(t, nil)
	imported := map[string]bool{}
	for imp := range used {
		imported[owner(imp, mods)] = true
	}
	var out []string
	for _, m := range mods {
		if m.direct != imported[m.path] {
			out = append(out, m.path)
		}
	}
	return out
}

// go.mod calls those modules direct that code imports, and no others; otherwise
// the rule above would look at the wrong ones.
func TestRequirementsAreTidy(t *testing.T) {
	mods := []requirement{{"a.org/b", "v1", true}, {"c.org/d", "v1", false}, {"c.org/d/e", "v1", false},
		{"f.org/g", "v1", true}}
	tr := &tree{fset: token.NewFileSet()}
	must(t, tr.add("ingest/a.go", "package ingest\nimport (\n\"c.org/d/e/f\"\n\"f.org/g\"\n\"os\"\n)\n"))
	if got := mislabelled(tr, mods); !slices.Equal(got, []string{"a.org/b", "c.org/d/e"}) {
		t.Fatalf("the rule does not see what it must: %v", got)
	}
	mods, err := requirements()
	must(t, err)
	if tr, err = moduleTree(); err != nil {
		t.Fatal(err)
	}
	for _, m := range mislabelled(tr, mods) {
		t.Errorf("go.mod: %s is called direct and not imported, or imported and called indirect: run go mod tidy", m)
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
