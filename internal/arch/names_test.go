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

// names is the rule that a family or a link is asked for its facts and is not recognised by its name: no comparison,
// case, key of a map or argument of packages strings and slices is such a name. Package family has the names, and
// infertest states densities of its own as the oracle of tests. In transform log and sqrt are functions of formulas.
// Where another word is not the name, a comment on the line or on the line above has the reason: //name:ok reason.
func names(t *tree) []finding {
	known := namesOf(t)
	l, err := newLoader(t, "amd64")
	if err != nil {
		return []finding{{"go.mod", 1, err.Error()}}
	}
	l.only = strings.Fields("fmt slices strconv strings")
	var out []finding
	var dirs []string
	for _, s := range t.files {
		dir := s.dir()
		if s.test() || slices.Contains(dirs, dir) || within(dir, "infer/family", "infer/infertest", "internal") {
			continue
		}
		dirs = append(dirs, dir)
		c, of := l.check(dir), known
		if dir == "transform" {
			of = slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == "log" || name == "sqrt" })
		}
		for _, file := range c.files {
			ast.Inspect(file.ast, func(n ast.Node) bool {
				for _, e := range compared(c.info, n) {
					if name := nameIn(c.info, e, of); name != "" && !t.excused(file, e.Pos(), "name:ok") {
						out = append(out, t.at(e.Pos(), "the name %s: ask the family or the link for its fact", name))
					}
				}
				return true
			})
		}
	}
	return out
}

// namesOf lists the names of the families and links.
func namesOf(t *tree) (known []string) {
	for _, s := range t.files {
		if s.dir() != "infer/family" || s.test() {
			continue
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || !slices.Contains([]string{"Distribution", "Link"}, types.ExprString(orNothing(literal.Type))) {
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
		"transform/a.go": `package transform
import (
	"slices"
	"strings"
)
type kind string
type pair struct{ a, b string }
const log = "logit"
var a, k = "x", kind("y")
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
}
