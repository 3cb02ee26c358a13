package arch

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// clusters are the modules of their own that carry the program to engines. Each has dependencies that the program
// must not have, and knows it as a process.
var clusters = []string{"mirror", "temporal"}

// apart is the rule that the module and a cluster's module do not know each other.
func apart(t *tree) []finding {
	var out []finding
	for _, s := range t.files {
		for _, spec := range s.ast.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil || within(imp, module) && within(s.dir(), "cluster") || within(imp, module+"/cluster", "go.temporal.io") &&
				!within(s.dir(), "cluster") {
				out = append(out, t.at(spec.Pos(), "%s: a cluster's module is built by itself and knows the program as a process", imp))
			}
		}
	}
	return out
}

// No package imports a module of cluster/, and these import nothing of the program: neither code nor, in go.mod,
// their dependencies.
func TestClustersAreApart(t *testing.T) {
	seen(t, apart, planted{
		"pipelines/a.go":        "package pipelines\nimport \"glmbatch/cluster/temporal\" // want\nimport \"glmbatch/report\"\n",
		"pipelines/a_test.go":   "package pipelines\nimport \"go.temporal.io/sdk/client\" // want\n",
		"cluster/temporal/a.go": "package main\nimport \"glmbatch/pipelines\" // want\nimport \"go.temporal.io/sdk/client\"\n",
	})
	hold(t, apart)
	mods, err := requirements()
	must(t, err)
	for _, m := range mods {
		if within(m.path, "go.temporal.io", module+"/cluster") {
			t.Errorf("go.mod requires %s", m.path)
		}
	}
	found, err := filepath.Glob(filepath.Join(root, "cluster", "*", "go.mod"))
	must(t, err)
	for i := range found {
		found[i] = filepath.Base(filepath.Dir(found[i]))
	}
	if !slices.Equal(found, clusters) {
		t.Errorf("cluster/ has the modules %q, and these rules hold for %q", found, clusters)
	}
}

// The rules of form hold in modules of cluster/ too.
func TestClustersAreInForm(t *testing.T) {
	for _, name := range clusters {
		tr, err := readTree(filepath.Join(root, "cluster", name))
		must(t, err)
		inPlace := &tree{fset: tr.fset}
		for _, s := range tr.files {
			must(t, inPlace.add("cluster/"+name+"/"+strings.TrimPrefix(s.path, "./"), s.text))
		}
		if len(inPlace.files) < 5 {
			t.Fatalf("cluster/%s has %d Go files: the rules would hold for nothing", name, len(inPlace.files))
		}
		for _, r := range []rule{sizes, packages, documented, readingOrder, narrowLines, errorText, apart} {
			for _, f := range r(inPlace) {
				t.Error(f)
			}
		}
	}
}
