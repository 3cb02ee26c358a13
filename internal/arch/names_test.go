package arch

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// names is the rule that a family, a link, a method or a kind is asked for its facts and is not recognised by its name: no
// comparison, case, key of a map or argument of packages strings and slices is such a name. Package family has those of
// families and links, spec those of methods, which are words of other meaning in infer, transform and ingest, and record those of kinds.
// infertest states densities of its own as the oracle of tests. In transform log and sqrt are functions of formulas.
// Where another word is not the name, a comment on the line or on the line above has the reason: //name:ok reason.
func names(t *tree) []finding {
	laws := namesOf(t, "infer/family", "Distribution", "Link")
	all := append(slices.Concat(laws, namesOf(t, "pipelines/internal/spec", "Method")), "mrf")
	l, err := newLoader(t, "amd64")
	if err != nil {
		return []finding{{"go.mod", 1, err.Error()}}
	}
	l.only = strings.Fields("fmt slices strconv strings")
	var out []finding
	var dirs []string
	for _, s := range t.files {
		dir := s.dir()
		if s.test() || slices.Contains(dirs, dir) || within(dir, "infer/family", "infer/infertest", "internal", "report/record") {
			continue
		}
		dirs = append(dirs, dir)
		c, of := l.check(dir), laws
		switch {
		case within(dir, "pipelines", "cmd", "report", "cluster"):
			of = all
		case dir == "transform":
			of = slices.DeleteFunc(slices.Clone(laws), func(name string) bool { return name == "log" || name == "sqrt" })
		}
		for _, file := range c.files {
			ast.Inspect(file.ast, func(n ast.Node) bool {
				for _, e := range compared(c.info, n) {
					if name := nameIn(c.info, e, of); name != "" && !t.excused(file, e.Pos(), "name:ok") {
						out = append(out, t.at(e.Pos(), "the name %s: ask the family, link, method or kind for its fact", name))
					}
				}
				return true
			})
		}
	}
	return out
}

// namesOf lists the names of the values of types of a package.
func namesOf(t *tree, dir string, typed ...string) (known []string) {
	for _, s := range t.files {
		if s.dir() != dir || s.test() {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || !slices.Contains(typed, types.ExprString(orNothing(literal.Type))) {
				return true
			}
			for _, e := range literal.Elts {
				field, keyed := e.(*ast.KeyValueExpr)
				if !keyed || types.ExprString(field.Key) != "Name" {
					continue
				}
				if text, ok := field.Value.(*ast.BasicLit); ok && text.Kind == token.STRING {
					known = append(known, strings.Trim(text.Value, "\"`"))
				}
			}
			return true
		})
	}
	return known
}

// orNothing returns e, or a number if e is nil.
func orNothing(e ast.Expr) ast.Expr {
	if e == nil {
		return &ast.BasicLit{Kind: token.INT, Value: "0"}
	}
	return e
}

// compared lists the expressions that n compares with others.
func compared(info *types.Info, n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if n.Op == token.EQL || n.Op == token.NEQ {
			return []ast.Expr{n.X, n.Y}
		}
	case *ast.CaseClause:
		return n.List
	case *ast.IndexExpr:
		if isMap(info, n.X) {
			return []ast.Expr{n.Index}
		}
	case *ast.CompositeLit:
		var keys []ast.Expr
		for _, e := range n.Elts {
			if field, ok := e.(*ast.KeyValueExpr); ok && isMap(info, n) {
				keys = append(keys, field.Key)
			}
		}
		return keys
	case *ast.CallExpr:
		if f := types.ExprString(n.Fun); strings.HasPrefix(f, "strings.") || strings.HasPrefix(f, "slices.") {
			return n.Args
		}
	}
	return nil
}

func isMap(info *types.Info, e ast.Expr) bool {
	typ := info.Types[e].Type
	if typ == nil {
		return false
	}
	_, ok := typ.Underlying().(*types.Map)
	return ok
}

// nameIn returns a known name that is a constant of type string in e, or in the literals of e.
func nameIn(info *types.Info, e ast.Expr, known []string) (found string) {
	ast.Inspect(e, func(n ast.Node) bool {
		x, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		switch x.(type) {
		case *ast.FuncLit, *ast.CallExpr, *ast.IndexExpr:
			return false
		}
		tv := info.Types[x]
		if tv.Value == nil || tv.Value.Kind() != constant.String {
			return true
		}
		if kind, ok := tv.Type.(*types.Named); ok && kind.Obj().Name() == "Kind" && kind.Obj().Pkg().Name() == "record" {
			found = constant.StringVal(tv.Value)
		}
		if basic, plain := tv.Type.(*types.Basic); plain && basic.Info()&types.IsString != 0 {
			if v := constant.StringVal(tv.Value); slices.Contains(known, v) {
				found = v
			}
		}
		return false
	})
	return found
}

func TestNamesAreNotCompared(t *testing.T) {
	seen(t, names, planted{
		"infer/family/a.go": "package family\ntype Link struct{ Name string }\nvar l = &Link{Name: \"logit\"}\n" +
			"var same = l.Name == \"logit\"\n",
		"pipelines/internal/spec/a.go": "package spec\ntype Method struct{ Name string }\nvar N = Method{Name: \"nuts\"}\n",
		"report/record/a.go":           "package record\ntype Kind string\nconst Rows Kind = \"rows\"\nvar are = Rows == \"rows\"\n",
		"pipelines/a.go": `package pipelines
import "glmbatch/report/record"
var a, b = "x", "nuts"
var c = a == "nuts" // want
var d = map[string]int{"nuts": 1} // want
var e = a == "logit" // want
var g = record.Kind(a) == record.Rows // want
var h = a == "rows" || a == "mrf" // want
func f() int {
	switch a {
	case "hmc", "nuts": // want
		return len("nuts")
	}
	return 0
}
`,
		"transform/a.go": `package transform
import (
	"slices"
	"strings"
)
type kind string
type pair struct{ a, b string }
const log = "logit"
var a, k = "x", kind("y")
var o = a == "nuts"
var b = a == "logit" // want
var c = a != log // want
var d = slices.Contains([]string{"probit", "logit"}, a) // want
var e = strings.HasPrefix(a, "logit") // want
var f = map[string]int{"logit": 1} // want
var g = f["logit"] // want
var h = pair{"a", "b"} == pair{a, "logit"} // want
var i = k == "logit"
var j = a == "logit" //name:ok a word of a formula
var m = f[a+"logit"]
func n() int {
	switch a {
	case "logit": // want
		return len("logit")
	}
	return 0
}
`})
	hold(t, names)
	module, err := moduleTree()
	must(t, err)
	excused := 0
	for _, s := range module.files {
		if !within(s.dir(), "internal/arch") {
			excused += strings.Count(s.text, "//name:ok ")
		}
	}
	if excused != excusedNames {
		t.Errorf("%d comments //name:ok, want %d: this number may only shrink", excused, excusedNames)
	}
}

// excusedNames is how many comparisons with such a name have a reason in a comment: words that are keys and values of a
// spec, columns, or pictures.
const excusedNames = 13
