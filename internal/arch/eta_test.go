package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"testing"
)

// etaWrites is the rule that a Point is the only writer of its linear predictor and of its dispersions. Outside
// infer/glm no code writes to a slice that may be what Eta or Dispersions returns; inside, methods of Point alone write to
// these fields of a Point. The rule follows variables, fields, parameters, results and literals through a package. A call
// of another package writes to a parameter called dst, and to y of Axpy.
var etaWrites = typed(func(t *tree, c checked) []finding {
	if !within(c.dir, "infer", "pipelines") {
		return nil
	}
	r := &etaRule{info: c.info, known: map[types.Object]bool{}, bodies: map[types.Object]*ast.FuncType{}}
	if c.dir == "infer/glm" {
		r.eta = etaField(c.info)
	}
	for _, s := range c.files {
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				r.bodies[c.info.Defs[f.Name]] = f.Type
			}
		}
	}
	for before := -1; before < len(r.known); { // until nothing more is found
		before = len(r.known)
		for _, s := range c.files {
			r.functions(s.ast, r.note)
		}
	}
	for _, s := range c.files {
		r.functions(s.ast, r.look)
	}
	var out []finding
	for _, pos := range r.found {
		out = append(out, t.at(pos, "writes to a cache of a Point: a method of the Point has to do it"))
	}
	return out
})

type etaRule struct {
	info   *types.Info
	eta    types.Object                   // the field of a Point in its own package, else nil
	known  map[types.Object]bool          // variables and fields that may be such slices, and functions that return them
	bodies map[types.Object]*ast.FuncType // functions of the package
	inside types.Object                   // the function under work
	found  []token.Pos
}

// functions visits the nodes of all functions, apart from methods of Point in its own package.
func (r *etaRule) functions(f *ast.File, visit func(ast.Node) bool) {
	for _, d := range f.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil || r.eta != nil && (f.Name.Name == "NewPoint" || receives(f, "*Point")) {
			continue
		}
		r.inside = r.info.Defs[f.Name]
		ast.Inspect(f.Body, visit)
	}
}

func receives(f *ast.FuncDecl, name string) bool {
	return f.Recv != nil && types.ExprString(f.Recv.List[0].Type) == name
}

// ofPoint reports whether an object is a cache of a Point, or a method that returns one.
func ofPoint(o types.Object) bool {
	if o == nil || o.Pkg() == nil || o.Pkg().Path() != module+"/infer/glm" {
		return false
	}
	method, ok := o.(*types.Func)
	if !ok || !slices.Contains([]string{"Eta", "Dispersions"}, o.Name()) {
		return false
	}
	recv := method.Signature().Recv()
	return recv != nil && types.TypeString(recv.Type(), func(*types.Package) string { return "" }) == "*Point"
}

// field reports whether a selector names the field eta of a Point.
func (r *etaRule) field(e *ast.SelectorExpr) bool {
	return r.eta != nil && r.info.Uses[e.Sel] == r.eta
}

// etaField returns the field eta of a type Point of a package; nil if it has none.
func etaField(info *types.Info) types.Object {
	for _, o := range info.Defs { //maporder:ok there is one
		if of, ok := o.(*types.TypeName); ok && of.Name() == "Point" {
			eta, _, _ := types.LookupFieldOrMethod(of.Type(), true, of.Pkg(), "eta")
			return eta
		}
	}
	return nil
}

// is reports whether an expression may be such a slice, or a part of it.
func (r *etaRule) is(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.is(e.X)
	case *ast.SliceExpr:
		return r.is(e.X)
	case *ast.Ident:
		return r.known[r.info.ObjectOf(e)]
	case *ast.SelectorExpr:
		return r.known[r.info.ObjectOf(e.Sel)] || r.field(e)
	case *ast.CallExpr:
		f := r.callee(e)
		return f != nil && (ofPoint(f) || r.known[f])
	}
	return false
}

// callee returns the function or method that a call names; nil if it is a value.
func (r *etaRule) callee(call *ast.CallExpr) types.Object {
	name, ok := call.Fun.(*ast.Ident)
	if sel, selected := call.Fun.(*ast.SelectorExpr); selected {
		name, ok = sel.Sel, true
	}
	if !ok {
		return nil
	}
	f, ok := r.info.Uses[name].(*types.Func)
	if !ok {
		return nil
	}
	return f
}

// take records that an expression is assigned to a variable or a field.
func (r *etaRule) take(to, from ast.Expr) {
	if !r.is(from) {
		return
	}
	switch to := to.(type) {
	case *ast.Ident:
		r.known[r.info.ObjectOf(to)] = true
	case *ast.SelectorExpr:
		if !r.field(to) {
			r.known[r.info.ObjectOf(to.Sel)] = true
		}
	}
}

// note records what such slices are assigned to.
func (r *etaRule) note(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, e := range n.Rhs {
			if len(n.Lhs) == len(n.Rhs) {
				r.take(n.Lhs[i], e)
			}
		}
	case *ast.ValueSpec:
		for i, e := range n.Values {
			r.take(n.Names[i], e)
		}
	case *ast.KeyValueExpr:
		if key, ok := n.Key.(*ast.Ident); ok && r.is(n.Value) {
			if field, ok := r.info.Uses[key].(*types.Var); ok && field.IsField() {
				r.known[field] = true
			}
		}
	case *ast.ReturnStmt:
		if len(n.Results) == 1 && r.is(n.Results[0]) {
			r.known[r.inside] = true
		}
	case *ast.CallExpr:
		f := r.callee(n)
		if f == nil || r.bodies[f] == nil {
			break
		}
		params := f.Type().(*types.Signature).Params()
		for i, e := range n.Args {
			if i < params.Len() && r.is(e) {
				r.known[params.At(i)] = true
			}
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
			if sel, ok := e.(*ast.SelectorExpr); ok && r.field(sel) {
				r.found = append(r.found, e.Pos())
			}
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
	if name == "copy" || name == "clear" || name == "append" {
		return i == 0
	}
	f := r.callee(call)
	if r.bodies[f] != nil {
		return false // its own writes are found
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
func (p *Point) Move() { p.Eta()[0] = 1; p.eta[1] = 2 }
type Curved struct{ *Point }
func (c *Curved) Move() {
	c.eta[0] = 1 // want
	eta := c.Point.eta
	clear(eta) // want
	c.eta = nil // want
}
type pilot struct{ eta []float64 }
func (p *pilot) move() { p.eta[0] = 1; p.eta = nil }
`,
		"infer/groups/a.go": `package groups
import "glmbatch/infer/glm"
type kernels struct{}
func (kernels) Axpy(a float64, x, y []float64) {}
type other struct{}
func (other) Eta() []float64 { return nil }
type held struct{ eta, own []float64 }
func of(p *glm.Point) []float64 { return p.Eta() }
func add(x, to []float64) {
	to[0] += x[0] // want
}
func twice(x, into []float64) { add(x, into); add(into, x) }
func (h *held) move() {
	h.eta[0] = 1 // want
	h.own[0] = 1
}
func f(p *glm.Point, x []float64) float64 {
	p.Eta()[0] = 1 // want
	eta, n := p.Eta(), 3
	eta[n] += 2 // want
	eta[1]++ // want
	copy(eta[2:], x) // want
	copy(x, eta)
	clear(p.Eta()) // want
	clear(of(p)) // want
	_ = append(eta[:0], x...) // want
	var kept = eta
	twice(x, kept)
	h := &held{eta: eta, own: x}
	h.move()
	other{}.Eta()[0] = 1
	own := append([]float64(nil), eta...)
	own[0] = 1
	return eta[0]
}
`,
		"infer/cggibbs/a.go": `package cggibbs
import (
	"glmbatch/infer/glm"
	"glmbatch/infer/groups"
)
type chain struct{ eta []float64; p *glm.Point }
func (c *chain) begin() { c.eta = c.p.Eta() }
func (c *chain) move() {
	c.eta[2] = 1 // want
	groups.Add(c.eta, nil) // want
	groups.Add(nil, c.eta)
}
`,
		"infer/groups/b.go": "package groups\nfunc Add(dst, x []float64) {}\n",
	})
	hold(t, etaWrites)
}
