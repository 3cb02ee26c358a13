package arch

import (
	"go/ast"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// tables are the types whose values a table lists: families and kinds in a file each, and methods.
var tables = []struct {
	dir, typ, table string
	apart           bool
}{
	{"infer/family", "Distribution", "table", true},
	{"pipelines/internal/plan", "Kind", "kinds", true},
	{"pipelines/internal/spec", "Method", "methods", false},
}

// listed is the rule that each variable of such a type is in its table, and alone in its file if values are apart.
func listed(t *tree) (out []finding) {
	for _, of := range tables {
		var table []string
		var values []*ast.Ident
		for _, s := range t.files {
			if s.dir() != of.dir || s.test() {
				continue
			}
			before := len(values)
			variables(s, func(name *ast.Ident, value ast.Expr) {
				if pointer, ok := value.(*ast.UnaryExpr); ok {
					value = pointer.X
				}
				literal, ok := value.(*ast.CompositeLit)
				switch {
				case !ok:
				case name.Name == of.table:
					for _, e := range literal.Elts {
						table = append(table, strings.TrimPrefix(types.ExprString(e), "&"))
					}
				case types.ExprString(literal.Type) == of.typ:
					values = append(values, name)
				}
			})
			if of.apart && len(values) > before+1 {
				out = append(out, t.at(values[before+1].Pos(), "a second %s in one file", of.typ))
			}
		}
		for _, name := range values {
			if !slices.Contains(table, name.Name) {
				out = append(out, t.at(name.Pos(), "%s is not in the table %s", name.Name, of.table))
			}
		}
	}
	return out
}

// variables calls use for each variable of a file that has a value, outside functions.
func variables(s *source, use func(name *ast.Ident, value ast.Expr)) {
	for _, d := range s.ast.Decls {
		declared, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range declared.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && len(v.Values) == len(v.Names) {
				for i, name := range v.Names {
					use(name, v.Values[i])
				}
			}
		}
	}
}

func TestTables(t *testing.T) {
	seen(t, listed, planted{
		"pipelines/internal/plan/a.go": "package plan\ntype Kind struct{ n int }\nvar a = Kind{}\n" +
			"var b = Kind{} // want\nvar kinds = []*Kind{&a, &b}\n",
		"pipelines/internal/plan/b.go": "package plan\nvar c = Kind{} // want\n",
		"infer/family/a.go":            "package family\nvar d = &Distribution{} // want\nvar table = []*Distribution{e}\n",
		"infer/family/b.go":            "package family\nvar e = &Distribution{}\n",
		"pipelines/internal/spec/a.go": "package spec\nvar (\n\tA = Method{}\n\tB = Method{}\n\tC = Method{} // want\n)\n" +
			"var methods = []Method{A, B}\n",
	})
	hold(t, listed)
}

// The page that lists where a change goes names files and tests that exist.
func TestWhereAChangeGoes(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs/design/development.md"))
	must(t, err)
	module, err := moduleTree()
	must(t, err)
	_, text, _ := strings.Cut(string(page), "## Where a change goes")
	text, _, _ = strings.Cut(text, "\n## ")
	for _, of := range tables {
		if !strings.Contains(text, "`"+of.dir+"`") {
			t.Errorf("the page has no place for a %s", of.typ)
		}
	}
	names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1)
	if len(names) < 30 {
		t.Fatalf("the page names %d files and tests", len(names))
	}
	for _, m := range names {
		name := m[1]
		found, _ := filepath.Glob(filepath.Join(root, name))
		switch {
		case strings.HasPrefix(name, "Test"):
			if !slices.ContainsFunc(module.files, func(s *source) bool { return strings.Contains(s.text, "func "+name+"(") }) {
				t.Errorf("there is no %s", name)
			}
		case strings.Contains(name, "/") && found == nil:
			t.Errorf("there is no %s", name)
		case strings.HasSuffix(name, ".go") && found == nil &&
			!slices.ContainsFunc(module.files, func(s *source) bool { return filepath.Base(s.path) == name }):
			t.Errorf("there is no file %s", name)
		}
	}
}
