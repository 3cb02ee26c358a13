package arch

import (
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// chainFolder reports whether a folder is on the path of a chain: infer without its harness infertest, discrete,
// and the arithmetic below them.
func chainFolder(dir string) bool {
	return within(dir, "infer", "discrete") && dir != "infer/infertest" ||
		slices.Contains(strings.Fields(numeric+" internal/state"), dir)
}

// pureFolder reports whether a folder is on the path of a chain or is
// transform, whose numbers the chains start from.
func pureFolder(dir string) bool { return chainFolder(dir) || within(dir, "transform") }

// checked is one type-checked package of a tree, its tests left out.
type checked struct {
	dir   string
	files []*source
	info  *types.Info
	// errs are the checker's complaints: a rule that cannot see types must report that instead of passing.
	errs []error
}

// loader imports packages for the type checker from source, declarations only:
// this tree's own, the standard library's, and modules from the module cache.
type loader struct {
	tree  *tree
	arch  string
	fset  *token.FileSet
	done  map[string]*types.Package
	std   types.Importer
	cache string            // GOMODCACHE
	mods  map[string]string // module path → version
	// only, if not nil, lists the packages that are loaded in addition to the module's own; others are empty.
	only []string
}

// stdImporter is shared: the standard library is the same for every tree.
var stdImporter = sync.OnceValue(func() types.Importer {
	build.Default.CgoEnabled = false
	return importer.ForCompiler(token.NewFileSet(), "source", nil)
})

func newLoader(t *tree, arch string) (*loader, error) {
	mods, err := requirements()
	if err != nil {
		return nil, err
	}
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		cache = filepath.Join(build.Default.GOPATH, "pkg", "mod")
	}
	l := &loader{
		tree: t, arch: arch, fset: token.NewFileSet(), done: map[string]*types.Package{},
		std: stdImporter(), cache: cache, mods: map[string]string{},
	}
	for _, m := range mods {
		l.mods[m.path] = m.version
	}
	return l, nil
}

// Import implements types.Importer.
func (l *loader) Import(imp string) (*types.Package, error) {
	if p, ok := l.done[imp]; ok {
		return p, nil
	}
	if l.only != nil && !within(imp, module) && !slices.Contains(l.only, imp) {
		p := types.NewPackage(imp, path.Base(imp))
		p.MarkComplete()
		l.done[imp] = p
		return p, nil
	}
	if standard(imp) {
		return l.std.Import(imp)
	}
	var files []*ast.File
	fset := l.fset
	if dir, ours := strings.CutPrefix(imp, module+"/"); ours {
		fset = l.tree.fset
		for _, s := range l.tree.matching(dir, l.arch) {
			files = append(files, s.ast)
		}
	} else {
		var err error
		if files, err = l.third(imp); err != nil {
			return nil, err
		}
	}
	conf := types.Config{Importer: l, IgnoreFuncBodies: true, FakeImportC: true, Error: func(error) {}}
	p, _ := conf.Check(imp, fset, files, nil) // faults show where the package is used
	p.MarkComplete()
	l.done[imp] = p
	return p, nil
}

// third parses a package of another module.
func (l *loader) third(imp string) ([]*ast.File, error) {
	for stem := imp; stem != "."; stem = filepath.ToSlash(filepath.Dir(stem)) {
		version, ok := l.mods[stem]
		if !ok {
			continue
		}
		dir := filepath.Join(l.cache, stem+"@"+version, strings.TrimPrefix(imp, stem))
		ctx := build.Default
		ctx.CgoEnabled = false
		bp, err := ctx.ImportDir(dir, 0)
		if err != nil {
			return nil, err
		}
		var files []*ast.File
		for _, name := range append(bp.GoFiles, bp.CgoFiles...) {
			f, err := parser.ParseFile(l.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			files = append(files, f)
		}
		return files, nil
	}
	return nil, &os.PathError{Op: "import", Path: imp, Err: os.ErrNotExist}
}

// matching returns the non-test files of a folder that a build for arch uses.
func (t *tree) matching(dir, arch string) []*source {
	ctx := build.Default
	ctx.CgoEnabled, ctx.GOARCH = false, arch
	var out []*source
	for _, s := range t.files {
		if s.dir() != dir || s.test() {
			continue
		}
		ctx.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(s.text)), nil }
		if ok, err := ctx.MatchFile("", filepath.Base(s.path)); ok && err == nil {
			out = append(out, s)
		}
	}
	return out
}

// check type-checks every pure package of the tree, as built for a processor
// with assembly and for one without; once, for all rules.
func (t *tree) check() ([]checked, error) {
	t.checking.Do(func() { t.pkgs, t.err = t.checkAll() })
	return t.pkgs, t.err
}

func (t *tree) checkAll() ([]checked, error) {
	var out []checked
	for _, arch := range []string{"amd64", "arm64"} {
		l, err := newLoader(t, arch)
		if err != nil {
			return nil, err
		}
		var dirs []string
		for _, s := range t.files {
			if pureFolder(s.dir()) && !s.test() && !slices.Contains(dirs, s.dir()) {
				dirs = append(dirs, s.dir())
				out = append(out, l.check(s.dir()))
			}
		}
	}
	return out, nil
}

// check type-checks one package of the loader's tree, bodies included.
func (l *loader) check(dir string) checked {
	c := checked{dir: dir, files: l.tree.matching(dir, l.arch), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{},
	}}
	var files []*ast.File
	for _, f := range c.files {
		files = append(files, f.ast)
	}
	conf := types.Config{Importer: l, Error: func(err error) { c.errs = append(c.errs, err) }}
	_, _ = conf.Check(module+"/"+dir, l.tree.fset, files, c.info) // every fault is in errs
	return c
}

// typed makes a rule of a look at one type-checked package.
func typed(look func(*tree, checked) []finding) rule {
	return func(t *tree) []finding {
		pkgs, err := t.check()
		if err != nil {
			return []finding{{"go.mod", 1, err.Error()}}
		}
		var out []finding
		for _, c := range pkgs {
			for _, err := range c.errs {
				out = append(out, finding{c.dir, 1, "does not type-check here: " + err.Error()})
			}
			out = append(out, look(t, c)...)
		}
		return out
	}
}

// excused reports whether a comment "//mark reason" is on the line of pos or on the line above. A mark without a
// reason excuses nothing.
func (t *tree) excused(s *source, pos token.Pos, mark string) bool {
	line := t.fset.Position(pos).Line
	for _, g := range s.ast.Comments {
		for _, c := range g.List {
			reason, ok := strings.CutPrefix(c.Text, "//"+mark+" ")
			at := t.fset.Position(c.Pos()).Line
			if ok && strings.TrimSpace(reason) != "" && (at == line || at == line-1) {
				return true
			}
		}
	}
	return false
}

// A rule that looks at types must not pass because it could not see them.
func TestUntypedIsSeen(t *testing.T) {
	tr := &tree{fset: token.NewFileSet()}
	must(t, tr.add("infer/nuts/a.go", "package nuts\nimport \"glmbatch/nowhere\"\nvar X = nowhere.Y * 2\n"))
	if len(typed(func(*tree, checked) []finding { return nil })(tr)) == 0 {
		t.Error("a package that does not type-check passes")
	}
}
