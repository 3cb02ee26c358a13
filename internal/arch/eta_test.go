package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

// etaWrites is the rule that a Point is the only writer of its linear predictor: outside infer/glm no code assigns to
// an entry of what Eta returns, or passes it where a function writes, a parameter dst (or y of Axpy). It follows
// variables of the same function.
var etaWrites = typed(func(t *tree, c checked) []finding {
	if c.dir == "infer/glm" {
		return nil
	}
	var out []finding
	for _, s := range c.files {
		for _, d := range s.ast.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			r := &etaRule{info: c.info, known: map[types.Object]bool{}}
			ast.Inspect(f.Body, r.note)
			ast.Inspect(f.Body, r.look)
			for _, pos := range r.found {
				out = append(out, t.at(pos, "writes to the linear predictor of a Point: a method of the Point has to do it"))
			}
		}
	}
	return out
})

type etaRule struct {
	info  *types.Info
	known map[types.Object]bool // variables that are such slices
	found []token.Pos
}

// is reports whether an expression is the slice of a Point, or a part of it.
func (r *etaRule) is(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.is(e.X)
	case *ast.SliceExpr:
		return r.is(e.X)
	case *ast.Ident:
		return r.known[r.info.ObjectOf(e)]
	case *ast.CallExpr:
		sel, ok := e.Fun.(*ast.SelectorExpr)
		if !ok || sel.Sel.Name != "Eta" {
			return false
		}
		f, ok := r.info.Uses[sel.Sel].(*types.Func)
		return ok && f.Pkg() != nil && f.Pkg().Path() == module+"/infer/glm"
	}
	return false
}

// note records the variables that are assigned such a slice.
func (r *etaRule) note(n ast.Node) bool {
	assign, ok := n.(*ast.AssignStmt)
	if !ok || len(assign.Lhs) != len(assign.Rhs) {
		return true
	}
	for i, e := range assign.Rhs {
		if id, ok := assign.Lhs[i].(*ast.Ident); ok && r.is(e) {
			r.known[r.info.ObjectOf(id)] = true
		}
	}
	return true
}

// look finds the writes.
func (r *etaRule) look(n ast.Node) bool {
	entry := func(e ast.Expr) {
		if at, ok := e.(*ast.IndexExpr); ok && r.is(at.X) {
			r.found = append(r.found, e.Pos())
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		for _, e := range n.Lhs {
			entry(e)
		}
	case *ast.IncDecStmt:
		entry(n.X)
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			entry(n.X)
		}
	case *ast.CallExpr:
		for i, e := range n.Args {
			if r.is(e) && r.writes(n, i) {
				r.found = append(r.found, e.Pos())
			}
		}
	}
	return true
}

// writes reports whether a call writes to argument i.
func (r *etaRule) writes(call *ast.CallExpr, i int) bool {
	name := types.ExprString(call.Fun)
	if name == "copy" || name == "clear" {
		return i == 0
	}
	signature, ok := r.info.Types[call.Fun].Type.(*types.Signature)
	if !ok || i >= signature.Params().Len() {
		return false
	}
	sel, _ := call.Fun.(*ast.SelectorExpr)
	axpy := sel != nil && slices.Contains([]string{"Axpy", "AxpyColumns", "AxpyParts"}, sel.Sel.Name)
	parameter := signature.Params().At(i).Name()
	return parameter == "dst" || axpy && parameter == "y"
}

func TestOnlyPointsWriteEta(t *testing.T) {
	seen(t, etaWrites, planted{
		"infer/glm/a.go": `package glm
type Point struct{ eta []float64 }
func (p *Point) Eta() []float64 { return p.eta }
func (p *Point) Move() { p.Eta()[0] = 1 }
`,
		"infer/groups/a.go": `package groups
import "glmbatch/infer/glm"
type kernels struct{}
func (kernels) Axpy(a float64, x, y []float64) {}
func add(x, dst []float64) {}
type other struct{}
func (other) Eta() []float64 { return nil }
func f(p *glm.Point, x []float64) float64 {
	p.Eta()[0] = 1 // want
	eta, n := p.Eta(), 3
	eta[n] += 2 // want
	eta[1]++ // want
	copy(eta[2:], x) // want
	copy(x, eta)
	clear(p.Eta()) // want
	add(x, eta) // want
	add(eta, x)
	kernels{}.Axpy(1, x, eta) // want
	kernels{}.Axpy(1, eta, x)
	other{}.Eta()[0] = 1
	own := append([]float64(nil), eta...)
	own[0] = 1
	return eta[0]
}
`})
	hold(t, etaWrites)
}
