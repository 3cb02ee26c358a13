package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
)

// module is the path of the module that these rules hold for.
const module = "glmbatch"

// root is the module's folder, seen from this package.
const root = "../.."

// source is one Go file of a tree; path is relative to the module's root.
type source struct {
	path string
	text string
	ast  *ast.File
}

func (s *source) test() bool  { return strings.HasSuffix(s.path, "_test.go") }
func (s *source) dir() string { return path.Dir(s.path) }

// tree is a set of Go files, sorted by path: the module's own, or a planted one.
type tree struct {
	fset  *token.FileSet
	files []*source

	checking sync.Once
	pkgs     []checked // what check returns
	err      error
}

// finding is one breach of a rule.
type finding struct {
	path string
	line int
	text string
}

func (f finding) String() string { return fmt.Sprintf("%s:%d: %s", f.path, f.line, f.text) }

// rule looks at a tree and returns every breach.
type rule func(*tree) []finding

// add parses text into the tree.
func (t *tree) add(p, text string) error {
	f, err := parser.ParseFile(t.fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.files = append(t.files, &source{path: p, text: text, ast: f})
	return nil
}

// at makes a finding of a node.
func (t *tree) at(pos token.Pos, format string, args ...any) finding {
	p := t.fset.Position(pos)
	return finding{p.Filename, p.Line, fmt.Sprintf(format, args...)}
}

// moduleTree reads the module once for all rules.
var moduleTree = sync.OnceValues(func() (*tree, error) { return readTree(root) })

// readTree reads the files of a module, without those of modules within it.
func readTree(root string) (*tree, error) {
	t := &tree{fset: token.NewFileSet()}
	dir := os.DirFS(root)
	err := fs.WalkDir(dir, ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); p != "." &&
				(name == "testdata" || name == "bin" || name == "node_modules" || strings.HasPrefix(name, ".")) {
				return fs.SkipDir
			}
			if _, err := fs.Stat(dir, path.Join(p, "go.mod")); p != "." && err == nil {
				return fs.SkipDir // a module of its own, such as a generator
			}
			return nil
		}
		if path.Ext(p) != ".go" {
			return nil
		}
		src, err := fs.ReadFile(dir, p)
		if err != nil {
			return err
		}
		return t.add(p, string(src))
	})
	return t, err
}

// hold applies a rule to the module.
func hold(t *testing.T, r rule) {
	t.Helper()
	module, err := moduleTree()
	must(t, err)
	if len(module.files) < 10 {
		t.Fatalf("found only %d Go files under %s: the rule would hold for nothing", len(module.files), root)
	}
	for _, f := range r(module) {
		t.Error(f)
	}
}

// planted is a small tree with known breaches. In its files a line that ends
// in "// want" must be found by the rule, and no other line may be.
type planted map[string]string

// seen applies a rule to planted breaches and fails if it overlooks one, or
// finds one where there is none.
func seen(t *testing.T, r rule, files planted) {
	t.Helper()
	tr := &tree{fset: token.NewFileSet()}
	var want []string
	for p, text := range files {
		must(t, tr.add(p, text))
		for i, line := range strings.Split(text, "\n") {
			if strings.HasSuffix(line, "// want") {
				want = append(want, fmt.Sprintf("%s:%d", p, i+1))
			}
		}
	}
	if len(want) == 0 {
		t.Fatal("nothing is planted")
	}
	slices.SortFunc(tr.files, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	var got []string
	text := map[string]string{}
	for _, f := range r(tr) {
		at := fmt.Sprintf("%s:%d", f.path, f.line)
		got, text[at] = append(got, at), f.text
	}
	slices.Sort(want)
	slices.Sort(got)
	got = slices.Compact(got)
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("the rule overlooks the breach planted at %s", w)
		}
	}
	for _, g := range got {
		if !slices.Contains(want, g) {
			t.Errorf("the rule sees a breach where there is none, at %s: %s", g, text[g])
		}
	}
}

// within reports whether dir is one of the folders or below one of them.
func within(dir string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return dir == f || strings.HasPrefix(dir, f+"/")
	})
}
