package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// runsSQL are the methods whose first text is run as SQL, whoever has them:
// *sql.DB, *sql.Conn, *sql.Tx, the driver's own, this module's Ledger.
var runsSQL = strings.Fields("Exec ExecContext Query QueryContext QueryRow QueryRowContext Prepare PrepareContext")

// quoting are the functions that make text of SQL out of any text: a constant
// or a name, in quotes if it needs them. Tests of their packages hold them against the engine.
var quoting = strings.Fields("glmbatch/report.quoteText glmbatch/report.quoteName glmbatch/report.plainName " +
	"glmbatch/ingest.quoteSQL")

// digits are functions of the standard library whose results are no SQL.
var digits = strings.Fields("strconv.Itoa strconv.FormatInt strconv.FormatUint strconv.FormatBool")

// sqlFolder reports whether code of a folder may meet the engine.
func sqlFolder(dir string) bool {
	return within(dir, "ingest", "report", "pipelines", "cmd", "internal/bars")
}

// sqlText is the rule that the text of SQL is written by this program: built
// from constants, files embedded into it, numbers, and what a quoting function
// returned. Values reach SQL as bound parameters. It sees
//
//   - every call of a method of runsSQL;
//   - calls of functions, methods and closures that pass a parameter on to one, by
//     way of interfaces too, whose methods go by their names;
//   - every use of such a function that is no call;
//   - text that comes by way of variables, fields, slices, ranges, + and +=,
//     Sprintf, Join, Repeat, and of this module's functions that return such.
//
// SQL that a person wrote is marked where it enters: //sql:ok who wrote it.
func sqlText(t *tree) []finding {
	l, err := newLoader(t, "amd64")
	if err != nil {
		return []finding{{"go.mod", 1, err.Error()}}
	}
	l.only = strings.Fields("context database/sql database/sql/driver github.com/duckdb/duckdb-go/v2 fmt slices strconv " +
		"strings syscall")
	r := &sqlRule{tree: t, passes: map[sqlParameter]bool{}}
	var dirs []string
	for _, s := range t.files {
		if !s.test() && sqlFolder(s.dir()) && !slices.Contains(dirs, s.dir()) && meetsEngine(t, s.dir()) {
			dirs = append(dirs, s.dir())
			r.pkgs = append(r.pkgs, newSQLPackage(l.check(s.dir())))
		}
	}
	for known := -1; known < len(r.passes); { // until no further function passes its text on
		known, r.out = len(r.passes), nil
		for _, p := range r.pkgs {
			r.sqlPackage = p
			for _, s := range p.files {
				r.file(s)
			}
		}
	}
	return r.out
}

// meetsEngine reports whether a package imports the engine, or what passes SQL to it.
func meetsEngine(t *tree, dir string) bool {
	to := []string{"database/sql", "database/sql/driver", "github.com/duckdb/duckdb-go/v2", module + "/report",
		module + "/pipelines"}
	return slices.ContainsFunc(t.files, func(s *source) bool {
		return s.dir() == dir && !s.test() && slices.ContainsFunc(s.ast.Imports, func(i *ast.ImportSpec) bool {
			path, _ := strconv.Unquote(i.Path.Value)
			return slices.Contains(to, path)
		})
	})
}

// sqlPackage is one package with what its variables and functions are made of.
type sqlPackage struct {
	checked
	given    map[types.Object][]ast.Expr   // what is assigned to a variable or field, or to its elements
	lost     map[types.Object]bool         // variables that get what cannot be seen
	embedded map[types.Object]bool         // variables that hold an embedded file
	returns  map[types.Object][]ast.Expr   // first results of functions
	params   map[types.Object]sqlParameter // parameters of functions and of closures with a name
}

type sqlParameter struct {
	of    string // the function
	index int
}

// sqlRule is one run of the rule.
type sqlRule struct {
	tree   *tree
	pkgs   []*sqlPackage
	passes map[sqlParameter]bool // what functions run as SQL; of methods by their bare names too
	out    []finding

	*sqlPackage
	busy map[types.Object]bool // variables under way: x += y is made of x
}

// file looks at every call of a file, and at functions that are handed on.
func (r *sqlRule) file(s *source) {
	called := map[ast.Expr]bool{}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[ast.Unparen(n.Fun)] = true
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && r.info.Uses[sel.Sel] == nil &&
				slices.Contains(runsSQL, sel.Sel.Name) && len(n.Args) > 0 {
				r.out = append(r.out, r.tree.at(n.Pos(), "nobody knows whose %s this is: let internal/arch load its package",
					sel.Sel.Name))
			}
			for i, arg := range n.Args {
				if r.isSQL(n.Fun, i) {
					r.judge(s, arg)
				}
			}
		case *ast.SelectorExpr:
			called[n.Sel] = true // by the text before it
			r.handedOn(n, n.Sel, called[n])
		case *ast.Ident:
			r.handedOn(n, n, called[n])
		}
		return true
	})
}

// handedOn reports a function that runs SQL if it is not called but passed on: its callers are unknown.
func (r *sqlRule) handedOn(e ast.Expr, name *ast.Ident, called bool) {
	f, ok := r.info.Uses[name].(*types.Func)
	if !ok || called {
		return
	}
	passes := textOf(f) >= 0
	for i := range f.Signature().Params().Len() {
		passes = passes || r.passes[sqlParameter{f.FullName(), i}]
	}
	if passes {
		r.out = append(r.out, r.tree.at(e.Pos(), "%s is not called where it stands: nobody sees its SQL", name.Name))
	}
}

// isSQL reports whether a function runs its argument number i as SQL.
func (r *sqlRule) isSQL(fun ast.Expr, i int) bool {
	obj := r.callee(fun)
	if obj == nil {
		return false
	}
	if f, ok := obj.(*types.Func); ok && textOf(f) >= 0 {
		return textOf(f) == i
	}
	if f, ok := obj.(*types.Func); ok && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type()) {
		return r.passes[sqlParameter{f.Name(), i}] // whosoever it is
	}
	return r.passes[sqlParameter{fullName(obj), i}]
}

func (r *sqlRule) callee(fun ast.Expr) types.Object {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return r.info.Uses[f]
	case *ast.SelectorExpr:
		return r.info.Uses[f.Sel]
	}
	return nil
}

// textOf is the number of the first text of a method of runsSQL; -1 of others.
func textOf(f *types.Func) int {
	if f.Signature().Recv() == nil || !slices.Contains(runsSQL, f.Name()) {
		return -1
	}
	for i := range f.Signature().Params().Len() {
		if b, ok := f.Signature().Params().At(i).Type().(*types.Basic); ok && b.Kind() == types.String {
			return i
		}
	}
	return -1
}

// fullName names functions alike in all packages, and closures by their place.
func fullName(obj types.Object) string {
	if f, ok := obj.(*types.Func); ok {
		return f.FullName()
	}
	return "closure at " + strconv.Itoa(int(obj.Pos()))
}

// judge reports an argument that is not the program's own text.
func (r *sqlRule) judge(s *source, arg ast.Expr) {
	var params []sqlParameter
	r.busy = map[types.Object]bool{}
	if r.own(arg, &params) {
		for _, p := range params {
			r.passes[p] = true
			r.passes[sqlParameter{p.of[strings.LastIndex(p.of, ".")+1:], p.index}] = true // by way of an interface
		}
		return
	}
	if !r.tree.excused(s, arg.Pos(), "sql:ok") {
		r.out = append(r.out, r.tree.at(arg.Pos(),
			"SQL made of more than constants, quoted names and numbers: bind values as parameters, quote names, or say who "+
				"wrote it with //sql:ok"))
	}
}

// own reports whether text, or each element of a container, is the program's own.
// Parameters count as such, and are collected.
func (r *sqlRule) own(e ast.Expr, params *[]sqlParameter) bool {
	e = ast.Unparen(e)
	tv := r.info.Types[e]
	if tv.Value != nil {
		return true
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		return e.Op == token.ADD && r.own(e.X, params) && r.own(e.Y, params)
	case *ast.IndexExpr:
		return r.own(e.X, params)
	case *ast.SliceExpr:
		return r.own(e.X, params)
	case *ast.KeyValueExpr:
		return r.own(e.Value, params)
	case *ast.UnaryExpr:
		return e.Op == token.AND && r.own(e.X, params)
	case *ast.CompositeLit:
		return r.all(e.Elts, params)
	case *ast.SelectorExpr:
		return r.variable(r.info.Uses[e.Sel], params)
	case *ast.Ident:
		return e.Name == "nil" || r.variable(r.info.ObjectOf(e), params)
	case *ast.CallExpr:
		return r.call(e, tv, params)
	}
	return false
}

func (r *sqlRule) all(list []ast.Expr, params *[]sqlParameter) bool {
	for _, e := range list {
		if !r.own(e, params) {
			return false
		}
	}
	return true
}

// variable looks at all that a variable or field is given.
func (r *sqlRule) variable(obj types.Object, params *[]sqlParameter) bool {
	if obj == nil {
		return false
	}
	if v, ok := obj.(*types.Var); ok && v.Exported() && (v.IsField() || v.Parent() == v.Pkg().Scope()) {
		return false // other packages write to it
	}
	if r.busy[obj] || r.embedded[obj] && !r.lost[obj] && len(r.given[obj]) == 0 {
		return true
	}
	p, isParam := r.params[obj]
	if r.lost[obj] || !isParam && len(r.given[obj]) == 0 {
		return false
	}
	if isParam {
		*params = append(*params, p)
	}
	r.busy[obj] = true
	ok := r.all(r.given[obj], params)
	delete(r.busy, obj)
	return ok
}

// call looks at a call that returns text, or a container of it.
func (r *sqlRule) call(e *ast.CallExpr, tv types.TypeAndValue, params *[]sqlParameter) bool {
	if conversion := r.info.Types[e.Fun]; conversion.IsType() {
		return len(e.Args) == 1 && textual(r.info.TypeOf(e.Args[0])) && r.own(e.Args[0], params)
	}
	obj := r.callee(e.Fun)
	if obj == nil {
		return false
	}
	if b, ok := obj.(*types.Builtin); ok {
		return b.Name() == "make" || b.Name() == "append" && r.all(e.Args, params)
	}
	name := fullName(obj)
	switch {
	case slices.Contains(quoting, name) || slices.Contains(digits, name):
		return true
	case name == "strings.Join" || name == "slices.Clone" || name == "slices.Concat":
		return r.all(e.Args, params)
	case name == "strings.Repeat" || name == "strings.TrimRight" || name == "strings.TrimSpace":
		return r.own(e.Args[0], params)
	case name == "fmt.Sprintf":
		return r.sprintf(e, params)
	}
	returns, known := r.returns[obj]
	if !known || r.busy[obj] {
		return known
	}
	r.busy[obj] = true
	var inner []sqlParameter
	ok := r.all(returns, &inner)
	delete(r.busy, obj)
	for _, p := range inner { // what the function passes on, its caller gives
		if ok = ok && p.of == name && p.index < len(e.Args) && r.own(e.Args[p.index], params); !ok {
			return false
		}
	}
	return ok
}

// sprintf takes a constant format, numbers, and the program's own text.
func (r *sqlRule) sprintf(e *ast.CallExpr, params *[]sqlParameter) bool {
	if r.info.Types[e.Args[0]].Value == nil || e.Ellipsis.IsValid() {
		return false
	}
	for _, a := range e.Args[1:] {
		typ := r.info.TypeOf(a)
		if b, ok := typ.(*types.Basic); ok && b.Info()&(types.IsNumeric|types.IsBoolean) != 0 {
			continue
		}
		if !textual(typ) || !r.own(a, params) {
			return false
		}
	}
	return true
}

// textual reports whether a type is a string: a number becomes any letter.
func textual(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

func newSQLPackage(c checked) *sqlPackage {
	p := &sqlPackage{
		checked: c, given: map[types.Object][]ast.Expr{}, lost: map[types.Object]bool{}, embedded: map[types.Object]bool{},
		returns: map[types.Object][]ast.Expr{}, params: map[types.Object]sqlParameter{},
	}
	for _, s := range c.files {
		ast.Inspect(s.ast, p.note)
		for _, d := range s.ast.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
				if obj, ok := c.info.Defs[f.Name].(*types.Func); ok {
					p.function(obj, obj.FullName(), f.Type, f.Body)
				}
			}
		}
	}
	return p
}

// function notes the parameters and the first results of a function.
func (p *sqlPackage) function(obj types.Object, name string, typ *ast.FuncType, body *ast.BlockStmt) {
	i := 0
	for _, field := range typ.Params.List {
		for _, id := range field.Names {
			p.params[p.info.Defs[id]] = sqlParameter{name, i}
			i++
		}
		if len(field.Names) == 0 {
			i++
		}
	}
	p.returns[obj] = nil
	ast.Inspect(body, func(n ast.Node) bool {
		if _, inner := n.(*ast.FuncLit); inner {
			return false
		}
		if ret, ok := n.(*ast.ReturnStmt); ok && len(ret.Results) > 0 {
			p.returns[obj] = append(p.returns[obj], ret.Results[0])
		} else if ok && typ.Results != nil {
			p.returns[obj] = append(p.returns[obj], typ.Results.List[0].Names[0])
		}
		return true
	})
	if len(p.returns[obj]) == 0 {
		delete(p.returns, obj)
	}
}

// note collects what variables and fields are given.
func (p *sqlPackage) note(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			switch {
			case len(n.Lhs) == len(n.Rhs):
				p.give(left, n.Rhs[i])
			case i == 0: // the first result of several
				p.give(left, n.Rhs[0])
			default:
				p.lose(left)
			}
		}
	case *ast.GenDecl:
		if n.Doc != nil && slices.ContainsFunc(n.Doc.List,
			func(c *ast.Comment) bool { return strings.HasPrefix(c.Text, "//go:embed ") }) {
			for _, s := range n.Specs {
				for _, id := range s.(*ast.ValueSpec).Names {
					p.embedded[p.info.Defs[id]] = true
				}
			}
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if len(n.Values) == len(n.Names) {
				p.give(id, n.Values[i])
			}
		}
	case *ast.RangeStmt:
		if n.Value != nil {
			p.give(n.Value, n.X)
		}
		if n.Key != nil && !p.indexed(n.X) {
			p.lose(n.Key)
		}
	case *ast.UnaryExpr:
		if n.Op == token.AND { // other code may write through it
			p.lose(n.X)
		}
	case *ast.CompositeLit:
		p.fields(n)
	}
	return true
}

// indexed reports whether the keys of a container are numbers.
func (p *sqlPackage) indexed(e ast.Expr) bool {
	if p.info.Types[e].Type == nil {
		return false
	}
	_, isMap := p.info.Types[e].Type.Underlying().(*types.Map)
	return !isMap
}

// fields notes what a literal gives the fields of a struct.
func (p *sqlPackage) fields(lit *ast.CompositeLit) {
	typ := p.info.Types[lit].Type
	if typ == nil {
		return
	}
	s, ok := typ.Underlying().(*types.Struct)
	if !ok {
		return
	}
	for i, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if id, ok := kv.Key.(*ast.Ident); ok {
				p.give(id, kv.Value)
			}
		} else if i < s.NumFields() {
			p.given[s.Field(i)] = append(p.given[s.Field(i)], e)
		}
	}
}

// target is the variable or field that an assignment changes, or whose element.
func (p *sqlPackage) target(left ast.Expr) types.Object {
	switch l := ast.Unparen(left).(type) {
	case *ast.Ident:
		if obj := p.info.Defs[l]; obj != nil {
			return obj
		}
		return p.info.Uses[l]
	case *ast.SelectorExpr:
		return p.info.Uses[l.Sel]
	case *ast.IndexExpr:
		return p.target(l.X)
	}
	return nil
}

func (p *sqlPackage) give(left, right ast.Expr) {
	obj := p.target(left)
	if obj == nil {
		return
	}
	p.given[obj] = append(p.given[obj], right)
	if lit, ok := right.(*ast.FuncLit); ok {
		p.function(obj, fullName(obj), lit.Type, lit.Body)
	}
}

func (p *sqlPackage) lose(left ast.Expr) {
	if obj := p.target(left); obj != nil {
		p.lost[obj] = true
	}
}
