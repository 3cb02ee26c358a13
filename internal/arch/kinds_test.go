package arch

import (
	"go/ast"
	"go/types"
	"slices"
	"testing"
)

// asked is the rule that code asks a problem or a likelihood for what it wants to know, and not which one it is: nothing
// has a type switch on an interface of packages plan and family, or a type assertion of one.
func asked(t *tree) []finding {
	l, err := newLoader(t, "amd64")
	if err != nil {
		return []finding{{"go.mod", 1, err.Error()}}
	}
	l.only = []string{}
	var out []finding
	var dirs []string
	for _, s := range t.files {
		dir := s.dir()
		if s.test() || slices.Contains(dirs, dir) || !within(dir, "pipelines", "cmd", "cluster", "infer") {
			continue
		}
		dirs = append(dirs, dir)
		c := l.check(dir)
		for _, file := range c.files {
			ast.Inspect(file.ast, func(n ast.Node) bool {
				e, ok := n.(*ast.TypeAssertExpr)
				if !ok {
					return true
				}
				of, named := c.info.Types[e.X].Type.(*types.Named)
				if named && of.Obj().Pkg() != nil &&
					within(of.Obj().Pkg().Path(), module+"/pipelines/internal/plan", module+"/infer/family") {
					out = append(out, t.at(e.Pos(), "asks which %s it has: add what it wants to know to Capabilities, or to the "+
						"interface", of.Obj().Name()))
				}
				return true
			})
		}
	}
	return out
}

func TestKindsAreAsked(t *testing.T) {
	seen(t, asked, planted{
		"pipelines/internal/plan/a.go": `package plan
type Problem interface { Rows() int }
type Pooled struct { Problem }
func which(p Problem, any interface{}) bool {
	if _, ok := p.(*Pooled); ok { // want
		return true
	}
	_, known := any.(int)
	return known
}
`,
		"pipelines/internal/run/a.go": `package run
import "glmbatch/pipelines/internal/plan"
type fit struct{ plan.Problem }
func rows(f fit) int {
	switch p := f.Problem.(type) { // want
	case *plan.Pooled:
		return p.Rows() + 1
	}
	return f.Rows()
}
`})
	hold(t, asked)
}
