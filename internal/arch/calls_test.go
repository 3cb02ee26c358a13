package arch

import (
	"go/ast"
	"go/types"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// exactMath are the names of package math whose results IEEE 754 or their
// definition fixes to the bit. Everything else (Exp, Log, Pow, Tanh, Sin …) has
// assembly on some processors, picks fused multiply-add at run time, or is Go
// code that a compiler may fuse; internal/vec has the project's own.
var exactMath = strings.Fields(`Abs Ceil Copysign Dim FMA Float32bits Float32frombits Float64bits Float64frombits
	Floor Frexp Ilogb Inf IsInf IsNaN Ldexp Logb Max Min Mod Modf NaN Nextafter Remainder Round RoundToEven
	Signbit Sqrt Trunc
	E Pi Phi Sqrt2 SqrtE SqrtPi SqrtPhi Ln2 Log2E Ln10 Log10E MaxFloat32 SmallestNonzeroFloat32 MaxFloat64
	SmallestNonzeroFloat64 MaxInt MinInt MaxInt8 MinInt8 MaxInt16 MinInt16 MaxInt32 MinInt32 MaxInt64 MinInt64
	MaxUint MaxUint8 MaxUint16 MaxUint32 MaxUint64`)

// seededRand are the names of math/rand/v2 that do not touch its global
// generator, whose numbers no seed of ours decides.
var seededRand = strings.Fields("New NewPCG NewChaCha8 NewZipf Rand PCG ChaCha8 Zipf Source")

var clock = strings.Fields("Now Since Until Sleep After AfterFunc Tick NewTicker NewTimer")

// complaint says why code of a folder may not use a name of another package;
// empty when it may.
func complaint(dir, imp, name string) string {
	pure := pureFolder(dir)
	switch {
	case imp == "math" && pure && !slices.Contains(exactMath, name):
		return "math." + name + " has other bits on other processors: use the project's own in internal/vec"
	case imp == "math/rand/v2" && !slices.Contains(seededRand, name):
		return "rand." + name + " draws from the global generator: take a stream"
	case pure && within(imp, "gonum.org/v1/gonum/floats", "gonum.org/v1/gonum/stat"):
		return imp + "." + name + " adds in an order that moves with alignment: write a fixed order"
	case imp == "maps" && pure && slices.Contains([]string{"All", "Keys", "Values"}, name):
		return "maps." + name + " has another order in every run: sort the keys"
	case imp == "time" && (pure || dir == "ingest") && slices.Contains(clock, name):
		return "time." + name + ": pipelines alone owns the clock"
	case imp == "fmt" && dir != "infer/infertest" && strings.HasPrefix(name, "Print"):
		return "fmt." + name + " writes to the process's output: take a writer"
	case imp == "os" && name == "Exit" && !within(dir, "cmd", "internal/bars", "internal/mutants", "ingest"):
		return "os.Exit: only a command ends the process" // and ingest that of a query
	}
	return ""
}

// calls is the rule of banned names. It goes by the names of imports, so that
// it also sees files that this machine does not build.
func calls(t *tree) []finding {
	var out []finding
	for _, s := range t.files {
		if s.test() {
			continue
		}
		imports := map[string]string{}
		for _, spec := range s.ast.Imports {
			imp, _ := strconv.Unquote(spec.Path.Value)
			local := imp[strings.LastIndex(imp, "/")+1:]
			if local == "v2" {
				local = "rand"
			}
			if spec.Name != nil {
				local = spec.Name.Name
			}
			if local == "." {
				out = append(out, t.at(spec.Pos(), "a dot import hides where names come from"))
			}
			imports[local] = imp
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && sortsKeys(call) {
				return false
			}
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := sel.X.(*ast.Ident); ok {
				if why := complaint(s.dir(), imports[x.Name], sel.Sel.Name); why != "" {
					out = append(out, t.at(sel.Pos(), "%s", why))
				}
			}
			return true
		})
	}
	return out
}

// sortsKeys recognises slices.Sorted(maps.Keys(m)), the one way to go through a
// map in an order.
func sortsKeys(call *ast.CallExpr) bool {
	if types.ExprString(call.Fun) != "slices.Sorted" || len(call.Args) != 1 {
		return false
	}
	inner, ok := call.Args[0].(*ast.CallExpr)
	return ok && types.ExprString(inner.Fun) == "maps.Keys" && len(inner.Args) == 1
}

func TestCalls(t *testing.T) {
	seen(t, calls, planted{
		"internal/vec/a.go": `package vec
import "math"
import "math/rand/v2"
import m "math"
import . "fmt" // want
var a = math.Exp(1) // want
var b = m.Log1p // want
var c = math.Sqrt(2) + math.FMA(1, 2, 3) + math.Inf(1) + math.Pi
var d = rand.Float64() // want
var e = rand.NewPCG(1, 2)
`,
		"internal/linalg/a.go": `package linalg
import "gonum.org/v1/gonum/floats"
import "maps"
import "slices"
import "time"
var e = slices.Sorted(maps.Keys(map[int]int{}))
var a = floats.Sum(nil) // want
var b = maps.Keys(map[int]int{}) // want
var c = time.Now() // want
var d = maps.Clone(map[int]int{})
`,
		"transform/a.go":       "package transform\nimport \"math\"\nvar a = math.Log(2) // want\n",
		"transform/a_test.go":  "package transform\nimport \"math\"\nvar b = math.Log(2)\n",
		"infer/infertest/a.go": "package infertest\nimport \"math\"\nvar a = math.Log(2)\n",
		"report/a.go": "package report\nimport (\n\"fmt\"\n\"os\"\n\"time\"\n)\nvar a, _ = fmt.Println() // " +
			"want\nvar b = time.Now()\nfunc f() {\nos.Exit(1) // want\n}\n",
		"pipelines/a.go":          "package pipelines\nimport \"math/rand/v2\"\nvar a = rand.N(3) // want\n",
		"cmd/pipeline/command.go": "package main\nimport \"os\"\nfunc main() { os.Exit(0) }\n",
	})
	hold(t, calls)
}

// mapOrder is the rule that results never follow the order of a map.
var mapOrder = typed(func(t *tree, c checked) []finding {
	var out []finding
	for _, s := range c.files {
		ast.Inspect(s.ast, func(n ast.Node) bool {
			r, ok := n.(*ast.RangeStmt)
			if !ok {
				return true
			}
			typ := c.info.Types[r.X].Type
			if typ == nil || t.excused(s, r.Pos(), "maporder:ok") {
				return true
			}
			if _, isMap := typ.Underlying().(*types.Map); isMap {
				out = append(out, t.at(r.Pos(),
					"a map has another order in every run: sort its keys, or say why order does not matter with //maporder:ok"))
			}
			return true
		})
	}
	return out
})

func TestMapOrder(t *testing.T) {
	seen(t, mapOrder, planted{
		"infer/glm/a.go": `package glm
type table map[string]float64
func f(m table, s []float64) (n int) {
	for range m { // want
		n++
	}
	//maporder:ok counting does not depend on the order
	for range m {
		n++
	}
	//maporder:ok
	for range m { // want
		n++
	}
	for range s {
		n++
	}
	return n
}
`,
		"report/a.go": "package report\nfunc f(m map[int]int) {\nfor range m {\n}\n}\n",
	})
	hold(t, mapOrder)
}
