package vec

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/bits.txt anew; read the diff")

// at returns f's values at the numbers of x.
func at(f func(x float64) float64) func(x, y, z []float64) []float64 {
	return func(x, _, _ []float64) []float64 {
		out := make([]float64, len(x))
		for i := range x {
			out[i] = f(x[i])
		}
		return out
	}
}

// one returns a single value.
func one(f func(x, y, z []float64) float64) func(x, y, z []float64) []float64 {
	return func(x, y, z []float64) []float64 { return []float64{f(x, y, z)} }
}

// functions has each function of the package, of three slices.
var functions = map[string]func(x, y, z []float64) []float64{
	"Atan":           at(Atan),
	"CauchyCDF":      at(CauchyCDF),
	"Digamma":        at(Digamma),
	"Exp":            at(Exp),
	"Log":            at(Log),
	"Sin":            at(Sin),
	"Log1p":          at(Log1p),
	"Log1pExp":       at(Log1pExp),
	"LogAdd":         at(func(x float64) float64 { return LogAdd(x, float64(3*x)+1) }),
	"LogCauchyCDF":   at(LogCauchyCDF),
	"LogFactorial":   at(func(x float64) float64 { return LogFactorial(math.Floor(math.Abs(x))) }),
	"LogGamma":       at(LogGamma),
	"LogGammaExcess": at(LogGammaExcess),
	"LogNormalCDF":   at(LogNormalCDF),
	"LogRising":      at(func(x float64) float64 { return LogRising(math.Abs(x), math.Abs(3*x)) }),
	"Logistic":       at(Logistic),
	"Mills":          at(Mills),
	"NormalHazard":   at(NormalHazard),
	"NormalQuantile": at(NormalQuantile),
	"NormalTail":     at(func(x float64) float64 { return NormalTail(math.Abs(x)) }),
	"ScaledTrigamma": at(ScaledTrigamma),
	"Midpoint":       at(func(x float64) float64 { return Midpoint(math.Float64bits(x)) }),
	"Philox": at(func(x float64) float64 {
		a, b := Philox(math.Float64bits(x), 3, 4)
		return math.Float64frombits(a ^ b)
	}),
	"Axpy":                  func(x, y, _ []float64) []float64 { Axpy(0.7, x, y); return y },
	"CurvatureAlong":        one(func(x, y, _ []float64) float64 { return CurvatureAlong(x, y) }),
	"Dot":                   one(func(x, y, _ []float64) float64 { return Dot(x, y) }),
	"Sum":                   one(func(x, _, _ []float64) float64 { return Sum(x) }),
	"SumExpAlong":           one(func(x, y, _ []float64) float64 { return SumExpAlong(x, y, 0.3) }),
	"SumLog1pExpAlong":      one(func(x, y, _ []float64) float64 { return SumLog1pExpAlong(x, y, 0.3) }),
	"SumSquares":            one(func(x, _, _ []float64) float64 { return SumSquares(x) }),
	"SquaresAbout":          one(func(x, _, _ []float64) float64 { return SquaresAbout(x, 0.3) }),
	"SumSquaresAlong":       one(func(x, y, z []float64) float64 { return SumSquaresAlong(z, x, y, 0.3) }),
	"WeightedExpAlong":      one(func(x, y, z []float64) float64 { return WeightedExpAlong(z, x, y, 0.3) }),
	"WeightedLog1pExpAlong": one(func(x, y, z []float64) float64 { return WeightedLog1pExpAlong(z, x, y, 0.3) }),
	"WeightedSquaresAlong":  one(func(x, y, z []float64) float64 { return WeightedSquaresAlong(z, z, x, y, 0.3) }),
	"ExpCurve":              func(x, y, z []float64) []float64 { return append(z, ExpCurve(x, y, 0.3, z)) },
	"Log1pExpCurve": func(x, y, z []float64) []float64 {
		first, second := make([]float64, len(x)), make([]float64, len(x))
		sum := Log1pExpCurve(x, y, 0.3, first, second)
		return append(append(first, second...), sum)
	},
	"Deviations": func(x, _, _ []float64) []float64 {
		first, second := Deviations(x, 0.3)
		return []float64{first, second}
	},
	"ExcessArguments": func(x, _, _ []float64) []float64 {
		of := make([]float64, 3*len(x))
		ExcessArguments(of, x)
		return of
	},
	"ExcessFrom": func(x, y, z []float64) []float64 {
		of, dst := make([]float64, 3*len(x)), make([]float64, len(x))
		ExcessArguments(of, x)
		ExcessFrom(dst, x, of, slices.Concat(x, y, z))
		return dst
	},
}

// spread returns n numbers of both signs and of sizes from 2⁻ᵉ to 2ᵉ, made without rounding, so
// that every processor makes the same ones.
func spread(r *rand.Rand, n, e int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Ldexp(r.Float64()-0.5, r.IntN(2*e+1)-e)
	}
	return x
}

// digests hashes what every function gives, over fixed operands, any NaN for any other.
func digests() string {
	inf, tiny := math.Inf(1), math.SmallestNonzeroFloat64
	ends := []float64{0, math.Copysign(0, -1), 1, -1, 0.5, tiny, -tiny, 0x1p-1022, math.MaxFloat64, -math.MaxFloat64,
		inf, -inf, math.NaN(), math.Nextafter(1, 0), math.Nextafter(1, 2), 709, 710, -745, -746, 37, -39, 0x1p53, 1e305}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		r, d := rand.New(rand.NewPCG(16, 10)), sha256.New()
		put := func(x, y, z []float64) {
			for _, v := range functions[name](x, y, z) {
				if v != v {
					v = math.NaN()
				}
				_ = binary.Write(d, binary.LittleEndian, v) // a hash takes everything
			}
		}
		for n := range 40 {
			put(spread(r, n, 5), spread(r, n, 2), spread(r, n, 1))
		}
		for _, e := range []int{0, 3, 8, 60, 1000} {
			put(spread(r, 1037, e), spread(r, 1037, 2), spread(r, 1037, 1))
		}
		for i, x := range ends {
			put([]float64{x}, []float64{ends[(i+5)%len(ends)]}, []float64{2})
		}
		fmt.Fprintf(&out, "%-21s %x\n", name, d.Sum(nil)[:12])
	}
	return out.String()
}

// Every function has the bits of testdata/bits.txt on every processor.
func TestBits(t *testing.T) {
	const path = "testdata/bits.txt"
	got := digests()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run: make golden, then read the diff)", err)
	}
	for line := range strings.Lines(got) {
		if !strings.Contains(string(want), line) {
			t.Errorf("other bits than %s: %s", path, line)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%s has functions that the package has not", path)
	}
}

// No function is left out of the bits.
func TestBitsHaveEveryFunction(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !f.Name.IsExported() || strings.HasSuffix(name, "_test.go") {
				continue
			}
			if functions[f.Name.Name] == nil {
				t.Errorf("%s has no line in testdata/bits.txt: add it to functions", f.Name)
			}
		}
	}
}
