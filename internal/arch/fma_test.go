package arch

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"
	"testing"
)

// The Go specification lets a compiler fuse x*y + z, also across statements,
// assignments and inlined calls; only an explicit conversion float64(x*y) or
// math.FMA settles the bits. fusible is the rule that neither is left open on
// the path of a chain. It sees
//
//   - a product that is an operand of + or −, of += or −=;
//   - a product stored in a variable, field or element that the same function
//     uses as such an operand;
//   - a call as such an operand, of a function that returns a bare product, and what
//     is assigned from one;
//   - twice such a product, which compilers turn into its sum with itself;
//   - a product passed to a function that uses the parameter as such an operand;
//   - any product of complex numbers, which is sums of products inside.
//
// A product with a constant power of two is exact and may stay. Products that travel further (through a struct of
// another function, say) are not seen.
func fusible(t *tree) []finding {
	pkgs, err := t.check()
	if err != nil {
		return []finding{{"go.mod", 1, err.Error()}}
	}
	f := &fusion{tree: t, returns: map[string]map[int]bool{}, adds: map[string]map[int]bool{}}
	for _, mark := range []bool{true, false} { // first learn the functions, then judge their callers
		f.learning = mark
		for _, c := range pkgs {
			for _, s := range c.files {
				f.file(c, s)
			}
		}
	}
	slices.SortFunc(f.out, func(a, b finding) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(f.out) // a file of both processors is judged twice
}

// fusion is one run of the rule.
type fusion struct {
	tree     *tree
	learning bool
	returns  map[string]map[int]bool // functions and their results that are bare products
	adds     map[string]map[int]bool // functions and their parameters that are added
	out      []finding

	info   *types.Info
	source *source
	stored map[any]bool // places that hold a bare product in this function
	name   string       // full name of this function
	params map[types.Object]int
}

func (f *fusion) file(c checked, s *source) {
	f.info, f.source = c.info, s
	for _, d := range s.ast.Decls {
		f.stored, f.name, f.params = map[any]bool{}, "", map[types.Object]int{}
		if fn, ok := d.(*ast.FuncDecl); ok {
			if obj, ok := c.info.Defs[fn.Name].(*types.Func); ok {
				f.name = obj.FullName()
				params := obj.Signature().Params()
				for i := range params.Len() {
					f.params[params.At(i)] = i
				}
			}
		}
		ast.Inspect(d, f.store)
		ast.Inspect(d, f.judge)
	}
}

// store notes where bare products are kept.
func (f *fusion) store(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		assigns := len(n.Lhs) == len(n.Rhs) && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE)
		call, one := bare(n.Rhs[0]).(*ast.CallExpr)
		for i, lhs := range n.Lhs {
			if one && len(n.Rhs) == 1 && f.returns[f.callee(call)][i] {
				f.stored[f.place(lhs)] = true
			}
			multiplies := n.Tok == token.MUL_ASSIGN && f.float(lhs) && !f.powerOfTwo(n.Rhs[0])
			if (multiplies || assigns && f.product(n.Rhs[i])) && !f.excused(n) {
				f.stored[f.place(lhs)] = true
			}
		}
	case *ast.ValueSpec:
		for i, v := range n.Values {
			if len(n.Names) == len(n.Values) && f.product(v) {
				f.stored[f.place(n.Names[i])] = true
			}
		}
	}
	return true
}

// judge looks at sums, and at what calls hide of them.
func (f *fusion) judge(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		if typ := f.info.Types[n].Type; n.Op == token.MUL && typ != nil && isBasic(typ, types.IsComplex) {
			f.find(n, "a product of complex numbers is sums of products: write out the parts")
		}
		if (n.Op == token.ADD || n.Op == token.SUB) && f.float(n) {
			f.operand(n.X)
			f.operand(n.Y)
		}
		if n.Op == token.MUL && f.float(n) && f.two(n.X) {
			f.operand(n.Y)
		}
		if n.Op == token.MUL && f.float(n) && f.two(n.Y) {
			f.operand(n.X)
		}
	case *ast.AssignStmt:
		if (n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN) && f.float(n.Lhs[0]) {
			f.operand(n.Lhs[0])
			f.operand(n.Rhs[0])
		}
	case *ast.ReturnStmt:
		for i, r := range n.Results {
			if f.learning && f.name != "" && f.product(r) && !f.excused(n) {
				if f.returns[f.name] == nil {
					f.returns[f.name] = map[int]bool{}
				}
				f.returns[f.name][i] = true
			}
		}
	case *ast.CallExpr:
		for i, arg := range n.Args {
			if f.adds[f.callee(n)][i] && f.product(arg) {
				f.find(arg, "this product is added inside the function: pass float64(x*y)")
			}
		}
	}
	return true
}

// operand judges one operand of a sum.
func (f *fusion) operand(e ast.Expr) {
	e = bare(e)
	if id, ok := e.(*ast.Ident); ok && f.learning {
		if i, ok := f.params[f.info.Uses[id]]; ok {
			if f.adds[f.name] == nil {
				f.adds[f.name] = map[int]bool{}
			}
			f.adds[f.name][i] = true
		}
	}
	call, isCall := e.(*ast.CallExpr)
	switch {
	case f.product(e):
		f.find(e, "this product may be fused with the sum: write math.FMA(x, y, z) or float64(x*y)")
	case isCall && f.returns[f.callee(call)][0]:
		f.find(e, "this function returns a bare product, which may be fused with the sum: let it return float64(x*y)")
	case f.stored[f.place(e)]:
		f.find(e, "this holds a bare product, which may be fused with the sum: store float64(x*y)")
	}
}

func (f *fusion) find(e ast.Expr, why string) {
	if !f.learning && !f.excused(e) {
		f.out = append(f.out, f.tree.at(e.Pos(), "%s", why))
	}
}

func (f *fusion) excused(n ast.Node) bool { return f.tree.excused(f.source, n.Pos(), "fma:ok") }

// place identifies what an expression names: its object, or its spelling.
func (f *fusion) place(e ast.Expr) any {
	if id, ok := e.(*ast.Ident); ok {
		if obj := f.info.Defs[id]; obj != nil {
			return obj
		}
		if obj := f.info.Uses[id]; obj != nil {
			return obj
		}
	}
	return types.ExprString(e)
}

func (f *fusion) callee(call *ast.CallExpr) string {
	var id *ast.Ident
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	}
	if fn, ok := f.info.Uses[id].(*types.Func); ok {
		return fn.FullName()
	}
	return "?"
}

// product reports whether e is a product of floats that nothing has rounded.
func (f *fusion) product(e ast.Expr) bool {
	b, ok := bare(e).(*ast.BinaryExpr)
	return ok && b.Op == token.MUL && f.float(b) && !f.powerOfTwo(b.X) && !f.powerOfTwo(b.Y)
}

// float reports whether e is a floating-point value that is not a constant.
func (f *fusion) float(e ast.Expr) bool {
	tv := f.info.Types[e]
	if id, ok := e.(*ast.Ident); ok && tv.Type == nil {
		if obj := f.info.ObjectOf(id); obj != nil {
			tv.Type = obj.Type()
		}
	}
	return tv.Type != nil && tv.Value == nil && isBasic(tv.Type, types.IsFloat|types.IsComplex)
}

// isBasic reports whether a type, or any type of a type parameter's set, has the
// property.
func isBasic(typ types.Type, what types.BasicInfo) bool {
	switch u := typ.Underlying().(type) {
	case *types.Basic:
		return u.Info()&what != 0
	case *types.Interface:
		for e := range u.EmbeddedTypes() {
			union, ok := e.(*types.Union)
			if !ok {
				if _, named := typ.(*types.TypeParam); named && isBasic(e, what) {
					return true
				}
				continue
			}
			for i := range union.Len() {
				if isBasic(union.Term(i).Type(), what) {
					return true
				}
			}
		}
	}
	return false
}

func (f *fusion) two(e ast.Expr) bool {
	v := f.info.Types[e].Value
	return v != nil && constant.Compare(constant.ToFloat(v), token.EQL, constant.MakeFloat64(2))
}

func (f *fusion) powerOfTwo(e ast.Expr) bool {
	v := f.info.Types[e].Value
	if v == nil {
		return false
	}
	x, _ := constant.Float64Val(constant.ToFloat(v))
	frac, _ := math.Frexp(math.Abs(x))
	return frac == 0.5
}

// bare strips parentheses and signs.
func bare(e ast.Expr) ast.Expr {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.SUB && x.Op != token.ADD {
				return e
			}
			e = x.X
		default:
			return e
		}
	}
}

func TestFusible(t *testing.T) {
	seen(t, fusible, planted{
		"infer/glm/a.go": `package glm
import "math"
type v struct{ f float64 }
func scale(x, y float64) float64 { return x * y }
func halved(x, y float64) float64 {
	return x * y //fma:ok y is a power of two, so that the product is exact
}
func parts(x, y float64) (first, second float64) { return x * y, float64(x * y) }
func rounded(x, y float64) float64 { return float64(x * y) }
func plus(x, y float64) float64 { return x + y }
func f(x, y, z float64, a []float64, i, j int, p *v) float64 {
	s := x*y + z // want
	s += x * y // want
	s -= (-(x * y)) // want
	s = z - 3*x // want
	t := x * y
	s = t + z // want
	a[i] = a[j] * x
	s += a[i] // want
	p.f *= x
	s = z - p.f // want
	s = scale(x, y) + z // want
	s = plus(x*y, z) // want
	w := t
	w *= 3
	w += 1 // want
	s = 2 * w // want
	s = (x * y) * 2 // want
	one, _ := parts(x, y)
	s = one - z // want
	_, other := parts(x, y)
	s = other - z
	h := float64(x*y)
	s = 2 * h
	//fma:ok a length of text, not a number of a chain
	s += x * y
	//fma:ok
	s += x * y // want
	s += float64(x*y) + rounded(x, y) + halved(x, y) + math.FMA(x, y, z) + 2*x + x*y/z + math.Sqrt(x*y)
	s += math.Pi * 2
	k := i*j + 1
	return s + a[k*2+i]
}
func g[T ~int | ~float64](x, y T) T { return x*y + x } // want
func h[T ~int | ~int64](x, y T) T { return x*y + x }
func c(x, y complex128) complex128 { return x * y } // want
`,
		"infer/nuts/a.go": "package nuts\nimport \"glmbatch/infer/glm\"\nfunc F(x, y float64) float64 { return x " +
			"}\nvar _ glm.V\n",
		"infer/glm/b.go":        "package glm\ntype V float64\nvar table = func(x, y, z V) V { return x*y + z } // want\n",
		"infer/glm/a_arm64.go":  "package glm\nfunc k(x, y float64) float64 { return x*y + y } // want\n",
		"infer/glm/a_amd64.go":  "package glm\nfunc k(x, y float64) float64 { return x*y + y } // want\n",
		"infer/infertest/a.go":  "package infertest\nfunc k(x, y float64) float64 { return x*y + y }\n",
		"infer/glm/a_test.go":   "package glm\nfunc q(x, y float64) float64 { return x*y + y }\n",
		"pipelines/progress.go": "package pipelines\nfunc q(x, y float64) float64 { return x*y + y }\n",
	})
	hold(t, fusible)
}
